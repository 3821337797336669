/**
 * The part of the configuration that the gateway needs, in its words.
 */

import type { Logger } from 'pino';
import type { Config, HandlesConfig } from '../config.js';
import type { HandleServerOptions } from '../handles/handle-server.js';
import { openLog } from '../log.js';
import type { GatewayOptions } from '../runtime.js';

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
