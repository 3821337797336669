/** Drafts of objects, kept in the browser for each user and object, until they are saved or discarded. */

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
    /** What the user has entered as the id of a new object. */
    readonly names?: NewNames;
    /** The content of the version on which it is based, as JSON text; none where there is no room for both. */
    readonly basis?: string;
    /** A later version of somebody else, beside which the user has seen it. */
    readonly seen?: string;
}

/** The id of a new object, or the end of it; empty where the service makes it. */
export interface NewNames {
    readonly handle: string;
    readonly suffix: string;
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

/** Characters of a draft: the storage of a page has about 5 million. */
const MAX_LENGTH = 700_000;

const NO_STORAGE: DraftStorage = {
    length: 0, key: () => null, getItem: () => null, removeItem: () => undefined,
    setItem() {

        throw new DOMException('blocked', 'SecurityError');
    }
};

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

/** True for a text that is never kept. */
export function isTooLong(text: string): boolean {

    return text.length > MAX_LENGTH;
}

/**
 * Keeps a draft; returns false if it is too large, or the browser refuses. Where there is no room for its basis, it is kept without.
 *
 * @param onRemoved called with how many older drafts of the same user and service had to go, as the storage is full; without it none goes
 */
export function keepDraft(storage: DraftStorage, key: DraftKey, draft: Draft, onRemoved?: (count: number) => void): boolean {

    if (isTooLong(draft.text)) {
        return false;
    }

    try {
        const { basis = '', ...alone } = draft;
        const text = JSON.stringify(alone);
        const isWhole = basis !== '' && !isTooLong(draft.text + basis) && isWritten(storage, nameOf(key), JSON.stringify(draft));
        if (isWhole || isWritten(storage, nameOf(key), text)) {
            return true;
        }

        const count = onRemoved ? makeRoom(storage, key, text) : null;
        if (count !== null && count > 0) {
            onRemoved?.(count);
        }

        return count !== null;
    }
    catch {
        return false;
    }
}

/**
 * Writes a draft in place of what older ones are based on, and then of older ones; returns how many had to go. All stay, and it returns null, if there
 * is no room without them either.
 */
function makeRoom(storage: DraftStorage, key: DraftKey, text: string): number | null {

    const others = names(storage, `${key.base ?? ''}[`).filter((name) => name !== nameOf(key) && keyIn(name, key.base)?.user === key.user)
        .sort((a, b) => timeOf(storage, a) - timeOf(storage, b));
    const before = others.map((name) => [name, storage.getItem(name) ?? ''] as const);
    for (const [name, whole] of before) {
        const { basis, ...alone } = parsed(whole) ?? {};
        if (basis !== undefined && isWritten(storage, name, JSON.stringify(alone)) && isWritten(storage, nameOf(key), text)) {
            return 0;
        }
    }

    for (const [count, name] of others.entries()) {
        storage.removeItem(name);
        if (isWritten(storage, nameOf(key), text)) {
            return count + 1;
        }
    }

    before.forEach(([name, whole]) => isWritten(storage, name, whole));
    return null;
}

/** Writes a value; returns false if the browser refuses it. */
function isWritten(storage: DraftStorage, name: string, text: string): boolean {

    try {
        storage.setItem(name, text);
        return true;
    }
    catch {
        return false;
    }
}

/** Numbers of the drafts of an object, in their order. */
export function draftSlots(storage: DraftStorage, { base = '', user, target }: DraftKey): readonly number[] {

    try {
        const keys = names(storage, `${base}[`).map((name) => keyIn(name, base));
        return keys.flatMap((key) => (key?.user === user && key.target === target ? [key.slot ?? 0] : [])).sort((a, b) => a - b);
    }
    catch {
        return [];
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

/** Whose draft of what a name stands for; null for one of another service. */
function keyIn(name: string, base = ''): DraftKey | null {

    try {
        const [user, target, slot = 0] = JSON.parse(name.slice(PREFIX.length + base.length)) as readonly unknown[];
        return typeof user === 'string' && typeof target === 'string' && typeof slot === 'number' ? { base, user, target, slot } : null;
    }
    catch {
        return null;
    }
}

function timeOf(storage: DraftStorage, name: string): number {

    return parsed(storage.getItem(name))?.savedOn ?? 0;
}

/** Reads what is stored, which other scripts of the origin may have written. */
function parsed(text: string | null): Draft | null {

    try {
        const { savedOn, etag, text: content, names: { handle, suffix } = {} as Partial<NewNames>, basis, seen } = JSON.parse(text ?? 'null') as Partial<Draft>;
        const more = {
            ...typeof handle === 'string' && typeof suffix === 'string' ? { names: { handle, suffix } } : {},
            ...typeof basis === 'string' ? { basis } : {}, ...typeof seen === 'string' ? { seen } : {}
        };
        return typeof savedOn === 'number' && typeof content === 'string' ? { savedOn, etag: typeof etag === 'string' ? etag : null, text: content, ...more } : null;
    }
    catch {
        return null;
    }
}
