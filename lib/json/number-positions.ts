/**
 * Assigns the texts of numbers to the objects and arrays that contain them. It scans the JSON text token by token, in linear time,
 * and only runs for texts with such numbers.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { setNumberTexts } from './exact-numbers.js';
import { closingQuote } from './scanner.js';

/** An object or array that encloses the current token. */
interface Position {
    readonly isArray: boolean;
    /** Resolved on first use. */
    container: JsonObject | undefined;
    texts: Map<string, string> | undefined;
    /** Index of the current element of an array. */
    index: number;
    /** Range of the current property name in the text, with quotes. */
    name: readonly [number, number];
    /** The next string of an object is a property name. */
    wantsName: boolean;
}

/**
 * Adds the texts of numbers to a value that JSON.parse returned for a text. The text of a standalone number is dropped.
 *
 * @param numbers start and end of each such number in the text, in order: start, end, start, end …
 */
export function addNumberTexts(root: JsonValue, text: string, numbers: readonly number[]): void {

    const path: Position[] = [];
    const digits = joined(text, numbers);
    let next = 0;
    let taken = 0;
    for (let i = 0; next < numbers.length; ++i) {
        if (i !== numbers[next]) {
            i = pass(path, text, i);
            continue;
        }

        const end = numbers[next + 1] ?? text.length;
        keep(root, path, text, digits.slice(taken, taken + end - i));
        taken += end - i;
        next += 2;
        i = end - 1;
    }
}

/** Joins the numbers to one text to slice from: slices of the text itself would keep all of it in memory. */
function joined(text: string, numbers: readonly number[]): string {

    const texts: string[] = [];
    for (let i = 0; i < numbers.length; i += 2) {
        texts.push(text.slice(numbers[i], numbers[i + 1]));
    }

    // A copy of the bytes, because joining a single slice returns that slice.
    return Buffer.from(texts.join(''), 'latin1').toString('latin1');
}

/** Skips one token; returns the index of its last character. */
function pass(path: Position[], text: string, i: number): number {

    const token = text.charAt(i);
    const position = path.at(-1);
    if (token === '"') {
        const end = closingQuote(text, i);
        if (position?.wantsName) {
            position.name = [i, end + 1];
            position.wantsName = false;
        }

        return end;
    }

    if (token === '{' || token === '[') {
        path.push(newPosition(token === '['));
    }
    else if (token === '}' || token === ']') {
        path.pop();
    }
    else if (token === ',' && position) {
        position.index += 1;
        position.wantsName = !position.isArray;
    }

    return i;
}

function newPosition(isArray: boolean): Position {

    return { isArray, container: undefined, texts: undefined, index: 0, name: [0, 0], wantsName: !isArray };
}

function keyOf({ isArray, index, name }: Position, text: string): string {

    return isArray ? String(index) : JSON.parse(text.slice(...name)) as string;
}

/** Sets the text of the current number in the innermost container. */
function keep(root: JsonValue, path: readonly Position[], text: string, number: string): void {

    const position = path.at(-1);
    if (!position) {
        return;
    }

    const key = keyOf(position, text);
    if (position.texts) {
        position.texts.set(key, number);
        return;
    }

    position.texts = new Map([[key, number]]);
    setNumberTexts(containerAt(root, path, path.length - 1, text), position.texts);
}

/** Returns the container at a depth of the path; resolves those around it that are not resolved yet. */
function containerAt(root: JsonValue, path: readonly Position[], depth: number, text: string): JsonObject {

    const position = path[depth] as Position;
    const outer = path[depth - 1];
    position.container ??= (outer ? containerAt(root, path, depth - 1, text)[keyOf(outer, text)] : root) as JsonObject;
    return position.container;
}
