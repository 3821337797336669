/** Lists of users, groups, words and other names that are edited, and may have thousands of entries: a part of them is shown, with a filter. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { labelOf, readLabels } from '../state/labels.js';
import { usePages } from './use-pages.js';

const t = defineTexts({
    en: { filter: 'Filter the list', none: 'No entry matches.' },
    de: { filter: 'Liste filtern', none: 'Kein Eintrag passt.' },
    fr: { filter: 'Filtrer la liste', none: 'Aucune entrée ne correspond.' }
});

/** Number of entries that are shown at first, and with each step. Shorter lists have no filter. */
const FIRST = 50;
const STEP = 200;

/** Names are looked up for the filter in lists of at most this length; in longer ones it finds ids. */
const MAX_NAMES = 4000;

export interface LongList {
    readonly shown: readonly string[];
    /** The filter, above the list; null for a short list. */
    readonly filter: JSX.Element | null;
    /** Below the list: the button for more entries, or that none matches. */
    readonly more: JSX.Element | null;
}

/**
 * The part of the entries that is shown: the first that match the filter, and all that were added since the list was opened.
 *
 * @param nameOf the name of an entry that is an id; null for entries that are names themselves
 */
export function useLongList(entries: readonly string[], nameOf: ((entry: string) => string) | null = labelled): LongList {

    const added = useAdded(entries);
    const [text, setText] = useState('');
    const [hasNames, setHasNames] = useState(false);
    const words = text.trim().toLowerCase();
    const isNamed = (entry: string): boolean => hasNames && nameOf !== null && nameOf(entry).toLowerCase().includes(words);
    const matches = (entry: string): boolean => entry.toLowerCase().includes(words) || isNamed(entry);
    const matching = words === '' ? entries : entries.filter(matches);
    const old = matching.filter((entry) => !added.has(entry));
    const [count, more] = usePages(old.length, FIRST, STEP);
    const type = (next: string): void => {

        setText(next);
        if (nameOf && !hasNames && entries.length <= MAX_NAMES) {
            void readLabels(entries).then(() => setHasNames(true));
        }
    };

    const isLong = entries.length > FIRST;
    return {
        shown: [...old.slice(0, count), ...matching.filter((entry) => added.has(entry))],
        filter: isLong || text !== '' ? (
            <label>{t('filter')} <small>{matching.length === entries.length ? entries.length : `${matching.length} / ${entries.length}`}</small>
                <input type="search" value={text} dir="auto" autocomplete="off" onInput={(event) => type(event.currentTarget.value)} onKeyDown={ignoreEnter} />
            </label>
        ) : null,
        more: matching.length === 0 && entries.length > 0 ? <p class="muted" role="status">{t('none')}</p> : more
    };
}

/** Entries that were added one by one since the list was opened. A list that is replaced begins anew. */
function useAdded(entries: readonly string[]): ReadonlySet<string> {

    const previous = useRef(entries);
    const added = useRef(new Set<string>());
    if (previous.current !== entries) {
        const former = new Set(previous.current);
        const fresh = entries.filter((entry) => !former.has(entry));
        previous.current = entries;
        if (fresh.length > FIRST) {
            added.current.clear();
        }
        else {
            fresh.forEach((entry) => added.current.add(entry));
        }
    }

    return added.current;
}

function labelled(id: string): string {

    return labelOf(id).value?.label ?? id;
}

/** The list stands in forms, which Enter would send. */
function ignoreEnter(event: KeyboardEvent): void {

    if (event.key === 'Enter') {
        event.preventDefault();
    }
}
