/** Searching over REST and DOIP: the same answers by every form of the request, and what is refused. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_HEADERS, jsonOf, multipart } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';
import type { Received, RestService } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PLACES = {
    type: 'object', properties: { name: { type: 'string', cordra: { search: { altFieldName: 'label' } } } }
};

/** One row of the table of fields each: a query that finds the object of that name and nothing else. */
const FIELDS: readonly (readonly [query: string, id: string])[] = [
    ['/name:Matterhorn', 'test/peak'], ['label:matterhorn', 'test/peak'], ['/tags/_:steep', 'test/peak'], ['/routes/_/grade:hard', 'test/peak'],
    ['/height:[4478 TO 4478]', 'test/peak'], ['/height:[4477.5 TO 4478.5}', 'test/peak'], ['/first:[1865-07-14T00:00:00Z TO 1865-07-15T00:00:00Z]', 'test/peak'],
    ['/open:true', 'test/peak'], ['/nothing:null', 'test/peak'], ['/a~1b:slash', 'test/peak'], ['/a\\~1b:slash', 'test/peak'], ['/with\\ blank:x', 'test/peak'],
    ['metadata/createdBy:admin AND /name:matter*', 'test/peak'], ['userMetadata/batch:b-3', 'test/peak'], ['userMetadata/list/_:seven', 'test/peak'],
    ['id:test/peak', 'test/peak'], ['id:TEST/PEAK', 'test/peak'], ['type:place', 'test/peak'], ['type:PLACE AND createdBy:admin', 'test/peak'],
    ['modifiedBy:admin AND /height:*', 'test/peak'], ['aclRead:"test/someone"', 'test/peak'], ['acl/readers/_:test/someone', 'test/peak'],
    ['aclWrite:missing AND type:place', 'test/peak'], ['acl/writers/_:test/ann', 'test/other'], ['username:ANN', 'test/ann'], ['users:test/ann', 'test/group'],
    ['internal.pointsAt:test/ann', 'test/group'], ['schemaName:place', 'test/schema'], ['javaScriptModuleName:/lib', 'test/module'],
    ['objcreated:[2000 TO 2900] AND /height:4478', 'test/peak'], ['objmodified:[20000101 TO *] AND type:place', 'test/peak'],
    ['dtindexed:[2000 TO 2900] AND type:place', 'test/peak'], ['txnId:[1 TO *] AND type:place', 'test/peak'], ['valid:true AND type:place', 'test/peak'],
    ['elname_topo%5Fmap:true', 'test/peak'], ['elatt_topo%255Fmap_filename:topo.png', 'test/peak'], ['elatt_topo%255Fmap_mimetype:"image/png"', 'test/peak'],
    ['elatt_topo%255Fmap_mimetype:image/png', 'test/peak'], ['elatt_topo%255Fmap_mimetype:IMAGE', 'test/peak'], ['elatt_topo%255Fmap_mimetype:png', 'test/peak'],
    ['elatt_topo%255Fmap_internal.size:3', 'test/peak'], ['elatt_topo%5Fmap_internal.size:3', 'test/peak'], ['elatt_topo%5Fmap_filename:topo.png', 'test/peak'],
    ['elname_site_plan:true', 'test/peak'], ['elatt_site_plan_filename:site.svg', 'test/peak'], ['elatt_site_plan_mimetype:svg', 'test/peak'],
    ['elatt_site_plan_internal.size:5', 'test/peak'], ['elatt_site%5Fplan_filename:site.svg', 'test/peak'], ['elatt_site%5Fplan_internal.size:5', 'test/peak'],
    ['payloadIndexState:indexComplete AND type:place', 'test/peak'],
    ['objatt_type:place', 'test/peak'], ['objatt_createdBy:admin AND type:place', 'test/peak'], ['internal.all:"no such route" AND type:place', 'test/peak'],
    ['topo.png', 'test/peak'], ['facet_/name:"Matterhorn"', 'test/peak'], ['+type:place -/name:eiger', 'test/peak'], ['"such no"~2', 'test/peak'],
    ['h?rnli', 'test/peak'], ['*ttlespitz', 'test/peak'], ['matterhrn~', 'test/peak'], ['(steep hard)^2 AND -type:Document', 'test/peak'],
    ['*:* -/author:* AND type:Document AND /n:[* TO *]', 'test/other']
];

