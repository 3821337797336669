/** HTML page of a handle: its record and a link to the object. It holds only text and links; a content security policy forbids scripts. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Reply } from '../../http/response/reply.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { escapeMarkup } from '../../../lib/util/text/xml-escape.js';
import { textReply } from '../../http/response/reply.js';

/** No scripts, frames, forms or requests: the values of a record are untrusted input. */
const POLICY = 'default-src \'none\'; base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'; sandbox allow-top-navigation-by-user-activation';

/** Renders the page. `object` is the path of the object as JSON; null without one, as for the service. */
export function handlePage(record: JsonObject, object: string | null): Reply {

    const handle = escaped(record['handle']);
    const values = Array.isArray(record['values']) ? record['values'].filter(isJsonObject) : [];
    const rows = values.map(({ index, type, data, timestamp }) => `<tr>${[index, type, isJsonObject(data) ? data['value'] : data, timestamp].map((value) => `<td>${escaped(value)}</td>`).join('')}</tr>`);
    const html = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${handle}</title></head>
<body>
<h1>${handle}</h1>
${object === null ? '' : `<p><a href="${escapeMarkup(object)}">The object as JSON</a>, <a href="${escapeMarkup(object)}?full">with all that is known of it</a></p>\n`}<table>
<caption>Handle record</caption>
<thead><tr><th>Index</th><th>Type</th><th>Data</th><th>Time</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
    return textReply(html, { headers: { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' }, mediaType: 'text/html' });
}

/** Strings as they are, other values as JSON; both escaped for HTML. */
function escaped(value: JsonValue | undefined): string {

    return escapeMarkup(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
