import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { ResultView } from '../../../translators/rest/mapping/search-results.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { json } from '../../../lib/doip/segments.js';
import { RecordOutput } from '../../../lib/doip/record-output.js';
import { Params } from '../../../translators/http/request/params.js';
import { restRecordText } from '../../../translators/rest/mapping/record-writer.js';
import { searchAttributes, searchView } from '../../../translators/rest/mapping/search-request.js';
import { projectResult, searchRecord } from '../../../translators/rest/mapping/search-results.js';

export const lab = Lab.script();
const { describe, it } = lab;

const query = (text: string): Params => Params.fromPairs(new URLSearchParams(text));
const page = { full: true, pageNum: 0, pageSize: -1 };
const found = (id: string, score?: number): JsonObject => ({
    id,
    type: 'T',
    attributes: {
        content: { id, n: 1 },
        metadata: { createdOn: 1 },
        ...(score === undefined ? {} : { responseContext: { score } })
    },
    elements: [{ id: 'p', length: 1, attributes: {} }]
});

async function textOf(view: ResultView, head: JsonObject, ...blocks: JsonValue[][]): Promise<string> {

    const inBlocks = async function *(): AsyncGenerator<JsonValue[], void, undefined> {

        yield *blocks;
    };

    const output = blocks.length === 0 ? json(head) : await RecordOutput.open({ after: head, blocks: inBlocks() });
    const pieces: string[] = [];
    for await (const piece of restRecordText(output, searchRecord(view))) {
        pieces.push(piece);
    }

    return pieces.join('');
}

describe('a REST search', () => {

    const wanted: [string, JsonObject][] = [
        ['query=x', { query: 'x' }],
        ['query=', { query: '' }],
        ['query=x&pageNum=2&pageSize=10', { query: 'x', pageNum: 2, pageSize: 10 }],
        ['query=x&pageNum=-2&pageSize=-7', { query: 'x', pageNum: -2, pageSize: -7 }],
        ['query=x&pageSize=0', { query: 'x', pageSize: 0 }],
        ['ids&query=x', { query: 'x', type: 'id' }],
        ['ids=True&query=x', { query: 'x', type: 'id' }],
        ['ids=False&query=x', { query: 'x' }],
        ['queryJson={"name":"foo"}', { queryJson: { name: 'foo' } }],
        ['query=x&sortFields=/n x DESC,id', { query: 'x', sortFields: '/n x DESC,id' }],
        ['query=x&sortFields=[{"name":"/n","reverse":true}]', { query: 'x', sortFields: [{ name: '/n', reverse: true }] }],
        ['query=x&filterQueries=["a","b"]', { query: 'x', filterQueries: ['a', 'b'] }],
        ['query=x&filterQueries=a:b', { query: 'x', filterQueries: ['a:b'] }],
        ['query=x&facets=[{"field":"type","maxBuckets":3}]', { query: 'x', facets: [{ field: 'type', maxBuckets: 3 }] }],
        ['query=x&includeScore=true&includeVersions', { query: 'x', includeScore: true, includeVersions: true }],
        ['query=x&requestContext={"a":1}', { query: 'x', requestContext: { a: 1 } }],
        ['query=x&unknown=1&unknown=2', { query: 'x' }]
    ];
    for (const [text, expected] of wanted) {
        it(`passes "?${text}" on to the operation`, () => {

            const defaults = { pageNum: 0, pageSize: -1, type: 'full', includeScore: false, includeVersions: false };

            expect<unknown>(searchAttributes(query(text), searchView(query(text)))).to.equal({ ...defaults, ...expected });
        });
    }

    it('accepts native types in a JSON body', () => {

        const params = Params.fromJson({
            query: 'x', pageNum: 1, pageSize: 2, sortFields: [{ name: '/n' }], filterQueries: ['a'], facets: [{ field: 'type' }],
            ids: true, includeScore: true, full: false, filter: ['/a'], queryJson: null
        });

        expect<unknown>(searchAttributes(params, searchView(params))).to.equal({
            query: 'x', pageNum: 1, pageSize: 2, sortFields: [{ name: '/n' }], filterQueries: ['a'], facets: [{ field: 'type' }],
            type: 'id', includeScore: true, includeVersions: false
        });
        expect(searchView(params)).to.equal({ full: false, filter: ['/a'], pageNum: 1, pageSize: 2 });
    });

    for (const text of ['pageNum=x', 'pageSize=1.5', 'facets=["type"]', 'facets=x', 'queryJson=x',
        'sortFields=[', 'sortFields={"name":"/a"', 'filter=[1]']) {
        it(`rejects "?${text}" and names the parameter`, () => {

            const name = text.split('=')[0] as string;

            expect(() => searchAttributes(query(text), searchView(query(text)))).to.throw(new RegExp(name));
        });
    }
});

describe('a REST search record', () => {

    it('shows results in full by default', () => {

        expect<unknown>(projectResult(found('test/1', 2), page)).to.equal({
            id: 'test/1', type: 'T', content: { id: 'test/1', n: 1 }, metadata: { createdOn: 1 }, responseContext: { score: 2 },
            payloads: [{ name: 'p', size: 1 }]
        });
    });

    it('shows content only on request, with a score beside its members', () => {

        expect<unknown>(projectResult(found('test/1'), { ...page, full: false })).to.equal({ id: 'test/1', n: 1 });
        expect<unknown>(projectResult(found('test/1', 2), { ...page, full: false })).to.equal(
            { id: 'test/1', n: 1, responseContext: { score: 2 } });
    });

    it('applies the filter to the displayed form, and leaves ids unchanged', () => {

        expect<unknown>(projectResult(found('test/1'), { ...page, filter: ['/content/n', '/type'] })).to.equal(
            { type: 'T', content: { n: 1 } });
        expect<unknown>(projectResult(found('test/1'), { ...page, full: false, filter: ['/n'] })).to.equal({ n: 1 });
        expect<unknown>(projectResult('test/1', { ...page, filter: ['/n'] })).to.equal('test/1');
    });

    it('is rejected at once when the filter is not a list of pointers', () => {

        expect(() => searchRecord({ ...page, filter: ['/a', 'b'] })).to.throw('Invalid JSON Pointer b');
    });

    it('is written in the order of the interface', async () => {

        const record = { size: 2, pageSize: 5, pageNum: 1, results: ['test/1', 'test/2'] };

        expect(await textOf(page, record)).to.equal('{"pageNum":1,"pageSize":5,"size":2,"results":["test/1","test/2"]}');
    });

    it('has facets when they were requested', async () => {

        const record = { size: 0, facets: [{ field: 'type', buckets: [] }], results: [] };

        expect(await textOf(page, record)).to.equal(
            '{"pageNum":0,"pageSize":-1,"size":0,"facets":[{"field":"type","buckets":[]}],"results":[]}');
    });

    it('is the same when its results come in batches', async () => {

        const ids = Array.from({ length: 2500 }, (_, i) => `test/${i}`);
        const objects = ids.map((id) => found(id));

        const whole = await textOf(page, { size: 2500, facets: [], results: objects });
        const blocks = await textOf(page, { size: 2500, facets: [] }, objects.slice(0, 1000), [], objects.slice(1000));

        expect(blocks).to.equal(whole);
        expect((JSON.parse(whole) as { results: unknown[] }).results).to.have.length(2500);
    });
});
