/** Follows the address of the page: see routes.ts. */

import { batch, signal } from '@preact/signals';
import { endEarly } from './api/early.js';
import { parseRoute, type Route } from './routes.js';

export { parseRoute, paramText, to, type Route } from './routes.js';

/** Where the user is. */
export const route = signal<Route>(parseRoute(globalThis.location?.hash ?? ''));

/** The name with which the screen was opened. It stays when what the screen shows is renamed. */
export const openedAs = signal(route.value.name);

/** Asks whether the user may leave: screens with unsaved changes set it. Null: nothing is lost. */
let guard: (() => boolean) | null = null;

/** Sets who is asked before the user leaves the screen; returns false to stay. */
export function guardLeaving(ask: (() => boolean) | null): void {

    guard = ask;
}

/** True while somebody has to be asked. */
export function hasGuard(): boolean {

    return guard !== null;
}

/** The address follows what the screen shows, which has another name now; the screen stays with all that is typed. */
export function followRenamed(address: string): void {

    guard = null;
    history.replaceState({ position }, '', address);
    follow({ isRenamed: true });
}

/** Goes to an address of `to`. With `replace` the present one is not kept in the history. */
export function go(address: string, { replace = false } = {}): void {

    if (replace) {
        history.replaceState({ position }, '', address);
        follow({ isRenamed: false });
    }
    else {
        location.hash = address;
    }
}

/** Goes back to where the user came from; to an address where this is the first page that the user sees here. */
export function goBack(otherwise: string): void {

    if (position > 0) {
        history.back();
    }
    else {
        go(otherwise, { replace: true });
    }
}

let current = globalThis.location?.hash ?? '';

/** Number of the present entry of the history, which each entry holds. */
let position = positionOf(globalThis.history?.state) ?? 0;

function positionOf(state: unknown): number | null {

    const { position: found } = (state ?? {}) as { readonly position?: unknown };
    return typeof found === 'number' ? found : null;
}

function follow({ isRenamed }: { readonly isRenamed: boolean }): void {

    if (location.hash === current) {
        return;
    }

    // A link makes an entry without a number, after the present one.
    const next = positionOf(history.state) ?? position + 1;
    if (guard && !guard()) {
        if (next === position) {
            history.replaceState({ position }, '', current === '' ? '#' : current);
        }
        else {
            // The entries stay as they are: what was before this screen can still be gone back to.
            history.go(position - next);
        }

        return;
    }

    position = next;
    history.replaceState({ position }, '');
    current = location.hash;
    guard = null;
    endEarly();
    const shown = parseRoute(current);
    batch(() => {

        if (!isRenamed && (shown.screen !== route.value.screen || shown.name !== route.value.name)) {
            openedAs.value = shown.name;
        }

        route.value = shown;
    });
}

/** Follows the address, once the page runs. */
export function startRouter(): void {

    history.replaceState({ position }, '');
    addEventListener('hashchange', () => follow({ isRenamed: false }));
}
