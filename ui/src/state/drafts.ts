/** Drafts of objects, kept in the browser: for each user and object the latest one, until it is saved. */

/** What is needed of the browser's storage. */
export interface DraftStorage {
    readonly length: number;
    key(index: number): string | null;
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
}

/** A draft. */
export interface Draft {
    /** Time in milliseconds since 1970. */
    readonly savedOn: number;
    /** The version on which it is based; null for a new object. */
    readonly etag: string | null;
    /** The content as JSON text. */
    readonly text: string;
}

/** Whose draft of what: the id of an object, or `new:` with a type. */
export interface DraftKey {
    /** Path of the service, as several of one origin share the storage; empty for the root. */
    readonly base?: string;
    readonly user: string;
    readonly target: string;
    /** Number of the draft, from 0: there may be several of one object. */
    readonly slot?: number;
}

const PREFIX = 'doip-gateway-draft:';

/** Drafts that are kept; the oldest ones go. */
export const MAX_DRAFTS = 12;

/** Characters of a draft: the storage of a page has about 5 million. */
const MAX_LENGTH = 700_000;

const NO_STORAGE: DraftStorage = { length: 0, key: () => null, getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

/** The storage of the browser; nothing is kept where that is blocked. */
export function browserStorage(): DraftStorage {

    try {
        return (globalThis as { readonly localStorage?: DraftStorage }).localStorage ?? NO_STORAGE;
    }
    catch {
        return NO_STORAGE;
    }
}

const nameOf = ({ base = '', user, target, slot = 0 }: DraftKey): string => PREFIX + base + JSON.stringify(slot === 0 ? [user, target] : [user, target, slot]);

/** Keeps a draft; returns false if it is too large, or the browser refuses. */
export function keepDraft(storage: DraftStorage, key: DraftKey, draft: Draft): boolean {

    if (draft.text.length > MAX_LENGTH) {
        return false;
    }

    try {
        const others = names(storage).filter((name) => name !== nameOf(key));
        others.sort((a, b) => timeOf(storage, b) - timeOf(storage, a)).slice(MAX_DRAFTS - 1).forEach((name) => storage.removeItem(name));
        storage.setItem(nameOf(key), JSON.stringify(draft));
        return true;
    }
    catch {
        return false;
    }
}

/** The draft of an object; null if there is none. */
export function findDraft(storage: DraftStorage, key: DraftKey): Draft | null {

    try {
        return parsed(storage.getItem(nameOf(key)));
    }
    catch {
        return null;
    }
}

/** Removes the draft of an object. */
export function dropDraft(storage: DraftStorage, key: DraftKey): void {

    try {
        storage.removeItem(nameOf(key));
    }
    catch {
        // Where storage is blocked, there is no draft.
    }
}

/** Removes all drafts of a service, as the computer may be a shared one. */
export function dropAllDrafts(storage: DraftStorage, base = ''): void {

    try {
        names(storage, `${base}[`).forEach((name) => storage.removeItem(name));
    }
    catch {
        // Where storage is blocked, there are no drafts.
    }
}

function names(storage: DraftStorage, start = ''): string[] {

    return Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((name) => name.startsWith(PREFIX + start));
}

function timeOf(storage: DraftStorage, name: string): number {

    return parsed(storage.getItem(name))?.savedOn ?? 0;
}

/** Reads what is stored, which other scripts of the origin may have written. */
function parsed(text: string | null): Draft | null {

    try {
        const { savedOn, etag, text: content } = JSON.parse(text ?? 'null') as Partial<Draft>;
        return typeof savedOn === 'number' && typeof content === 'string' ? { savedOn, etag: typeof etag === 'string' ? etag : null, text: content } : null;
    }
    catch {
        return null;
    }
}
