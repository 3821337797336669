/** The front page: what the service is, and where its interfaces are. */

import type { JsonObject } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { implementation } from '../../lib/util/version.js';
import { escapeMarkup } from '../../lib/util/text/xml-escape.js';
import type { Reply } from '../http/response/reply.js';
import { jsonReply, textReply } from '../http/response/reply.js';

/** No scripts, frames, forms or requests. */
const POLICY = 'default-src \'none\'; style-src \'unsafe-inline\'; img-src \'self\'; base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'';

/** How the page is asked for. */
export interface PageRequest {
    /** Prefix of the interface's paths. */
    readonly base: string;
    /** True for a client that shows HTML. */
    readonly isBrowser: boolean;
}

/** Links by name, with what they lead to. */
const LINKS: readonly (readonly [name: string, path: string, description: string])[] = [
    ['types', '/schemas', 'all types with their JSON schemas'],
    ['search', '/search?query=*:*&pageSize=10', 'ten of the objects that you may read'],
    ['design', '/design', 'the configuration that clients see'],
    ['operations', '/doip?operationId=0.DOIP/Op.ListOperations&targetId=service', 'operations that you may perform, by DOIP over HTTP'],
    ['doip', '/doip?operationId=0.DOIP/Op.Hello&targetId=service', 'what the service says about itself: its id, addresses and public key'],
    ['status', '/startupStatus', 'the state of the service and its components']
];

/** Replies with the page, or with the same as JSON. `service` is the response of Hello. */
export function frontPage(service: JsonObject, { base, isBrowser }: PageRequest): Reply {

    const { name, version } = implementation;
    const id = typeof service['id'] === 'string' ? service['id'] : '';
    const native = nativeAddress(service, id);
    const headers = { 'Vary': 'Accept' };
    if (!isBrowser) {
        const links = Object.fromEntries(LINKS.map(([link, path]) => [link, base + path]));
        return jsonReply({ name, version, id, links: native === null ? links : { ...links, native } }, { headers });
    }

    const rows = LINKS.map(([, path, description]) => `<li><a href="${escapeMarkup(base + path)}">${escapeMarkup(base + path)}</a> – ${description}</li>`);
    const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeMarkup(id)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; overflow-wrap: anywhere }
a { color: #1f4e79 }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #1b1b1b } a { color: #8cc2f2 } }
</style>
</head>
<body>
<main>
<h1>${escapeMarkup(id)}</h1>
<p>A digital object repository: ${escapeMarkup(name)} ${escapeMarkup(version)}.</p>
<ul>
${rows.join('\n')}
</ul>
${native === null ? '' : `<p>Native DOIP: <code>${escapeMarkup(native)}</code></p>\n`}</main>
</body>
</html>
`;
    return textReply(html, { headers: { ...headers, 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' }, mediaType: 'text/html; charset=utf-8' });
}

/** The address of native DOIP, as the client of this package takes it; null where it is off. */
function nativeAddress({ attributes }: JsonObject, id: string): string | null {

    const { protocol, ipAddress, port } = isJsonObject(attributes) ? attributes : {};
    if (protocol !== 'TCP' || typeof ipAddress !== 'string' || typeof port !== 'number') {
        return null;
    }

    return `doip://${ipAddress.includes(':') ? `[${ipAddress}]` : ipAddress}:${port}/${id}`;
}
