/**
 * The media type of a body, as far as the service cares.
 */

import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';
import { parseParameterised } from './parameters.js';

/** A media type taken apart. */
export interface MediaType {
    /** Type and subtype in lower case; empty when no type was given. */
    readonly essence: string;
    readonly parameters: ReadonlyMap<string, string>;
}

/** The media type of a request body. */
export function contentType(headers: RequestHeaders): MediaType {

    return parseMediaType(header(headers, 'content-type') ?? '');
}

/** Takes a media type apart. */
export function parseMediaType(text: string): MediaType {

    const { value, parameters } = parseParameterised(text);
    return { essence: value, parameters };
}

/** True for `application/json` and every `+json` type. */
export function isJsonType(essence: string): boolean {

    return essence === 'application/json' || essence.endsWith('+json');
}

/** True when a value may stand in a Content-Type header: printable, with a type and a subtype. */
export function isMediaType(text: string): boolean {

    return /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+[ \t]*(?:;[\x20-\x7e\t]*)?$/.test(text);
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';
