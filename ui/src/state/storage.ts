/** The browser's storage, where it is allowed. */

import { browserStorage } from './drafts.js';

/** A stored value; null where there is none, or storage is blocked. */
export function stored(name: string): string | null {

    try {
        return browserStorage().getItem(name);
    }
    catch {
        return null;
    }
}

/** Stores a value in the browser, or removes it. Without storage, settings last as long as the page. */
export function store(name: string, value: string | null): void {

    try {
        if (value === null) {
            browserStorage().removeItem(name);
        }
        else {
            browserStorage().setItem(name, value);
        }
    }
    catch {
        // Blocked or full
    }
}

/** What is needed of the global scope, which tests without a browser lack. */
interface Events {
    addEventListener?(type: 'storage', listener: (event: { readonly key: string | null; readonly newValue: string | null }) => void): void;
}

/** Calls a function when another page of the browser has changed a value: with the new one, null without one. */
export function followStored(name: string, use: (value: string | null) => void): void {

    (globalThis as Events).addEventListener?.('storage', ({ key, newValue }) => {

        // Without a key everything was removed.
        if (key === name || key === null) {
            use(newValue);
        }
    });
}
