/** Reads and validates the object in a line of an export. Other lines are accepted too: digital objects, and objects in REST form, with their ids. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { FieldLimits } from '../../objects/input/field-validation.js';
import { badRequest } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { checkContent, checkTypeName } from '../../objects/input/field-validation.js';
import { readObjectInput } from '../../objects/input/object-input.js';
import { elementsOf, toDigitalObject } from '../batch/batch-item.js';
import { sequence, jsonSegment } from '../../doip/segments.js';
import type { ObjectInput } from '../../model/object-input.js';

/** An element of a line: its bytes are in the line, or `length` bytes follow it. */
export interface ImportedElement {
    readonly name: string;
    readonly base64: JsonValue | undefined;
    readonly length: number;
}

/** The object of a line. */
export interface ImportedObject {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly metadata: Metadata;
    readonly input: ObjectInput;
    readonly elements: readonly ImportedElement[];
    readonly secrets: JsonValue | undefined;
}

/** Default values of metadata that a line does not give. */
export interface Fallback {
    readonly author: string;
    /** Epoch milliseconds. */
    readonly now: number;
}

/**
 * Reads the object of a line.
 *
 * @throws DoipError 400 for a line that does not describe an object
 */
export async function readImported(line: JsonObject, limits: FieldLimits, fallback: Fallback): Promise<ImportedObject> {

    const elements = elementsOf(line);
    const segments = sequence(jsonSegment(toDigitalObject(line, elements)));
    const input = await readObjectInput(segments, { limits, beforeBytes: () => {}, stage: () => Promise.reject(new Error('no bytes are staged here')) });
    if (input.id === undefined) {
        throw badRequest('an imported object must have an id');
    }

    const attributes = isJsonObject(line['attributes']) ? line['attributes'] : {};
    const metadata = readMetadata(attributes['metadata'] ?? line['metadata'], fallback);
    if (input.id === DESIGN_ID && metadata.isVersion) {
        throw badRequest('the design object cannot be a version: nobody could change it any more');
    }

    return {
        id: input.id,
        type: checkTypeName(input.type, limits),
        content: checkContent(input.content),
        metadata, input,
        elements: elements.map(({ id, length, size, base64Element }) => ({
            name: typeof id === 'string' ? id : '', base64: base64Element ?? undefined, length: lengthOf(length ?? size, base64Element)
        })),
        secrets: line['secrets']
    };
}

function lengthOf(length: JsonValue | undefined, base64: JsonValue | undefined): number {

    if (base64 !== undefined && base64 !== null) {
        return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
    }

    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
        throw badRequest('each element must have its bytes, or a length, a number of bytes');
    }

    return length;
}

const AUTHOR_BYTES = 255;

/**
 * Metadata to store, without its transaction number.
 *
 * @throws DoipError 400 for members of the wrong kind
 */
function readMetadata(value: JsonValue | undefined, { author, now }: Fallback): Metadata {

    const object = value ?? {};
    if (!isJsonObject(object)) {
        throw badRequest('metadata must be a JSON object');
    }

    const createdOn = timeOf(object, 'createdOn') ?? now;
    const createdBy = nameOf(object, 'createdBy') ?? author;
    const isVersion = object['isVersion'] === true;
    const [versionOf, publishedBy, publishedOn] = [nameOf(object, 'versionOf'), nameOf(object, 'publishedBy'), timeOf(object, 'publishedOn')];
    return {
        ...isJsonObject(object['hashes']) ? { hashes: object['hashes'] } : {},
        createdOn, createdBy,
        modifiedOn: timeOf(object, 'modifiedOn') ?? createdOn,
        modifiedBy: nameOf(object, 'modifiedBy') ?? createdBy,
        ...isVersion ? {
            isVersion,
            ...versionOf === undefined ? {} : { versionOf },
            ...publishedBy === undefined ? {} : { publishedBy },
            ...publishedOn === undefined ? {} : { publishedOn }
        } : {}
    };
}

function timeOf(metadata: JsonObject, name: string): number | undefined {

    const value = metadata[name];
    if (value !== undefined && (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)) {
        throw badRequest(`metadata.${name} must be a time, a whole number of milliseconds`);
    }

    return value;
}

function nameOf(metadata: JsonObject, name: string): string | undefined {

    const value = metadata[name];
    if (value !== undefined && (typeof value !== 'string' || value === '' || !value.isWellFormed() || Buffer.byteLength(value) > AUTHOR_BYTES)) {
        throw badRequest(`metadata.${name} must be a string of at most ${AUTHOR_BYTES} bytes`);
    }

    return value;
}
