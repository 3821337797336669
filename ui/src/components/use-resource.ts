/** Reading from the service in a component: the newest request wins, and the one before is given up. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { delayAfter, isUnavailable, untilDue } from '../api/unavailable.js';
import { contentArrived } from '../state/first-content.js';
import { isAbort } from '../state/messages.js';

/** What is known about a resource. While it is read again, the former value stays. */
export interface Resource<T> {
    readonly value: T | null;
    /** While the service is unavailable, the error stays until an attempt succeeds. */
    readonly error: Error | null;
    readonly isLoading: boolean;
    /** When it is read again without being asked to, in epoch milliseconds; null if it is not, or just now. */
    readonly retryOn: number | null;
    /** Reads it again. */
    readonly reload: () => void;
}

/** How a resource is read. */
export interface ResourceOptions {
    /** True for what a screen shows first: it is read again by itself until the service is available. */
    readonly isPersistent?: boolean;
}

/** Reads a resource, and again when one of the inputs changes. */
export function useResource<T>(
    read: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[], { isPersistent = false }: ResourceOptions = {}
): Resource<T> {

    const [state, setState] = useState<Omit<Resource<T>, 'reload'>>({ value: null, error: null, isLoading: true, retryOn: null });
    const [round, setRound] = useState(0);
    const latest = useRef(read);
    latest.current = read;
    // Attempts that failed since the user asked for it, and whether the next one is another of them.
    const attempts = useRef({ failed: 0, isNext: false });
    // Before the browser paints: a request that waited for a frame would be late by that.
    useLayoutEffect(() => {

        const controller = new AbortController();
        const { signal } = controller;
        const isRepeated = attempts.current.isNext;
        attempts.current = { failed: isRepeated ? attempts.current.failed : 0, isNext: false };
        setState(({ value, error }) => ({ value, error: isRepeated ? error : null, isLoading: true, retryOn: null }));
        const repeat = (): void => {

            attempts.current.isNext = true;
            setRound((before) => before + 1);
        };

        const fail = (error: Error): void => {

            const pause = isPersistent && isUnavailable(error) ? delayAfter(error, ++attempts.current.failed) : null;
            setState(({ value }) => ({ value, error, isLoading: false, retryOn: pause === null ? null : Date.now() + pause }));
            if (pause !== null && isUnavailable(error)) {
                void untilDue(error, pause, signal).then(repeat);
            }
        };

        const show = (value: T): void => {

            setState({ value, error: null, isLoading: false, retryOn: null });
            if (isPersistent) {
                contentArrived();
            }
        };

        latest.current(signal).then(
            (value) => !signal.aborted && show(value),
            (error: unknown) => !signal.aborted && !isAbort(error) && fail(error as Error));
        return () => controller.abort(new DOMException('the user interface needs it no longer', 'AbortError'));
    }, [...inputs, round]);
    return { ...state, reload: () => setRound((before) => before + 1) };
}
