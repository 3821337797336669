/** The content of an object, which is made of the cells of a row. */

import { numberTextAt, numberTextsOf, SentNumber, setNumberTexts } from '../../json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** Values at their places, with the objects and arrays around them. A {@link SentNumber} becomes a number with its text. */
export class RowContent {

    readonly #content: JsonObject = {};
    /** Texts of numbers by the objects and arrays that they are in. They are set at the end, as each time they would be copied. */
    readonly #texts = new Map<object, Map<string, string>>();

    /** Sets a value. @throws TypeError where there is another one */
    set(tokens: readonly string[], value: JsonValue): void {

        let at: JsonValue = this.#content;
        tokens.forEach((token, index) => {

            const isArray = Array.isArray(at);
            const own = typeof at === 'object' && at !== null && Object.hasOwn(at, token) ? (at as JsonObject)[token] : undefined;
            const isLast = index === tokens.length - 1;
            const inside: JsonValue = isLast ? value : own ?? (tokens[index + 1] === '0' ? [] : {});
            const isIndex = !isArray || /^\d{1,3}$/.test(token) && Number(token) <= (at as JsonValue[]).length;
            if (typeof at !== 'object' || at === null || !isIndex || isLast && own !== undefined) {
                throw new TypeError(`two columns contradict each other at /${tokens.join('/')}`);
            }

            Object.defineProperty(at, token, { value: this.#plain(at, token, inside), enumerable: true, configurable: true, writable: true });
            at = inside;
        });
    }

    /** The content. Nothing can be set after that. */
    end(): JsonObject {

        this.#texts.forEach((texts, container) => setNumberTexts(container, texts));
        return this.#content;
    }

    #plain(container: object, token: string, value: JsonValue): JsonValue {

        if (!(value instanceof SentNumber)) {
            return value;
        }

        const texts = this.#texts.get(container) ?? new Map(numberTextsOf(container));
        this.#texts.set(container, texts.set(token, value.toString()));
        return value.toJSON();
    }
}

/** Makes an array. A {@link SentNumber} becomes a number with its text. */
export function listOf(values: readonly JsonValue[]): JsonValue[] {

    const texts = new Map<string, string>();
    const list = values.map((value, index) => {

        if (!(value instanceof SentNumber)) {
            return value;
        }

        texts.set(String(index), value.toString());
        return value.toJSON();
    });
    return setNumberTexts(list, texts);
}

/** Returns the cell of a column: a number that JavaScript writes differently is a {@link SentNumber}. */
export function cellOf(row: JsonObject, column: string): JsonValue | undefined {

    const text = numberTextAt(row, column);
    return text === undefined ? Object.hasOwn(row, column) ? row[column] : undefined : new SentNumber(text) as unknown as JsonValue;
}
