/**
 * Input of a client for a create or update.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Acl } from '../doip/digital-object.js';
import type { StoredElement } from './stored-object.js';

/** Staged bytes: stored, but not linked to an object yet. */
export interface StagedElement extends Pick<StoredElement, 'store' | 'blobId' | 'size' | 'hash'> {
    /** Deletes the bytes; does nothing once they are linked to an object. Never rejects. */
    discard(): Promise<void>;
}

/** An element as described by the client, with its bytes if they were sent. */
export interface ElementInput {
    readonly name: string;
    /** Null: unknown; undefined: not mentioned. */
    mediaType?: string | null;
    filename?: string | null;
    staged?: StagedElement;
}

/** Input for a create or update. Absent members were not sent. */
export interface ObjectInput {
    id?: string;
    type?: string;
    content?: JsonObject;
    /** New value of the part of the content at the JSON pointer of an update. */
    contentAtPointer?: { readonly value: JsonValue; readonly text?: string | undefined };
    acl?: Acl;
    userMetadata?: JsonObject;
    readonly elements: Map<string, ElementInput>;
    elementsToDelete: string[];
}
