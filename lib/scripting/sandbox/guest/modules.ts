/**
 * CommonJS: `require` with a cache, cycles as in Node.js, and built-in modules of the service.
 */

import type { Bridge } from './bridge.js';
import { call, lastIndexOf, parse, slice } from './primordials.js';

/** `module` in a script. */
interface Module {
    readonly id: string;
    readonly filename: string;
    exports: unknown;
    loaded: boolean;
}

interface Found {
    readonly name: string;
    readonly kind: 'script' | 'json';
    readonly text: string;
}

/** Loads modules and caches them for the lifetime of the context. */
export class Modules {

    readonly #bridge: Bridge;
    /** Built-in modules by name; created on first use. */
    readonly #builtIn: Readonly<Record<string, (() => unknown) | undefined>>;
    readonly #builtInExports: Record<string, unknown> = empty();
    readonly #cache: Record<string, Module | undefined> = empty();
    /** Folder and specifier → module id. */
    readonly #names: Record<string, string | undefined> = empty();

    constructor(bridge: Bridge, builtIn: Readonly<Record<string, () => unknown>>) {

        this.#bridge = bridge;
        this.#builtIn = builtIn;
    }

    /** Returns the exports of the module that a specifier means in a module. Throws what loading it throws. */
    require(from: string, specifier: unknown): unknown {

        if (typeof specifier !== 'string') {
            throw new TypeError('require takes the name of a module');
        }

        const builtIn = this.#builtIn[specifier];
        if (builtIn) {
            this.#builtInExports[specifier] ??= builtIn();
            return this.#builtInExports[specifier];
        }

        const key = `${folderOf(from)}\n${specifier}`;
        const cached = this.#cache[this.#names[key] ?? ''];
        if (cached) {
            return cached.exports;
        }

        const found = parse(this.#bridge.find(from, specifier)) as Found | { readonly error: { readonly message: string } };
        if ('error' in found) {
            throw Object.assign(new Error(found.error.message), { code: 'MODULE_NOT_FOUND' });
        }

        this.#names[key] = found.name;
        return (this.#cache[found.name] ?? this.#load(found)).exports;
    }

    #load({ name, kind, text }: Found): Module {

        const module: Module = { id: name, filename: name, exports: {}, loaded: false };
        this.#cache[name] = module;
        try {
            if (kind === 'json') {
                module.exports = parse(text);
            }
            else {
                const require = (specifier: unknown): unknown => this.require(name, specifier);
                call(this.#bridge.compile(name, text), module.exports, [module.exports, require, module, name, folderOf(name)]);
            }
        }
        catch (error) {
            this.#cache[name] = undefined;
            throw error;
        }

        module.loaded = true;
        return module;
    }
}

/** Returns an object without prototype. */
function empty<T>(): Record<string, T> {

    return Object.create(null) as Record<string, T>;
}

function folderOf(name: string): string {

    return slice(name, 0, lastIndexOf(name, '/'));
}
