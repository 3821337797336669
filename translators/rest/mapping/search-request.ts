/**
 * Parameters of a REST search: attributes of the search operation and display options of its results. The parameters are the same in a
 * query string, a form and a JSON body. Pure functions.
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Params } from '../../http/request/params.js';
import type { ResultView } from './search-results.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { parseLenientJson } from '../../../lib/json/strict-parser.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { omitUndefined } from '../../http/request/params.js';

/** Page size that means no limit. */
const UNLIMITED = -1;

/** True when the parameters of `/objects` ask for a search. */
export function isSearch(params: Params): boolean {

    return params.has('query') || params.has('queryJson');
}

/** Attributes of the search operation. */
export function searchAttributes(params: Params, { pageNum, pageSize }: Pick<ResultView, 'pageNum' | 'pageSize'>): JsonObject {

    return {
        ...omitUndefined({
            query: params.text('query'),
            queryJson: params.json('queryJson'),
            sortFields: sortFields(params.single('sortFields')),
            filterQueries: params.list('filterQueries'),
            facets: facets(params.list('facets'))
        }),
        pageNum,
        pageSize,
        type: params.flag('ids') ? 'id' : 'full',
        includeScore: params.flag('includeScore'),
        includeVersions: params.flag('includeVersions'),
        ...params.requestContext()
    };
}

/** Display options of the results. Objects are shown in full by default. */
export function searchView(params: Params): ResultView {

    return {
        full: params.flag('full', true),
        filter: params.textList('filter'),
        pageNum: params.integer('pageNum') ?? 0,
        pageSize: params.integer('pageSize') ?? UNLIMITED
    };
}

/** Parses JSON text. The older notation, comma-separated names with `ASC` or `DESC`, is left to the operation. */
function sortFields(value: JsonValue | undefined): JsonValue | undefined {

    const isJsonText = typeof value === 'string' && /^\s*[[{]/.test(value);
    return isJsonText ? parseLenientJson(value, { name: 'parameter sortFields' }) : value;
}

function facets(list: JsonValue[] | undefined): JsonValue[] | undefined {

    return list?.map((facet) => {

        if (!isJsonObject(facet)) {
            throw badRequest('parameter facets must be a JSON array of objects');
        }

        return facet;
    });
}

/** True for a form that is JSON in fact: some tools send a form content type by default. */
export function holdsJson(params: Params): boolean {

    return params.pairs().some(([name]) => /^\s*[[{]/.test(name));
}
