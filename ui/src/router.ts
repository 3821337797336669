/** Follows the address of the page: see routes.ts. */

import { signal } from '@preact/signals';
import { endEarly } from './api/early.js';
import { parseRoute, type Route } from './routes.js';

export { parseRoute, paramText, to, type Route } from './routes.js';

/** Where the user is. */
export const route = signal<Route>(parseRoute(globalThis.location?.hash ?? ''));

/** Asks whether the user may leave: screens with unsaved changes set it. Null: nothing is lost. */
let guard: (() => boolean) | null = null;

/** Sets who is asked before the user leaves the screen; returns false to stay. */
export function guardLeaving(ask: (() => boolean) | null): void {

    guard = ask;
}

/** Goes to an address of `to`. With `replace` the present one is not kept in the history. */
export function go(address: string, { replace = false } = {}): void {

    if (replace) {
        history.replaceState(null, '', address);
        follow();
    }
    else {
        location.hash = address;
    }
}

let current = globalThis.location?.hash ?? '';

function follow(): void {

    if (location.hash === current) {
        return;
    }

    if (guard && !guard()) {
        history.replaceState(null, '', current === '' ? '#' : current);
        return;
    }

    current = location.hash;
    guard = null;
    endEarly();
    route.value = parseRoute(current);
}

/** Follows the address, once the page runs. */
export function startRouter(): void {

    addEventListener('hashchange', follow);
}
