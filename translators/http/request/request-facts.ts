/** Facts about a request for the access log of the server; they do not affect the response. */

import type { Request } from '@hapi/hapi';
import type { DoipRequest, DoipResponse, Transport } from '../../../lib/doip/envelope.js';

/** Facts about a request. */
export interface PerformedFacts {
    readonly operationId?: string;
    /** User id; null when anonymous, undefined when the request was not performed. */
    readonly callerId?: string | null | undefined;
    /** Id of the object that was created. */
    readonly createdId?: string | undefined;
    /** Id of the trace to which the request belongs. */
    readonly traceId?: string | undefined;
    /** Address of the client, with regard to trusted proxies. */
    readonly remoteAddress?: string;
    /** True when it was rejected by a rate limit. */
    readonly isRejectedEarly?: boolean;
}

declare module '@hapi/hapi' {

    interface RequestApplicationState {
        'doip-gateway'?: PerformedFacts;
    }
}

/** Stores the address of the client, for requests that are not performed. */
export function noteAddress({ app }: Request, { remoteAddress, traceId }: Transport): void {

    app['doip-gateway'] = { remoteAddress, traceId };
}

/** Stores the operation and the caller of a performed request. */
export function recordPerformed(
    { app }: Request, { operationId, transport: { remoteAddress, traceId } }: DoipRequest, response: DoipResponse
): void {

    const { callerId, createdId } = response;
    app['doip-gateway'] = { remoteAddress, traceId, operationId, callerId, createdId, isRejectedEarly: isRateLimited(response) };
}

/** True if a rate limit rejected the request. */
export function isRateLimited({ http, rateLimits }: DoipResponse): boolean {

    return http === 429 && rateLimits !== undefined;
}

/** Marks a request as rejected early. */
export function recordRejection({ app }: Request, { remoteAddress }: Transport): void {

    app['doip-gateway'] = { remoteAddress, isRejectedEarly: true };
}

/** Returns the facts about a request; empty when no translator handled it. */
export function factsOf({ app }: Request): PerformedFacts {

    return app['doip-gateway'] ?? {};
}
