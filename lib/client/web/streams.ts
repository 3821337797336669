/** Bytes as web streams. Async iteration of a ReadableStream is not available in every browser, so it is read by its reader. */

/** Bytes to send: those of a file or buffer, or a stream, which can be sent only once. */
export type Bytes = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How much of a body was sent or received. */
export interface Progress {
    /** Bytes so far. */
    readonly loaded: number;
    /** Bytes in total; null when unknown. */
    readonly total: number | null;
}

export type ProgressListener = (progress: Progress) => void;

/** Returns the number of bytes; null for a stream. */
export function sizeOf(bytes: Bytes): number | null {

    return bytes instanceof Blob ? bytes.size : bytes instanceof Uint8Array ? bytes.byteLength : null;
}

/** Yields the bytes in chunks. A stream that is not read to its end is cancelled. */
export async function *chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {

    if (bytes instanceof Uint8Array) {
        yield bytes;
        return;
    }

    if (!(bytes instanceof Blob) && !('getReader' in bytes)) {
        yield *bytes;
        return;
    }

    const reader = (bytes instanceof Blob ? bytes.stream() : bytes).getReader();
    try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
            yield next.value;
        }
    }
    finally {
        await reader.cancel().catch(() => undefined);       // It has ended already, or failed with an error that was thrown
    }
}

/** Returns chunks as a stream, which reads them on demand, and closes them when it is cancelled. It fails when the signal is aborted. */
export function streamOf(chunks: AsyncGenerator<Uint8Array, void, undefined>, signal?: AbortSignal): ReadableStream<Uint8Array> {

    return new ReadableStream<Uint8Array>({
        start(controller) {

            signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
        async pull(controller) {

            const { done, value } = await chunks.next();
            if (signal?.aborted) {
                return;
            }

            if (done === true) {
                controller.close();
            }
            else {
                controller.enqueue(value);
            }
        },
        async cancel() {

            await chunks.return();
        }
    }, { highWaterMark: 0 });
}

/** A stream, and how to end it. */
export interface ClosableStream {
    readonly stream: ReadableStream<Uint8Array>;
    /** Fails the stream, and closes the chunks. */
    readonly close: () => void;
}

/** Returns chunks as a stream that can be ended: `fetch` of Node reads a body on even after its request has failed. */
export function closableStreamOf(chunks: AsyncGenerator<Uint8Array, void, undefined>): ClosableStream {

    const stop = new AbortController();
    const stream = streamOf(chunks, stop.signal);
    return {
        stream,
        close: () => {

            stop.abort(new Error('the request has ended'));
            chunks.return().catch(() => undefined);         // There is no one left to tell
        }
    };
}

/** Passes the bytes through, and reports how many there were. */
export async function *counted(
    chunks: AsyncIterable<Uint8Array>, total: number | null, listener: ProgressListener
): AsyncGenerator<Uint8Array, void, undefined> {

    let loaded = 0;
    listener({ loaded, total });
    for await (const chunk of chunks) {
        loaded += chunk.byteLength;
        listener({ loaded, total });
        yield chunk;
    }
}

/** Reads all bytes into a Blob, which browsers may store on disk. */
export async function blobOf(bytes: Bytes): Promise<Blob> {

    if (bytes instanceof Blob) {
        return bytes;
    }

    // The types of browsers exclude shared memory, which those of Node allow.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion
    return bytes instanceof Uint8Array ? new Blob([bytes as Uint8Array<ArrayBuffer>]) : new Response(streamOf(chunksOf(bytes))).blob();
}

/** Bytes to send, and their number where it is known of a stream. */
export interface Sized {
    readonly body: Bytes;
    readonly size?: number;
}

/** Returns the number of bytes of all bodies; null if it is unknown of one. */
export function totalOf(bodies: readonly Sized[]): number | null {

    return bodies.reduce<number | null>((sum, { body, size }) => {

        const bytes = sizeOf(body) ?? size;
        return sum === null || bytes === undefined ? null : sum + bytes;
    }, 0);
}

/** Returns a function that passes on the bytes of bodies, which are sent one after another, and reports how many of all were. */
export function countedTogether(bodies: readonly Sized[], listener: ProgressListener): (body: Bytes) => AsyncGenerator<Uint8Array, void, undefined> {

    const total = totalOf(bodies);
    let before = 0;
    return async function *(body) {

        let own = 0;
        yield *counted(chunksOf(body), null, ({ loaded }) => {

            own = loaded;
            listener({ loaded: before + own, total });
        });
        before += own;
    };
}

/** Passes items through, and reports an error of their source; not one of their consumer. */
export async function *watched<T>(items: AsyncIterable<T>, fail: (cause: unknown) => void): AsyncGenerator<T, void, undefined> {

    const iterator = items[Symbol.asyncIterator]();
    let isOver = false;
    try {
        for (;;) {
            const next = await iterator.next().catch((cause: unknown) => {

                isOver = true;
                fail(cause);
                throw cause;
            });
            if (next.done === true) {
                isOver = true;
                return;
            }

            yield next.value;
        }
    }
    finally {
        if (!isOver) {
            await iterator.return?.();
        }
    }
}
