/**
 * The part of the configuration that the gateway needs, in its words.
 */

import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { GatewayOptions } from '../runtime.js';

/** What `createGateway` takes, from a configuration. */
export function gatewayOptions({ admin, limits, service, storage, tokens }: Config, log: Logger): GatewayOptions {

    return {
        dataDir: storage.dataDir,
        databaseUrl: storage.databaseUrl,
        prefix: service.handlePrefix,
        baseUri: service.baseUri,
        adminPassword: admin.password,
        extensionKeyword: service.extensionKeyword,
        tokenTimeout: tokens.lifetimeSeconds * 1000,
        limits,
        log
    };
}
