/**
 * Bytes that their consumer may free as soon as it has done with them. Left to the garbage collector, the large chunks of payloads make it run often,
 * and each new chunk takes pages of memory which the system has to clear first.
 */

const transient = new WeakSet<Uint8Array>();

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

/** Frees bytes that are marked, and leaves others as they are. Nothing may refer to them any more, such as a socket that has yet to send some of them. */
export function freeTransient(bytes: Uint8Array): void {

    if (transient.delete(bytes)) {
        const { buffer }: { readonly buffer: Transferable } = bytes;
        buffer.transfer?.(0);
    }
}
