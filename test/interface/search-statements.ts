/** What an object is found by, and what not: one statement about the index or the query language each. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { onEveryDatabase } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { jsonOf } from '../support/rest.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CONTENT = {
    kind: 'stated', list: ['alpha beta', 'gamma delta'], empty: '', nothing: null, no: false, half: 1.5, object: {}, array: [], nested: [[{ x: 'deep' }]],
    small: 1e-7, great: 1e21, negative: -7, day: '2004-05-01', time: '2024-02-29T23:30:00-01:00', leap: '2016-12-31T23:59:60Z',
    fraction: '2024-01-01T00:00:00.123456789Z', noDay: '2024-02-30', mail: 'jane.doe@example.com', novel: 'Tess of the D\'Urbervilles',
    handle: '20.5000.1/abc', texts: 'Straße ÉCOLE', far: '東京タワー 한국어', year: 'the year 1999'
};

/** Queries that find it. */
const FINDS: readonly string[] = [
    // The default field has all words of content and metadata.
    'stated', 'admin', 'deep', 'null', 'false', '1.5',
    // Values that are no texts.
    '/nothing:null', '/nothing:n?l*', '/nothing:nul~', '*:* -/nothing:*', '/no:false', '/half:1.5', '/nested/_/_/x:deep', '/negative:[-10 TO -6.5]', '/small:[0 TO 0.000001]', '/great:[1e20 TO 1e22]',
    '/year:[1990 TO 2000]', '/year:{1998 TO 2000}', '/half:[1 TO 2} AND /half:{1.4 TO *]', '/half:{1 TO 1.5]',
    // Times
    '/day:2004', '/day:[2004-05-01 TO 2004-05-01]', '/day:[2004-04-30 TO 2004-05-02}', '/time:[2024-03-01T00:30:00Z TO 2024-03-01T01:30:00+01:00]',
    '/time:[2024-03-01 TO 2024-03-02]', '/leap:[2016-12-31T23:59:59Z TO 2017-01-01]', '/fraction:{2024-01-01T00:00:00.123Z TO 2024-01-01T00:00:00.124Z}',
    // Words
    '/mail:jane.doe', '/mail:EXAMPLE.COM', '/novel:d\'urbervilles', '/handle:abc', '/handle:20.5000.1', '/texts:straße', '/texts:École', '/far:京', '/far:タワー',
    '/far:한국어', '/far:한*', '/texts:foo-école',
    // Phrases
    '/list/_:"Alpha BETA"', '"of d\'urbervilles"~1', '"of tess"~2', '"tess d\'urbervilles"~2',
    // Whole values
    'type:paper', 'type:"PAPER"', 'type:pap*', 'type:p?p*r', 'type:papar~1', 'type:[pap TO paper]', 'id:TEST/*', 'id:test/stat?d', 'aclRead:missing',
    'elname_none:true OR type:paper',
    // Patterns and similar words.
    '/kind:st?ted', '/kind:?tated', '/kind:*ated', '/kind:S*D', '/kind:***t***', 'satted~1', 'stat~2', '/kind:statde~1', '/kind:stated~0',
    // Those of a few letters, too.
    '/no:fals~', '/novel:oz~1', '/novel:xy~', '/novel:x~2', '/far:x~1',
    // Clauses
    '+/kind:stated -/kind:other', '/kind:(stated OR other)', 'NOT /kind:other', '-/kind:other', '/kind:(-other)', '*:* AND NOT /kind:other', '/kind:stated^0',
    '(/kind:(+stated))^3', '/kind:other || /kind:stated', '/kind:stated && !/kind:other', '/kind:{a TO z]', '/kind:[stated TO stated]', '*:* -/none:[* TO *]', '*:* -/none:*',
    '/list/_:(alpha AND delta)'
];

/** Queries that do not. */
const MISSES: readonly string[] = [
    // Neither id nor type are words of it.
    'test', 'paper',
    '/empty:*', '/object:*', '/array:*', '/array/_:*', '/negative:[-6 TO *]', '/half:{1.5 TO *]', '/year:[* TO 1000}', '/noDay:[2024-01-01 TO 2024-12-31]', '/day:{2004-05-01 TO *]',
    '/time:[2024-02-28 TO 2024-02-29T23:59:59Z]', '/mail:jane', '/novel:durbervilles', '/handle:5000', '/texts:strasse', '/texts:ecole', '/far:한', '/kind:stat',
    // Null is no value.
    '/nothing:*', '/nothing:[* TO *]', '/nothing:[a TO z]', '/nothing:{* TO null]', 'facet_/nothing:null',
    // No phrase goes across elements, whatever may lie between its words.
    '"beta gamma"', '"beta gamma"~9998', '"beta gamma"~9999', '/list/_:"alpha delta"~10000', '"alpha delta"~99999999', '"of tess"~1',
    'type:pap', 'type:(pap er)', 'kind:stated', 'content/kind:stated', '/list:alpha', '/kind:stated AND /kind:other', '-/kind:stated', '/kind:(-stated)', '/kind:{stated TO z]', '/kind:[* TO stated}',
    'sttde~1', 'xyzx~2', 'isVersion:true', '/kind:"st?ted"'
];

