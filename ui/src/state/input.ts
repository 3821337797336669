/** Whether somebody has entered something on the screen that may not be stored yet. */

import { hasGuard, route } from '../router.js';

let isEntered = false;

/** True if something would be lost when the screen began anew. */
export function hasInput(): boolean {

    return isEntered || hasGuard() || document.querySelector('main dialog[open]') !== null;
}

/** Follows what is entered, until the user goes to another screen. */
export function followInput(): void {

    addEventListener('input', ({ target }) => {

        isEntered ||= target instanceof Element && target.closest('main') !== null;
    }, { capture: true });
    route.subscribe(() => {

        isEntered = false;
    });
}
