/**
 * What `repoInit.json` says, in the words of the gateway's options. The file goes before the configuration: it was put there
 * for this start.
 */

import type { RepoInit } from './data-dir.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import type { GatewayOptions } from './options.js';

/** The options of a first start. */
export function withRepoInit(options: GatewayOptions, init: RepoInit | null): GatewayOptions {

    if (!init) {
        return options;
    }

    const prefix = init.prefix ?? options.prefix;
    const baseUri = init.baseUri ?? options.baseUri;
    return {
        ...options,
        prefix,
        baseUri,
        adminPassword: init.adminPassword ?? options.adminPassword,
        design: { ...options.design, ...withMinting(init, prefix, baseUri) }
    };
}

/** The members of the design, with the identity that administers handles where handles are minted. */
function withMinting({ design = {}, handleAdminIdentity }: RepoInit, prefix: string, baseUri: string | null | undefined): JsonObject {

    const { handleMintingConfig } = design;
    if (handleAdminIdentity === undefined && handleMintingConfig === undefined) {
        return design;
    }

    return {
        ...design,
        handleMintingConfig: {
            prefix,
            ...(baseUri ? { baseUri } : {}),
            ...(handleAdminIdentity === undefined ? {} : { handleAdminIdentity }),
            ...(isJsonObject(handleMintingConfig) ? handleMintingConfig : {})
        }
    };
}
