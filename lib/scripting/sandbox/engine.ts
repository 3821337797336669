/**
 * The script engine: QuickJS compiled to WebAssembly, with a memory limit.
 */

import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import Variant from '@jitl/quickjs-wasmfile-release-sync';

/** Exists in Node.js, but not in its type definitions. */
declare const WebAssembly: { readonly Memory: new (limits: { initial: number; maximum: number }) => EngineMemory & { grow(pages: number): number } };

const PAGE_BYTES = 64 * 1024;

/** Memory of the engine before it has run anything, in pages. */
const BASE_PAGES = 256;

/** Number of sizes that the engine tries when its memory has to grow: more than it needs, then less. */
const ATTEMPTS = 3;

/** The engine of a worker. */
export interface Engine {
    readonly engine: QuickJSWASMModule;
    /** True if so much memory is used that the next script might not get its share. WebAssembly memory never shrinks. */
    readonly isFull: () => boolean;
}

/**
 * Loads the engine.
 *
 * The size of the WebAssembly memory limits the memory of scripts, because the engine's own counter omits the size of
 * allocations. All contexts share it: it is twice what one script may use, and {@link Engine.isFull} reports when half of it is
 * used.
 *
 * @param onExhausted called when the memory is used up; must end the thread and not return. After a failed allocation the engine may run into
 * an endless loop that cannot be interrupted, and the library writes over address 0.
 */
export async function openEngine(memoryBytes: number, onExhausted: () => never): Promise<Engine> {

    const pages = Math.ceil(memoryBytes / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: BASE_PAGES, maximum: BASE_PAGES + 2 * pages });
    const grow = memory.grow.bind(memory);
    let failures = 0;
    memory.grow = (delta) => {

        try {
            const former = grow(delta);
            failures = 0;
            return former;
        }
        catch (error) {
            if (++failures === ATTEMPTS) {
                onExhausted();
            }

            throw error;
        }
    };

    const variant = newVariant(Variant, { wasmMemory: memory });
    const Functions = await variant.importFFI();
    const engine = await newQuickJSWASMModuleFromVariant({
        ...variant,
        importFFI: () => Promise.resolve(class extends Functions {

            constructor(module: ConstructorParameters<typeof Functions>[0]) {

                super(Object.assign(module, nativeTexts(memory), { _malloc: checkedMalloc(module, onExhausted) }));
            }
        })
    });
    return { engine, isFull: () => memory.buffer.byteLength > (BASE_PAGES + pages) * PAGE_BYTES };
}

/** Returns an allocator for values from outside. The library does not check the address. */
function checkedMalloc({ _malloc: malloc }: { readonly _malloc: (this: void, size: number) => number }, onExhausted: () => never): (size: number) => number {

    return (size) => {

        const address = malloc(size);
        return address === 0 && size > 0 ? onExhausted() : address;
    };
}

/**
 * String transfer into and out of the engine's memory. The engine's own functions convert character by character in JavaScript;
 * the native ones of Node.js take a fraction of the time.
 */

/** Memory of the engine. When it grows, `buffer` is replaced. */
export interface EngineMemory {
    readonly buffer: ArrayBuffer;
}

/** String functions that the engine calls. Addresses and sizes in bytes; strings are zero-terminated. */
export interface TextFunctions {
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, address: number, size: number): void;
    UTF8ToString(address: number): string;
}

/** Returns native string functions for a memory. */
function nativeTexts(memory: EngineMemory): TextFunctions {

    let bytes = Buffer.from(memory.buffer);
    const current = (): Buffer => {

        if (bytes.buffer !== memory.buffer) {
            bytes = Buffer.from(memory.buffer);
        }

        return bytes;
    };

    return {
        lengthBytesUTF8: (text) => Buffer.byteLength(text),
        stringToUTF8(text, address, size) {

            const buffer = current();
            buffer[address + buffer.write(text, address, size - 1)] = 0;
        },
        UTF8ToString(address) {

            const buffer = current();
            return address === 0 ? '' : buffer.toString('utf8', address, buffer.indexOf(0, address));
        }
    };
}
