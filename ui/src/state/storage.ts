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
