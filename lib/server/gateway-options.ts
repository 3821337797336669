/**
 * The part of the configuration that the gateway needs, in its words.
 */

import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { openLog } from '../log.js';
import type { GatewayOptions } from '../runtime.js';

/**
 * What `createGateway` takes, from a configuration.
 *
 * @example
 * const gateway = createGateway(gatewayOptions(configure({ DATA_DIR: './data' })));
 */
export function gatewayOptions({ admin, limits, service, storage, tokens, log: logging }: Config, log: Logger = openLog(logging).logger): GatewayOptions {

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
