/** Asks before something is lost that is not saved. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { guardLeaving, route } from '../router.js';

/**
 * Asks before the page is closed, and by `mayLeave` before another address is shown; null where that loses nothing.
 *
 * @param isNeeded true while there is something to lose
 */
export function useGuard(isNeeded: boolean, mayLeave: (() => boolean) | null): void {

    const ask = useRef(mayLeave);
    ask.current = mayLeave;
    const isGuarding = isNeeded && mayLeave !== null;
    // An address that may be shown without a loss, such as that of a tab, ends the guard.
    const address = isGuarding ? route.value : null;
    useLayoutEffect(() => {

        if (!isGuarding) {
            return undefined;
        }

        guardLeaving(() => ask.current?.() ?? true);
        return () => guardLeaving(null);
    }, [isGuarding, address]);
    useLayoutEffect(() => {

        if (!isNeeded) {
            return undefined;
        }

        const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
        addEventListener('beforeunload', stay);
        return () => removeEventListener('beforeunload', stay);
    }, [isNeeded]);
}
