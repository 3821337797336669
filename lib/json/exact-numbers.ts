/**
 * Numbers keep the text they were sent with, such as `1.10` or an integer beyond 2^53, although JavaScript reads them as doubles.
 *
 * An object or array with such numbers has their texts under a symbol: spreading copies it, JSON.stringify and validators
 * do not see it. A text counts only as long as the number beside it is the double of the text, so a changed number is written
 * as JavaScript writes it. Values without such numbers have no symbol.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';

/** Texts by property name or index, only of numbers that JavaScript writes otherwise. Copies share it, so it is never changed. */
export type NumberTexts = ReadonlyMap<string, string>;

const NUMBER_TEXTS = Symbol('number texts');

const NONE: NumberTexts = new Map();

interface Container {
    [NUMBER_TEXTS]?: NumberTexts;
}

/** The texts of the numbers that are directly in an object or array. */
export function numberTextsOf(container: object): NumberTexts | undefined {

    return (container as Container)[NUMBER_TEXTS];
}

/** Gives an object or array the texts of its numbers, instead of those that it had. */
export function setNumberTexts<T extends object>(container: T, texts: NumberTexts | undefined): T {

    if (texts !== undefined && texts.size > 0) {
        (container as Container)[NUMBER_TEXTS] = texts;
    }
    else if (numberTextsOf(container)) {
        delete (container as Container)[NUMBER_TEXTS];
    }

    return container;
}

/** Tells {@link hasNumberTexts} that a value has numbers with a text in parts that it shows only when it is written. */
export function markNumberTexts(value: object): void {

    (value as Container)[NUMBER_TEXTS] = NONE;
}

/** Gives a copy of an object or array the texts of the original, whose properties or indices must be the same. */
export function copyNumberTexts<T extends object>(original: object, copy: T): T {

    const texts = numberTextsOf(original);
    return texts ? setNumberTexts(copy, texts) : copy;
}

/** The text of the number at a key of a container; undefined for what JavaScript writes as it was sent. */
export function numberTextAt(container: object, key: string): string | undefined {

    const text = numberTextsOf(container)?.get(key);
    return text !== undefined && Object.is(Number(text), (container as JsonObject)[key]) ? text : undefined;
}

/** Gives the number at a key of a container, which nobody else knows yet, a text, or takes its text away. */
export function setNumberText<T extends object>(container: T, key: string, text: string | undefined): T {

    const texts = numberTextsOf(container);
    if (text === undefined && !texts?.has(key)) {
        return container;
    }

    const changed = new Map(texts);
    changed.delete(key);
    return setNumberTexts(container, text === undefined ? changed : changed.set(key, text));
}

/** A number on its own that is to be written with its text. */
export class SentNumber {

    readonly #text: string;

    constructor(text: string) {

        this.#text = text;
        markNumberTexts(this);
    }

    toString(): string {

        return this.#text;
    }

    toJSON(): number {

        return Number(this.#text);
    }
}

/** An object of one property. A number that is a {@link SentNumber} becomes a number with its text. */
export function objectOf(name: string, value: JsonValue): JsonObject {

    if (!(value instanceof SentNumber)) {
        return { [name]: value };
    }

    return setNumberText({ [name]: value.toJSON() }, name, value.toString());
}

/** True when a number somewhere in a value has a text of its own. */
export function hasNumberTexts(value: unknown): boolean {

    if (typeof value !== 'object' || value === null) {
        return false;
    }

    if ((value as Container)[NUMBER_TEXTS] !== undefined) {
        return true;
    }

    return Array.isArray(value) ? value.some(hasNumberTexts) : anyMember(value);
}

function anyMember(object: object): boolean {

    for (const name in object) {
        if (hasNumberTexts((object as JsonObject)[name])) {
            return true;
        }
    }

    return false;
}

/**
 * Gives numbers of a value, which nobody else knows yet, the texts that the same numbers at the same places have in another
 * value. For values that went through something that knows doubles only.
 */
export function restoreNumberTexts<T extends JsonValue>(original: JsonValue, value: T): T {

    if (value !== original && hasNumberTexts(original)) {
        restore(original, value);
    }

    return value;
}

function restore(original: JsonValue, value: JsonValue): void {

    if (!isContainer(original) || !isContainer(value) || Array.isArray(original) !== Array.isArray(value) || original === value) {
        return;
    }

    const texts = new Map(numberTextsOf(value));
    for (const key of Object.keys(value)) {
        const was = Object.hasOwn(original, key) ? original[key] : undefined;
        const text = typeof was === 'number' && was === value[key] && !texts.has(key) ? numberTextAt(original, key) : undefined;
        if (text !== undefined) {
            value[key] = was as number;                     // -0 became 0 on its way
            texts.set(key, text);
        }
        else if (was !== undefined) {
            restore(was, value[key] ?? null);
        }
    }

    setNumberTexts(value, texts);
}

/** An array is looked at like an object that has its indices as names. */
function isContainer(value: JsonValue): value is JsonObject {

    return typeof value === 'object' && value !== null;
}
