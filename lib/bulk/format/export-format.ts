/**
 * The form of exports: lines of JSON.
 *
 * The first line says what it is: `{"export": 1, "prefix": …, "exportedOn": …}`. Then come the objects, types first: each is a
 * digital object with its metadata, and with the hashes of its secrets where it has any. Few bytes of an element stand in it
 * (`base64Element`); more of them follow it, in the order of the elements, as lines of their own:
 * `{"element": name, "base64": …}`, until there are as many bytes as the element's `length` says. The last line,
 * `{"end": true, "objects": …}`, tells that nothing is missing.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { writeJson } from '../../json/serializer.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { toDigitalObject } from '../../model/stored-object.js';

/** The version of the form. */
export const EXPORT_VERSION = 1;

export const EXPORT_TYPE = 'application/x-ndjson';

/** Bytes of an element that stand in the line of its object. */
export const INLINE_BYTES = 16 * 1024;

/** Bytes of all elements that stand in the line of their object. */
export const INLINE_TOTAL = 1024 * 1024;

/** Bytes of an element in one line; a multiple of 3, so that base64 needs no padding in between. */
export const CHUNK_BYTES = 192 * 1024;

/** True for the first line of an export. */
export function isHeader(value: JsonObject): boolean {

    return typeof value['export'] === 'number';
}

/** True for the last line of an export. */
export function isTrailer(value: JsonObject): boolean {

    return value['end'] === true && value['id'] === undefined;
}

/** The name of the element that a line brings bytes of; null for other lines. */
export function pieceOf(value: JsonObject): { readonly element: string; readonly base64: JsonValue } | null {

    const { element, base64 } = value;
    return typeof element === 'string' && base64 !== undefined && value['id'] === undefined ? { element, base64 } : null;
}

/** The line of an object. */
export function objectLine(object: StoredObject, inline: ReadonlyMap<string, string>, secrets: JsonObject | undefined): string {

    const { elements, ...digital } = toDigitalObject(object);
    return lineOf({
        ...digital as unknown as JsonObject,
        elements: elements.map((element) => {

            const base64Element = inline.get(element.id);
            return { ...element as unknown as JsonObject, ...base64Element === undefined ? {} : { base64Element } };
        }),
        ...secrets ? { secrets } : {}
    });
}

/** A line with bytes of an element. */
export function pieceLine({ name }: Pick<StoredElement, 'name'>, bytes: Uint8Array): string {

    return lineOf({ element: name, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') });
}

export function lineOf(value: JsonObject): string {

    return `${writeJson(value)}\n`;
}
