/**
 * Texts of the numbers that JavaScript writes in another way than they were sent, as plain data: what `exact-numbers.ts` keeps is lost when a document
 * is passed to a thread.
 */

import { hasNumberTexts, numberTextAt } from '../../json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** The text of a number; `at` is its place among all numbers of the values, in the order of their members. */
export type NumberText = readonly [at: number, text: string];

/** Returns the texts of the numbers in some values; undefined where there are none, which is known after a look at the values. */
export function numberTextsIn(...values: readonly (JsonObject | null)[]): readonly NumberText[] | undefined {

    if (!values.some(hasNumberTexts)) {
        return undefined;
    }

    const found: Found = { texts: [], numbers: 0 };
    values.forEach((value) => value && collect(value, found));
    return found.texts;
}

interface Found {
    readonly texts: NumberText[];
    numbers: number;
}

function collect(container: object, found: Found): void {

    for (const [name, member] of Object.entries(container) as [string, JsonValue][]) {
        if (typeof member === 'number') {
            const text = numberTextAt(container, name);
            if (text !== undefined) {
                found.texts.push([found.numbers, text]);
            }

            ++found.numbers;
        }
        else if (typeof member === 'object' && member !== null) {
            collect(member, found);
        }
    }
}

/** Gives the texts to the numbers of the same values. */
export class NumberTextReader {

    readonly #texts: readonly NumberText[];
    #next = 0;
    #numbers = 0;

    constructor(texts: readonly NumberText[]) {

        this.#texts = texts;
    }

    /** Returns the text of the next number; undefined when JavaScript writes it as it was sent. */
    next(value: number): string | undefined {

        const entry = this.#texts[this.#next];
        if (entry?.[0] !== this.#numbers++) {
            return undefined;
        }

        ++this.#next;
        return Number(entry[1]) === value ? entry[1] : undefined;
    }
}
