/**
 * The services that operation handlers may use, composed once in `container.ts`.
 */

import type { Logger } from 'pino';
import type { BulkService } from '../bulk/batch/batch-service.js';
import type { Exporter } from '../bulk/transfer/exporter.js';
import type { UploadService } from '../bulk/upload/upload-service.js';
import type { Importer } from '../bulk/transfer/importer.js';
import type { OperationList } from './operation-summary.js';
import type { JsonObject } from '../util/json-types.js';
import type { Handles } from '../handles/handles.js';
import type { Identity } from '../identity/identity.js';
import type { PasswordChanges } from '../identity/authentication/password-changes.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { ElementService } from '../objects/elements/element-service.js';
import type { FieldLimits } from '../objects/input/field-validation.js';
import type { ObjectLoader } from '../objects/read/object-loader.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { ObjectService } from '../objects/object-service.js';
import type { RelationshipService } from '../relationships/relationship-service.js';
import type { VersionService } from '../versions/version-service.js';
import type { Scripting } from '../scripting/scripting.js';
import type { ReindexJobs } from '../search/reindex-job.js';
import type { HighestSafeTxn } from '../search/highest-safe-txn.js';
import type { SearchService } from '../search/search-service.js';
import type { Room } from '../stores/free-space.js';
import type { Catalog } from '../types/catalog.js';
import type { StartupState } from '../health/startup-state.js';
import type { Authentication } from '../identity/authentication/authentication.js';

/** Where clients reach the service, as Hello tells it. */
export interface Endpoint {
    readonly address: string;
    readonly port: number;
    /** `HTTP` or `HTTPS`, and `TCP` where native DOIP is served. */
    readonly protocol: string;
    /** Where the REST interface is reached, with a slash at its end; absent where nothing serves it. */
    readonly url?: string;
}

/** The description of the service: its id, and where it is reached natively. */
export function serviceInfo({ serviceId, endpoint }: Pick<Services, 'serviceId' | 'endpoint'>): JsonObject {

    const { address, port, protocol } = endpoint();
    return {
        id: serviceId,
        type: '0.TYPE/DOIPServiceInfo',
        attributes: { ipAddress: address, port, protocol, protocolVersion: '2.0' }
    };
}

/** What a handler can reach. */
export interface Services {
    /** The id of the service as an object, `prefix/service`. */
    readonly serviceId: string;
    readonly registry: OperationList;
    readonly objects: ObjectService;
    /** Finds objects for requests that bring many. */
    readonly finder: ObjectLoader;
    /** How the code of types shows objects. */
    readonly resolution: ObjectResolution;
    /** Code of types and of the design. */
    readonly scripts: Pick<Scripting, 'design' | 'methods'>;
    readonly elements: ElementService;
    readonly versions: VersionService;
    readonly relationships: RelationshipService;
    readonly search: SearchService;
    readonly reindexing: ReindexJobs;
    readonly safeNumber: HighestSafeTxn;
    readonly bulk: BulkService;
    readonly uploader: UploadService;
    /** Export and import of everything. */
    readonly transfer: { readonly exporter: Exporter; readonly importer: Importer };
    readonly catalog: Catalog;
    readonly policy: Policy;
    readonly limits: FieldLimits;
    /** Of the disk. */
    readonly room: Pick<Room, 'demand'>;
    readonly startup: StartupState;
    readonly log: Logger;
    readonly authentication: Authentication;
    /** Tokens, sessions, and who somebody is. */
    readonly identity: Identity;
    readonly passwordChanges: PasswordChanges;
    readonly handles: Handles;
    /** Proves to be the administrator in this run of the service; for programs that may read the data folder. */
    readonly localSecret: string;
    endpoint(): Endpoint;
}