const BAD: readonly (readonly [line: string, message: RegExp])[] = [
    ['GET /search', /Missing query/], ['GET /search?query=', /Missing query/], ['GET /search?query=a%20AND', /^Query parse failure at character 6/],
    ['GET /search?query=(((', /^Query parse failure at character 4/], ['GET /search?query=%22open', /^Query parse failure at character/],
    ['GET /search?query=/n:[1%20to%202]', /^Query parse failure at character/], ['GET /search?query=a&pageNum=x', /pageNum/],
    ['GET /search?query=a&pageSize=1.5', /pageSize/], ['GET /search?query=a&pageSize=99999999999999999999', /pageSize/],
    ['GET /search?query=a&facets=type', /facets/],
    ['GET /search?query=a&sortFields={"name":"/n"}', /sortFields must be/],
    ['GET /search?query=nothing_at_all&filter=x', /Invalid JSON Pointer x/], ['GET /search?query=nothing_at_all&filter=["/~2"]', /Invalid JSON Pointer/],
    ['GET /search?query=a&facets=[{}]', /field/], ['GET /search?query=a&sortFields=[1]', /sortFields/], ['GET /search?query=a&filter=[1]', /filter|Invalid JSON Pointer/],
    ['GET /search?query=a&filterQueries=["("]', /^Query parse failure/], ['GET /search?queryJson=x', /queryJson/], ['GET /search?queryJson=[]', /queryJson/],
    [`GET /search?query=${'a%20'.repeat(5000)}`, /more than \d+ clauses/]
];

const DOIP = '/doip?operationId=0.DOIP/Op.Search&targetId=service&';

/** Every attribute that is no other form of one. */
const WISHES = [
    'query=type:(Document%20Place)', 'query=*:*%20-type:User&pageSize=0', 'query=*:*&pageSize=2&pageNum=1&sortFields=id', 'query=*:*&pageSize=-1&sortFields=id%20DESC',
    'query=*:*&sortFields=type%20DESC,id', 'query=*:*&sortFields=[{"name":"type","reverse":true},{"name":"id"}]', 'query=*:*&sortFields=id&filterQueries=["type:Place"]',
    'query=*:*&sortFields=id&facets=[{"field":"type"},{"field":"createdBy","maxBuckets":1}]', 'query=kuttlespitz&includeScore=true', 'query=*:*&sortFields=id&includeVersions=true',
    'queryJson={"name":"Matterhorn"}'
];

