/** The objects of a file to import. */

import { isJsonMap, type Json } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { readUtf8, utf8Lines } from '../../json/utf8.js';
import { writeJson } from '../../json/write-json.js';
import { t } from './texts.js';

/** Bytes of JSON that are read at once, when it is not in lines. */
const MAX_JSON_BYTES = 64_000_000;

/** An object of a file. */
export interface Line {
    readonly text: string;
    readonly position: number;
    readonly bytes: number;
}

/**
 * Reads the objects of a file of JSON lines, or of JSON that is read at once.
 *
 * @throws JsonSyntaxError for a file that is no JSON, EncodingError for one that is no UTF-8
 */
export function objectsIn(file: File, isLines: boolean): AsyncGenerator<Line, void, undefined> {

    return isLines ? linesOf(file) : itemsOf(file);
}

async function *linesOf(file: File): AsyncGenerator<Line, void, undefined> {

    let position = 0;
    for await (const { lines, bytes } of utf8Lines(file)) {
        for (const text of lines) {
            ++position;
            if (text.trim() !== '') {
                yield { text, position, bytes };
            }
        }
    }
}

async function *itemsOf(file: File): AsyncGenerator<Line, void, undefined> {

    if (file.size > MAX_JSON_BYTES) {
        throw new Error(t('tooLarge'));
    }

    const value = parseJson(await readUtf8(file));
    const results = isJsonMap(value) ? value['results'] : undefined;
    const items = Array.isArray(value) ? value as readonly Json[] : Array.isArray(results) ? results as readonly Json[] : [value];
    for (const [at, item] of items.entries()) {
        yield { text: writeJson(item), position: at + 1, bytes: Math.round((at + 1) / items.length * file.size) };
    }
}
