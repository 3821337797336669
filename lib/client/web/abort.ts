/** Waiting that an AbortSignal ends. */

/** Resolves after `ms` milliseconds. @throws the reason of the signal as soon as it is aborted */
export async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {

    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {

        const abort = (): void => {

            clearTimeout(timer);
            reject(reasonOf(signal));
        };

        const timer = setTimeout(() => {

            signal?.removeEventListener('abort', abort);
            resolve();
        }, ms);
        signal?.addEventListener('abort', abort, { once: true });
    });
}

/** Waits for work that others share, which goes on. @throws the reason of the signal as soon as it is aborted */
export async function abortable<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {

    if (!signal) {
        return shared;
    }

    signal.throwIfAborted();
    let abort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {

        abort = () => reject(reasonOf(signal));
        signal.addEventListener('abort', abort, { once: true });
    });
    try {
        return await Promise.race([shared, aborted]);
    }
    finally {
        signal.removeEventListener('abort', abort);
    }
}

function reasonOf(signal: AbortSignal | undefined): Error {

    return signal?.reason as Error;
}
