/** Searching through a gateway, and what a search is answered with. */

import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestGateway } from './gateway.js';
import { ADMIN } from './gateway.js';

export const SEARCH = '0.DOIP/Op.Search';

/** The record of a search. */
export interface SearchRecord {
    readonly size: number;
    readonly results: readonly unknown[];
    readonly facets?: readonly { readonly field: string; readonly buckets: readonly { readonly value: string; readonly count: number }[] }[];
}

/** On a busy machine OpenSearch may take longer for changes than a search waits for them: a search that is refused for that is repeated so often. */
const MAX_REPETITIONS = 3;

/** Searches, as the administrator unless told otherwise; fails when the search is refused. */
export async function found(gateway: TestGateway, attributes: JsonObject, authentication: JsonObject = ADMIN): Promise<SearchRecord> {

    let response = await gateway.perform(SEARCH, { authentication, attributes });
    for (let n = 0; n < MAX_REPETITIONS && /does not have the last changes yet/.test(JSON.stringify(response.value ?? null)); ++n) {
        response = await gateway.perform(SEARCH, { authentication, attributes });
    }

    const { status, value } = response;
    expect(status, JSON.stringify(value)).to.equal('0.DOIP/Status.001');
    return typeof value === 'string' ? JSON.parse(value) as SearchRecord : value as SearchRecord;
}
