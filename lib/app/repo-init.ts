/**
 * Applies `repoInit.json` to the options of the gateway, and what both have of handles to the design. The file takes precedence over the configuration, as
 * it was written for this start.
 */

import type { RepoInit } from './data-dir.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import type { GatewayOptions } from './options.js';

/** Returns the options of a first start. */
export function withRepoInit(options: GatewayOptions, init: RepoInit | null): GatewayOptions {

    if (!init && !options.handleAdminIdentity) {
        return options;
    }

    const prefix = init?.prefix ?? options.prefix;
    const baseUri = init?.baseUri ?? options.baseUri;
    const handleAdminIdentity = init?.handleAdminIdentity ?? options.handleAdminIdentity;
    const design = init ? init.design : options.design;
    return {
        ...options,
        prefix,
        baseUri,
        adminPassword: init?.adminPassword ?? options.adminPassword,
        design: { ...options.design, ...withMinting({ design, handleAdminIdentity }, prefix, baseUri) }
    };
}

/** Members of the design; with minting, including the identity that administers handles. */
function withMinting(
    { design = {}, handleAdminIdentity }: Pick<GatewayOptions, 'design' | 'handleAdminIdentity'>, prefix: string, baseUri: string | null | undefined
): JsonObject {

    const { handleMintingConfig } = design;
    if (!handleAdminIdentity && handleMintingConfig === undefined) {
        return design;
    }

    return {
        ...design,
        handleMintingConfig: {
            prefix,
            ...(baseUri ? { baseUri } : {}),
            ...(handleAdminIdentity ? { handleAdminIdentity } : {}),
            ...(isJsonObject(handleMintingConfig) ? handleMintingConfig : {})
        }
    };
}
