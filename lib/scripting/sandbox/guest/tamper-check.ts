/**
 * Integrity check: detects calls that have changed shared built-in objects. Otherwise code that lets input of one caller end up
 * in `Object.prototype` would leak it to the next caller. Changes made while code loads are accepted. Runs after the result of
 * a call was sent and before the next call, since it takes as long as a simple hook.
 */

import { call } from './primordials.js';

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect as {
    readonly [name in 'getOwnPropertyDescriptor' | 'getPrototypeOf' | 'ownKeys']: (this: void, target: object, ...rest: readonly PropertyKey[]) => unknown;
};

const { hasOwn } = Object;

/** All values of these objects are compared, since careless copying can let input of callers reach them. */
const COMPARED: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype];

/** For these, added and removed properties are detected. */
const SHARED: readonly object[] = [...COMPARED, String.prototype, Number.prototype, Boolean.prototype];

/** Snapshot of the shared objects, and comparison with it. */
export class TamperCheck {

    /** By index of `SHARED`. */
    readonly #parents: unknown[] = [];
    readonly #enumerable: string[] = [];
    readonly #counts: number[] = [];
    /** Data properties of `COMPARED`; accessors are not evaluated. */
    readonly #owners: object[] = [];
    readonly #keys: PropertyKey[] = [];
    readonly #values: unknown[] = [];

    /** Takes the snapshot. */
    record(): void {

        for (let i = 0; i < SHARED.length; ++i) {
            const shared = SHARED[i] as object;
            const keys = call(ownKeys, undefined, [shared]) as PropertyKey[];
            this.#parents[i] = getPrototypeOf(shared);
            this.#enumerable[i] = enumerableIn(shared);
            this.#counts[i] = keys.length;
            for (let k = 0; i < COMPARED.length && k < keys.length; ++k) {
                this.#recordValue(shared, keys[k] as PropertyKey);
            }
        }
    }

    /** True if nothing was replaced, added or removed since. */
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
            // Reading the property would run a getter that has replaced it.
            const found = getOwnPropertyDescriptor(this.#owners[i] as object, this.#keys[i] as PropertyKey) as PropertyDescriptor | undefined;
            if (!found || !hasOwn(found, 'value') || found.value !== this.#values[i]) {
                return false;
            }
        }

        return true;
    }

    #recordValue(owner: object, key: PropertyKey): void {

        const descriptor = getOwnPropertyDescriptor(owner, key) as PropertyDescriptor | undefined;
        if (descriptor && 'value' in descriptor) {
            const { length } = this.#keys;
            this.#owners[length] = owner;
            this.#keys[length] = key;
            this.#values[length] = descriptor.value;
        }
    }
}

/** Returns the enumerable property names of an object, inherited ones included. */
function enumerableIn(shared: object): string {

    let names = '';
    for (const name in shared) {
        names += `${name},`;
    }

    return names;
}
