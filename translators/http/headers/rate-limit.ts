/** The headers RateLimit and RateLimit-Policy (IETF draft-ietf-httpapi-ratelimit-headers): lists of structured fields. */

import type { ResponseObject } from '@hapi/hapi';
import type { DoipResponse, RateLimitState } from '../../../lib/doip/envelope.js';

/** Adds the headers to a response, if a rate limit applies to the sender of its request. */
export function withRateLimits(response: ResponseObject, { rateLimits }: Pick<DoipResponse, 'rateLimits'>): ResponseObject {

    return rateLimits === undefined ? response :
        response.header('ratelimit-policy', rateLimits.map(policyItem).join(', ')).header('ratelimit', rateLimits.map(stateItem).join(', '));
}

/** The quota and its window. */
function policyItem({ policy, unit, quota, seconds }: RateLimitState): string {

    return `"${policy}";q=${quota}${unit === 'requests' ? '' : `;qu="${unit}"`};w=${seconds}`;
}

/** What is left, and the time until the quota is complete. */
function stateItem({ policy, remaining, secondsToComplete }: RateLimitState): string {

    return `"${policy}";r=${remaining};t=${secondsToComplete}`;
}
