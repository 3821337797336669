/** The front page: what the service is, and where its interfaces are. */

import type { JsonObject } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { implementation } from '../../lib/util/version.js';
import { escapeMarkup } from '../../lib/util/text/xml-escape.js';
import type { Reply } from '../http/response/reply.js';
import { jsonReply } from '../http/response/reply.js';
import { pageReply } from '../http/response/page.js';

/** How the page is asked for. */
export interface PageRequest {
    /** Prefix of the interface's paths. */
    readonly base: string;
    /** True for a client that shows HTML. */
    readonly isBrowser: boolean;
}

/** Links by name, with what they lead to. */
const LINKS: readonly (readonly [name: string, path: string, description: string])[] = [
    ['docs', '/docs', 'every path and operation, with its parameters'],
    ['openapi', '/openapi.json', 'the same for programs: OpenAPI 3.1'],
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
    const main = `<h1>${escapeMarkup(id)}</h1>
<p>A digital object repository: ${escapeMarkup(name)} ${escapeMarkup(version)}.</p>
<ul>
${rows.join('\n')}
</ul>
${native === null ? '' : `<p>Native DOIP: <code>${escapeMarkup(native)}</code></p>`}`;
    return pageReply(id, main, headers);
}

/** The address of native DOIP, as the client of this package takes it; null where it is off. */
function nativeAddress({ attributes }: JsonObject, id: string): string | null {

    const { protocol, ipAddress, port } = isJsonObject(attributes) ? attributes : {};
    if (protocol !== 'TCP' || typeof ipAddress !== 'string' || typeof port !== 'number') {
        return null;
    }

    return `doip://${ipAddress.includes(':') ? `[${ipAddress}]` : ipAddress}:${port}/${id}`;
}
