/**
 * The services that operation handlers may use, composed once in `runtime.ts`.
 */

import type { Logger } from 'pino';
import type { BulkService } from './bulk/bulk-service.js';
import type { Exporter } from './bulk/exporter.js';
import type { Uploader } from './bulk/uploader.js';
import type { Importer } from './bulk/importer.js';
import type { OperationRegistry } from './core/registry.js';
import type { DoipRequest, Transport } from './doip/envelope.js';
import type { DoipError } from './doip/error.js';
import type { JsonObject } from './doip/json.js';
import type { Handles } from './handles/handles.js';
import type { Caller } from './identity/caller.js';
import type { Identity } from './identity/identity.js';
import type { PasswordChanges } from './identity/password-changes.js';
import type { Policy } from './identity/policy.js';
import type { ElementService } from './objects/element-service.js';
import type { FieldLimits } from './objects/field-rules.js';
import type { ObjectFinder } from './objects/object-finder.js';
import type { ObjectResolution } from './objects/object-resolution.js';
import type { ObjectService } from './objects/object-service.js';
import type { RelationshipService } from './objects/relationship-service.js';
import type { VersionService } from './objects/version-service.js';
import type { Scripting } from './scripting/scripting.js';
import type { ReindexJobs } from './search/reindex-jobs.js';
import type { SafeNumber } from './search/safe-number.js';
import type { SearchService } from './search/search-service.js';
import type { Epochs } from './stores/object-store.js';
import type { Room } from './stores/room.js';
import type { Catalog } from './types/catalog.js';
import type { StartupState } from './startup-state.js';

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

/** Finds out who is behind a request. */
export interface Authentication {
    /**
     * @param operationId the id of a fixed operation, undefined for one that the target decides
     * @throws DoipError 401 for credentials that are wrong, 403 where they may not be sent at all, 429 for too many attempts
     */
    authenticate(request: DoipRequest, operationId: string | undefined, epochs: Epochs): Promise<Caller>;
    /** What a request would be answered in any case, known without reading anything; null when it must be performed to know. */
    refusal(authentication: JsonObject, transport: Transport): DoipError | null;
}

/** What a handler can reach. */
export interface Services {
    /** The id of the service as an object, `prefix/service`. */
    readonly serviceId: string;
    readonly registry: OperationRegistry;
    readonly objects: ObjectService;
    /** Finds objects for requests that bring many. */
    readonly finder: ObjectFinder;
    /** How the code of types shows objects. */
    readonly resolution: ObjectResolution;
    /** Code of types and of the design. */
    readonly scripts: Pick<Scripting, 'design' | 'methods'>;
    readonly elements: ElementService;
    readonly versions: VersionService;
    readonly relationships: RelationshipService;
    readonly search: SearchService;
    readonly reindexing: ReindexJobs;
    readonly safeNumber: SafeNumber;
    readonly bulk: BulkService;
    readonly uploader: Uploader;
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
