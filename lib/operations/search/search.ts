/** `0.DOIP/Op.Search`: searches objects (specification: GET and POST `/search`, GET `/objects/?query=`, DOIP "Search"). */

import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import type { DigitalObject } from '../../doip/digital-object.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { asDeclared, declaredNames, flag, text, texts, readRequestContext } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest, unavailable } from '../../errors/errors.js';
import type { Caller } from '../../model/caller.js';
import { isJsonObject } from '../../util/json-types.js';
import { pruner } from '../../json/filter.js';
import { plainObject } from '../../doip/serialized-object.js';
import { Op } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT, OPEN, searchResults, TEXT } from '../../doip/result-schemas.js';
import { RecordOutput } from '../../doip/record-output.js';
import { onClose } from '../../util/streams/on-close.js';
import type { Found, SearchContext, SearchQuery } from '../../search/search-service.js';
import type { OperationContext } from '../../core/operation-context.js';
import type { Services } from '../../core/services.js';
import { readSortFields } from '../../search/query/search-request.js';

interface SearchAttributes {
    readonly query?: string;
    readonly queryJson?: JsonValue;
    readonly pageNum: number;
    readonly pageSize: number;
    readonly sortFields?: JsonValue;
    readonly type: string;
    readonly facets?: readonly { readonly field: string; readonly maxBuckets: number }[];
    readonly filterQueries?: readonly string[];
    readonly includeScore: boolean;
    readonly includeVersions: boolean;
    readonly filter?: readonly string[];
}

/** An id or an object. */
type Result = string | DigitalObject;

/** The query that matches all objects. */
const EVERYTHING = '*:*';

/** Page size that means no limit. */
const UNLIMITED = -1;

/** Upper limit of result numbers: pages beyond it are empty. */
const MAX_RESULTS = 2 ** 31;

/** Number of times that a query is customised while the design changes. */
const MAX_ATTEMPTS = 10;

const MAX_FACETS = 100;
const MAX_FILTERS = 100;
const MAX_BUCKETS = 100_000;
const DEFAULT_BUCKETS = 10;

const attributes = Joi.object<SearchAttributes>({
    query: text(),
    queryJson: Joi.any(),
    pageNum: Joi.number().integer().default(0),
    pageSize: Joi.number().integer().default(-1),
    sortFields: Joi.any(),
    type: text().default('full'),
    facets: Joi.array().max(MAX_FACETS).items(Joi.object({
        field: text().required(), maxBuckets: Joi.number().integer().min(0).max(MAX_BUCKETS).default(DEFAULT_BUCKETS)
    }).unknown()),
    filterQueries: texts().max(MAX_FILTERS),
    includeScore: flag().default(false),
    includeVersions: flag().default(false),
    filter: texts()
});

export const search = defineOperation<SearchAttributes>({
    id: Op.search,
    aliases: ['Search'],
    summary: 'find objects',
    target: 'service',
    methods: ['GET', 'POST'],
    // Results are limited to objects that the caller may read.
    authorise: 'anyone',
    isLocal: true,
    attributes,
    input: 'optional-json',
    resultSchema: searchResults({
        anyOf: [{ ...TEXT, description: 'an id' }, DIGITAL_OBJECT, { ...OPEN, description: 'with filter the requested branches of an object' }]
    }),

    async handler(context) {

        const parameters = withInput(context);
        const requestContext = contextIn(context);
        const { services, caller, signal, transport: { remoteAddress } } = context;
        const query = toRequest(parameters, services.catalog.current.design.useLegacySearchPageSizeZeroReturnsAll);
        const narrow = parameters.filter && pruner(parameters.filter);
        const searching: SearchContext = {
            caller, requestContext, remoteAddress, signal, currentCaller: () => currentCaller(context),
            customize: (request, current) => customized(request, { caller: current, requestContext, services })
        };
        const onlyIds = parameters.type === 'id' || parameters.type === 'ids';
        const { size, facets, blocks }: Found<Result> = onlyIds ? await services.search.ids(query, searching) : await services.search.objects(query, searching);
        return result.segments(await RecordOutput.open({
            before: { size },
            after: {
                // Without a limit there is a single page.
                pageNum: query.limit === null ? 0 : pageOf(parameters), pageSize: query.limit ?? UNLIMITED,
                ...parameters.facets ? { facets: facets as unknown as JsonValue } : {}
            },
            blocks: narrow ? onClose(narrowed(blocks, narrow), () => void blocks.return()) : blocks,
            maxResults: Math.min(query.limit ?? Infinity, Math.max(size - query.start, 0))
        }));
    }
});

