/**
 * What the job that applies an upload is given, and what it writes down of itself.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { BlobRef, StagedBlob } from '../../stores/blobs/blob-store.js';
import type { Refusal } from './upload-plan.js';
import { DoipError } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';

export const UPLOAD_KIND = 'objects.upload';

/** What the job is given. */
export interface UploadPayload {
    readonly blob: BlobRef;
    readonly author: string;
    /** Epoch milliseconds. */
    readonly now: number;
    readonly requestContext?: JsonObject;
    readonly deleteCurrentObjects: boolean;
}

/** How far it is, and in the end what came of it. */
export interface UploadProgress {
    readonly phase: 'review' | 'keep' | 'delete' | 'types' | 'others' | 'sweep' | 'undo' | 'over';
    /** Of the next item. */
    readonly position: number;
    /** Lines of `ReviewedObject`. */
    readonly reviewed?: BlobRef;
    /** What was there before. */
    readonly former?: BlobRef;
    /** Ids of Schema objects that get another name. */
    readonly renamed?: readonly string[];
    /** Why nothing was written. */
    readonly refusal?: Refusal;
    /** Why everything is as it was. */
    readonly failure?: { readonly message: string; readonly position?: number };
}

/** Types and the design are written before all other objects. */
export type Phase = 'types' | 'others';

/** In which phase an object is written. */
export function phaseOf({ id, type }: Pick<StoredObject, 'id' | 'type'>): Phase {

    return id === DESIGN_ID || type === SCHEMA_TYPE ? 'types' : 'others';
}

/** A blob as it is written down. */
export function refOf({ blobId, size, store }: StagedBlob): BlobRef {

    return { blobId, size, store };
}

/** What may be told: of what nobody expected only the log knows more. */
export function messageOf(error: unknown): string {

    return error instanceof DoipError ? error.message : 'Something went wrong. Contact your sysadmin.';
}
