/**
 * The export format: JSON lines.
 *
 * The first line is a header: `{"export": 1, "prefix": …, "exportedOn": …}`. The objects follow, types first: each is a digital object with
 * its metadata, and with the hashes of its secrets if it has any. The bytes of small elements are in the line of their object
 * (`base64Element`); those of larger ones follow it in lines of their own, in the order of the elements: `{"element": name, "base64": …}`,
 * until the `length` of the element is reached. Where bytes are damaged in the repository, `{"damaged": true, "element": name, "object": id}` takes
 * the place of the bytes, or of the rest of them. The last line, `{"end": true, "objects": …}`, marks the export as complete; it has the number of
 * damaged elements, if any, as `damaged`.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { writeJson } from '../../json/serializer.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { toDigitalObject } from '../../model/stored-object.js';

/** Version of the format. */
export const EXPORT_VERSION = 1;

export const EXPORT_TYPE = 'application/x-ndjson';

/** Maximum size in bytes of an element in the line of its object. */
export const INLINE_BYTES = 16 * 1024;

/** Maximum total size in bytes of the elements in the line of their object. */
export const INLINE_TOTAL = 1024 * 1024;

/** Bytes of an element per line; a multiple of 3, so that only the last line has base64 padding. */
export const CHUNK_BYTES = 192 * 1024;

/** True for the first line of an export. */
export function isHeader(value: JsonObject): boolean {

    return typeof value['export'] === 'number';
}

/** True for the last line of an export. */
export function isTrailer(value: JsonObject): boolean {

    return value['end'] === true && value['id'] === undefined;
}

/** The element chunk of a line; null for other lines. */
export function chunkOf(value: JsonObject): { readonly element: string; readonly base64: JsonValue } | null {

    const { element, base64 } = value;
    return typeof element === 'string' && base64 !== undefined && value['id'] === undefined ? { element, base64 } : null;
}

/** The name of the element of a line that says that its bytes are damaged; null for other lines. */
export function damageOf({ damaged, element, id }: JsonObject): string | null {

    return damaged === true && typeof element === 'string' && id === undefined ? element : null;
}

/** Formats the line of an object. */
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

/** Formats a line with bytes of an element. */
export function chunkLine({ name }: Pick<StoredElement, 'name'>, bytes: Uint8Array): string {

    return lineOf({ element: name, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') });
}

/** What the line of a damaged element begins with. */
export const DAMAGE_START = '{"damaged":true,';

/** Formats the line of an element whose bytes are damaged. */
export function damageLine(objectId: string, { name }: Pick<StoredElement, 'name'>): string {

    return lineOf({ damaged: true, element: name, object: objectId });
}

export function lineOf(value: JsonObject): string {

    return `${writeJson(value)}\n`;
}
