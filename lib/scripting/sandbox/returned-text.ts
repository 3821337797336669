/**
 * Separates a long return value from the other parts of a result, and checks it, in the thread of the script: the main thread sends it on as
 * it is, without parsing it.
 */

import { parseJson } from '../../json/strict-parser.js';
import { isJsonObject } from '../../util/json-types.js';
import { unreadable } from '../protocol/script-result.js';
import { MAX_RETURNED_VALUES } from '../protocol/value-limits.js';

/** Length in characters from which a return value is separated. */
const LONG_TEXT = 32 * 1024;

/** The parts of a result. */
export interface SeparatedResult {
    /** JSON text of the result, without the return value if that is separate. */
    readonly lines: string;
    /** JSON text of the return value; null if it is in the line, or there is none. */
    readonly text: string | null;
}

/** Separates the return value from the line of one call. A line that is no strict JSON becomes that of the failure. */
export function separated(line: string): SeparatedResult {

    if (line.length < LONG_TEXT) {
        return { lines: line, text: null };
    }

    try {
        const result = parseJson(line, { maxValues: MAX_RETURNED_VALUES, name: 'what the code gave' });
        const { returned, ...others } = isJsonObject(result) ? result : {};
        const text = returned === undefined ? '' : JSON.stringify(returned);
        return text.length < LONG_TEXT ? { lines: line, text: null } : { lines: JSON.stringify(others), text };
    }
    catch (error) {
        return { lines: JSON.stringify({ failure: unreadable(error) }), text: null };
    }
}
