/** The status of the service, read again and again while somebody looks at it. */

import { useEffect, useState } from 'preact/hooks';
import { background, repository, requestJson } from '../../api/client.js';
import { isAbort } from '../../state/messages.js';

/** A job of the service. */
export interface Job {
    readonly type: string;
    readonly state: string;
    readonly createdOn: number;
    readonly progress?: unknown;
    readonly error?: string;
}

/** What the service says about itself. Times are epoch milliseconds. */
export interface ServiceStatus {
    readonly version: string;
    readonly node: string;
    readonly startedOn: number;
    readonly database: { readonly kind: string; readonly bytes?: number; readonly freeBytes?: number };
    readonly payloads?: { readonly count: number; readonly bytes: number; readonly hasMore?: boolean };
    readonly index: {
        readonly isUp?: boolean; readonly documents?: number; readonly segments?: number; readonly pendingChanges?: number;
        readonly reindexing?: { readonly done: number; readonly total: number };
    };
    readonly jobs: readonly Job[];
    readonly handles?: { readonly outbox: number; readonly errors: number };
    readonly memory: { readonly rssBytes: number; readonly heapBytes: number };
    readonly eventLoop: { readonly p99Ms?: number };
    readonly sessions?: number;
}

/** Time between two requests, in milliseconds. */
const POLL_MS = 3000;

/** Samples that are kept for charts. */
const MAX_SAMPLES = 100;

/** The samples so far, the latest last. */
export function useServiceStatus(): { readonly samples: readonly ServiceStatus[]; readonly error: Error | null } {

    const [state, setState] = useState<{ readonly samples: readonly ServiceStatus[]; readonly error: Error | null }>({ samples: [], error: null });
    useEffect(() => {

        const controller = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        // What is asked again and again asks for no login: who closes that dialog would have it back at once.
        const read = (client = background): void => {

            const readAgain = (): void => {

                timer = setTimeout(() => read(), POLL_MS);
            };

            if (document.hidden) {
                readAgain();
                return;
            }

            requestJson<ServiceStatus>({ method: 'GET', path: '/status', signal: controller.signal }, client).then(
                (sample) => setState(({ samples }) => ({ samples: [...samples.slice(1 - MAX_SAMPLES), sample], error: null })),
                (error: unknown) => !isAbort(error) && setState(({ samples }) => ({ samples, error: error as Error }))
            ).finally(() => {

                if (!controller.signal.aborted) {
                    readAgain();
                }
            });
        };

        read(repository);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the section is left', 'AbortError'));
        };
    }, []);
    return state;
}
