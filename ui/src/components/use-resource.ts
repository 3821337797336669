/** Reading from the service in a component: the newest request wins, and the one before is given up. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../state/messages.js';

/** What is known about a resource. While it is read again, the former value stays. */
export interface Resource<T> {
    readonly value: T | null;
    readonly error: Error | null;
    readonly isLoading: boolean;
    /** Reads it again. */
    readonly reload: () => void;
}

/** Reads a resource, and again when one of the inputs changes. */
export function useResource<T>(read: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Resource<T> {

    const [state, setState] = useState<Omit<Resource<T>, 'reload'>>({ value: null, error: null, isLoading: true });
    const [round, setRound] = useState(0);
    const latest = useRef(read);
    latest.current = read;
    // Before the browser paints: a request that waited for a frame would be late by that.
    useLayoutEffect(() => {

        const controller = new AbortController();
        setState(({ value }) => ({ value, error: null, isLoading: true }));
        latest.current(controller.signal).then(
            (value) => !controller.signal.aborted && setState({ value, error: null, isLoading: false }),
            (error: unknown) => {

                if (!controller.signal.aborted && !isAbort(error)) {
                    setState(({ value }) => ({ value, error: error as Error, isLoading: false }));
                }
            });
        return () => controller.abort(new DOMException('the user interface needs it no longer', 'AbortError'));
    }, [...inputs, round]);
    return { ...state, reload: () => setRound(round + 1) };
}
