/**
 * The part of the configuration that the gateway needs, in its words.
 */

import type { Logger } from 'pino';
import type { Config, HandlesConfig } from '../config/index.js';
import type { HandleServerOptions } from '../handles/handle-server-client.js';
import { openLog } from '../logging/logger.js';
import type { BulkLimits } from '../bulk/batch/item-reader.js';
import type { JsonObject } from '../util/json-types.js';
import type { ScryptCost } from '../identity/passwords/password-hash.js';
import type { HandleOptions } from '../handles/handles.js';
import type { FieldLimits } from '../objects/input/field-validation.js';
import type { StoredObject } from '../model/stored-object.js';
import type { ScriptLimits } from '../scripting/pool/script-pool.js';
import type { Endpoint } from '../core/services.js';
import type { ElementStore, StoreChooser } from '../stores/blobs/element-store.js';
import type { TextLimits } from '../payloads/text-extractor.js';
import type { SearchLimits } from '../search/runtime/index-options.js';

/**
 * What `createGateway` takes, from a configuration.
 *
 * @example
 * const gateway = createGateway(gatewayOptions(configure({ DATA_DIR: './data' })));
 */
export function gatewayOptions(config: Config, log: Logger = openLog(config.log).logger): GatewayOptions {

    const { admin, handles, limits, scripts, search, service, storage, tokens } = config;
    return {
        dataDir: storage.dataDir,
        databaseUrl: storage.databaseUrl,
        minFreeBytes: storage.minFreeBytes,
        prefix: service.handlePrefix,
        baseUri: service.baseUri,
        adminPassword: admin.password,
        extensionKeyword: service.extensionKeyword,
        handles: { uiBase: handles.uiBaseUri, server: handleServer(handles) },
        tokenTimeout: tokens.lifetimeSeconds * 1000,
        tokensPerUser: tokens.perUser,
        limits,
        search: { memory: search.memoryBytes, timeout: search.timeoutSeconds * 1000 },
        scripts: {
            workers: scripts.workers, timeout: scripts.timeoutSeconds * 1000, memoryBytes: scripts.memoryBytes,
            stackBytes: scripts.stackBytes, crossingBytes: limits.jsonBytes
        },
        relatedObjects: limits.relatedObjects,
        texts: { ...config.texts, milliseconds: config.texts.seconds * 1000 },
        log
    };
}

function handleServer(handles: HandlesConfig): HandleServerOptions | null {

    const { serverUrl, serverIdentity, serverSecret, serverCert, serverKey, serverCa, serverSeconds } = handles;
    return serverUrl === null ? null : {
        url: serverUrl, identity: serverIdentity, secret: serverSecret, cert: serverCert, key: serverKey, ca: serverCa,
        timeoutMs: serverSeconds * 1000
    };
}

/** What a gateway is made from. */
export interface GatewayOptions {
    readonly dataDir: string;
    /** Bytes of the disk of `dataDir` that stay free; default 256 MiB, or 5 % of a smaller disk. */
    readonly minFreeBytes?: number | null | undefined;
    /** `mysql://user:password@host:port/database`; SQLite in `dataDir` when absent. */
    readonly databaseUrl?: string | null | undefined;
    readonly prefix: string;
    readonly baseUri?: string | null | undefined;
    /** For the first start. */
    readonly adminPassword?: string | null | undefined;
    /** Members of the design for the first start. */
    readonly design?: JsonObject | undefined;
    /** Name of the extension keyword of schemas. */
    readonly extensionKeyword: string;
    readonly limits: FieldLimits & { readonly elementBytes: number } & Partial<BulkLimits>;
    readonly log: Logger;
    /** Milliseconds without use after which an access token ends; default half an hour. */
    readonly tokenTimeout?: number;
    /** Access tokens and sessions that a user may have at a time; default 1000. */
    readonly tokensPerUser?: number;
    /** What hashing a password costs, for tests that create many users. */
    readonly passwordCost?: ScryptCost;
    /** What callers see of an object who may read and not write it, without what is not for them; default: all of it. */
    readonly hide?: (object: StoredObject) => StoredObject;
    /** Most objects that are told in each direction of the relationships of an object; default 1000. */
    readonly relatedObjects?: number;
    /** Further places for the bytes of elements, by name. */
    readonly elementStores?: Readonly<Record<string, ElementStore>>;
    /** Chooses the place for the bytes of an element; without it they go to the database. */
    readonly storageChooser?: StoreChooser;
    /** How much is spent on finding text in payloads. */
    readonly texts?: TextLimits;
    /** Where clients reach the service natively; told by Hello. */
    readonly endpoint?: () => Endpoint;
    readonly handles?: HandleOptions;
    /** Bounds of searches. */
    readonly search?: SearchLimits;
    /** Milliseconds that a write waits at most while others have its object; default 10 s. */
    readonly writePatience?: number;
    /** Bounds of the code of types. */
    readonly scripts?: ScriptLimits;
}
