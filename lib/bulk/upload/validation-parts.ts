/** Dependencies of the validation of an upload. */

import type { JsonObject } from '../../util/json-types.js';
import type { Directory } from '../../identity/accounts/user-directory.js';
import type { ElementService } from '../../objects/elements/element-service.js';
import type { FieldLimits } from '../../objects/input/field-validation.js';
import type { ObjectLoader } from '../../objects/read/object-loader.js';
import type { ReferenceChecker } from '../../objects/reference-checker.js';
import type { TxnIdGenerator } from '../../objects/txn-id-generator.js';
import type { Scripting } from '../../scripting/scripting.js';
import type { BlobRef, BlobStore } from '../../stores/blobs/blob-store.js';
import type { ObjectStore } from '../../stores/objects/object-store.js';
import type { Catalog } from '../../types/catalog.js';
import { type Fallback } from '../format/import-object.js';
import type { ItemSource } from '../batch/item-reader.js';
import type { TempFolder } from '../temp-folder.js';
import type { SecretRemover } from '../../model/object-draft.js';

/** Services that validation uses. */
export interface ReviewParts {
    readonly catalog: Catalog;
    readonly blobs: BlobStore;
    readonly source: ItemSource;
    readonly folder: TempFolder;
    readonly store: Pick<ObjectStore, 'typesOf'>;
    readonly loader: ObjectLoader;
    readonly directory: Directory;
    readonly secretRemover: SecretRemover;
    readonly references: ReferenceChecker;
    readonly clock: TxnIdGenerator;
    readonly limits: FieldLimits;
    readonly elements: ElementService;
    readonly rehearse: Scripting['rehearse'];
}

/** An upload that was stored in a blob. */
export interface SpooledUpload {
    readonly blob: BlobRef;
    readonly fallback: Fallback;
    readonly requestContext: JsonObject;
    readonly deleteCurrentObjects: boolean;
    readonly signal: AbortSignal;
}
