/**
 * From the input of a request to that of a method: JSON as `context.params`, and whatever was sent as bytes for
 * `context.directIo` (interface specification, "POST /call").
 */

import type { BytesSegment, Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { parseJson } from '../../json/strict-parser.js';
import { writeJson } from '../../json/serializer.js';
import { readBytes } from '../../doip/segments.js';
import type { MethodInput } from './methods.js';

/** What is known besides the input. */
export interface InputFacts {
    /** Attributes for the method. */
    readonly attributes: JsonObject;
    /** Input that was given as an attribute; counts where there is no other. */
    readonly params: JsonValue | undefined;
    /** Most bytes. */
    readonly limit: number;
}

type Direct = NonNullable<MethodInput['direct']>;

const JSON_TYPE = /^application\/([^;\s]+\+)?json\s*(;|$)/i;

/** Bytes with which JSON text can begin: blanks, quotes, brackets, digits, a sign, and the words `true`, `false` and `null`. */
const JSON_START = new Set(Buffer.from(' \t\r\n"{[-0123456789tfn'));

/**
 * Reads the input of a method.
 *
 * @throws DoipError 400 for more than one segment and for malformed JSON, over HTTP 413 for too much
 */
export async function readMethodInput(input: AsyncIterable<Segment>, { attributes, params, limit }: InputFacts): Promise<MethodInput> {

    let read: MethodInput | null = null;
    for await (const segment of input) {
        if (read) {
            throw badRequest('Unexpected input segments: a method takes one');
        }

        read = segment.kind === 'json' ? ofJson(segment.value, attributes) : await ofBytes(segment, attributes, limit);
    }

    if (read && (read.direct?.bytes.byteLength ?? 0) > 0) {
        return read;
    }

    return params === undefined ? { params, attributes, direct: null } : ofJson(params, attributes);
}

function ofJson(params: JsonValue, attributes: JsonObject): MethodInput {

    return { params, attributes, direct: { bytes: Buffer.from(writeJson(params)), mediaType: 'application/json' } };
}

/** Clients send JSON under many media types: all are tried, and must be JSON only where they say so. */
async function ofBytes({ body, mediaType, filename }: BytesSegment, attributes: JsonObject, limit: number): Promise<MethodInput> {

    const bytes = await readBytes(body, limit);
    const direct: Direct = { bytes, filename, mediaType };
    if (mediaType !== undefined && JSON_TYPE.test(mediaType)) {
        return { params: bytes.byteLength === 0 ? undefined : parseJson(bytes), attributes, direct };
    }

    return { params: triedJson(bytes), attributes, direct };
}

function triedJson(bytes: Buffer): JsonValue | undefined {

    if (!JSON_START.has(bytes[0] ?? 0)) {
        return undefined;
    }

    try {
        return parseJson(bytes);
    }
    catch {
        return undefined;
    }
}
