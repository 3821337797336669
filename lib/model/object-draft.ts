/**
 * The draft of an object before it is written, and the removal of its secrets.
 */

import type { Metadata } from '../doip/digital-object.js';
import type { JsonObject } from '../util/json-types.js';
import type { Caller } from './caller.js';
import type { StoredObject } from './stored-object.js';
import type { WriteContext } from './write-context.js';
import type { ObjectChange } from './write-participant.js';
import type { ProcessedContent } from './processed-content.js';

/** The prospective state of an object. */
export interface Draft extends Omit<StoredObject, 'metadata'> {
    readonly before: StoredObject | null;
    readonly metadata: Metadata;
    readonly caller: Caller;
    /** Epoch milliseconds. */
    readonly now: number;
    /** False if the content is unchanged except for generated fields, and is not validated again. */
    readonly contentTouched: boolean;
    /**
     * Set for restored objects, which may refer to objects restored later. `as-it-was`: the content stays unchanged even if its
     * type does not allow it (any more); secrets are extracted all the same. `reviewed`: validated, and its code was checked
     * before.
     */
    readonly restored?: 'as-it-was' | 'validated' | 'reviewed';
    /** The content as the client sent it, before type code changed it; null if code made all of it. Absent: `content` itself. */
    readonly sent?: JsonObject | null;
    /** See {@link WriteContext.beforeWrite}. */
    readonly beforeWrite?: WriteContext['beforeWrite'];
}

/** Extracts secrets from content; see `identity/secrets/secret-extractor`. */
export interface SecretRemover {
    /** Returns content without secrets, and the steps that store their hashes. Throws for invalid secrets. */
    extract(processed: ProcessedContent, draft: Draft): Promise<{ content: JsonObject; steps: ObjectChange['steps']; secrets?: JsonObject }>;
}

/** A draft that passed all checks. */
export type PreparedChange = ObjectChange & {
    readonly after: StoredObject;
    /** Hashes of the extracted secrets, in the form of `identity/secrets/secret-transfer`; absent if there are none. */
    readonly secrets?: JsonObject;
};
