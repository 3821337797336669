/**
 * Maps rows of `objects` and `payloads` to stored objects and back.
 */

import type { SqlValue } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { Acl, Metadata } from '../../doip/digital-object.js';
import { unavailable } from '../../errors/errors.js';
import { readStored, writeStored } from '../../json/serializer.js';
import { rememberText, storedText } from '../../json/raw-json.js';
import { elementsLength, type StoredElement, type StoredObject } from '../../model/stored-object.js';
import type { ObjectParts } from '../../model/lazy-stored-object.js';

/** Columns of `objects`. */
export const OBJECT_COLUMNS = [
    'id', 'type', 'content', 'acl', 'user_metadata', 'hashes', 'created_on', 'created_by', 'modified_on', 'modified_by',
    'txn_id', 'element_count', 'is_version', 'version_of', 'published_by', 'published_on'
] as const;

/** Columns of texts of any length. */
export const LONG_COLUMNS: readonly string[] = ['content', 'acl', 'user_metadata', 'hashes'];

/** The columns without those that can be long, for lists. */
export const SHORT_COLUMNS = OBJECT_COLUMNS.filter((column) => !LONG_COLUMNS.includes(column));

/** Columns of `payloads` that describe an element. */
export const ELEMENT_COLUMNS = ['name', 'filename', 'media_type', 'size', 'blob_id', 'store', 'hash'] as const;

/** Maximum number of reads of an object that changes while it is read. */
const READINGS = 5;

/** A row of `objects`. */
export interface ObjectRow {
    id: string;
    type: string;
    content: string;
    acl: string | null;
    user_metadata: string | null;
    hashes: string | null;
    created_on: number;
    created_by: string;
    modified_on: number;
    modified_by: string;
    txn_id: number;
    element_count: number;
    is_version: number;
    version_of: string | null;
    published_by: string | null;
    published_on: number | null;
}

/** A row of `payloads`, without its key. */
export interface ElementRow {
    name: string;
    filename: string | null;
    media_type: string | null;
    size: number;
    blob_id: number;
    store: string;
    hash: string | null;
}

/** Returns the approximate length of an object as JSON text, in UTF-16 code units. */
export function lengthOf({ content, acl, user_metadata, hashes }: ObjectRow, elements: readonly StoredElement[]): number {

    return content.length + (acl?.length ?? 0) + (user_metadata?.length ?? 0) + (hashes?.length ?? 0) + elementsLength(elements);
}

/** Returns the object of a row. */
export function toObject(found: ObjectRow, elements: readonly StoredElement[]): StoredObject {

    return {
        id: found.id,
        type: found.type,
        content: rememberText(readStored(found.content) as JsonObject, found.content),
        acl: found.acl === null ? null : JSON.parse(found.acl) as Acl,
        userMetadata: found.user_metadata === null ? null : readStored(found.user_metadata) as JsonObject,
        metadata: toMetadata(found),
        elements
    };
}

/** Returns the stored parts of an object, with JSON as text. */
export function toParts(found: ObjectRow, elements: readonly StoredElement[]): ObjectParts {

    const { id, type, content, acl, user_metadata: userMetadata } = found;
    return { id, type, content, acl, userMetadata, metadata: toMetadata(found), elements };
}

/** A row of {@link SHORT_COLUMNS} with the access control list. */
export type ListedRow = Omit<ObjectRow, 'content' | 'user_metadata' | 'hashes'>;

/** Returns what a list shows of an object. */
export function toListed(found: ListedRow): Pick<StoredObject, 'id' | 'type' | 'acl' | 'metadata'> {

    const { id, type, acl } = found;
    return { id, type, acl: acl === null ? null : JSON.parse(acl) as Acl, metadata: toMetadata({ ...found, hashes: null }) };
}

/** Returns the element of a row. */
export function toElement(found: ElementRow): StoredElement {

    return {
        name: found.name, filename: found.filename, mediaType: found.media_type, size: found.size,
        blobId: found.blob_id, store: found.store, hash: found.hash
    };
}

/** A row of `payloads`, with the transaction number of its object at the time of the read. */
export type DatedElementRow = ElementRow & { txn_id: number };

/**
 * Returns the elements of an object, from rows that were read after its own; null when the object was changed in between, so that
 * both have to be read again. Missing rows are ignored after the last attempt.
 *
 * @param reading number of the attempt, from 1
 * @throws DoipError 503 when the object changes faster than it can be read
 */
export function elementsOf({ id, txn_id }: Pick<ObjectRow, 'id' | 'txn_id'>, rows: readonly DatedElementRow[], reading: number): StoredElement[] | null {

    if (rows[0]?.txn_id === txn_id) {
        return rows.map(toElement);
    }

    if (reading < READINGS) {
        return null;
    }

    if (rows.length > 0) {
        throw unavailable(`object ${id} is being changed all the time, try again`, 1);
    }

    return [];
}

/** Returns the values of an object's row. */
export function objectValues(object: StoredObject): Record<(typeof OBJECT_COLUMNS)[number], SqlValue> {

    const { metadata } = object;
    return {
        id: object.id,
        type: object.type,
        content: storedText(object.content),
        acl: object.acl === null ? null : JSON.stringify(object.acl),
        user_metadata: object.userMetadata === null ? null : writeStored(object.userMetadata),
        hashes: metadata.hashes === undefined ? null : JSON.stringify(metadata.hashes),
        created_on: metadata.createdOn,
        created_by: metadata.createdBy,
        modified_on: metadata.modifiedOn,
        modified_by: metadata.modifiedBy,
        txn_id: metadata.txnId,
        element_count: object.elements.length,
        is_version: metadata.isVersion ? 1 : 0,
        version_of: metadata.versionOf ?? null,
        published_by: metadata.publishedBy ?? null,
        published_on: metadata.publishedOn ?? null
    };
}

/** Returns the metadata of a row; without `hashes` where they were not read. */
function toMetadata(found: ListedRow & Pick<ObjectRow, 'hashes'>): Metadata & { txnId: number } {

    return {
        ...(found.hashes === null ? {} : { hashes: JSON.parse(found.hashes) as JsonObject }),
        createdOn: found.created_on,
        createdBy: found.created_by,
        modifiedOn: found.modified_on,
        modifiedBy: found.modified_by,
        ...(found.is_version ? {
            isVersion: true,
            ...(found.version_of === null ? {} : { versionOf: found.version_of }),
            ...(found.published_by === null ? {} : { publishedBy: found.published_by }),
            ...(found.published_on === null ? {} : { publishedOn: found.published_on })
        } : {}),
        txnId: found.txn_id
    };
}
