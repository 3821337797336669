/** Media types of bodies. */

import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';
import { parseParameterised } from './parameters.js';

/** A parsed media type. */
export interface MediaType {
    /** Type and subtype in lower case; empty when no type was given. */
    readonly essence: string;
    readonly parameters: ReadonlyMap<string, string>;
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** The media type of a request body. */
export function contentType(headers: RequestHeaders): MediaType {

    return parseMediaType(header(headers, 'content-type') ?? '');
}

/** Parses a media type. */
export function parseMediaType(text: string): MediaType {

    if (!text.includes(';')) {
        return { essence: text.trim().toLowerCase(), parameters: NO_PARAMETERS };
    }

    const { value, parameters } = parseParameterised(text);
    return { essence: value, parameters };
}

/** True for `application/json` and every `+json` type. */
export function isJsonType(essence: string): boolean {

    return essence === 'application/json' || essence.endsWith('+json');
}

/** True for a valid value of Content-Type: printable, with type and subtype. */
export function isMediaType(text: string): boolean {

    return /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+[ \t]*(?:;[\x20-\x7e\t]*)?$/.test(text);
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';
