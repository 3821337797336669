import Lab from '@hapi/lab';
import type { JsonValue } from '../../lib/util/json-types.js';
import { readItem } from '../../lib/bulk/batch/batch-item.js';
import { handleError, idPath } from '../../lib/doip/ids.js';
import { parseAddressRanges } from '../../lib/util/net/ip-address.js';
import { parsePointer } from '../../lib/json/pointer.js';
import { parseJson, parseJsonOrText, parseLenientJson } from '../../lib/json/strict-parser.js';
import { escapeMarkup, unescapeMarkup } from '../../lib/util/text/xml-escape.js';
import { readLocations } from '../../lib/handles/locations.js';
import { parseIdentity } from '../../lib/handles/handle-value.js';
import { sourceOf } from '../../lib/util/net/ip-address.js';
import { readClaims } from '../../lib/identity/authentication/jwt-bearer.js';
import { checkElementName, checkFilename, checkMediaType, checkNewId, checkTypeName } from '../../lib/objects/input/field-validation.js';
import { declaredInHtml } from '../../lib/payloads/readers/charset.js';
import { kindOfBytes } from '../../lib/payloads/readers/index.js';
import { TextSink } from '../../lib/payloads/readers/text-reader.js';
import { authorStack } from '../../lib/scripting/protocol/stack-trace.js';
import { analyse, keywordOf } from '../../lib/search/analysis/analyzer.js';
import { isFreeName, resolveField } from '../../lib/search/analysis/field-names.js';
import { parseQuery } from '../../lib/search/query/parser.js';
import { readQueryJson } from '../../lib/search/query/query-by-example.js';
import { parseTime } from '../../lib/search/analysis/timestamps.js';
import { loggedUrl } from '../../lib/http-server/access-log.js';
import { SafeRegExp } from '../../lib/util/regexp/safe-regexp.js';
import { schemaFormats } from '../../lib/types/schema/formats.js';
import { isRemote, typeNamesOf } from '../../lib/types/schema/uri.js';
import { startBudget } from '../../lib/util/concurrency/time-budget.js';
import { readAuthentication } from '../../translators/http/request/authentication.js';
import { parseMediaType } from '../../translators/http/headers/content-type.js';
import { parseDisposition } from '../../translators/http/headers/content-disposition.js';
import { readEnvelopeParameters } from '../../translators/http/request/envelope-params.js';
import { heldTag, preconditionsOf } from '../../translators/http/headers/entity-tag.js';
import { traceIdOf } from '../../translators/http/headers/traceparent.js';
import { parseParameterised, quote } from '../../translators/http/headers/parameters.js';
import { Params } from '../../translators/http/request/params.js';
import { rangeAttributes } from '../../translators/http/headers/range.js';
import { readSession } from '../../translators/http/headers/session-cookie.js';
import { searchAttributes, searchView } from '../../translators/rest/mapping/search-request.js';
import { expectLinear, HOSTILE_TEXTS } from '../support/growth.js';
import { readSortFields } from '../../lib/search/query/search-request.js';
import { atOnce } from '../../lib/util/concurrency/steps.js';
import { parseParameters } from '../../translators/http/request/url.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Longer than every limit on the length of a field once it is eight times as long. */
const LENGTH = 6_000;

/** Shorter than a text that is read in a turn of the event loop of its own, also once it is eight times as long. */
const WITHIN_TURN = 4_000;

const LIMITS = { idBytes: 1e9, nameBytes: 1e9, aclEntries: 1000, elements: 1000, contentBytes: 1e9 };

const FORMATS = Object.entries(schemaFormats()).flatMap(([name, format]): [string, (text: string) => unknown][] =>
    (typeof format === 'function' ? [[name, format as (text: string) => unknown]] : []));

