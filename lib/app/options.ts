/** Options of the gateway, derived from the configuration. */

import type { Logger } from 'pino';
import type { Database } from '../../db/database.js';
import type { Config } from '../config/index.js';
import type { LoginProvider } from '../config/login-providers.js';
import { readLoginProviders } from '../config/login-providers.js';
import type { HandleServerOptions } from '../handles/handle-server-client.js';
import { openLog } from '../logging/logger.js';
import type { BulkLimits } from '../bulk/batch/item-reader.js';
import type { JsonObject } from '../util/json-types.js';
import type { RequestRates } from '../identity/throttling/request-limiter.js';
import type { ScryptCost } from '../identity/passwords/password-hash.js';
import type { HandleOptions } from '../handles/handles.js';
import type { FieldLimits } from '../objects/input/field-validation.js';
import type { QuotaOptions } from '../objects/quotas/quotas.js';
import type { StoredObject } from '../model/stored-object.js';
import { DEFAULT_LIMITS, type ScriptLimits } from '../scripting/pool/script-pool.js';
import type { Endpoint } from '../core/services.js';
import type { ElementStore, StoreChooser } from '../stores/blobs/element-store.js';
import type { S3Options } from '../stores/s3/s3-location.js';
import type { TextLimits } from '../payloads/text-extractor.js';
import type { CodeSurvey, TypesState } from '../scripting/hooks/search-code.js';
import type { SearchOptions } from '../search/create-search.js';

/**
 * Derives the options of `createGateway` from a configuration.
 *
 * @example
 * const gateway = createGateway(gatewayOptions(configure({ DATA_DIR: './data' })));
 */
export function gatewayOptions(config: Config, log: Logger = openLog(config.log).logger): GatewayOptions {

    const { admin, audit, handles, limits, oidc, rates, scripts, search, service, storage, tokens } = config;
    return {
        dataDir: storage.dataDir,
        databaseUrl: storage.databaseUrl,
        minFreeBytes: storage.minFreeBytes,
        payloadStore: payloadStore(storage),
        prefix: service.handlePrefix,
        baseUri: service.baseUri,
        adminPassword: admin.password,
        handleAdminIdentity: handles.adminIdentity,
        extensionKeyword: service.extensionKeyword,
        handles: { uiBase: handles.uiBaseUri, server: handleServer(handles) },
        tokenTimeout: tokens.lifetimeSeconds * 1000,
        tokensPerUser: tokens.perUser,
        loginProviders: oidc.providers === null ? [] : readLoginProviders(oidc.providers, service.handlePrefix),
        apiKeys: { perUser: tokens.keysPerUser, maxDays: tokens.keyDays },
        auditDays: audit.days,
        limits,
        rates,
        quotas: config.quotas,
        search: {
            memory: search.memoryBytes, timeout: search.timeoutSeconds * 1000,
            engine: search.url === null ? null : { url: search.url, shards: search.shards, maxLagMs: search.maxLagSeconds * 1000 }
        },
        scripts: {
            workers: scripts.workers, timeout: scripts.timeoutSeconds * 1000, memoryBytes: scripts.memoryBytes,
            stackBytes: scripts.stackBytes, maxMessageBytes: Math.max(DEFAULT_LIMITS.maxMessageBytes, limits.jsonBytes)
        },
        relatedObjects: limits.relatedObjects,
        texts: { ...config.texts, milliseconds: config.texts.seconds * 1000 },
        log
    };
}

function payloadStore({
    payloadStore: url, payloadStoreEndpoint, payloadStoreRegion, payloadStorePathStyle, payloadStoreWrites, payloadStoreAdopt, payloadStoreMemory,
    payloadStoreSeconds
}: Config['storage']): S3Options | null {

    return url === null ? null : {
        url, endpoint: payloadStoreEndpoint, region: payloadStoreRegion, pathStyle: payloadStorePathStyle, isForNew: payloadStoreWrites,
        adopt: payloadStoreAdopt, memoryBytes: payloadStoreMemory, stallMs: payloadStoreSeconds * 1000
    };
}

