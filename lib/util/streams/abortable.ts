/** Bodies whose wait for the next chunk can be ended. */

/** Callbacks by signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Registers a callback for a signal; returns the function that removes it. A batch stores many bodies under the signal of one
 * request, so they share one listener.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {

    let callbacks = waiting.get(signal);
    if (!callbacks) {
        const all = callbacks = new Set<() => void>();
        waiting.set(signal, all);
        signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
    }

    callbacks.add(callback);
    return () => callbacks.delete(callback);
}

/** Passes the chunks through; when the signal is aborted, throws its reason at once, even if the source is stalled. */
export async function *abortable(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {

    const iterator = source[Symbol.asyncIterator]();
    let abort = (_reason: unknown): void => {};
    // A promise for each chunk: `Promise.race` with one promise for the signal would keep every chunk in memory.
    const next = (): Promise<IteratorResult<Uint8Array>> => new Promise((resolve, reject) => {

        abort = reject;
        iterator.next().then(resolve, reject);
    });
    const fire = (): void => abort(signal.reason);
    const forget = onAbort(signal, fire);
    let ended = false;
    try {
        for (;;) {
            signal.throwIfAborted();
            const chunk = await next();
            if (chunk.done === true) {
                ended = true;
                return;
            }

            yield chunk.value;
        }
    }
    finally {
        forget();
        if (!ended) {
            // Not awaited: a stalled source would answer only after its next chunk, which may never come.
            iterator.return?.().catch(() => {
                // The error that ends the stream is the one to report.
            });
        }
    }
}
