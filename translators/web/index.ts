/**
 * What browsers and supervisors ask for, as a hapi plugin: the front page of the service at `/`, sessions of its pages at `/session`, its
 * description at `/docs` and `/openapi.json`, `/health/…`, and `/favicon.ico` and `/robots.txt`, which are the same whatever the service holds.
 */

import type { Plugin, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { isJsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { header } from '../http/headers/decode.js';
import { DEFAULT_BASES, type TranslatorOptions } from '../http/request/translator-options.js';
import { ROUTE_OPTIONS } from '../http/hapi-handler.js';
import { pathParameter } from '../http/request/url.js';
import type { Route } from '../http/route.js';
import { mount } from '../http/route-handler.js';
import { frontPage } from './front-page.js';
import { healthRoutes } from './health.js';
import { openApiRoutes } from './openapi/index.js';
import { sessionRoutes } from './session.js';

/** A page for browsers, JSON for programs. */
const frontRoute: Route = {
    methods: ['GET'],
    path: '',
    toEnvelope: ({ base, request }) => ({
        operationId: Op.hello,
        fromEnvelope: async ({ output }) => {

            const service = await readJson(output);
            return frontPage(isJsonObject(service) ? service : {}, { base, isBrowser: isBrowser(request) });
        }
    })
};

/** True for a client that shows HTML. */
function isBrowser({ headers }: Pick<Request, 'headers'>): boolean {

    return /\btext\/html\b/i.test(header(headers, 'accept') ?? '');
}

/** All routes of the web. */
export const webRoutes: readonly Route[] = [frontRoute, ...healthRoutes, ...openApiRoutes, ...sessionRoutes];

/** Options of the web. */
export interface WebOptions extends TranslatorOptions {
    /** Responds with another page for browsers at `/`, below a base. Default: a page with links. */
    readonly page?: (h: ResponseToolkit, base: string) => ResponseObject;
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#1f4e79"/>
<path d="M3 4h7l3 3v5H3z" fill="#fff"/><path d="M5 8h6M5 10h6" stroke="#1f4e79"/>
</svg>
`;

/** Paths of searches and the like, which are expensive, and of which crawlers would find no end. */
const NOT_CRAWLED = ['search', 'objects?', 'call', 'relationships', 'versions', 'doip'];

function robots(bases: readonly string[]): string {

    return ['User-agent: *', ...bases.flatMap((base) => NOT_CRAWLED.map((path) => `Disallow: ${base}/${path}`)), ''].join('\n');
}

/** Time for which browsers keep a file, in seconds. */
const MAX_AGE = 86_400;

/**
 * Mounts the front page below every base, and the files at the root.
 *
 * @example
 * await server.register({ plugin: web, options: { gateway } });
 */
export const web: Plugin<WebOptions> = {
    name: 'doip-gateway-web',

    register(server, options) {

        const { page } = options;
        if (page) {
            // Before the operation: the page is there even while the service cannot be started.
            server.ext('onPreHandler', (request, h) => {

                const { path, realm } = request.route;
                const prefix = realm.modifiers.route.prefix ?? '';
                const base = path.slice(prefix.length).replace(/\/$/, '');
                return pathParameter(request, 'name') === '' && isFront(request, base, options) ? page(h, prefix + base).header('vary', 'Accept').takeover() : h.continue;
            }, { sandbox: 'plugin' });
        }

        mount(server, webRoutes, options);
        const { bases = DEFAULT_BASES } = options;
        const files = [...bases.map((base) => [`${base}/favicon.ico`, 'image/svg+xml', ICON] as const), ['/robots.txt', 'text/plain', robots(bases)] as const];
        for (const [path, mediaType, text] of files) {
            server.route({
                method: 'GET', path, options: ROUTE_OPTIONS,
                handler: (_, h) => h.response(text).type(mediaType).header('cache-control', `public, max-age=${MAX_AGE}`).header('x-content-type-options', 'nosniff')
            });
        }
    }
};

/** True for a request of a browser for the front page. */
function isFront(request: Request, base: string, { bases = DEFAULT_BASES }: WebOptions): boolean {

    return request.method === 'get' && bases.includes(base) && isBrowser(request);
}
