/** Search for a user or group: a combobox as WAI-ARIA describes it. Any id can be entered as well. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useEffect } from 'preact/hooks';
import { design } from '../../state/design.js';
import { isAbort, sayError } from '../../state/messages.js';
import { findObjects, groupTypes, jsonObject, textAt, userTypes } from './accounts.js';
import { t } from './texts.js';

/** A choice. */
export interface Person {
    readonly id: string;
    readonly label: string;
    readonly type?: string;
}

/** Pause in typing before suggestions are asked for, in milliseconds. */
const PAUSE_MS = 150;

const MAX_SUGGESTED = 8;

interface PickerProps {
    readonly label: string;
    /** Ids that are not suggested. */
    readonly without?: readonly string[];
    /** Words that are no ids, such as `public`. */
    readonly words?: readonly Person[];
    /** Types of objects; default those of users and groups. */
    readonly isUsersOnly?: boolean;
    readonly onChoose: (person: Person) => void;
}

/** The field and its suggestions. */
export function PersonPicker({ label, without = [], words = [], isUsersOnly = false, onChoose }: PickerProps): JSX.Element {

    const [text, setText] = useState('');
    const [isOpen, setOpen] = useState(false);
    const [active, setActive] = useState(-1);
    const { found, isLoading } = useSuggestions(text, isOpen, isUsersOnly);
    const id = useId();
    const trimmed = text.trim();
    const matching = words.filter((word) => word.label.toLowerCase().includes(trimmed.toLowerCase()));
    const known = [...matching, ...found].filter((person) => !without.includes(person.id));
    const isOwnId = trimmed !== '' && !known.some((person) => person.id === trimmed) && !without.includes(trimmed);
    const entries: readonly Person[] = [...known, ...isOwnId ? [{ id: trimmed, label: t('useId', { text: trimmed }) }] : []];
    const choose = (person: Person | undefined): void => {

        if (person) {
            setText('');
            setOpen(false);
            setActive(-1);
            onChoose(person);
        }
    };

    const onKeyDown = (event: KeyboardEvent): void => {

        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
            const step = event.key === 'ArrowDown' ? 1 : -1;
            setActive(entries.length === 0 ? -1 : (Math.max(active, step === 1 ? -1 : 0) + step + entries.length) % entries.length);
        }
        else if (event.key === 'Enter') {
            event.preventDefault();
            choose(isOpen && active === -1 && trimmed !== '' && !isLoading ? entries[0] : entries[active]);
        }
        else if (event.key === 'Escape' && isOpen) {
            event.preventDefault();
            event.stopPropagation();
            setOpen(false);
            setActive(-1);
        }
    };

    return (
        <div class="picker">
            <label for={id}>{label}</label>
            <input id={id} type="text" role="combobox" dir="auto" autocomplete="off" autocapitalize="off" spellcheck={false} aria-autocomplete="list" aria-expanded={isOpen && entries.length > 0}
                aria-controls={`${id}-list`} {...active === -1 ? {} : { 'aria-activedescendant': `${id}-${active}` }} value={text}
                onKeyDown={onKeyDown} onClick={() => setOpen(true)} onBlur={() => setOpen(false)}
                onInput={({ currentTarget }) => {

                    setText(currentTarget.value);
                    setOpen(true);
                    setActive(-1);
                }} />
            <ul id={`${id}-list`} role="listbox" aria-label={label} class="picker-list" hidden={!isOpen || entries.length === 0}>
                {entries.map((person, at) => (
                    <li key={person.id} id={`${id}-${at}`} role="option" aria-selected={at === active} onPointerDown={(event) => event.preventDefault()} onClick={() => choose(person)}>
                        <bdi>{person.label}</bdi>{person.type !== undefined && <small><bdi>{person.type}</bdi> · <bdi>{person.id}</bdi></small>}
                    </li>
                ))}
            </ul>
            <small role="status" class="visually-hidden">{isOpen ? isLoading ? t('searching') : t('results', { count: entries.length }) : ''}</small>
        </div>
    );
}

function useSuggestions(text: string, isOpen: boolean, isUsersOnly: boolean): { readonly found: readonly Person[]; readonly isLoading: boolean } {

    const [state, setState] = useState<{ readonly found: readonly Person[]; readonly isLoading: boolean }>({ found: [], isLoading: false });
    useEffect(() => {

        if (!isOpen) {
            return undefined;
        }

        const controller = new AbortController();
        setState(({ found }) => ({ found, isLoading: true }));
        const timer = setTimeout(() => {

            findPeople(text, isUsersOnly, controller.signal).then((found) => !controller.signal.aborted && setState({ found, isLoading: false }), (error: unknown) => {

                if (!controller.signal.aborted && !isAbort(error)) {
                    setState({ found: [], isLoading: false });
                    sayError(error);
                }
            });
        }, PAUSE_MS);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the list is closed', 'AbortError'));
        };
    }, [text, isOpen]);
    return state;
}

async function findPeople(text: string, isUsersOnly: boolean, signal: AbortSignal): Promise<readonly Person[]> {

    const schemas = design.value?.schemas ?? {};
    const users = userTypes(schemas);
    const groups = isUsersOnly ? [] : groupTypes(schemas, textAt(jsonObject(design.value?.['handleMintingConfig']), '/prefix'));
    const names = new Map([...users.map(({ type, username }) => [type, username] as const), ...groups.map(({ type, name }) => [type, name ?? ''] as const)]);
    const { results } = await findObjects([...names.keys()], { text, page: 0, pageSize: MAX_SUGGESTED, signal });
    return results.map(({ id, type, content }) => ({ id, type, label: textAt(content, names.get(type)) || id }));
}
