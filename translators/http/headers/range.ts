/** Byte ranges: converts the header Range to the attribute `range`, and the range of a response to Content-Range. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';

/** Range of a response: inclusive byte offsets, and the total size if known. */
export interface AnsweredRange {
    readonly start: number;
    readonly end: number;
    readonly size?: number;
}

/**
 * Converts the header Range to the attribute `range`: `{start}`, `{start, end}` (inclusive) or `{end}` (the last `end` bytes). Undefined
 * when the whole is to be sent: without a range, for several ranges, other units or malformed ranges, and with If-Range. The operation
 * checks whether the range can be satisfied.
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

/** Reads the attribute `range` of a response; undefined when invalid. */
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

/** Formats the value of Content-Range. */
export function formatContentRange({ start, end, size }: AnsweredRange): string {

    return `bytes ${start}-${end}/${size ?? '*'}`;
}

/** Clamps offsets that are larger than any possible size. */
function offset(digits: string): number {

    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
