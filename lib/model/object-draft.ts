/**
 * An object as it is about to become, and what takes secrets out of it.
 */

import type { Acl, Metadata } from '../doip/digital-object.js';
import type { JsonObject } from '../util/json-types.js';
import type { Caller } from './caller.js';
import type { StoredElement, StoredObject } from './stored-object.js';
import type { WriteContext } from './write-context.js';
import type { ObjectChange } from './write-participant.js';
import type { ProcessedContent } from './processed-content.js';

/** An object as it is about to become. */
export interface Draft {
    readonly before: StoredObject | null;
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl: Acl | null;
    readonly userMetadata: JsonObject | null;
    readonly elements: readonly StoredElement[];
    readonly metadata: Metadata;
    readonly caller: Caller;
    /** Epoch milliseconds. */
    readonly now: number;
    /** False when the content stays as it is but for its generated fields, and is not validated again. */
    readonly contentTouched: boolean;
    /**
     * For an object that comes back, and may refer to objects that come later. `as-it-was`: its content stays as it is, whatever
     * its type says of it now. Secrets are taken out all the same. `reviewed`: its code was looked at before, too.
     */
    readonly restored?: 'as-it-was' | 'validated' | 'reviewed';
    /** The content as the client sent it, before code of the type had it; null when code made all of it. Absent: the content itself. */
    readonly sent?: JsonObject | null;
    /** See {@link WriteContext.earlier}. */
    readonly earlier?: WriteContext['earlier'];
}

/** Takes secrets out of content; see `identity/secrets/secret-extractor`. */
export interface SecretRemover {
    /** Content without the secrets, and the steps that store their hashes. Throws for secrets that cannot be. */
    extract(processed: ProcessedContent, draft: Draft): Promise<{ content: JsonObject; steps: ObjectChange['steps']; secrets?: JsonObject }>;
}

/** A draft that passed everything. */
export type PreparedChange = ObjectChange & {
    readonly after: StoredObject;
    /** Hashes of the secrets that were taken out, in the form of `identity/secrets/secret-transfer`; absent where there are none. */
    readonly secrets?: JsonObject;
};
