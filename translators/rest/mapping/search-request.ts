/**
 * What a REST search asks for, as attributes of the search operation and as the looks of its answer. The parameters are the
 * same in a query string, a form and a JSON body. Pure functions.
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Params } from '../../http/request/params.js';
import type { ResultView } from './search-results.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { parseLenientJson } from '../../../lib/json/strict-parser.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { given } from '../../http/request/params.js';

/** The page size that stands for no limit. */
const UNLIMITED = -1;

/** True when the parameters of `/objects` ask for a search. */
export function isSearch(params: Params): boolean {

    return params.has('query') || params.has('queryJson');
}

/** The attributes of the search operation. `inBlocks` asks for results in blocks, whose number is not limited. */
export function searchAttributes(params: Params): JsonObject {

    const { pageNum, pageSize } = searchView(params);
    return {
        ...given({
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
        inBlocks: true,
        ...params.requestContext()
    };
}

/** How the results are to look. Objects are shown in full unless the client says otherwise. */
export function searchView(params: Params): ResultView {

    return {
        full: params.flagOr('full', true),
        filter: params.textList('filter'),
        pageNum: params.integer('pageNum') ?? 0,
        pageSize: params.integer('pageSize') ?? UNLIMITED
    };
}

/** The older notation, names with `ASC` or `DESC` behind commas, is left as text for the operation. */
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

/** True for a form that is JSON in truth: tools call a body a form where they were told nothing else. */
export function holdsJson(params: Params): boolean {

    return params.pairs().some(([name]) => /^\s*[[{]/.test(name));
}
