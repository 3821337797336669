/**
 * Limits the memory of a thread outside of its heap, which node cannot do: the allocation of a large array fails when the thread
 * has too much already.
 */

const LARGE = 1024 * 1024;

const ALLOCATORS = [
    'ArrayBuffer', 'Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array', 'Float64Array'
] as const;

let limit = Infinity;

/** Sets the limit of this thread, in bytes. */
export function guardMemory(bytes: number): void {

    if (limit === Infinity) {
        ALLOCATORS.forEach(limitAllocations);
    }

    limit = bytes;
}

function limitAllocations(name: (typeof ALLOCATORS)[number]): void {

    const original = globalThis[name];
    const limited = new Proxy(original, {
        construct(target, args: readonly unknown[], newTarget): object {

            const [length] = args;
            const bytes = typeof length === 'number' ? length * ('BYTES_PER_ELEMENT' in target ? target.BYTES_PER_ELEMENT : 1) : 0;
            if (bytes >= LARGE && process.memoryUsage().arrayBuffers + bytes > limit) {
                throw new RangeError('needs too much memory');
            }

            return Reflect.construct(target, args, newTarget) as object;
        }
    });
    Object.defineProperty(globalThis, name, { value: limited, writable: true, configurable: true });
}
