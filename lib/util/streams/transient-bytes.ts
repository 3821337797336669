/**
 * Bytes that are freed as soon as they have been sent. Left to the garbage collector, the large chunks of payloads make it run often, and each new
 * chunk takes pages of memory which the system has to clear first.
 *
 * Bytes are freed on two conditions: the store that has read them says that their buffer is theirs alone, and the operation that puts them out says that
 * nobody but the translator gets them. An extension that reads bytes, and may keep them or write them elsewhere at the same time, has a body of its own.
 */

const transient = new WeakSet<Uint8Array>();

const unshared = new WeakSet<object>();

/** Fewer bytes are not worth it. */
const MIN_BYTES = 16 * 1024;

/** Since Node 22. */
type Transferable = ArrayBufferLike & { readonly transfer?: (length: number) => ArrayBuffer };

/** Marks bytes to which nothing else refers, if they have a buffer of their own; returns them. */
export function asTransient<T extends Uint8Array>(bytes: T): T {

    if (bytes.byteLength >= MIN_BYTES && bytes.byteLength === bytes.buffer.byteLength) {
        transient.add(bytes);
    }

    return bytes;
}

/** Marks a body whose bytes nobody gets but who reads this very object; returns it. */
export function asUnshared<T extends object>(body: T): T {

    unshared.add(body);
    return body;
}

/** Marks a body that passes on the bytes of another one, if that is marked; returns it. */
export function unsharedLike<T extends object>(body: T, original: object): T {

    return unshared.has(original) ? asUnshared(body) : body;
}

/** Frees bytes of a body, if both are marked. Nothing may refer to them any more, such as a socket that has yet to send some of them. */
export function freeBytes(bytes: Uint8Array, body: object): void {

    if (unshared.has(body) && transient.delete(bytes)) {
        const { buffer }: { readonly buffer: Transferable } = bytes;
        buffer.transfer?.(0);
    }
}
