/**
 * What a client wants stored.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Acl } from '../doip/digital-object.js';

/** Bytes that are stored but belong to no object yet. */
export interface StagedElement {
    readonly store: string;
    readonly blobId: number;
    /** Bytes. */
    readonly size: number;
    /** Lower-case hex SHA-256, when it was asked for. */
    readonly hash: string | null;
    /** Takes them back; does nothing once they belong to an object. Never rejects. */
    discard(): Promise<void>;
}

/** An element as the client described it, with its bytes if it sent any. */
export interface ElementInput {
    readonly name: string;
    /** Null: unknown; undefined: nothing was said of it. */
    mediaType?: string | null;
    filename?: string | null;
    staged?: StagedElement;
}

/** What a client wants stored. Absent members were not sent. */
export interface ObjectInput {
    id?: string;
    type?: string;
    content?: JsonObject;
    /** New value of the part of the content that an update points at. */
    contentAtPointer?: { readonly value: JsonValue; readonly text?: string | undefined };
    acl?: Acl;
    userMetadata?: JsonObject;
    readonly elements: Map<string, ElementInput>;
    elementsToDelete: string[];
}
