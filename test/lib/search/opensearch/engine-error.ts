import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { type EngineFailure, toEngineError } from '../../../../lib/search/opensearch/engine-error.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('an error of OpenSearch', () => {

    const cases: [title: string, status: number, body: unknown, failure: EngineFailure][] = [
        ['a document that is not there', 404, { _index: 'x', _id: '1', found: false }, 'missing'],
        ['an index that is not there', 404, { error: { type: 'index_not_found_exception' }, status: 404 }, 'missing'],
        ['an alias that is not there', 404, { error: 'alias [x] missing', status: 404 }, 'missing'],
        ['a document that was not deleted', 404, { _index: 'x', result: 'not_found' }, 'missing'],
        // As of an ingress that starts: an index must not be given up for it.
        ['a 404 of a proxy', 404, '404 page not found\n', 'unreachable'],
        ['a 404 of a proxy without a body', 404, '', 'unreachable'],
        ['a 404 of a proxy in JSON', 404, { message: 'no Route matched with those values' }, 'unreachable'],
        ['a 400 of a proxy', 400, '<html>', 'unreachable'],
        ['a 502 of a proxy', 502, '<html>', 'unreachable'],
        ['a blocked index', 403, { error: { type: 'cluster_block_exception' } }, 'denied'],
        ['wrong credentials', 401, '', 'denied'],
        ['a version that is too low', 409, { error: { type: 'version_conflict_engine_exception' } }, 'conflict'],
        ['a query with too many clauses', 400, { error: { type: 'too_many_clauses' } }, 'complex']
    ];
    for (const [title, statusCode, body, failure] of cases) {
        it(`is ${failure} for ${title}`, () => {

            expect(toEngineError({ message: 'said', statusCode, meta: { body } }).failure).to.equal(failure);
        });
    }
});
