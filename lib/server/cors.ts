/**
 * Pages of other origins: which may read answers, and what they may send. No cookies: credentials travel in headers that a
 * page must have been given.
 */

import type { Lifecycle, Request, ResponseObject } from '@hapi/hapi';
import type { ListenConfig } from '../config.js';

/** Request headers that the interface knows, beside those that every page may send. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Content-Disposition, Range, As-User, X-Csrf-Token, Request-Id';
/** Response headers of the interface, which pages could not see otherwise. */
const EXPOSED_HEADERS = 'X-Schema, X-Permission, Location, Content-Disposition, Content-Range, Accept-Ranges, Doip-Response, Request-Id, ' +
    'Retry-After, WWW-Authenticate';
/** A page asks again after so long. */
const MAX_AGE_SECONDS = 3600;

/** The two ends of CORS: answers to preflights, and headers on everything else. */
export interface Cors {
    readonly onRequest: Lifecycle.Method;
    readonly onPreResponse: Lifecycle.Method;
}

/** Makes the rules of one configuration; null when no origin is allowed. */
export function createCors({ corsOrigins, corsMethods }: ListenConfig): Cors | null {

    if (corsOrigins.length === 0) {
        return null;
    }

    const isOpen = corsOrigins.includes('*');
    const known = new Set(corsOrigins);
    const allowMethods = corsMethods.join(', ');

    /** The value for Access-Control-Allow-Origin, or null for an origin that is not allowed. */
    const admit = (request: Request): string | null => {

        const origin: unknown = request.headers['origin'];
        if (isOpen || typeof origin !== 'string') {
            return isOpen ? '*' : null;
        }

        return known.has(origin) ? origin : null;
    };

    const onRequest: Lifecycle.Method = (request, h) => {

        const method: unknown = request.headers['access-control-request-method'];
        if (request.method !== 'options' || request.headers['origin'] === undefined || typeof method !== 'string') {
            return h.continue;
        }

        const response = h.response().code(204);
        const origin = admit(request);
        if (origin !== null && corsMethods.includes(method)) {
            response.header('access-control-allow-origin', origin)
                .header('access-control-allow-methods', allowMethods)
                .header('access-control-allow-headers', ALLOWED_HEADERS)
                .header('access-control-max-age', String(MAX_AGE_SECONDS));
        }

        return vary(response, isOpen).takeover();
    };

    const onPreResponse: Lifecycle.Method = (request, h) => {

        const origin = request.headers['origin'] === undefined ? null : admit(request);
        const allowed = origin !== null && corsMethods.includes(request.method.toUpperCase());
        const { response } = request;
        if ('isBoom' in response) {
            Object.assign(response.output.headers, allowed ? exposing(origin) : {}, isOpen ? {} : { vary: 'origin' });
            return h.continue;
        }

        for (const [name, value] of allowed ? Object.entries(exposing(origin)) : []) {
            response.header(name, value);
        }

        vary(response, isOpen);
        return h.continue;
    };

    return { onRequest, onPreResponse };
}

function exposing(origin: string): Record<string, string> {

    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS };
}

/** Caches must tell answers for different origins apart, unless all get the same. */
function vary(response: ResponseObject, isOpen: boolean): ResponseObject {

    return isOpen ? response : response.vary('origin');
}
