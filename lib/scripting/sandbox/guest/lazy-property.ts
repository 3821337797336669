/**
 * Lazy properties: JSON members that are parsed on first access, since most scripts never read them.
 */

import { parse } from './primordials.js';

/** A property descriptor without prototype: changes of a script to `Object.prototype` do not affect it. */
type Described = PropertyDescriptor & { readonly __proto__: null };

const { defineProperty } = Reflect as { readonly defineProperty: (this: void, target: object, name: string, described: Described) => boolean };

/** Adds a lazy property from JSON text. Once read or assigned, it is an ordinary property. */
export function addLazy(owner: object, name: string, text: string): void {

    let isRead = false;
    let value: unknown;
    defineProperty(owner, name, {
        __proto__: null, enumerable: true, configurable: true,
        get() {

            if (!isRead) {
                value = parse(text) as unknown;
                isRead = true;
                // Has no effect if the object was frozen meanwhile.
                define(owner, name, value);
            }

            return value;
        },
        // Like any assignment, affects the receiver, which may have inherited the property.
        set(this: object, value: unknown) {

            define(this, name, value);
        }
    });
}

function define(holder: object, name: string, value: unknown): void {

    defineProperty(holder, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}
