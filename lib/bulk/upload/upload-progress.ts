/** Payload and progress record of the upload job. */

import type { JsonObject } from '../../util/json-types.js';
import type { RequestOrigin } from '../../model/request-origin.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { BlobRef, StagedBlob } from '../../stores/blobs/blob-store.js';
import type { UploadRejection } from './upload-plan.js';
import { DoipError } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';

export const UPLOAD_KIND = 'objects.upload';

/** Maximum size of an upload in bytes, and of what is stored while it is applied. */
export const MAX_UPLOAD_BYTES = 1024 ** 4;

/** Payload of the job. */
export interface UploadPayload {
    readonly blob: BlobRef;
    readonly author: string;
    /** The request, where changes are audited. */
    readonly origin?: RequestOrigin;
    /** Epoch milliseconds. */
    readonly now: number;
    readonly requestContext?: JsonObject;
    readonly deleteCurrentObjects: boolean;
}

/** Progress of the job, and finally its outcome. */
export interface UploadProgress {
    /** `sweep`: of jobs that earlier versions have begun. */
    readonly phase: 'review' | 'keep' | 'delete' | 'types' | 'others' | 'sweep' | 'undo' | 'over';
    /** Position of the next item. */
    readonly position: number;
    /** Lines of `ReviewedObject`. */
    readonly reviewed?: BlobRef;
    /** Rollback data. */
    readonly former?: BlobRef;
    /** Ids of Schema objects that are renamed, until their names are released. */
    readonly renamed?: readonly string[];
    /** Why nothing was written. */
    readonly refusal?: UploadRejection;
    /** Why everything was rolled back. */
    readonly failure?: { readonly message: string; readonly position?: number };
    /** Number of former objects that the rollback could not restore. */
    readonly unrestored?: number;
    /** True when other uploads may begin. */
    readonly isEnded?: boolean;
}

/** Types and the design are written before all other objects. */
export type Phase = 'types' | 'others';

/** The phase in which an object is written. */
export function phaseOf({ id, type }: Pick<StoredObject, 'id' | 'type'>): Phase {

    return id === DESIGN_ID || type === SCHEMA_TYPE ? 'types' : 'others';
}

/** Reference to a staged blob, for the progress record. */
export function refOf({ blobId, size, store }: StagedBlob): BlobRef {

    return { blobId, size, store };
}

/** Message for the client; details of unexpected errors are only logged. */
export function messageOf(error: unknown): string {

    return error instanceof DoipError ? error.message : 'Something went wrong. Contact your sysadmin.';
}
