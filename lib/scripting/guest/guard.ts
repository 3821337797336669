/**
 * Notices when a call has changed what all objects share. Code that sees to it that what one caller sends ends up in
 * `Object.prototype` would otherwise show it to the next caller. Changes that code makes while it is loaded are its own affair.
 */

import { call } from './intrinsics.js';

/** What an object had. */
interface Snapshot {
    readonly shared: object;
    readonly parent: object | null;
    readonly keys: readonly PropertyKey[];
    readonly values: readonly unknown[];
    readonly isCompared: boolean;
}

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect as {
    readonly [name in 'getOwnPropertyDescriptor' | 'getPrototypeOf' | 'ownKeys']: (this: void, target: object, ...rest: readonly PropertyKey[]) => unknown;
};

/** Every value of these is compared: what callers send can reach them through code that copies carelessly. */
const COMPARED: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype];

/** Of these it is only noticed when something was added or removed. */
const COUNTED: readonly object[] = [String.prototype, Number.prototype, Boolean.prototype];

/** Compares with how it was. */
export class Guard {

    readonly #snapshots: Snapshot[] = [];

    /** Notes how it is now. */
    note(): void {

        for (let i = 0; i < COMPARED.length + COUNTED.length; ++i) {
            const isCompared = i < COMPARED.length;
            const shared = (isCompared ? COMPARED[i] : COUNTED[i - COMPARED.length]) as object;
            const keys = call(ownKeys, undefined, [shared]) as PropertyKey[];
            const values: unknown[] = [];
            for (let k = 0; k < keys.length; ++k) {
                values[k] = isCompared ? valueOf(shared, keys[k] as PropertyKey) : ACCESSOR;
            }

            this.#snapshots[i] = { shared, parent: getPrototypeOf(shared) as object | null, keys, values, isCompared };
        }
    }

    /** True when it still is as it was noted. */
    holds(): boolean {

        for (let i = 0; i < this.#snapshots.length; ++i) {
            const snapshot = this.#snapshots[i] as Snapshot;
            if (!isSame(snapshot)) {
                return false;
            }
        }

        return true;
    }
}

function isSame({ shared, parent, keys, values, isCompared }: Snapshot): boolean {

    if (getPrototypeOf(shared) !== parent || (ownKeys(shared) as PropertyKey[]).length !== keys.length) {
        return false;
    }

    for (let k = 0; isCompared && k < keys.length; ++k) {
        if (values[k] !== ACCESSOR && (shared as Record<PropertyKey, unknown>)[keys[k] as PropertyKey] !== values[k]) {
            return false;
        }
    }

    return true;
}

const ACCESSOR = {};

/** The value of a plain property; that of an accessor is not asked for. */
function valueOf(shared: object, key: PropertyKey): unknown {

    const descriptor = getOwnPropertyDescriptor(shared, key) as PropertyDescriptor | undefined;
    return descriptor && 'value' in descriptor ? descriptor.value : ACCESSOR;
}