/** Returns the caller as of now, and brings the rules and the code by which rights are decided up to date. */
async function currentCaller(context: OperationContext<SearchAttributes>): Promise<Caller> {

    await context.services.reader.epochs();
    return await context.currentCaller(0);
}

/** Merges attributes from the input; null, which some clients send for none, counts as none. Throws 400 for an attribute in both places. */
function withInput({ attributes: declared, givenAttributes, inputJson }: OperationContext<SearchAttributes>): SearchAttributes {

    if (inputJson === undefined || inputJson === null) {
        return declared;
    }

    if (!isJsonObject(inputJson)) {
        throw badRequest('the input of a search must be a JSON object of attributes');
    }

    const inBody = asDeclared(attributes, inputJson);
    const twice = [...declaredNames(attributes)].find((name) => Object.hasOwn(inBody, name) && (givenAttributes[name] ?? null) !== null);
    if (twice !== undefined) {
        throw badRequest(`${twice} is given more than once: as an attribute and in the input`);
    }

    const checked = attributes.validate({ ...declared, ...inBody }, { allowUnknown: true });
    if (checked.error) {
        throw badRequest(`attribute ${checked.error.message}`);
    }

    return checked.value;
}

/** Request context from the attributes or the input. */
function contextIn({ attributes: declared, inputJson, requestContext }: OperationContext<SearchAttributes>): JsonObject {

    if (!isJsonObject(inputJson) || inputJson.requestContext === undefined) {
        return requestContext;
    }

    if ('requestContext' in declared) {
        throw badRequest('requestContext is given more than once: as an attribute and in the input');
    }

    return readRequestContext(inputJson);
}

/**
 * Applies the design's hook for queries. A search without query text is one for all objects. Its code and the modules are the same before
 * and after: rights are those of the design that has customised the query. Throws 503 when they change all the time.
 */
async function customized(
    request: SearchQuery, { caller, requestContext, services: { catalog, scripts } }: Pick<OperationContext, 'caller' | 'requestContext' | 'services'>
): Promise<SearchQuery> {

    const query = request.query ?? EVERYTHING;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
        const before = codeOf(catalog);
        const customizedQuery = await scripts.design.customizeQuery(query, { caller, requestContext });
        if (isDeepStrictEqual(codeOf(catalog), before)) {
            return customizedQuery === query ? request : { ...request, query: textOf(customizedQuery, request) };
        }
    }

    throw unavailable('the design changes all the time: try again', 1);
}

/** The code that customises queries, and the modules that it may use. */
function codeOf({ current: { design: { javascript } }, moduleFiles }: Services['catalog']): unknown {

    return javascript === undefined ? null : { javascript, moduleFiles };
}

/** Results narrowed to the filter; ids stay unchanged. */
async function *narrowed(blocks: Found<Result>['blocks'], narrow: (value: JsonValue) => JsonValue): AsyncGenerator<readonly JsonValue[], void, undefined> {

    for await (const block of blocks) {
        yield block.map((found) => (typeof found === 'string' ? found : narrow(plainObject(found) as unknown as JsonValue)));
    }
}

/** Negative page numbers count as 0. */
function pageOf({ pageNum }: SearchAttributes): number {

    return Math.max(pageNum, 0);
}

/** Returns the text of a query; null for none beside a query by example. @throws DoipError 400 if there is neither */
function textOf(query: string | undefined, { queryJson }: Pick<SearchAttributes, 'queryJson'>): string | null {

    if (query !== undefined && query.trim() !== '') {
        return query;
    }

    if (queryJson === undefined) {
        throw badRequest('Missing query: either query or queryJson is needed');
    }

    return null;
}

function toRequest(parameters: SearchAttributes, zeroMeansAll: boolean): SearchQuery {

    const { query, queryJson, pageSize, filterQueries, facets, sortFields, includeScore, includeVersions } = parameters;
    const limit = pageSize < 0 || pageSize === 0 && zeroMeansAll ? null : Math.min(pageSize, MAX_RESULTS);
    const start = limit === null ? 0 : Math.min(pageOf(parameters) * limit, MAX_RESULTS);
    return {
        query: textOf(query, parameters),
        ...queryJson === undefined ? {} : { queryJson },
        filterQueries: filterQueries ?? [], facets: facets ?? [], sort: readSortFields(sortFields),
        start, limit, includeScore, includeVersions
    };
}
