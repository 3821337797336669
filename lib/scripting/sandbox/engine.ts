/**
 * QuickJS, compiled to WebAssembly, with a bound on its memory.
 */

import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import Variant from '@jitl/quickjs-wasmfile-release-sync';

/** Node.js has it, its types do not. */
declare const WebAssembly: { readonly Memory: new (limits: { initial: number; maximum: number }) => EngineMemory };

const PAGE_BYTES = 64 * 1024;

/** What the engine needs before it has run anything. */
const BASE_PAGES = 256;

/** The engine of a thread. */
export interface Engine {
    readonly engine: QuickJSWASMModule;
    /** True when scripts have used so much that the next one might not get what is its due: memory only ever grows. */
    readonly isFull: () => boolean;
}

/**
 * Loads the engine.
 *
 * The bound is that of the WebAssembly memory: the count that the engine keeps itself leaves out the size of what it
 * allocates. All contexts share it; so it is twice what one script may use, and {@link Engine.isFull} tells when half is gone.
 */
export async function openEngine(memoryBytes: number): Promise<Engine> {

    const pages = Math.ceil(memoryBytes / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: BASE_PAGES, maximum: BASE_PAGES + 2 * pages });
    const variant = newVariant(Variant, { wasmMemory: memory });
    const Functions = await variant.importFFI();
    const engine = await newQuickJSWASMModuleFromVariant({
        ...variant,
        importFFI: () => Promise.resolve(class extends Functions {

            constructor(module: ConstructorParameters<typeof Functions>[0]) {

                super(Object.assign(module, nativeTexts(memory)));
            }
        })
    });
    return { engine, isFull: () => memory.buffer.byteLength > (BASE_PAGES + pages) * PAGE_BYTES };
}

/**
 * How texts get into and out of the memory of the engine. What comes with the engine goes through them character by character
 * in JavaScript; Node.js does the same natively, in a fraction of the time.
 */

/** The memory that the engine lives in. Another buffer takes the place of `buffer` when it grows. */
export interface EngineMemory {
    readonly buffer: ArrayBuffer;
}

/** What the engine calls for texts. Addresses and sizes in bytes; texts end with a zero byte. */
export interface TextFunctions {
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, address: number, size: number): void;
    UTF8ToString(address: number): string;
}

/** Native functions for texts in a memory. */
export function nativeTexts(memory: EngineMemory): TextFunctions {

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
