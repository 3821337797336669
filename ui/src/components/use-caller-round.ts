/** When what a screen shows is read again as somebody else is logged in. */

import { useRef } from 'preact/hooks';
import { caller, isCallerKnown } from '../api/session.js';

/** Counts logins and logouts after the page was loaded: the first requests are sent with the session anyway. */
export function useCallerRound(): number {

    const { userId = '' } = caller.value;
    const isKnown = isCallerKnown.value;
    const before = useRef<string | null>(null);
    const round = useRef(0);
    if (isKnown && before.current !== userId) {
        round.current += before.current === null ? 0 : 1;
        before.current = userId;
    }

    return round.current;
}
