import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { createSqlite } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';
import { found, SEARCH } from '../../../support/searching.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const BAD_REQUEST = '0.DOIP/Status.101';

describe('Op.Search', () => {

    let database: TestDatabase;
    let gateway: TestGateway;

    before(async () => {

        database = await createSqlite();
        gateway = await startGateway(database);
        for (const [n, title] of ['one', 'two words', 'Two', 'three'].entries()) {
            await gateway.create('Document', { title, n, part: n % 2, 'a b': n }, { id: `test/${n}` });
        }
    });

    after(async () => {

        await gateway.stop();
        await database.dispose();
    });

    const answers: readonly (readonly [title: string, attributes: JsonObject, size: number, ids: readonly string[]])[] = [
        ['finds by a query', { query: '/title:two', sortFields: '/n' }, 2, ['test/1', 'test/2']],
        ['finds by example', { queryJson: { n: 2 } }, 1, ['test/2']],
        ['finds by both', { query: '/title:two', queryJson: { part: 1 } }, 1, ['test/1']],
        ['sorts by several fields in the older notation', { query: '/n:*', sortFields: '/part DESC, /n  asc' }, 4, ['test/1', 'test/3', 'test/0', 'test/2']],
        ['sorts by properties with blanks in their names', { query: '/n:*', sortFields: '/a b DESC,/n' }, 4, ['test/3', 'test/2', 'test/1', 'test/0']],
        ['sorts by fields as objects', { query: '/n:*', sortFields: [{ name: '/part' }, { name: '/n', reverse: true }] }, 4, ['test/2', 'test/0', 'test/3', 'test/1']],
        ['accepts the direction as text', { query: '/n:*', sortFields: [{ name: '/part', reverse: 'false' }, { name: '/n', reverse: 'true' }] }, 4, ['test/2', 'test/0', 'test/3', 'test/1']],
        ['sorts by fields as texts', { query: '/n:*', sortFields: ['/n DESC'] }, 4, ['test/3', 'test/2', 'test/1', 'test/0']],
        ['returns a page', { query: '/n:*', sortFields: '/n', pageNum: 1, pageSize: 3 }, 4, ['test/3']],
        ['returns nothing after the end', { query: '/n:*', pageNum: 7, pageSize: 3 }, 4, []],
        ['returns nothing far after the end', { query: '/n:*', pageNum: 30_000_000, pageSize: 100 }, 4, []],
        ['returns nothing beyond the greatest number of results', { query: '/n:*', pageNum: 2e9, pageSize: 2e9 }, 4, []],
        ['treats a negative page as the first one', { query: '/n:*', sortFields: '/n', pageNum: -1, pageSize: 3 }, 4, ['test/0', 'test/1', 'test/2']],
        ['returns only the size for empty pages', { query: '/n:*', pageSize: 0 }, 4, []],
        ['returns everything without a page size', { query: '/n:*', sortFields: '/n', pageSize: -5, pageNum: -3 }, 4, ['test/0', 'test/1', 'test/2', 'test/3']],
        ['narrows down by filter queries', { query: '/n:*', sortFields: '/n', filterQueries: ['/part:1', '-/title:three'] }, 4 - 3, ['test/1']],
        ['accepts numbers for texts', { query: 2, filterQueries: '/title:two' }, 1, ['test/2']]
    ];
    for (const [title, attributes, size, ids] of answers) {
        it(title, async () => {

            const record = await found(gateway, { ...attributes, type: 'id' });

            expect(record.size).to.equal(size);
            expect<unknown>(record.results).to.equal(ids);
        });
    }

    it('returns digital objects by default, with a score on request', async () => {

        const { results: [plain] } = await found(gateway, { query: 'id:test/1' });
        const { results: [scored] } = await found(gateway, { query: '/title:two', includeScore: true, pageSize: 1 });
        const { results: [narrowed] } = await found(gateway, { query: '/title:two', includeScore: true, pageSize: 1, filter: ['/responseContext/score'] });
        const { results: [filtered] } = await found(gateway, { query: 'id:test/1', filter: ['/attributes/content/title'] });

        expect<unknown>(plain).to.include({ id: 'test/1', type: 'Document' });
        expect<unknown>(plain).to.part.include({ attributes: { content: { title: 'two words', n: 1, part: 1, 'a b': 1 } } });
        expect((plain as { attributes: JsonObject }).attributes['responseContext']).to.be.undefined();
        const { attributes, responseContext } = scored as { attributes: JsonObject; responseContext: { score: number } };
        expect<unknown>(attributes['responseContext']).to.equal(responseContext);
        expect(responseContext.score).to.be.above(0);
        expect(Object.keys(plain as object)).to.equal(['id', 'type', 'attributes', 'elements']);
        expect<unknown>(narrowed).to.equal({ responseContext });
        expect<unknown>(filtered).to.equal({ attributes: { content: { title: 'two words' } } });
    });

    it('accepts the maximum number of filters', async () => {

        const filterQueries = Array.from({ length: 100 }, (_, i) => `/n:* -/n:${i + 4} ${'x '.repeat(30)}`);

        expect((await found(gateway, { query: '/n:*', filterQueries, pageSize: 0 })).size).to.equal(4);
    });

    it('returns a numeric score for any weight of a clause', async () => {

        for (const query of ['/title:two^' + '9'.repeat(400), '((/n:1^99999999999)^99999999999 /title:two)^0.1', '/n:*^' + '9'.repeat(40)]) {
            const { results } = await found(gateway, { query, includeScore: true });
            for (const result of results) {
                const { score } = (result as { attributes: { responseContext: { score: number } } }).attributes.responseContext;
                expect(score, query).to.be.a.number().and.to.be.above(0);
            }
        }
    });

    it('returns the size first', async () => {

        expect(Object.keys(await found(gateway, { query: '/n:*', facets: [{ field: '/part' }] }))).to.equal(['size', 'results', 'pageNum', 'pageSize', 'facets']);
    });

    it('counts facets, whose filters can be used in a search', async () => {

        const { facets } = await found(gateway, { query: '/n:*', pageSize: 0, facets: [{ field: '/part', maxBuckets: 1 }, { field: '/title' }] });
        const bucket = facets?.[0]?.buckets[0] as unknown as { filterQuery: string };

        expect<unknown>(facets).to.equal([
            { field: '/part', buckets: [{ value: '0', count: 2, filterQuery: 'facet_/part:"0"' }] },
            { field: '/title', buckets: ['one', 'three', 'Two', 'two words'].map((value) => ({ value, count: 1, filterQuery: `facet_/title:"${value}"` })) }
        ]);
        expect((await found(gateway, { query: '/n:*', filterQueries: [bucket.filterQuery], pageSize: 0 })).size).to.equal(2);
    });

    it('returns a single page when all results are requested', async () => {

        for (const attributes of [{}, { pageSize: -1 }, { pageSize: -7, pageNum: 4 }]) {
            expect<unknown>(await found(gateway, { query: '/n:2', type: 'id', ...attributes })).to.include({ pageNum: 0, pageSize: -1, results: ['test/2'] });
        }
    });

    it('counts a value once for an object that has it as a number and as a text', async () => {

        for (let i = 0; i < 20; ++i) {
            await gateway.create('Document', { mixed: i % 2 === 0 ? [5, '5', 5, 'five'] : ['5', 1e21, '1e+21'] });
        }

        for (const [query, counts] of [['/mixed/_:five', [10, 10]], ['/mixed/_:*', [20, 10, 10]]] as const) {
            const { facets } = await found(gateway, { query, pageSize: 0, facets: [{ field: '/mixed/_' }] });
            const buckets = (facets?.[0]?.buckets ?? []) as unknown as { value: string; count: number; filterQuery: string }[];
            expect(buckets.map(({ count }) => count), query).to.equal([...counts]);
            for (const { count, filterQuery } of buckets) {
                expect((await found(gateway, { query, filterQueries: [filterQuery], pageSize: 0 })).size, filterQuery).to.equal(count);
            }
        }
    });

    it('accepts the filters of facets for properties with any name', async () => {

        const names = [
            'a b', 'c:d', 't~x', 's/l', '*', 'q?', 'AND', '', '_', 'score', 'a"b', 'back\\slash', '(p)', '[r]', '{c}', '+-!^|&', 'ünï', '\u3000', '\u{1f600}', 'line\nend',
            '\u0000', 'u\\u0041', '\\/', 'x\\'
        ];
        const content = Object.fromEntries(names.map((name) => [name, { inner: `in "${name}"` }]));
        await gateway.create('Document', { named: 'yes', ...content });
        for (const name of names) {
            const field = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}/inner`;
            const { facets } = await found(gateway, { query: '/named:yes', facets: [{ field }], sortFields: [{ name: field }] });
            const [bucket] = (facets?.[0]?.buckets ?? []) as unknown as { value: string; filterQuery: string }[];
            expect(bucket?.value, field).to.equal(`in "${name}"`);
            expect((await found(gateway, { query: bucket?.filterQuery ?? '', filterQueries: [bucket?.filterQuery ?? ''] })).size, field).to.equal(1);
            expect((await found(gateway, { queryJson: { named: 'yes', [name]: { inner: `in "${name}"` } } })).size, field).to.equal(1);
        }
    });

    it('accepts attributes in its input as well', async () => {

        const { value } = await gateway.asAdmin(SEARCH, { attributes: { pageSize: 5 }, input: { query: '/title:one', type: 'id' } });

        expect<unknown>(value).to.part.include({ size: 1, results: ['test/0'] });
    });

    it('writes a long record as text, identical to a short one', async () => {

        for (let i = 0; i < 1001; ++i) {
            await gateway.create('Document', { many: i }, { id: `test/many-${i}` });
        }

        const record = await found(gateway, { query: '/many:*', sortFields: '/many', facets: [{ field: 'type' }] });

        expect(record.size).to.equal(1001);
        expect(record.results.map((result) => (result as { id: string }).id)).to.equal(Array.from({ length: 1001 }, (_, i) => `test/many-${i}`));
        expect<unknown>(record.facets?.[0]?.buckets).to.equal([{ value: 'Document', count: 1001, filterQuery: 'facet_type:"Document"' }]);
    });

    it('finds what types index of their objects', async () => {

        await gateway.create('User', { username: 'Ann', password: 'long password' }, { id: 'test/ann' });
        await gateway.create('Group', { groupName: 'g', description: 'd', users: ['test/ann'] }, { id: 'test/g' });

        for (const [query, id] of [['username:ann', 'test/ann'], ['users:test/ann', 'test/g'], ['internal.pointsAt:test/ann', 'test/g']]) {
            expect<unknown>((await found(gateway, { query: query as string, type: 'id' })).results, query).to.equal([id]);
        }

        expect((await found(gateway, { query: 'schemaName:Document' })).results).to.have.length(1);
        expect((await found(gateway, { query: '"long password"' })).size).to.equal(0);
    });

    it('never finds the design object', async () => {

        expect((await found(gateway, { query: 'id:design' })).size).to.equal(0);
    });

    const faults: readonly (readonly [attributes: JsonObject, message: RegExp])[] = [
        [{}, /^Missing query: either query or queryJson/],
        [{ query: ' ' }, /^Missing query: either query or queryJson/],
        [{ query: 'a AND' }, /^Query parse failure at character 6/],
        [{ query: 'a', filterQueries: ['('] }, /^Query parse failure at character 2/],
        [{ query: 'a', pageNum: 'x' }, /pageNum/],
        [{ query: 'a', pageSize: 1.5 }, /pageSize/],
        [{ query: 'nothing', filter: ['/a', 'b'] }, /^Invalid JSON Pointer b$/],
        [{ query: 'nothing', filter: ['b'], type: 'id' }, /^Invalid JSON Pointer b$/],
        [{ query: 'a', facets: [{}] }, /field/],
        [{ query: 'a', facets: 'type' }, /facets/],
        [{ query: 'a', facets: [{ field: 'a', maxBuckets: -1 }] }, /maxBuckets/],
        [{ query: 'a', sortFields: [{ reverse: true }] }, /must have a name/],
        [{ query: 'a', sortFields: { a: 1 } }, /sortFields/],
        [{ query: 'a', sortFields: [{ name: '/a', reverse: 'perhaps' }] }, /^reverse of each of the attribute sortFields must be a boolean$/],
        [{ query: 'a', sortFields: [{ name: '/a' }, { name: '/b', reverse: 1 }] }, /must be a boolean$/],
        [{ queryJson: 'text' }, /queryJson must be a JSON object/],
        [{ query: 'a', includeScore: 'perhaps' }, /includeScore/],
        [{ query: { a: 1 } }, /query/],
        [{ query: 'a', filter: new Array<string>(10_001).fill('/a') }, /more than 10000 JSON pointers/],
        [{ query: 'a', filterQueries: ['b'.repeat(70_000), 'c'.repeat(70_000)] }, /longer than 131072 characters together/],
        [{ query: '*:*', filterQueries: ['a '.repeat(2000), '"' + 'b '.repeat(2000) + '"', 'c '.repeat(100)] }, /more than 4096 clauses in all queries together/],
        [{ queryJson: { a: 'b '.repeat(5000) } }, /more than 4096 clauses in all queries together/],
        [{ query: 'c '.repeat(4000), queryJson: { a: ['b', 'b '.repeat(100)] } }, /more than 4096 clauses in all queries together/]
    ];
    for (const [attributes, message] of faults) {
        it(`rejects ${JSON.stringify(attributes).slice(0, 100)}`, async () => {

            const { status, value } = await gateway.asAdmin(SEARCH, { attributes });

            expect(status).to.equal(BAD_REQUEST);
            expect((value as { message: string }).message).to.match(message);
        });
    }
});
