/** The OpenAPI document as a page, which needs neither scripts nor a network. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { escapeMarkup } from '../../../lib/util/text/xml-escape.js';
import { writeJson } from '../../../lib/json/serializer.js';
import { pageText } from '../../http/response/page.js';

const METHODS = ['get', 'post', 'put', 'delete'];

/** A method of a path. */
interface Shown {
    readonly method: string;
    readonly path: string;
    readonly operation: JsonObject;
}

/** The page of a document, in parts. */
export function descriptionPage(document: JsonObject, base: string): Iterable<string> {

    return pageText(textAt(objectAt(document, 'info'), 'title'), mainOf(document, base));
}

function *mainOf(document: JsonObject, base: string): Generator<string> {

    const info = objectAt(document, 'info');
    const shown = Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) => METHODS.flatMap((method): Shown[] => {

        const operation = isJsonObject(item) ? item[method] : undefined;
        return isJsonObject(operation) ? [{ method, path, operation }] : [];
    }));
    yield `<h1>${escapeMarkup(textAt(info, 'title'))}</h1>
<p>${escapeMarkup(textAt(info, 'description'))} Version ${escapeMarkup(textAt(info, 'version'))}.</p>
<p>For programs: <a href="${escapeMarkup(base)}/openapi.json">${escapeMarkup(base)}/openapi.json</a> (OpenAPI 3.1).
Requests are sent without credentials, with Basic, or with a Bearer token.</p>
`;
    const headers = objectAt(objectAt(document, 'components'), 'parameters');
    for (const tag of listAt(document, 'tags').map((each) => textAt(each, 'name'))) {
        yield `<h2>${escapeMarkup(tag)}</h2>\n`;
        for (const each of shown.filter(({ operation }) => listAt(operation, 'tags').includes(tag))) {
            yield `${section(each, base, headers)}\n`;
        }
    }

    yield '<h2>Schemas</h2>';
    for (const [name, schema] of Object.entries(objectAt(objectAt(document, 'components'), 'schemas'))) {
        yield `\n<details id="${escapeMarkup(name)}"><summary><code>${escapeMarkup(name)}</code></summary>\n${jsonBlock(schema)}</details>`;
    }
}

/** @param headers the headers to which parameters may refer */
function section({ method, path, operation }: Shown, base: string, headers: JsonObject): string {

    const parameters = listAt(operation, 'parameters').map((parameter) => {

        const [, name] = /^#\/components\/parameters\/(\w+)$/.exec(textAt(parameter, '$ref')) ?? [];
        return name === undefined ? parameter : objectAt(headers, name);
    });
    const rows = parameters.map((parameter) =>
        `<tr><td><code>${escapeMarkup(textAt(parameter, 'name'))}</code></td><td>${escapeMarkup(locationOf(parameter))}</td>` +
            `<td>${escapeMarkup(textAt(parameter, 'description'))}</td></tr>`);
    const table = rows.length === 0 ? '' : `<table><tr><th>Parameter</th><th></th><th></th></tr>\n${rows.join('\n')}</table>\n`;
    const body = contentBlock('Body', objectAt(operation, 'requestBody'));
    const response = contentBlock('Response', objectAt(objectAt(operation, 'responses'), '200'));
    return `<details><summary><code>${method.toUpperCase()} ${escapeMarkup(base + path)}</code> – ${escapeMarkup(textAt(operation, 'summary'))}</summary>
${table}${body}${response}</details>`;
}

function locationOf(parameter: JsonValue | undefined): string {

    const { in: where, required } = isJsonObject(parameter) ? parameter : {};
    return [where === 'path' ? 'in the path' : where === 'header' ? 'a header' : '', required === true ? 'required' : ''].filter(Boolean).join(', ');
}

function contentBlock(title: string, described: JsonObject): string {

    const content = Object.entries(objectAt(described, 'content'));
    const rows = content.map(([mediaType, media]) => `<p>${title}: <code>${escapeMarkup(mediaType)}</code> ${schemaText(objectAt(media, 'schema'))}</p>`);
    return rows.join('\n') + (rows.length > 0 ? '\n' : '');
}

/** A reference as a link, other schemas as JSON. */
function schemaText(schema: JsonObject): string {

    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(textAt(schema, '$ref')) ?? [];
    if (name !== undefined) {
        return `<a href="#${escapeMarkup(name)}">${escapeMarkup(name)}</a>`;
    }

    return Object.keys(schema).length === 0 ? '' : jsonBlock(schema);
}

function jsonBlock(value: JsonValue): string {

    return `<pre>${escapeMarkup(writeJson(value, 2))}</pre>`;
}

function objectAt(value: JsonValue | undefined, name: string): JsonObject {

    const member = isJsonObject(value) ? value[name] : undefined;
    return isJsonObject(member) ? member : {};
}

function listAt(value: JsonValue | undefined, name: string): readonly JsonValue[] {

    const member = isJsonObject(value) ? value[name] : undefined;
    return Array.isArray(member) ? member : [];
}

function textAt(value: JsonValue | undefined, name: string): string {

    const member = isJsonObject(value) ? value[name] : undefined;
    return typeof member === 'string' ? member : '';
}