onEveryDatabase((name, start) => {

    describe(`an object on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start();
            await service.create('Schema', { identifier: 'Paper', name: 'Paper', schema: { type: 'object' } });
            await service.create('Paper', CONTENT, 'handle=test/stated');
        });

        after(() => service.stop());

        async function isFound(query: string): Promise<boolean> {

            const filterQueries = encodeURIComponent(JSON.stringify(['id:test/stated']));
            const response = await service.asAdmin(`GET /search?ids&query=${encodeURIComponent(query)}&filterQueries=${filterQueries}`);
            expect(response.statusCode, `${query}: ${response.payload}`).to.equal(200);
            return (jsonOf(response)['results'] as string[]).includes('test/stated');
        }

        it('is found by its values', async () => {

            for (const query of FINDS) {
                expect(await isFound(query), query).to.be.true();
            }
        });

        it('is not found by other values', async () => {

            for (const query of MISSES) {
                expect(await isFound(query), query).to.be.false();
            }
        });
    });

    describe(`the order of results on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start();
            for (let i = 1; i <= 12; ++i) {
                await service.create('Document', { zebra: 'zebra '.repeat(i) + 'other '.repeat(50 - i), ...i % 4 === 0 ? {} : { n: i % 3 === 0 ? `t${i}` : i } }, `handle=test/z${i}`);
            }
        });

        after(() => service.stop());

        async function search(more: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {

            const response = await service.asAdmin('POST /search', { payload: JSON.stringify({ query: '/zebra:zebra', ids: true, ...more }) });
            expect(response.statusCode, response.payload).to.equal(200);
            return jsonOf(response);
        }

        const best = Array.from({ length: 12 }, (_, i) => `test/z${12 - i}`);
        const orders: readonly (readonly [title: string, sortFields: unknown, ids: readonly string[]])[] = [
            ['is the best first', undefined, best], ['is the best first by score DESC', 'score DESC', best], ['is the best first by score reversed', [{ name: 'score', reverse: true }], best],
            ['is the worst first by score', 'score', best.toReversed()], ['is the worst first by score ASC', 'score ASC', best.toReversed()],
            ['is the worst first by score as an object', [{ name: 'score' }], best.toReversed()],
            ['is that of changes for an unknown field', '/none', best.toReversed()],
            ['has missing values first, then numbers, then texts', '/n', [4, 8, 12, 1, 2, 5, 7, 10, 11, 3, 6, 9].map((n) => `test/z${n}`)],
            ['has missing values last in descending order', '/n DESC', [9, 6, 3, 11, 10, 7, 5, 2, 1, 4, 8, 12].map((n) => `test/z${n}`)]
        ];
        for (const [title, sortFields, ids] of orders) {
            it(title, async () => {

                expect<unknown>((await search({ sortFields }))['results']).to.equal(ids);
            });
        }

        it('leaves the score unchanged, like filter queries', async () => {

            const scoresOf = async (more: object): Promise<unknown> => {

                const { results } = await search({ ids: false, includeScore: true, filter: ['/id', '/responseContext/score'], sortFields: 'id', ...more });
                return results;
            };

            const scores = await scoresOf({});
            expect((scores as { responseContext: { score: number } }[]).every(({ responseContext: { score } }) => score > 0)).to.be.true();
            expect(await scoresOf({ filterQueries: ['/zebra:zebra^50', 'other'] })).to.equal(scores);
            expect(await scoresOf({ sortFields: [{ name: '/none' }, { name: 'id' }] })).to.equal(scores);
        });

        it('gives ten buckets of a facet by default, ordered by value for equal counts', async () => {

            const { facets } = await search({ pageSize: 0, facets: [{ field: 'id' }, { field: 'id', maxBuckets: 11 }] }) as { facets: { buckets: { value: string }[] }[] };

            expect(facets.map(({ buckets }) => buckets.length)).to.equal([10, 11]);
            expect(facets[1]?.buckets.map(({ value }) => value)).to.equal(best.toSorted().slice(0, 11));
        });
    });
});
