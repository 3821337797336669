/**
 * An object of an upload: as received, as validated, and as the job writes it. Validation and job parse lines with the same function, so
 * that they accept the same input.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { FieldLimits } from '../../objects/input/field-validation.js';
import type { RestoredObject } from './object-restorer.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';
import { isJsonObject } from '../../util/json-types.js';
import { readObjectInput, type InputReaderOptions } from '../../objects/input/object-input.js';
import { applyElements } from '../../objects/update-request.js';
import { itemSegments } from '../batch/batch-item.js';
import { readImported, type Fallback, type ImportedObject } from '../format/import-object.js';
import type { ObjectInput } from '../../model/object-input.js';

/** An object of an upload, with its elements staged or measured. */
export interface UploadedObject {
    readonly object: ImportedObject;
    readonly input: ObjectInput;
    /** False when the input has no metadata: an existing object then keeps the time and author of its creation. */
    readonly hasMetadata: boolean;
}

/** Result of validation without the bytes of elements, which the job writes. Stored as a line of JSON. */
export interface ReviewedObject extends Omit<StoredObject, 'metadata' | 'elements'> {
    readonly metadata: Metadata;
    /** Hashes of its secrets; see `identity/secrets/secret-transfer`. */
    readonly secrets?: JsonObject;
    /** Absent when its type has no hook for indexing; null to index the object as it is. */
    readonly indexForm?: IndexedForm | null;
}

/** Options for reading a line. */
export interface LineReading {
    readonly limits: FieldLimits;
    readonly fallback: Fallback;
    readonly stage: InputReaderOptions['stage'];
}

/**
 * Reads the line of an object, with its elements.
 *
 * @throws DoipError 400 for a line that does not describe an object
 */
export async function readUploaded(value: JsonObject, { limits, fallback, stage }: LineReading): Promise<UploadedObject> {

    return {
        object: await readImported(value, limits, fallback),
        input: await readObjectInput(itemSegments(value), { limits, beforeBytes: () => {}, stage }),
        hasMetadata: hasMetadata(value)
    };
}

/** The object to store, given the existing one. Hashes are recomputed, since generated values may differ from the input. */
export function targetObject({ object, input, hasMetadata: hasDates }: UploadedObject, before: StoredObject | null): Omit<RestoredObject, 'steps'> {

    const { id, type, content, metadata: { hashes: _hashes, ...metadata } } = object;
    const retained = before && !hasDates ? { createdOn: before.metadata.createdOn, createdBy: before.metadata.createdBy } : {};
    return {
        type, content,
        acl: input.acl ?? before?.acl ?? null,
        userMetadata: input.userMetadata ?? before?.userMetadata ?? null,
        elements: applyElements(before ?? { id, elements: [] }, { input }),
        metadata: { ...metadata, ...retained }
    };
}

function hasMetadata({ attributes, metadata }: JsonObject): boolean {

    return metadata !== undefined || isJsonObject(attributes) && attributes['metadata'] !== undefined;
}
