/**
 * The services that operation handlers use, composed in `container.ts`.
 */

import type { AuditLog } from '../audit/audit-log.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Logger } from 'pino';
import type { BulkService } from '../bulk/batch/batch-service.js';
import type { Exporter } from '../bulk/transfer/exporter.js';
import type { UploadService } from '../bulk/upload/upload-service.js';
import type { Importer } from '../bulk/transfer/importer.js';
import type { OperationList } from './operation-summary.js';
import type { JsonObject } from '../util/json-types.js';
import type { Handles } from '../handles/handles.js';
import type { PasswordChanges } from '../identity/authentication/password-changes.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { UsageCounter } from '../objects/quotas/usage-counter.js';
import type { SchemaCheck } from '../objects/schema-check.js';
import type { TypeRehearsal } from '../objects/type-rehearsal.js';
import type { ObjectLoader } from '../objects/read/object-loader.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { LabelReader } from '../relationships/label-reader.js';
import type { RelationshipService } from '../relationships/relationship-service.js';
import type { VersionService } from '../versions/version-service.js';
import type { Scripting } from '../scripting/scripting.js';
import type { MoveJobs } from '../jobs/move-payloads-job.js';
import type { ReindexJobs } from '../search/reindex-job.js';
import type { HighestSafeTxn } from '../search/highest-safe-txn.js';
import type { FreeSpace } from '../stores/free-space.js';
import type { ServiceStatus } from '../health/service-status.js';
import type { StartupState } from '../health/startup-state.js';
import { arrayOf, COUNT, TEXT, whole } from '../doip/result-schemas.js';
import type { ScriptedServices } from '../scripting/host/service-host.js';

/** Public address of the service, as returned by Hello. */
export interface Endpoint {
    readonly address: string;
    readonly port: number;
    /** `HTTP` or `HTTPS`; `TCP` for native DOIP. */
    readonly protocol: string;
    /** Base URL of the REST interface with a trailing slash; absent if it is not served. */
    readonly url?: string;
    /** Native DOIP; absent if it is not served. */
    readonly native?: NativeEndpoint | undefined;
}

/** Public address of native DOIP. */
export interface NativeEndpoint {
    readonly address: string;
    readonly port: number;
    /** Key of the certificate as a JWK; absent without TLS. */
    readonly publicKey?: JsonObject;
}

const nullable = { type: ['string', 'null'] };
const address = { ipAddress: TEXT, port: COUNT, protocol: TEXT };
const location = { ...address, baseUri: nullable, path: nullable };

/** JSON schema of {@link serviceInfo}. */
export const SERVICE_INFO: JsonObject = whole({
    id: TEXT, type: { const: '0.TYPE/DOIPServiceInfo' },
    attributes: {
        anyOf: [
            whole({ ...address, protocolVersion: TEXT }),
            {
                ...whole({ ...location, protocolVersion: TEXT, serviceId: TEXT, publicKey: { type: ['object', 'null'] }, interfaces: arrayOf(whole(location)) }),
                description: 'with native DOIP'
            }
        ]
    }
});

/** Returns the description of the service: its id and native address, if there is one. */
export function serviceInfo({ serviceId, endpoint }: Pick<Services, 'serviceId' | 'endpoint'>): JsonObject {

    const { address, port, protocol, url, native } = endpoint();
    const type = '0.TYPE/DOIPServiceInfo';
    if (!native) {
        return { id: serviceId, type, attributes: { ipAddress: address, port, protocol, protocolVersion: '2.0' } };
    }

    const baseUri = url === undefined ? null : `${url}doip/`;
    // One published client fails where a member is absent.
    const tcp: JsonObject = { protocol: 'TCP', ipAddress: native.address, port: native.port, baseUri: null, path: null };
    const http: JsonObject = { protocol, ipAddress: address, port, baseUri, path: baseUri === null ? null : new URL(baseUri).pathname };
    return {
        id: serviceId, type,
        attributes: { ...tcp, protocolVersion: '2.0', serviceId, publicKey: native.publicKey ?? null, interfaces: [tcp, http] }
    };
}

/** The services available to handlers. */
export interface Services extends ScriptedServices {
    /** Id of the service as an object, `prefix/service`. */
    readonly serviceId: string;
    readonly registry: OperationList;
    /** Batches lookups of objects for requests with many. */
    readonly loader: ObjectLoader;
    /** Applies the resolution hooks of types to objects. */
    readonly resolution: ObjectResolution;
    /** Code of types and of the design. */
    readonly scripts: Pick<Scripting, 'design' | 'lifecycle' | 'methods' | 'searchCode' | 'survey'>;
    readonly versions: VersionService;
    readonly relationships: RelationshipService;
    readonly labels: LabelReader;
    readonly schemaCheck: Pick<SchemaCheck, 'page'>;
    readonly rehearsal: Pick<TypeRehearsal, 'update'>;
    readonly reindexing: ReindexJobs;
    readonly moves: Pick<MoveJobs, 'begin' | 'report'>;
    readonly highestSafeTxn: HighestSafeTxn;
    readonly bulk: BulkService;
    readonly uploader: UploadService;
    /** Export and import of the whole repository. */
    readonly transfer: { readonly exporter: Exporter; readonly importer: Importer };
    readonly policy: Policy;
    readonly auditLog: Pick<AuditLog, 'find' | 'seal' | 'verify'>;
    /** Records in the audit log; null where nothing is recorded. */
    readonly auditTrail: Pick<AuditTrail, 'denied' | 'failed' | 'flush' | 'performed'> | null;
    /** Objects and bytes of users and types; null where they are not counted. */
    readonly usage: Pick<UsageCounter, 'report'> | null;
    /** Free disk space. */
    readonly space: Pick<FreeSpace, 'demand'>;
    readonly startup: StartupState;
    readonly status: Pick<ServiceStatus, 'report'>;
    readonly log: Logger;
    readonly passwordChanges: PasswordChanges;
    readonly handles: Handles;
    /** Secret that authenticates local programs that can read the data folder as administrator, valid for this process. */
    readonly localSecret: string;
    endpoint(): Endpoint;
}
