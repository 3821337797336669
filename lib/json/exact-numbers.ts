/**
 * Exact numbers: numbers keep the text they were sent with, such as `1.10` or an integer beyond 2^53, although JavaScript parses
 * them to doubles.
 *
 * An object or array with such numbers has their texts under a symbol, which the spread operator copies, and JSON.stringify and
 * validators ignore. A text is valid only while the number beside it is the double of the text, so a changed number is written as
 * JavaScript writes it. Values without such numbers have no symbol.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isSameDecimal } from './decimals.js';

/** Texts by property name or index, only of numbers that JavaScript writes differently. Shared by copies, so never modified. */
export type NumberTexts = ReadonlyMap<string, string>;

const NUMBER_TEXTS = Symbol('number texts');

const NONE: NumberTexts = new Map();

interface Container {
    [NUMBER_TEXTS]?: NumberTexts;
}

/** Returns the texts of the numbers that are directly in an object or array. */
export function numberTextsOf(container: object): NumberTexts | undefined {

    return (container as Container)[NUMBER_TEXTS];
}

/** Replaces the texts of the numbers of an object or array. */
export function setNumberTexts<T extends object>(container: T, texts: NumberTexts | undefined): T {

    if (texts !== undefined && texts.size > 0) {
        (container as Container)[NUMBER_TEXTS] = texts;
    }
    else if (numberTextsOf(container)) {
        delete (container as Container)[NUMBER_TEXTS];
    }

    return container;
}

/** Makes {@link hasNumberTexts} true for a value whose numbers with a text only appear when it is serialised. */
export function markNumberTexts(value: object): void {

    (value as Container)[NUMBER_TEXTS] = NONE;
}

/** Copies the texts to a copy of an object or array, which must have the same properties or indices. */
export function copyNumberTexts<T extends object>(original: object, copy: T): T {

    const texts = numberTextsOf(original);
    return texts ? setNumberTexts(copy, texts) : copy;
}

/** Returns the text of the number at a key of a container; undefined if JavaScript writes the number as it was sent. */
export function numberTextAt(container: object, key: string): string | undefined {

    const text = numberTextsOf(container)?.get(key);
    return text !== undefined && Object.is(Number(text), (container as JsonObject)[key]) ? text : undefined;
}

/** Sets or removes the text of the number at a key of a container, which must not be shared yet. */
export function setNumberText<T extends object>(container: T, key: string, text: string | undefined): T {

    const texts = numberTextsOf(container);
    if (text === undefined && !texts?.has(key)) {
        return container;
    }

    const changed = new Map(texts);
    changed.delete(key);
    return setNumberTexts(container, text === undefined ? changed : changed.set(key, text));
}

/**
 * Returns the texts by which a number is found: as JavaScript writes it, and as it was sent if that is another text. The first is left out where it
 * stands for another number, or has an exponent in place of digits that were sent: beyond 2^53.
 */
export function searchableTexts(value: number, sent: string | undefined): readonly string[] {

    const plain = String(value);
    if (sent === undefined || sent === plain) {
        return [plain];
    }

    const isPrecise = Math.abs(value) <= Number.MAX_SAFE_INTEGER || /e/i.test(sent) || isSameDecimal(sent, plain) && !plain.includes('e');
    return isPrecise ? [plain, sent] : [sent];
}

/** A standalone number that is written with its text. */
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

    /** True if the double of the text is written with the same value: only the spelling is lost without the text. */
    get isExact(): boolean {

        return isSameDecimal(this.#text, String(Number(this.#text)));
    }
}

/** Returns an object with one property; a {@link SentNumber} becomes a number with its text. */
export function objectOf(name: string, value: JsonValue): JsonObject {

    if (!(value instanceof SentNumber)) {
        return { [name]: value };
    }

    return setNumberText({ [name]: value.toJSON() }, name, value.toString());
}

/** Returns whether a number anywhere in a value has a text. */
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
 * Copies the texts of numbers to the same numbers at the same places of another value, which must not be shared yet. For values
 * that went through code that only knows doubles.
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
            value[key] = was as number;                     // -0 may have become 0
            texts.set(key, text);
        }
        else if (was !== undefined) {
            restore(was, value[key] ?? null);
        }
    }

    setNumberTexts(value, texts);
}

/** Treats an array as an object with its indices as names. */
function isContainer(value: JsonValue): value is JsonObject {

    return typeof value === 'object' && value !== null;
}
