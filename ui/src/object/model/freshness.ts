/** Whether an object is still as it was read: asked when somebody comes back to the page. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { objectPath, sendQuietly } from '../../api/client.js';
import { isSameVersion } from '../../api/entity-tag.js';
import { config } from '../../config.js';
import type { LoadedObject } from './load.js';

export type Freshness = 'fresh' | 'changed' | 'deleted';

/** Pause between two questions, in milliseconds. */
const PAUSE_MS = 2000;

const NOT_FOUND = 404;

/**
 * Follows whether the object has changed. No return to the page goes unanswered: one that comes too soon after the
 * last question is answered at the end of the pause, one that is under way as the object is replaced is asked again.
 */
export function useFreshness(object: LoadedObject): Freshness {

    const [state, setState] = useState<Freshness>('fresh');
    const isPending = useRef(false);
    const { id, etag } = object;
    useEffect(() => {

        setState('fresh');
        let [last, isCurrent] = [0, true];
        let timer: ReturnType<typeof setTimeout> | undefined;
        const ask = async (): Promise<void> => {

            last = Date.now();
            // Nobody has asked for this: it asks for no login.
            const response = await sendQuietly(`${config.base}${objectPath(id)}?full`, { method: 'HEAD' });
            const now = response.headers.get('etag');
            const next = response.status === NOT_FOUND ? 'deleted' : response.ok && now !== null && !isSameVersion(now, etag) ? 'changed' : null;
            if (isCurrent && next !== null) {
                setState(next);
            }
        };

        const askNow = (): void => {

            timer = undefined;
            // A service that is away is noticed by the next request that matters.
            void ask().catch(() => undefined).finally(() => {

                if (isCurrent && timer === undefined) {
                    isPending.current = false;
                }
            });
        };

        const follow = (): void => {

            if (document.visibilityState !== 'hidden' && etag !== null && timer === undefined) {
                isPending.current = true;
                timer = setTimeout(askNow, Math.max(0, last + PAUSE_MS - Date.now()));
            }
        };

        if (isPending.current) {
            follow();
        }

        addEventListener('focus', follow);
        document.addEventListener('visibilitychange', follow);
        return () => {

            isCurrent = false;
            clearTimeout(timer);
            removeEventListener('focus', follow);
            document.removeEventListener('visibilitychange', follow);
        };
    }, [object]);
    return state;
}
