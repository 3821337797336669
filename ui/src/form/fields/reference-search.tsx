/** Search for an object to refer to: a combobox as WAI-ARIA describes it, with suggestions of the service while the user types. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useForm } from '../context.js';
import type { ReferenceOption } from '../context.js';
import type { ReferenceRule } from '../model/extension.js';
import { t } from '../texts.js';
import type { ControlAttributes } from './use-control.js';

/** Pause in typing before suggestions are asked for, in milliseconds. */
const PAUSE_MS = 150;

/** An entry of the list. */
type Entry =
    | { readonly kind: 'object'; readonly option: ReferenceOption }
    | { readonly kind: 'id'; readonly id: string }
    | { readonly kind: 'create'; readonly type: string };

interface SearchProps {
    readonly rule: ReferenceRule;
    readonly attributes: ControlAttributes;
    readonly label?: string;
    readonly autoFocus?: boolean;
    /** Takes an object. */
    readonly onChoose: (option: ReferenceOption) => void;
    /** Called by Escape when the list is closed. */
    readonly onCancel?: () => void;
}

/** The field and its list. */
export function ReferenceSearch({ rule, attributes, label, autoFocus = false, onChoose, onCancel }: SearchProps): JSX.Element {

    const { context } = useForm();
    const [text, setText] = useState('');
    const [isOpen, setOpen] = useState(false);
    const [active, setActive] = useState(-1);
    const { options, isFailed, isLoading } = useSuggestions(rule, text, isOpen);
    const input = useRef<HTMLInputElement>(null);
    const { types, excludeTypes } = rule;
    const creatable = context.createReference ? context.creatableTypes?.({ types, excludeTypes }) ?? [] : [];
    const isKnown = options.some(({ id }) => id === text.trim());
    const entries: readonly Entry[] = [
        ...options.map((option): Entry => ({ kind: 'object', option })),
        ...text.trim() !== '' && !isKnown ? [{ kind: 'id', id: text.trim() } as const] : [],
        ...creatable.map((type): Entry => ({ kind: 'create', type }))
    ];
    const listId = `${attributes.id}-list`;
    useEffect(() => {

        if (autoFocus) {
            input.current?.focus();
        }
    }, []);
    const close = (): void => {

        setOpen(false);
        setActive(-1);
    };

    const choose = async (entry: Entry | undefined): Promise<void> => {

        close();
        const option = entry?.kind === 'create' ? await context.createReference?.(entry.type, text.trim()) :
            entry?.kind === 'id' ? { id: entry.id, label: entry.id } : entry?.option;
        if (option) {
            setText('');
            onChoose(option);
        }

        if (entry?.kind !== 'create' || !option) {
            input.current?.focus();
        }
    };

    const onKeyDown = (event: KeyboardEvent): void => {

        const { key } = event;
        if (key === 'ArrowDown' || key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
            const step = key === 'ArrowDown' ? 1 : -1;
            setActive(entries.length === 0 ? -1 : (Math.max(active, step === 1 ? -1 : 0) + step + entries.length) % entries.length);
        }
        else if (key === 'Enter') {
            event.preventDefault();
            if (isOpen && (active !== -1 || text.trim() !== '' && !isLoading)) {
                void choose(entries[active === -1 ? 0 : active]);
            }
        }
        else if (key === 'Escape' && (isOpen || onCancel)) {
            event.preventDefault();
            event.stopPropagation();
            if (isOpen) {
                close();
            }
            else {
                onCancel?.();
            }
        }
    };

    const placeholder = types.length > 0 && types.length < 4 ? t('searchIn', { types: types.join(', ') }) : t('search');
    return (
        <div class="form-combobox">
            <input {...attributes} ref={input} type="text" role="combobox" dir="auto" autocomplete="off" aria-autocomplete="list" aria-expanded={isOpen} aria-controls={listId}
                {...label === undefined ? {} : { 'aria-label': label }} {...active === -1 ? {} : { 'aria-activedescendant': `${listId}-${active}` }}
                value={text} placeholder={placeholder} onKeyDown={onKeyDown} onBlur={close} onFocus={() => undefined} onClick={() => setOpen(true)}
                onInput={({ currentTarget }) => {

                    setText(currentTarget.value);
                    setOpen(true);
                    setActive(-1);
                }} />
            <ul id={listId} role="listbox" aria-label={t('search')} hidden={!isOpen || entries.length === 0} class="form-options">
                {entries.map((entry, i) => (
                    <li key={i} id={`${listId}-${i}`} role="option" aria-selected={i === active} class={`form-option ${entry.kind}`}
                        onPointerDown={(event) => event.preventDefault()} onClick={() => void choose(entry)}>
                        <EntryText entry={entry} />
                    </li>
                ))}
            </ul>
            {isOpen && <small role="status">{isFailed ? t('unavailable') : isLoading ? '' : options.length === 0 ? t('noneFound') : t('found', { count: options.length })}</small>}
        </div>
    );
}

function EntryText({ entry }: { readonly entry: Entry }): JSX.Element {

    switch (entry.kind) {
        case 'object': {
            const { id, label, type } = entry.option;
            return <><bdi>{label}</bdi><small>{type !== undefined && <bdi>{type}</bdi>} <bdi>{id}</bdi></small></>;
        }

        case 'id': {
            return <bdi>{t('useId', { id: entry.id })}</bdi>;
        }

        default: {
            return <span>{t('create', { types: entry.type })}</span>;
        }
    }
}

interface Suggestions {
    readonly options: readonly ReferenceOption[];
    readonly isFailed: boolean;
    readonly isLoading: boolean;
}

const NONE: Suggestions = { options: [], isFailed: false, isLoading: false };

/** Suggestions for a text, as long as the list is open. */
function useSuggestions(rule: ReferenceRule, text: string, isOpen: boolean): Suggestions {

    const { context } = useForm();
    const [state, setState] = useState(NONE);
    useEffect(() => {

        if (!isOpen || !context.findReferences) {
            return undefined;
        }

        const controller = new AbortController();
        const { types, excludeTypes } = rule;
        setState((before) => ({ ...before, isLoading: true }));
        const timer = setTimeout(() => {

            context.findReferences?.({ types, excludeTypes, text: text.trim() }, controller.signal).then(
                (options) => !controller.signal.aborted && setState({ options, isFailed: false, isLoading: false }),
                () => !controller.signal.aborted && setState({ options: [], isFailed: true, isLoading: false }));
        }, PAUSE_MS);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the list is closed', 'AbortError'));
        };
    }, [text, isOpen]);
    return state;
}
