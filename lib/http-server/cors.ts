/**
 * Pages of other origins: which may read answers, and what they may send. No cookies: credentials travel in headers that a
 * page must have been given.
 */

import type { Request } from '@hapi/hapi';
import type { ListenConfig } from '../config/index.js';

/** Request headers that a page may send, where it does not ask for any: those that the interface knows. */
const KNOWN_HEADERS = 'Authorization, Content-Type, Content-Disposition, Range, As-User, X-Csrf-Token, Request-Id';
/** What may be asked for: names of headers. Anything else is not repeated in an answer. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, \t-]{1,2000}$/;
/** Response headers of the interface, which pages could not see otherwise. */
const EXPOSED_HEADERS = 'X-Schema, X-Permission, Location, Content-Disposition, Content-Range, Accept-Ranges, Doip-Response, Request-Id, ' +
    'Content-Length, Retry-After, WWW-Authenticate';
/** A page asks again after so long. */
const MAX_AGE_SECONDS = 1800;

/** Headers of a response, as node has them. */
type Headers = Record<string, unknown>;

/** The rules of one configuration. */
export class Cors {

    readonly #isOpen: boolean;
    readonly #origins: ReadonlySet<string>;
    readonly #methods: readonly string[];

    constructor({ corsOrigins, corsMethods }: ListenConfig) {

        this.#isOpen = corsOrigins.includes('*');
        this.#origins = new Set(corsOrigins);
        this.#methods = corsMethods;
    }

    /** The headers that answer a preflight, the question of a browser whether a page may send something; null for any other request. */
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

    /** Lets the page read the answer to a request, where it may. */
    addHeaders(request: Request, headers: Headers): void {

        if (this.#isOpen && request.headers['origin'] === undefined) {
            return;                                         // Most requests do not come from pages
        }

        const origin = this.#admitted(request, request.method.toUpperCase());
        if (origin !== null) {
            headers['access-control-allow-origin'] = origin;
            headers['access-control-expose-headers'] = EXPOSED_HEADERS;
        }

        Object.assign(headers, this.#varying(headers['vary']));
    }

    /** The value for Access-Control-Allow-Origin; null where the page may not. */
    #admitted(request: Request, method: string): string | null {

        const origin: unknown = request.headers['origin'];
        if (typeof origin !== 'string' || !this.#methods.includes(method)) {
            return null;
        }

        return this.#isOpen ? '*' : this.#origins.has(origin) ? origin : null;
    }

    /** Caches must tell answers for different origins apart, unless all get the same. */
    #varying(vary?: unknown): Headers {

        if (this.#isOpen || this.#origins.size === 0) {
            return {};
        }

        return { vary: typeof vary === 'string' && vary !== '' ? `${vary},origin` : 'origin' };
    }
}

/** No header is a risk of its own: credentials travel only where a page was given them. */
function headersFor({ headers }: Request): string {

    const asked: unknown = headers['access-control-request-headers'];
    return typeof asked === 'string' && HEADER_NAMES.test(asked) ? asked : KNOWN_HEADERS;
}
