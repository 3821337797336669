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
}

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect as {
    readonly [name in 'getOwnPropertyDescriptor' | 'getPrototypeOf' | 'ownKeys']: (this: void, target: object, ...rest: readonly PropertyKey[]) => unknown;
};

const SHARED: readonly object[] = [
    Object.prototype, Array.prototype, Function.prototype, String.prototype, Number.prototype, Boolean.prototype, Promise.prototype
];

/** Compares with how it was. */
export class Guard {

    readonly #snapshots: Snapshot[] = [];

    /** Notes how it is now. */
    note(): void {

        for (let i = 0; i < SHARED.length; ++i) {
            const shared = SHARED[i] as object;
            const keys = call(ownKeys, undefined, [shared]) as PropertyKey[];
            const values: unknown[] = [];
            for (let k = 0; k < keys.length; ++k) {
                values[k] = valueOf(shared, keys[k] as PropertyKey);
            }

            this.#snapshots[i] = { shared, parent: getPrototypeOf(shared) as object | null, keys, values };
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

function isSame({ shared, parent, keys, values }: Snapshot): boolean {

    if (getPrototypeOf(shared) !== parent || (ownKeys(shared) as PropertyKey[]).length !== keys.length) {
        return false;
    }

    for (let k = 0; k < keys.length; ++k) {
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
