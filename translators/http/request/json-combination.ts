/** JSON objects that are given for one member in several parts, such as repeated parameters. */

import { badRequest } from '../../../lib/errors/errors.js';
import { numberTextsOf, setNumberTexts } from '../../../lib/json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';

const MAX_SHOWN = 60;

/** Combines values one after the other. Members are added to one object, so that the time is that of all members together. */
export class JsonCombination {

    readonly #name: string;
    #value: JsonValue | undefined;
    /** The object of this class; null until there are two values. */
    #members: JsonObject | null = null;
    readonly #texts = new Map<string, string>();

    /** @param name of the member, in messages */
    constructor(name: string) {

        this.#name = name;
    }

    /**
     * Adds a value, which is not changed, and returns the combination so far.
     *
     * @throws DoipError 400 for a property that is there already, and for a second value unless both are objects
     */
    add(value: JsonValue): JsonValue {

        if (this.#value === undefined) {
            this.#value = value;
            return value;
        }

        if (!isJsonObject(this.#value) || !isJsonObject(value)) {
            throw badRequest(`${this.#name} is given more than once, and only JSON objects can be combined`);
        }

        if (this.#members === null) {
            this.#members = {};
            this.#take(this.#members, this.#value);
            this.#value = this.#members;
        }

        this.#take(this.#members, value);
        return setNumberTexts(this.#members, this.#texts);
    }

    #take(members: JsonObject, more: JsonObject): void {

        for (const key of Object.keys(more)) {
            if (Object.hasOwn(members, key)) {
                throw badRequest(`property ${shortened(key)} of ${this.#name} is given more than once`);
            }

            define(members, key, more[key] as JsonValue);
        }

        numberTextsOf(more)?.forEach((text, key) => this.#texts.set(key, text));
    }
}

/**
 * Merges two JSON values for the same member, such as the parameter `input` and a JSON body.
 *
 * @throws DoipError 400 when both have a property, or when one is not an object
 */
export function mergeJson(first: JsonValue, second: JsonValue, name: string): JsonValue {

    const combination = new JsonCombination(name);
    combination.add(first);
    return combination.add(second);
}

/** Cuts a name for a message. */
export function shortened(name: string): string {

    return name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

/** Sets an own property. An assignment to `__proto__` would set the prototype. */
function define(members: JsonObject, key: string, value: JsonValue): void {

    if (key === '__proto__') {
        Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
    }
    else {
        members[key] = value;
    }
}