forEachWay((name, start, protocol) => {

    describe(`searches on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start();
            await service.create('Schema', { identifier: 'Place', name: 'Place', schema: PLACES }, 'handle=test/schema');
            await service.create('User', { username: 'ann', password: 'password of ann' }, 'handle=test/ann');
            await service.create('Group', { groupName: 'g', description: 'd', users: ['test/ann'] }, 'handle=test/group');
            const modules = { type: 'object', properties: { directory: { type: 'string', cordra: { referrable: { id: true, payloads: 'scripts' } } } } };
            await service.create('Schema', { identifier: 'Modules', name: 'Modules', schema: modules }, 'handle=test/modules');
            await service.create('Modules', { directory: '/lib' }, 'handle=test/module');
            const stored = await service.asAdmin('POST /objects?type=Place&handle=test/peak', multipart(
                { name: 'content', value: JSON.stringify({
                    name: 'Matterhorn', tags: ['steep', 'Kuttlespitz'], routes: [{ grade: 'easy', by: 'Hörnli' }, { grade: 'hard', by: 'harnli no such route' }],
                    height: 4478, first: '1865-07-14T13:40:00+01:00', open: true, nothing: null, 'a/b': 'slash', 'with blank': 'x'
                }) },
                { name: 'acl', value: JSON.stringify({ readers: ['test/someone'] }) },
                { name: 'userMetadata', value: JSON.stringify({ batch: 'b-3', list: ['seven'] }) },
                { name: 'topo%5Fmap', value: 'png', filename: 'topo.png', type: 'image/png' },
                { name: 'site_plan', value: '<svg>', filename: 'site.svg', type: 'image/svg+xml' }
            ));
            expect(stored.statusCode, stored.payload).to.equal(200);
            await service.create('Document', { n: 1, text: 'other' }, 'handle=test/other');
            await service.asAdmin('PUT /acls/test/other', { payload: JSON.stringify({ writers: ['test/ann'] }) });
        });

        after(() => service.stop());

        for (const [query, id] of FIELDS) {
            it(`find ${id} by ${query}`, async () => {

                const response = await service.asAdmin(`GET /search?ids&query=${encodeURIComponent(query)}`);
                expect(response.statusCode, response.payload).to.equal(200);
                expect<unknown>(jsonOf(response)['results']).to.equal([id]);
            });
        }

        it('give the same response to every form of the request', async () => {

            const wish = { query: 'type:(Document Place)', sortFields: 'type DESC,id', pageSize: '1', facets: '[{"field":"type"}]', includeScore: 'true' };
            const form = new URLSearchParams(wish).toString();
            const json = { ...wish, pageSize: 1, facets: [{ field: 'type' }], includeScore: true, sortFields: [{ name: 'type', reverse: true }, { name: 'id' }] };
            const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
            const responses: Received[] = [
                await service.asAdmin(`GET /search?${form}`), await service.asAdmin(`GET /search/?${form}`), await service.asAdmin(`GET /objects/?${form}`),
                await service.asAdmin(`GET /objects?${form}`), await service.asAdmin('POST /objects', { payload: form, headers: urlencoded }),
                await service.asAdmin('POST /search', { payload: form, headers: urlencoded }),
                await service.asAdmin('POST /search', { payload: JSON.stringify(json), headers: { 'content-type': 'application/json' } })
            ];
            const [first] = responses;
            expect(responses.map(({ payload }) => payload)).to.equal(responses.map(() => first?.payload));
            const record = jsonOf(first ?? { payload: '' }) as { results: { id: string; responseContext: { score: number } }[]; facets: { buckets: { filterQuery: string }[] }[] };
            expect(Object.keys(record)).to.equal(['pageNum', 'pageSize', 'size', 'facets', 'results']);
            expect(record).to.include({ pageNum: 0, pageSize: 1, size: 2 });
            expect(record.results.map(({ id }) => id)).to.equal(['test/peak']);
            expect(record.results[0]?.responseContext.score ?? 0).to.be.above(0);

            const doip = await service.asAdmin(`GET /doip?operationId=0.DOIP/Op.Search&targetId=service&${form}`);
            const { size, results, facets } = jsonOf(doip) as { size: number; results: { id: string }[]; facets: unknown };
            expect<unknown>({ size, ids: results.map(({ id }) => id), facets }).to.equal({ size: 2, ids: ['test/peak'], facets: record.facets });

            for (const { filterQuery } of record.facets[0]?.buckets ?? []) {
                const filtered = await service.asAdmin(`GET /search?pageSize=0&query=*&filterQueries=${encodeURIComponent(JSON.stringify([filterQuery, 'type:(Document Place)']))}`);
                expect(jsonOf(filtered)).to.equal({ pageNum: 0, pageSize: 0, size: 1, results: [] });
            }
        });

        it('show content only with the score beside its members, or a part of it', async () => {

            const bare = await service.asAdmin('GET /search?query=matterhorn&full=false&includeScore');
            const [content] = jsonOf(bare)['results'] as { name: string; responseContext: { score: number } }[];
            expect(content?.name).to.equal('Matterhorn');
            expect(content?.responseContext.score ?? 0).to.be.above(0);

            const part = await service.asAdmin(`GET /search?query=matterhorn&full=false&filter=['/name']`);
            expect<unknown>(jsonOf(part)['results']).to.equal([{ name: 'Matterhorn' }]);
        });

        for (const [line, message] of BAD) {
            it(`reject ${line.slice(0, 70)}`, async () => {

                for (const asked of [line, line.replace(/\/search\??/, DOIP)]) {
                    const response = await service.asAdmin(asked);
                    expect(response.statusCode, response.payload).to.equal(400);
                    expect(jsonOf(response)['message'], asked).to.match(message);
                }
            });
        }

        for (const wish of WISHES) {
            it(`return the same by DOIP as by REST: ${wish}`, async () => {

                const rest = jsonOf(await service.asAdmin(`GET /search?ids&${wish}`));
                const doip = jsonOf(await service.asAdmin(`GET ${DOIP}type=id&${wish}`));
                expect<unknown>([doip['size'], doip['results'], doip['facets']]).to.equal([rest['size'], rest['results'], rest['facets']]);
                expect(doip['size'] as number).to.be.above(0);
                const full = jsonOf(await service.asAdmin(`GET ${DOIP}type=full&${wish}`));
                const idOf = (result: unknown): unknown => (result as { id?: unknown }).id ?? result;
                expect<unknown>((full['results'] as unknown[]).map(idOf)).to.equal((rest['results'] as unknown[]).map(idOf));
            });
        }

        it('reject other text for JSON', async () => {

            for (const payload of ['{"query":', 'query', '[1]']) {
                const response = await service.asAdmin('POST /search', { payload, headers: { 'content-type': 'application/json' } });
                expect(response.statusCode, payload).to.equal(400);
            }
        });

        it('find versions on request only', async () => {

            await service.create('Document', { versioned: 'yes' }, 'handle=test/tip');
            expect((await service.asAdmin('POST /versions?objectId=test/tip&versionId=test/v1')).statusCode).to.equal(200);
            const idsOf = async (more: string): Promise<unknown> => jsonOf(await service.asAdmin(`GET /search?ids&sortFields=id&query=/versioned:yes${more}`))['results'];
            expect(await idsOf('')).to.equal(['test/tip']);
            expect(await idsOf('&includeVersions')).to.equal(['test/tip', 'test/v1']);
            expect(await idsOf('&includeVersions&filterQueries=["versionOf:test/tip"]')).to.equal(['test/v1']);
        });

        it('return all results for a page size of 0 if the design says so', async () => {

            const { content } = jsonOf(await service.asAdmin('GET /objects/design?full')) as { content: object };
            const change = async (flag: boolean): Promise<void> => {

                const payload = JSON.stringify({ ...content, useLegacySearchPageSizeZeroReturnsAll: flag });
                expect((await service.asAdmin('PUT /objects/design', { payload })).statusCode).to.equal(200);
            };

            const count = async (path: string): Promise<number> => (jsonOf(await service.asAdmin(`GET ${path}query=type:place&pageSize=0`))['results'] as unknown[]).length;
            const counts = async (): Promise<number[]> => [await count('/search?'), await count(DOIP)];
            expect(await counts()).to.equal([0, 0]);
            await change(true);
            expect(await counts()).to.equal([1, 1]);
            await change(false);
            expect(await counts()).to.equal([0, 0]);
        });

        if (protocol === 'http/1.1') {
            it('without a limit omit concurrent changes, and end when the client disconnects', async () => {

                const long = 'x'.repeat(60_000);
                for (let n = 0; n < 120; ++n) {
                    await service.create('Document', { many: n, long }, `handle=test/many${n}`);
                }

                const request = `GET /search?query=/many:*&sortFields=/many HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${ADMIN_HEADERS.authorization}\r\n\r\n`;
                const socket = connect(service.port, '127.0.0.1');
                socket.write(request);
                await once(socket, 'readable');
                // Nothing more is read while the last one is deleted: it cannot have been sent yet, as buffers are smaller.
                expect((await service.asAdmin('DELETE /objects/test/many119')).statusCode).to.equal(200);
                let text = '';
                for await (const chunk of socket as AsyncIterable<Buffer>) {
                    text += chunk.toString('latin1');
                }

                expect(text.startsWith('HTTP/1.1 200')).to.be.true();
                expect(text).to.contain('"size":120').and.to.contain('"many":118').and.to.not.contain('"many":119,');

                // Four may run at a time for one caller: those whose client went away do not count.
                for (let i = 0; i < 8; ++i) {
                    const leaving = connect(service.port, '127.0.0.1');
                    leaving.write(request);
                    await once(leaving, 'readable');
                    leaving.destroy();
                }

                await until(async () => (await service.asAdmin('GET /search?ids&query=/many:*')).statusCode === 200);
            });
        }
    });
});
