/** Cross-origin resource sharing. Cookies are never allowed: credentials are sent in headers, which the page must have been given. */

import type { Request } from '@hapi/hapi';
import type { ListenConfig } from '../config/index.js';

/** Allowed request headers when the preflight requests none: those of the interface. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Content-Disposition, Range, If-Match, If-None-Match, As-User, X-Csrf-Token, Request-Id';
/** Valid list of header names in a preflight. Anything else is not echoed. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, \t-]{1,2000}$/;
/** Response headers of the interface that are exposed to pages. */
const EXPOSED_HEADERS = 'X-Schema, X-Permission, Location, Content-Disposition, Content-Range, Accept-Ranges, Doip-Response, Request-Id, ' +
    'Content-Length, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate';
/** Seconds for which browsers cache a preflight. */
const MAX_AGE_SECONDS = 1800;

/** Response headers as node represents them. */
type Headers = Record<string, unknown>;

/** CORS rules of one configuration. */
export class Cors {

    readonly #isOpen: boolean;
    readonly #origins: ReadonlySet<string>;
    readonly #methods: readonly string[];

    constructor({ corsOrigins, corsMethods }: ListenConfig) {

        this.#isOpen = corsOrigins.includes('*');
        this.#origins = new Set(corsOrigins);
        this.#methods = corsMethods;
    }

    /** Response headers for a preflight request; null for any other request. */
    preflight(request: Request): Headers | null {

        const method: unknown = request.headers['access-control-request-method'];
        if (request.method !== 'options' || request.headers['origin'] === undefined || typeof method !== 'string') {
            return null;
        }

        const origin = this.#admitted(request, method);
        return {
            ...this.#varying(),
            ...(origin === null ? {} : {
                'access-control-allow-origin': origin,
                'access-control-allow-methods': this.#methods.join(', '),
                'access-control-allow-headers': headersFor(request),
                'access-control-max-age': String(MAX_AGE_SECONDS)
            })
        };
    }

    /** Adds CORS headers to a response, if the origin is allowed. */
    addHeaders(request: Request, headers: Headers): void {

        if (this.#isOpen && request.headers['origin'] === undefined) {
            return;                                         // Most requests have no origin
        }

        const origin = this.#admitted(request, request.method.toUpperCase());
        if (origin !== null) {
            headers['access-control-allow-origin'] = origin;
            headers['access-control-expose-headers'] = EXPOSED_HEADERS;
        }

        Object.assign(headers, this.#varying(headers['vary']));
    }

    /** Value of Access-Control-Allow-Origin; null when it is not allowed. */
    #admitted(request: Request, method: string): string | null {

        const origin: unknown = request.headers['origin'];
        if (typeof origin !== 'string' || !this.#methods.includes(method)) {
            return null;
        }

        return this.#isOpen ? '*' : this.#origins.has(origin) ? origin : null;
    }

    /** Makes caches distinguish origins, unless all get the same response. */
    #varying(vary?: unknown): Headers {

        if (this.#isOpen || this.#origins.size === 0) {
            return {};
        }

        return { vary: typeof vary === 'string' && vary !== '' ? `${vary},origin` : 'origin' };
    }
}

/** Allows all requested headers: they are harmless without the credentials, which the page must have been given. */
function headersFor({ headers }: Request): string {

    const requested: unknown = headers['access-control-request-headers'];
    return typeof requested === 'string' && HEADER_NAMES.test(requested) ? requested : ALLOWED_HEADERS;
}
