/**
 * The page of a handle for people: what its record says, and a link to the object. It holds nothing but text and links, and tells
 * browsers to run nothing.
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Reply } from '../../http/response/reply.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { escapeMarkup } from '../../../lib/util/text/xml-escape.js';
import { textReply } from '../../http/response/reply.js';

/** A sandbox without scripts, frames, forms and requests, for values that anybody may have written. */
const POLICY = 'default-src \'none\'; base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'; sandbox allow-top-navigation-by-user-activation';

/** The page. `object` is the path of the object as JSON, null where there is none, as for the service. */
export function handlePage(record: JsonObject, object: string | null): Reply {

    const handle = shown(record['handle']);
    const values = Array.isArray(record['values']) ? record['values'].filter(isJsonObject) : [];
    const rows = values.map(({ index, type, data, timestamp }) => `<tr>${[index, type, isJsonObject(data) ? data['value'] : data, timestamp].map((value) => `<td>${shown(value)}</td>`).join('')}</tr>`);
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

/** Text as it is and everything else as JSON, both as markup. */
function shown(value: JsonValue | undefined): string {

    return escapeMarkup(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
