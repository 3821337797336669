/** Searches that a user has saved under a name, in this browser. */

import { computed, signal } from '@preact/signals';
import { caller } from '../api/session.js';
import { followStored, store, stored } from './storage.js';

/** A search under a name. */
export interface SavedSearch {
    readonly name: string;
    /** The parameters of its address, such as `query=type%3ABook&sort=%2Fyear`. */
    readonly params: string;
}

const STORED = 'doip-gateway-searches';

/** Searches of a user that are kept, and characters of them. */
const MAX_SEARCHES = 100;
export const MAX_NAME = 100;
const MAX_PARAMS = 8000;

/** Users whose searches are kept in one browser; those of the others are the oldest. */
const MAX_USERS = 20;

type ByUser = Readonly<Record<string, readonly SavedSearch[]>>;

const all = signal<ByUser>(read(stored(STORED)));

/** Those of the caller, in the order of their names. */
export const savedSearches = computed(() => [...of(all.value, user())].sort((a, b) => a.name.localeCompare(b.name)));

/** Saves a search; one of the same name is replaced. Returns false for one that is too long, or too many. */
export function saveSearch({ name, params }: SavedSearch): boolean {

    readAgain();
    const others = savedSearches.value.filter((each) => each.name !== name);
    const isKept = name !== '' && name.length <= MAX_NAME && params.length <= MAX_PARAMS && others.length < MAX_SEARCHES;
    return isKept && keep([...others, { name, params }]);
}

/** Gives a search another name; one that has it already is replaced. */
export function renameSearch(from: string, name: string): boolean {

    readAgain();
    const search = savedSearches.value.find((each) => each.name === from);
    const isRenamed = search !== undefined && name !== '' && name.length <= MAX_NAME;
    return isRenamed && keep([...savedSearches.value.filter((each) => each.name !== from && each.name !== name), { ...search, name }]);
}

export function deleteSearch(name: string): void {

    readAgain();
    keep(savedSearches.value.filter((each) => each.name !== name));
}

/** The address of a search that was saved. */
export function addressOf({ params }: SavedSearch): string {

    return `#objects/?${params}`;
}

function user(): string {

    return caller.value.userId ?? '';
}

function of(searches: ByUser, id: string): readonly SavedSearch[] {

    return Object.hasOwn(searches, id) ? searches[id] ?? [] : [];
}

/** Other pages of the browser may have saved some of which this one was not told, as it was not running. */
function readAgain(): void {

    const text = stored(STORED);
    if (text !== null) {
        all.value = read(text);
    }
}

/** Keeps the searches of the caller, beside those of others. Returns false where the browser has no room for them; without storage they last as long as the page. */
function keep(own: readonly SavedSearch[]): boolean {

    const others = Object.entries(read(stored(STORED))).filter(([id]) => id !== user()).slice(0, MAX_USERS - 1);
    const next = Object.fromEntries([[user(), own], ...others]);
    const text = JSON.stringify(next);
    store(STORED, text);
    const now = stored(STORED);
    const isKept = now === null || now === text;
    all.value = isKept ? next : read(now);
    return isKept;
}

/** Reads what is stored, which other scripts of the origin may have written. */
function read(text: string | null): ByUser {

    try {
        const value: unknown = JSON.parse(text ?? '{}');
        const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
        return Object.fromEntries(entries.map(([id, list]) => [id, Array.isArray(list) ? list.filter(isSaved).slice(0, MAX_SEARCHES) : []]));
    }
    catch {
        return {};
    }
}

function isSaved(value: unknown): value is SavedSearch {

    const { name, params } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<keyof SavedSearch, unknown>>;
    return typeof name === 'string' && typeof params === 'string' && name !== '' && name.length <= MAX_NAME && params.length <= MAX_PARAMS;
}

// Other pages of the browser show the same.
followStored(STORED, (text) => {

    all.value = read(text);
});
