/** Whether an object is still as it was read: asked when somebody comes back to the page. */

import { useEffect, useState } from 'preact/hooks';
import { objectPath, send } from '../../api/client.js';
import { config } from '../../config.js';
import type { LoadedObject } from './load.js';

export type Freshness = 'fresh' | 'changed' | 'deleted';

/** Pause between two questions, in milliseconds. */
const PAUSE_MS = 2000;

const NOT_FOUND = 404;

/** Follows whether the object has changed. */
export function useFreshness(object: LoadedObject): Freshness {

    const [state, setState] = useState<Freshness>('fresh');
    const { id, etag } = object;
    useEffect(() => {

        setState('fresh');
        let [last, isCurrent] = [0, true];
        const ask = async (): Promise<void> => {

            if (document.visibilityState === 'hidden' || etag === null || Date.now() - last < PAUSE_MS) {
                return;
            }

            last = Date.now();
            const response = await send(`${config.base}${objectPath(id)}?full`, { method: 'HEAD' });
            const now = response.headers.get('etag');
            const next = response.status === NOT_FOUND ? 'deleted' : response.ok && now !== null && now !== etag ? 'changed' : null;
            if (isCurrent && next !== null) {
                setState(next);
            }
        };

        // A service that is away is noticed by the next request that matters.
        const follow = (): void => void ask().catch(() => undefined);
        addEventListener('focus', follow);
        document.addEventListener('visibilitychange', follow);
        return () => {

            isCurrent = false;
            removeEventListener('focus', follow);
            document.removeEventListener('visibilitychange', follow);
        };
    }, [object]);
    return state;
}