const READERS: readonly (readonly [name: string, read: (text: string) => unknown, length?: number])[] = [
    ['JSON', (text) => parseJson(text)],
    ['JSON of parameters', (text) => parseLenientJson(text)],
    ['JSON of parameters, inside a list in single quotes', (text) => parseLenientJson(`['${text}`)],
    ['JSON or text', (text) => parseJsonOrText(text)],
    ['items of a batch upload', (text) => atOnce(readItem({ position: 0, offset: 0, length: text.length, bytes: Buffer.from(text) },
        { format: 'ndjson', maxItemBytes: 1e9, maxDepth: 128 }))],
    ['JSON pointers', parsePointer],
    ['handles', (text) => [handleError(text, 1e9), idPath(text), checkNewId(text, 'test', LIMITS)]],
    ['markup', (text) => unescapeMarkup(escapeMarkup(text)) + unescapeMarkup(text)],
    ['addresses', (text) => [sourceOf(text), parseAddressRanges(text)]],
    ['handle values', (text) => [readLocations(text), parseIdentity(text)]],
    ['locations of handles', (text) => readLocations(`<location ${text}`)],
    ['tokens', (text) => readClaims(text)],
    ['names of types', (text) => checkTypeName(text, LIMITS)],
    ['names of payloads', (text) => checkElementName(text, LIMITS)],
    ['names of files', (text) => checkFilename(text, LIMITS)],
    ['media types of payloads', (text) => checkMediaType(text, LIMITS)],
    ['media types of payloads behind a slash', (text) => checkMediaType(`a/b${text}`, LIMITS)],
    ['declarations of a charset', (text) => [declaredInHtml(text.slice(0, 2048)), kindOfBytes(Buffer.from(text))]],
    ['texts of payloads', readText],
    ['stacks of scripts', authorStack],
    ['words', analyse],
    ['whole values', keywordOf],
    ['names of fields', (text) => [isFreeName(text), resolveField(text)]],
    ['queries', (text) => parseQuery(text), 1_000],
    ['queries in a field', (text) => parseQuery(`a:(b ${text}`), 1_000],
    ['queries by example', (text) => readQueryJson({ a: text, [text]: 1 })],
    ['sort fields', (text) => readSortFields(text)],
    ['sort fields in a list', (text) => readSortFields([text, { name: text }])],
    ['times', parseTime],
    ['logged addresses', (text) => loggedUrl(`/search?${text}`)],
    ['patterns of schemas', (text) => {

        startBudget();
        return SafeRegExp.of(text);
    }],
    ['references of schemas', (text) => [isRemote(text), typeNamesOf(text, 'file:/cordra/schemas/')]],
    ['formats of schemas', (text) => FORMATS.map(([, check]) => check(text))],
    ['credentials', (text) => readAuthentication({ authorization: text })],
    ['credentials of each scheme', (text) => ['Basic', 'Bearer', 'Doip'].map((scheme) => refused(() => readAuthentication({ authorization: `${scheme} ${text}` })))],
    ['cookies', (text) => readSession({ cookie: `JSESSIONID=${text}` })],
    ['media types', parseMediaType],
    ['parameters of media types', (text) => parseMediaType(`a/b;${text}`)],
    ['header parameters', (text) => [parseParameterised(`a;b="${text}`), quote(text)]],
    ['dispositions', (text) => parseDisposition(`form-data; name="a"; filename*=utf-8'${text}`)],
    ['parameters', (text) => parseParameters(text, 1000)],
    ['parameters of the envelope', (text) => envelopeOf('attributes', text), WITHIN_TURN],
    ['parameters of the envelope in parts', (text) => [envelopeOf(`a.${text}`, text), envelopeOf('attributes.a', text)], WITHIN_TURN],
    ['parameters of a request', readParams],
    ['parameters of a search', (text) => {

        const params = Params.fromPairs([['query', text], ['sortFields', text], ['facets', text], ['filter', text]]);
        return searchAttributes(params, searchView(params));
    }],
    ['ranges', (text) => rangeAttributes({ range: `bytes=${text}` })],
    ['entity tags', (text) => [preconditionsOf({ 'if-match': text, 'if-none-match': `"${text}` }), heldTag({ 'if-none-match': `"a", ${text}` }, 'b')]],
    ['identifiers of traces', (text) => [traceIdOf(text), traceIdOf(`00-${text}`)]]
];

/** Reads in one turn of the event loop what is not longer than is read in one. */
function envelopeOf(name: string, text: string): unknown {

    return readEnvelopeParameters([[name, text]]).catch(() => null);
}

function readParams(text: string): JsonValue[] {

    const params = Params.fromPairs([['a', text]]);
    const readers = [() => params.json('a'), () => params.list('a'), () => params.flag('a'), () => params.integer('a'), () => params.textList('a'),
        () => params.object('a')];
    return readers.map((read) => refused(read) as JsonValue);
}

function readText(text: string): string {

    const sink = new TextSink(1e6);
    sink.add(text);
    return sink.text();
}

/** Null where input is refused. */
function refused(read: () => unknown): unknown {

    try {
        return read();
    }
    catch {
        return null;
    }
}

describe('the reading time', () => {

    for (const [name, read, length = LENGTH] of READERS) {
        it(`of ${name} grows linearly with the input`, async () => {

            for (const [kind, text] of HOSTILE_TEXTS) {
                await expectLinear(kind, read, text, length);
            }
        });
    }
});
