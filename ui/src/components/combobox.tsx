/** A text field with suggestions that are loaded while the user types: the combobox pattern of ARIA, operated by keyboard or pointer. */

import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { isAbort, textOf } from '../state/messages.js';
import { useChanged } from './use-changed.js';

const t = defineTexts({
    en: { found: { one: '{count} suggestion', other: '{count} suggestions' }, none: 'Nothing found', searching: 'Searching …' },
    de: { found: { one: '{count} Vorschlag', other: '{count} Vorschläge' }, none: 'Nichts gefunden', searching: 'Wird gesucht …' },
    fr: { found: { one: '{count} suggestion', other: '{count} suggestions' }, none: 'Aucun résultat', searching: 'Recherche …' }
});

/** Pause in typing before suggestions are loaded, in milliseconds. */
const PAUSE_MS = 150;

/** A suggestion. */
export interface Suggestion {
    readonly id: string;
    readonly label: string;
    /** Shown beside the label, such as a type. */
    readonly hint?: string;
    /** True for one that does something else than to name an object. */
    readonly isAction?: boolean;
}

/** Attributes of the input, for a field of a form. */
export interface ComboboxInput {
    readonly id?: string;
    readonly isRequired?: boolean;
    readonly isInvalid?: boolean;
    readonly isDisabled?: boolean;
    readonly describedBy?: string | undefined;
    readonly placeholder?: string;
    readonly autofocus?: boolean;
}

interface ComboboxProps<S extends Suggestion> extends ComboboxInput {
    /** Name of the field; null where a label element names it by `id`. */
    readonly label: string | null;
    /** What the field shows while the user does not type. */
    readonly text: string;
    /** Loads suggestions. */
    readonly suggest: (text: string, signal: AbortSignal) => Promise<readonly S[]>;
    readonly onPick: (suggestion: S) => void;
    /** Called when the user leaves the field, or presses Enter, with a text that is no suggestion. The field then shows `text` again. */
    readonly onText?: (text: string) => void;
    /** Called by Escape while there are no suggestions. */
    readonly onCancel?: (() => void) | undefined;
}

interface State<S extends Suggestion> {
    readonly found: readonly S[];
    readonly isLoading: boolean;
    readonly error: string | null;
}

const NOTHING: State<never> = { found: [], isLoading: false, error: null };

/** The field. */
export function Combobox<S extends Suggestion>(props: ComboboxProps<S>): JSX.Element {

    const { label, text, suggest, onPick, onText, onCancel, placeholder, autofocus = false } = props;
    const [typed, showTyped] = useState<string | null>(null);
    // Known at once: a field that is removed as a suggestion was picked is left before it is rendered again.
    const latest = useRef<string | null>(null);
    const setTyped = (next: string | null): void => {

        latest.current = next;
        showTyped(next);
    };

    const [isOpen, setOpen] = useState(false);
    const [active, setActive] = useState(-1);
    const { found, isLoading, error } = useSuggestions(isOpen ? typed ?? '' : null, suggest);
    const ownId = useId();
    const input = useRef<HTMLInputElement>(null);
    const list = useRef<HTMLUListElement>(null);
    const inputId = props.id ?? ownId;
    const listId = `${inputId}-list`;
    useEffect(() => {

        if (autofocus) {
            input.current?.focus();
        }
    }, []);
    useChanged(found, () => setActive(-1));
    useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);

    const close = (): void => {

        setOpen(false);
        setTyped(null);
    };

    const pick = (suggestion: S): void => {

        close();
        onPick(suggestion);
    };

    const leave = (): void => {

        const left = latest.current?.trim() ?? text.trim();
        close();
        if (left !== text.trim()) {
            onText?.(left);
        }
    };

    const press = (event: KeyboardEvent): void => {

        const chosen = found[active];
        const targets: Readonly<Record<string, number>> = {
            ArrowDown: (active + 1) % found.length, ArrowUp: (Math.max(active, 0) - 1 + found.length) % found.length
        };
        const { key } = event;
        if (key in targets) {
            event.preventDefault();
            setOpen(true);
            setActive(found.length === 0 ? -1 : targets[key] ?? -1);
        }
        else if (key === 'Enter' && isOpen) {
            event.preventDefault();
            if (chosen) {
                pick(chosen);
            }
            else {
                leave();
            }
        }
        else if (key === 'Escape' && (isOpen || onCancel)) {
            event.preventDefault();
            event.stopPropagation();
            (isOpen ? close : onCancel)?.();
        }
    };

    const status = error ?? (isLoading ? t('searching') : found.length === 0 ? t('none') : t('found', { count: found.length }));
    return (
        <div class="combobox">
            <input ref={input} id={inputId} type="text" role="combobox" dir="auto" autocomplete="off" spellcheck={false} value={typed ?? text} placeholder={placeholder}
                aria-label={label ?? undefined} aria-expanded={isOpen && found.length > 0} aria-controls={listId} aria-autocomplete="list" aria-haspopup="listbox"
                aria-activedescendant={isOpen && active >= 0 ? `${listId}-${active}` : undefined} aria-describedby={props.describedBy}
                aria-invalid={props.isInvalid === true ? true : undefined} aria-required={props.isRequired === true ? true : undefined}
                disabled={props.isDisabled} autofocus={autofocus} onKeyDown={press} onBlur={leave} onClick={() => setOpen(true)}
                onFocus={(event) => event.currentTarget.select()} onInput={(event) => {

                    setTyped(event.currentTarget.value);
                    setOpen(true);
                }} />
            {isOpen && <ul ref={list} id={listId} role="listbox" class="combobox-list" aria-label={label ?? status} hidden={found.length === 0}>
                {found.map((suggestion, i) => (
                    <li key={suggestion.id} class={suggestion.isAction === true ? 'combobox-action' : undefined} id={`${listId}-${i}`} role="option" aria-selected={i === active} onPointerDown={(event) => event.preventDefault()}
                        onClick={() => pick(suggestion)}>
                        <span dir="auto">{suggestion.label}</span>{suggestion.hint !== undefined && <small dir="auto">{suggestion.hint}</small>}
                    </li>
                ))}
            </ul>}
            {isOpen && found.length === 0 && (!isLoading || error !== null) && <p class="combobox-list combobox-none">{status}</p>}
            <span class="visually-hidden" role="status">{isOpen ? status : ''}</span>
        </div>
    );
}

/** Loads suggestions for a text, after a pause; null for none. */
function useSuggestions<S extends Suggestion>(text: string | null, suggest: ComboboxProps<S>['suggest']): State<S> {

    const [state, setState] = useState<State<S>>(NOTHING);
    useEffect(() => {

        if (text === null) {
            setState(NOTHING);
            return;
        }

        const controller = new AbortController();
        const { signal } = controller;
        const load = (): void => {

            suggest(text.trim(), signal).then(
                (found) => !signal.aborted && setState({ found, isLoading: false, error: null }),
                (error: unknown) => !signal.aborted && !isAbort(error) && setState({ found: [], isLoading: false, error: textOf(error) }));
        };

        setState(({ found }) => ({ found, isLoading: true, error: null }));
        const timer = setTimeout(load, text === '' ? 0 : PAUSE_MS);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the user typed on', 'AbortError'));
        };
    }, [text]);
    return state;
}
