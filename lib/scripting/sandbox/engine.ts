/**
 * QuickJS, compiled to WebAssembly, with a bound on its memory.
 */

import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import Variant from '@jitl/quickjs-wasmfile-release-sync';
import { nativeTexts, type EngineMemory } from './engine-strings.js';

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
