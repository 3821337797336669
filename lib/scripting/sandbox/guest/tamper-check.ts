/**
 * Notices when a call has changed what all objects share. Code that sees to it that what one caller sends ends up in
 * `Object.prototype` would otherwise show it to the next caller. Changes that code makes while it is loaded are its own affair.
 * It is looked for when the result of a call is told already, before the next one: it takes as long as a simple hook.
 */

import { call } from './primordials.js';

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect as {
    readonly [name in 'getOwnPropertyDescriptor' | 'getPrototypeOf' | 'ownKeys']: (this: void, target: object, ...rest: readonly PropertyKey[]) => unknown;
};

/** Every value of these is compared: what callers send can reach them through code that copies carelessly. */
const COMPARED: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype];

/** Of these, and of those above, it is noticed when something was added or removed. */
const SHARED: readonly object[] = [...COMPARED, String.prototype, Number.prototype, Boolean.prototype];

/** Compares with how it was. */
export class Guard {

    /** Of what is shared, in its order. */
    readonly #parents: unknown[] = [];
    readonly #enumerable: string[] = [];
    readonly #counts: number[] = [];
    /** Plain properties of what is compared; those with accessors are not asked for. */
    readonly #owners: object[] = [];
    readonly #keys: PropertyKey[] = [];
    readonly #values: unknown[] = [];

    /** Notes how it is now. */
    note(): void {

        for (let i = 0; i < SHARED.length; ++i) {
            const shared = SHARED[i] as object;
            const keys = call(ownKeys, undefined, [shared]) as PropertyKey[];
            this.#parents[i] = getPrototypeOf(shared);
            this.#enumerable[i] = enumerableIn(shared);
            this.#counts[i] = keys.length;
            for (let k = 0; i < COMPARED.length && k < keys.length; ++k) {
                this.#noteValue(shared, keys[k] as PropertyKey);
            }
        }
    }

    /** True when nothing was replaced, added or removed. */
    holds(): boolean {

        for (let i = 0; i < this.#counts.length; ++i) {
            const shared = SHARED[i] as object;
            const isSame = getPrototypeOf(shared) === this.#parents[i] && enumerableIn(shared) === this.#enumerable[i] &&
                (ownKeys(shared) as PropertyKey[]).length === this.#counts[i];
            if (!isSame) {
                return false;
            }
        }

        for (let i = 0; i < this.#keys.length; ++i) {
            if ((this.#owners[i] as Record<PropertyKey, unknown>)[this.#keys[i] as PropertyKey] !== this.#values[i]) {
                return false;
            }
        }

        return true;
    }

    #noteValue(owner: object, key: PropertyKey): void {

        const descriptor = getOwnPropertyDescriptor(owner, key) as PropertyDescriptor | undefined;
        if (descriptor && 'value' in descriptor) {
            const { length } = this.#keys;
            this.#owners[length] = owner;
            this.#keys[length] = key;
            this.#values[length] = descriptor.value;
        }
    }
}

/** Names of the properties, inherited ones included, that a loop over a shared object meets. */
function enumerableIn(shared: object): string {

    let names = '';
    for (const name in shared) {
        names += `${name},`;
    }

    return names;
}