function handleServer(handles: Config['handles']): HandleServerOptions | null {

    const { serverUrl, serverIdentity, serverSecret, serverCert, serverKey, serverCa, serverSeconds } = handles;
    return serverUrl === null ? null : {
        url: serverUrl, identity: serverIdentity, secret: serverSecret, cert: serverCert, key: serverKey, ca: serverCa,
        timeoutMs: serverSeconds * 1000
    };
}

/** What the gateway of a worker process needs of the primary process. */
export interface WorkerOptions {
    /** Stores uses of tokens and keys. */
    readonly uses: Pick<Database, 'commit'>;
    /** Number of all workers. */
    readonly workers: number;
    /** Unix socket where the search thread takes searches. */
    readonly searchPath: string;
    /** What type code has to do with searches in a state of the types; null while that is not known. */
    readonly codeOf: (state: TypesState) => CodeSurvey | null;
}

/** Options of a gateway. */
export interface GatewayOptions {
    readonly dataDir: string;
    /** Disk space of `dataDir` in bytes to keep free; default 256 MiB, or 5 % of a smaller disk. */
    readonly minFreeBytes?: number | null | undefined;
    /** `mysql://user:password@host:port/database`; SQLite in `dataDir` when absent. */
    readonly databaseUrl?: string | null | undefined;
    /** True to open an existing repository only; by default one is begun where there is none. */
    readonly onlyExisting?: boolean;
    /** True for a process that performs a command and ends: what its settings leave out does not change what the service has turned on. */
    readonly isForCommand?: boolean;
    readonly prefix: string;
    readonly baseUri?: string | null | undefined;
    /** For the first start. */
    readonly adminPassword?: string | null | undefined;
    /** `index:handle` that administers new handles, for the first start. */
    readonly handleAdminIdentity?: string | null | undefined;
    /** Members of the design for the first start. */
    readonly design?: JsonObject | undefined;
    /** Name of the extension keyword of schemas; that of the first start, ever after. */
    readonly extensionKeyword: string;
    readonly limits: FieldLimits & { readonly elementBytes: number } & Partial<BulkLimits>;
    readonly log: Logger;
    /** Set in a worker process, which only reads; see lib/cluster. */
    readonly worker?: WorkerOptions;
    /** Workers of a primary process, and the Unix socket for their searches; default none. */
    readonly workers?: { readonly count: number; readonly searchPath: string };
    /** Days for which the audit log keeps entries; default 0, nothing is recorded. */
    readonly auditDays?: number;
    /** Quotas of users and types; default none. */
    readonly quotas?: QuotaOptions;
    /** Limits of the rate of requests; default none. */
    readonly rates?: RequestRates;
    /** Idle timeout of access tokens in milliseconds; default half an hour. */
    readonly tokenTimeout?: number;
    /** Maximum number of access tokens and sessions of a user; default 1000. */
    readonly tokensPerUser?: number;
    /** Maximum number of API keys of a user, default 100, and their maximum lifetime in days, default 0 for none. */
    readonly apiKeys?: { readonly perUser: number; readonly maxDays: number };
    /** OpenID Connect providers whose tokens are accepted; default none. */
    readonly loginProviders?: readonly LoginProvider[];
    /** Cost of password hashing, for tests that create many users. */
    readonly passwordCost?: ScryptCost;
    /** Reduces an object to what callers with read access but without write access see; by default all of it. */
    readonly hide?: (object: StoredObject) => StoredObject;
    /** Maximum number of objects in each direction of the relationships of an object; default 1000. */
    readonly relatedObjects?: number;
    /** Additional stores for the bytes of elements, by name. */
    readonly elementStores?: Readonly<Record<string, ElementStore>>;
    /** Bucket for the bytes of elements; the database by default. */
    readonly payloadStore?: S3Options | null;
    /** Chooses the store for the bytes of an element; the database or the bucket by default. */
    readonly storageChooser?: StoreChooser;
    /** Limits of text extraction from payloads. */
    readonly texts?: TextLimits;
    /** Native address of the service, returned by Hello. */
    readonly endpoint?: () => Endpoint;
    readonly handles?: HandleOptions;
    /** Limits of searches, and the engine. */
    readonly search?: SearchOptions;
    /** Maximum time in milliseconds that a write waits for other writers of its object; default 10 s. */
    readonly writeTimeoutMs?: number;
    /** Limits of type code. */
    readonly scripts?: ScriptLimits;
}
