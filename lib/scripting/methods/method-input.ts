/**
 * Maps the input of a request to the input of a method: JSON as `context.params`, and the bytes that were sent for
 * `context.directIo` (interface specification, "POST /call").
 */

import type { BytesSegment, MemoryLimits, Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { writeJson } from '../../json/serializer.js';
import { OWN_LIMITS, readBytes } from '../../doip/segments.js';
import { parseJsonInTurns } from '../../json/strict-parser.js';
import type { MethodInput } from './methods.js';

/** Request data besides the input. */
export interface InputFacts {
    /** Attributes for the method. */
    readonly attributes: JsonObject;
    /** Input given as an attribute; used if there is no other. */
    readonly params: JsonValue | undefined;
    /** Maximum length in bytes. */
    readonly limit: number;
}

type Direct = NonNullable<MethodInput['direct']>;

const JSON_TYPE = /^application\/([^;\s]+\+)?json\s*(;|$)/i;

/** Bytes with which JSON text can begin: white space, quotes, brackets, digits, a sign, and the words `true`, `false` and `null`. */
const JSON_START = new Set(Buffer.from(' \t\r\n"{[-0123456789tfn'));

/**
 * Reads the input of a method.
 *
 * @throws DoipError 400 for more than one segment or malformed JSON; over HTTP 413 for too much input
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

/** Reads bytes. Clients send JSON with many media types, so parsing is always tried; it must succeed only for JSON media types. */
async function ofBytes({ body, mediaType, filename, limits = OWN_LIMITS }: BytesSegment, attributes: JsonObject, limit: number): Promise<MethodInput> {

    const isJson = mediaType !== undefined && JSON_TYPE.test(mediaType);
    const bytes = await readBytes(body, isJson ? Math.min(limit, limits.jsonBytes) : limit, limits.memory);
    const direct: Direct = { bytes, filename, mediaType };
    if (isJson) {
        const { jsonDepth: maxDepth, jsonValues: maxValues } = limits;
        return { params: bytes.byteLength === 0 ? undefined : await parseJsonInTurns(bytes, { maxDepth, maxValues }), attributes, direct };
    }

    return { params: await jsonOrUndefined(bytes, limits), attributes, direct };
}

/** Returns the value of bytes that are JSON within the limits for JSON, otherwise undefined. */
async function jsonOrUndefined(bytes: Buffer, { jsonBytes, jsonDepth: maxDepth, jsonValues: maxValues }: MemoryLimits): Promise<JsonValue | undefined> {

    if (bytes.byteLength > jsonBytes || !JSON_START.has(bytes[0] ?? 0)) {
        return undefined;
    }

    try {
        return await parseJsonInTurns(bytes, { maxDepth, maxValues, locatesErrors: false });
    }
    catch {
        return undefined;
    }
}
