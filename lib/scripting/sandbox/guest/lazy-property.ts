/**
 * Members that are read from their text when a script first asks for them: what most scripts never look at need not be read.
 */

import { parse } from './primordials.js';

/** A description without a prototype: what a script put into `Object.prototype` does not count as said in it. */
type Described = PropertyDescriptor & { readonly __proto__: null };

const { defineProperty } = Reflect as { readonly defineProperty: (this: void, target: object, name: string, described: Described) => boolean };

/** Gives an object a member out of its JSON text. Once it was read or assigned it is a property like any other. */
export function addLazy(owner: object, name: string, text: string): void {

    let isRead = false;
    let value: unknown;
    defineProperty(owner, name, {
        __proto__: null, enumerable: true, configurable: true,
        get() {

            if (!isRead) {
                value = parse(text) as unknown;
                isRead = true;
                // In vain when the object was frozen meanwhile.
                settle(owner, name, value);
            }

            return value;
        },
        // Like any assignment it is about the object that is assigned to, which may have inherited the member.
        set(this: object, given: unknown) {

            settle(this, name, given);
        }
    });
}

function settle(holder: object, name: string, value: unknown): void {

    defineProperty(holder, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}
