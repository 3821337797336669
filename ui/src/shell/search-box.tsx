/** The search of the head: an id or a handle opens its object, anything else is searched for. Fields and syntax are suggested. */

import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { useChanged } from '../components/use-changed.js';
import { go, route, to } from '../router.js';
import { idIn } from './links.js';
import { t } from './texts.js';
import type { Suggestion } from '../search/suggest.js';

type Suggest = (text: string, caret: number, isAsked: boolean) => readonly Suggestion[];

let suggest: Suggest | null = null;

/** Loads the suggestions, when somebody begins to write. */
async function loadSuggestions(): Promise<void> {

    suggest ??= (await import('../search/suggestions.js')).suggestionsFor;
}

/** The search box. A slash anywhere on the page leads here. */
export function SearchBox(): JSX.Element {

    const input = useRef<HTMLInputElement>(null);
    const id = useId();
    const { screen, params } = route.value;
    const query = screen === 'search' ? params.get('query') ?? '' : '';
    const [text, setText] = useState(query);
    const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
    const [active, setActive] = useState(-1);
    useChanged(query, () => setText(query));
    useShortcut(input);

    const close = (): void => {

        setSuggestions([]);
        setActive(-1);
    };

    const look = (isAsked = false): void => {

        const { value = '', selectionStart } = input.current ?? {};
        setSuggestions(suggest?.(value, selectionStart ?? value.length, isAsked) ?? []);
        setActive(-1);
    };

    const take = ({ text: next, caret }: Suggestion): void => {

        setText(next);
        close();
        requestAnimationFrame(() => {

            input.current?.focus();
            input.current?.setSelectionRange(caret, caret);
            look();
        });
    };

    const search = (event: Event): void => {

        event.preventDefault();
        const chosen = suggestions[active];
        if (chosen) {
            take(chosen);
            return;
        }

        close();
        const wanted = text.trim();
        const object = idIn(wanted);
        go(object === null ? to.search({ query: wanted }) : to.object(object));
    };

    const press = (event: KeyboardEvent): void => {

        if (event.key === 'Escape' && suggestions.length > 0) {
            event.preventDefault();
            close();
        }
        else if (event.key === 'ArrowDown' && suggestions.length === 0) {
            event.preventDefault();
            look(true);
        }
        else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && suggestions.length > 0) {
            event.preventDefault();
            const count = suggestions.length + 1;
            setActive((active + 1 + (event.key === 'ArrowDown' ? 1 : count - 1)) % count - 1);
        }
    };

    return (
        <form class="search-box" role="search" onSubmit={search}>
            <input ref={input} type="text" enterkeyhint="search" role="combobox" aria-autocomplete="list" aria-expanded={suggestions.length > 0} aria-controls={`${id}-list`}
                aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined} aria-label={t('search')} placeholder={t('search')} value={text} dir="auto"
                spellcheck={false} autocomplete="off" autocapitalize="off" aria-keyshortcuts="/ Control+K" onFocus={() => void loadSuggestions().catch(() => undefined)} onBlur={close} onKeyDown={press}
                onInput={(event) => {

                    setText(event.currentTarget.value);
                    void loadSuggestions().then(() => look(), () => close());
                }} />
            <button type="submit" class="quiet icon-button" aria-label={t('searchButton')}><Icon name="search" /></button>
            <ul id={`${id}-list`} role="listbox" class="suggestions" aria-label={t('suggestions')} hidden={suggestions.length === 0}>
                {suggestions.map((each, index) => (
                    <li key={each.label} id={`${id}-${index}`} role="option" aria-selected={index === active}
                        onPointerDown={(event) => {

                            event.preventDefault();
                            take(each);
                        }}>
                        <code dir="ltr">{each.label}</code><small dir="auto">{each.detail}</small>
                    </li>
                ))}
            </ul>
        </form>
    );
}

/** A slash, or Control and K, leads to the search. */
function useShortcut(input: { readonly current: HTMLInputElement | null }): void {

    useEffect(() => {

        const focus = (event: KeyboardEvent): void => {

            const isShortcut = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey || event.key === 'k' && (event.ctrlKey || event.metaKey);
            const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable], dialog') !== null;
            if (isShortcut && (!isTyping || event.key === 'k')) {
                event.preventDefault();
                input.current?.focus();
                input.current?.select();
            }
        };

        addEventListener('keydown', focus);
        return () => removeEventListener('keydown', focus);
    }, []);
}
