/**
 * Byte ranges: the Range header of a request into the attribute `range`, and the range of an answer into Content-Range.
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';

/** The range of an answer: byte offsets, both inclusive, and the size of the whole where it is known. */
export interface AnsweredRange {
    readonly start: number;
    readonly end: number;
    readonly size?: number;
}

/**
 * The range that a request asks for as value of the attribute `range`: `{start}`, `{start, end}` (inclusive) or `{end}` (the
 * last `end` bytes). Undefined for everything that is answered whole: no range, several ranges, other units, malformed
 * ones, and any request with If-Range. Whether the range can be satisfied is for the operation to say.
 */
export function requestedRange(headers: RequestHeaders): JsonObject | undefined {

    const match = /^bytes=[ \t]*([0-9]*)-([0-9]*)$/i.exec(header(headers, 'range')?.trim() ?? '');
    if (!match || headers['if-range'] !== undefined) {
        return undefined;
    }

    const [, start = '', end = ''] = match;
    if (start === '' && end === '') {
        return undefined;
    }

    return { ...(start === '' ? {} : { start: offset(start) }), ...(end === '' ? {} : { end: offset(end) }) };
}

/** Reads the attribute `range` of an answer; undefined when it is not one. */
export function answeredRange(value: JsonValue | undefined): AnsweredRange | undefined {

    if (!isJsonObject(value)) {
        return undefined;
    }

    const { start, end, size } = value;
    if (typeof start !== 'number' || typeof end !== 'number') {
        return undefined;
    }

    return typeof size === 'number' ? { start, end, size } : { start, end };
}

/** The value of Content-Range. */
export function formatContentRange({ start, end, size }: AnsweredRange): string {

    return `bytes ${start}-${end}/${size ?? '*'}`;
}

/** Offsets beyond any size are all alike. */
function offset(digits: string): number {

    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
