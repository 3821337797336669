/**
 * The web UI as a hapi plugin: its page and its files. It performs no operations; the page is a client of REST like any other.
 *
 * The files have a hash in their names and may be kept for good; the page is made for each request.
 */

import type { Plugin, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { header } from '../http/headers/decode.js';
import { DEFAULT_BASES, type TranslatorOptions } from '../http/request/translator-options.js';
import { ROUTE_OPTIONS } from '../http/hapi-handler.js';
import { type Bundle, type BundledFile, type Encoding, loadBundle } from './bundle.js';
import { makePage } from './page.js';

/** Options of the web UI. */
export interface UiOptions {
    /** Path of its files, and of the page; default {@link DEFAULT_UI_PATH}. */
    readonly uiPath?: string;
    /** Name of the extension keyword in the schemas of types; default `cordra`. */
    readonly extensionKeyword?: string;
}

const DEFAULT_UI_PATH = '/ui';

/** Responds with the page. `base` is the prefix of the paths of REST. */
export type PageResponder = (h: ResponseToolkit, base: string) => ResponseObject;

/** Returns what responds with the page of the web UI; null where the web UI was not built. */
export function pageResponder({ uiPath = DEFAULT_UI_PATH, extensionKeyword = 'cordra' }: UiOptions, bundle = loadBundle()): PageResponder | null {

    return bundle && ((h, base) => {

        const { html, headers } = makePage(bundle, { base, path: uiPath, keyword: extensionKeyword });
        const response = h.response(html).type('text/html; charset=utf-8');
        Object.entries(headers).forEach(([name, value]) => response.header(name, String(value)));
        return response;
    });
}

const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Mounts the page and the files below every base. Where the web UI was not built there are neither.
 *
 * @example
 * await server.register({ plugin: ui, options: { gateway, uiPath: '/ui' } });
 */
export const ui: Plugin<TranslatorOptions & UiOptions> = {
    name: 'doip-gateway-ui',

    register(server, options) {

        const { uiPath = DEFAULT_UI_PATH, bases = DEFAULT_BASES } = options;
        const bundle = loadBundle();
        const respond = pageResponder(options, bundle);
        if (!bundle || !respond) {
            return;
        }

        for (const base of bases) {
            server.route({
                method: 'GET', path: `${base}${uiPath}/{file?}`, options: ROUTE_OPTIONS,
                handler: (request, h) => (request.params['file'] ? respondFile(request, h, bundle) : respond(h, prefixOf(request) + base))
            });
        }
    }
};

function prefixOf(request: Request): string {

    return request.route.realm.modifiers.route.prefix ?? '';
}

function respondFile(request: Request, h: ResponseToolkit, { files }: Bundle): ResponseObject {

    const file = files.get(String(request.params['file']));
    if (!file) {
        return h.response({ message: 'the web UI has no such file: reload the page' }).code(404).header('cache-control', 'no-store');
    }

    const encoding = encodingOf(header(request.headers, 'accept-encoding') ?? '', file);
    const response = h.response(encoding === null ? file.bytes : file.encoded.get(encoding)).type(file.mediaType)
        .header('cache-control', IMMUTABLE).header('vary', 'Accept-Encoding');
    return encoding === null ? response : response.header('content-encoding', encoding);
}

/** The smallest form that the client takes. Qualities other than 0 are all the same. */
function encodingOf(accepted: string, { encoded }: BundledFile): Encoding | null {

    const names = new Set(accepted.toLowerCase().split(',').filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item)).map((item) => item.split(';', 1)[0]?.trim()));
    return ([...encoded.keys()]).find((encoding) => names.has(encoding)) ?? null;
}
