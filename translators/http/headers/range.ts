/** Byte ranges (RFC 9110, sections 13.1.5 and 14): converts Range and If-Range to attributes, and the range of a response to Content-Range. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';
import { demandedTags } from './entity-tag.js';

/** Range of a response: inclusive byte offsets, and the total size if known. */
export interface AnsweredRange {
    readonly start: number;
    readonly end: number;
    readonly size?: number;
}

/** A strong entity tag, the whole of If-Range. */
const STRONG_TAG = /^"([^"]*)"$/;

/**
 * Converts the header Range to the attribute `range`: `{start}`, `{start, end}` (inclusive) or `{end}` (the last `end` bytes), and If-Range
 * to `ifRange`, the tag of the version of which a range is wanted. No attributes when the whole is to be sent: without a range, for
 * several ranges, other units or malformed ranges, and with an If-Range that is a date or a weak tag, which no response has. The
 * operation checks whether the range can be satisfied, but only of the versions that If-Match demands: of any other one the range does not matter.
 */
export function rangeAttributes(headers: RequestHeaders): JsonObject {

    const match = /^bytes=[ \t]*([0-9]*)-([0-9]*)$/i.exec(header(headers, 'range')?.trim() ?? '');
    const condition = header(headers, 'if-range');
    const ifRange = STRONG_TAG.exec(condition?.trim() ?? '')?.[1];
    if (!match || condition !== undefined && ifRange === undefined) {
        return {};
    }

    const [, start = '', end = ''] = match;
    if (start === '' && end === '') {
        return {};
    }

    const range = { ...(start === '' ? {} : { start: offset(start) }), ...(end === '' ? {} : { end: offset(end) }) };
    const demanded = demandedTags(headers);
    if (ifRange === undefined) {
        return { range, ...demanded ? { ifRange: demanded } : {} };
    }

    return !demanded || demanded.includes(ifRange) ? { range, ifRange } : {};
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
