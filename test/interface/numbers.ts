/** Interface specification, "Resources and their fields": content comes back as it was sent, and so do its numbers. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };
const NUMBERS = '"g":1795353533548123457,"e":1.10,"a":123456789.123456789,"b":[9007199254740993,1.0,{"c":-0}],"d":1E-7,"f":4.9e-324';
const CONTENT = `{"name":"x",${NUMBERS}}`;
const USER_METADATA = '{"weight":2.50,"ns":[1795353533548123457]}';
const SCHEMA = '{"type":"object","properties":{"name":{"type":"string"},"g":{"type":"integer"},"e":{"type":"number","maximum":1.1}}}';
const HOOKS = `
exports.beforeSchemaValidation = (object) => { object.content.seen = object.content.e; return object; };
exports.onObjectResolution = (object) => { object.content.shown = true; return object; };
exports.methods = { rename(object, context) { object.content.name = context.params.name; return object.content.e; } };
exports.staticMethods = { touch(context) {
    const cordra = require('cordra');
    const object = cordra.get(context.params.id);
    object.content.name = 'touched';
    return cordra.update(object).content.e;
} };`;

onEveryDatabase((name, start) => {

    describe(`numbers on ${name}`, () => {

        let service: RestService;
        let count = 0;
        const create = async (type = 'Any'): Promise<string> => {

            const id = `test/n${++count}`;
            const { statusCode, payload } = await service.asAdmin(`POST /objects?type=${type}&handle=${id}`, multipart(
                { name: 'content', value: CONTENT }, { name: 'userMetadata', value: USER_METADATA }));
            expect(statusCode, payload).to.equal(200);
            return id;
        };

        const text = async (line: string, payload?: string): Promise<string> => {

            const response = await service.asAdmin(line, payload === undefined ? {} : { payload, headers: JSON_TYPE });
            expect(response.statusCode, response.payload).to.equal(200);
            return response.payload;
        };

        before(async () => {

            service = await start();
            await text('PUT /schemas/Any', SCHEMA);
            const schema = JSON.parse(SCHEMA.replace('"maximum":1.1', '"cordra":{"search":{"altFieldName":"price"}}')
                .replace('"g"', '"b":{"cordra":{"search":{"altFieldName":"all"}}},"g"')) as object;
            await text('POST /objects?type=Schema', JSON.stringify({ name: 'Indexed', schema, javascript: 'exports.objectForIndexing = (object) => object;' }));
            await text('POST /objects?type=Schema', JSON.stringify({ name: 'Coded', schema: JSON.parse(SCHEMA) as object, javascript: HOOKS }));
        });

        after(() => service.stop());

        it('are returned as sent, by REST and by DOIP', async () => {

            const id = await create();

            expect(await text(`GET /objects/${id}`)).to.equal(CONTENT);
            const full = await text(`GET /objects/${id}?full`);
            expect(full).to.include(`"content":${CONTENT}`);
            expect(full).to.include(`"userMetadata":${USER_METADATA}`);
            expect(await text(`GET /objects/${id}?full&pretty`)).to.include('"e": 1.10,\n').and.include('"weight": 2.50,\n');
            const doip = await text(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}`);
            expect(doip).to.include(CONTENT).and.include(USER_METADATA);
            expect(await text(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}&includeElementData=true`)).to.include(CONTENT);
        });

        it('are returned in responses to create and update', async () => {

            expect(await text('POST /objects?type=Any', CONTENT)).to.equal(CONTENT);
            expect(await text('POST /objects?type=Any&full', CONTENT)).to.include(CONTENT);
            const id = await create();
            expect(await text(`PUT /objects/${id}`, CONTENT.replace('1.10', '1.100'))).to.equal(CONTENT.replace('1.10', '1.100'));
            const input = `{"attributes":{"content":${CONTENT}}}`;
            expect(await text(`POST /doip?operationId=0.DOIP/Op.Update&targetId=${id}`, input)).to.include(CONTENT);
        });

        it('stay unchanged when a pointer changes another property, or a payload is added', async () => {

            const id = await create();
            await text(`PUT /objects/${id}?jsonPointer=/name`, '"y"');
            const renamed = CONTENT.replace('"x"', '"y"');

            expect(await text(`GET /objects/${id}`)).to.equal(renamed);
            await text(`PUT /objects/${id}?jsonPointer=/b/2/d`, '1');
            await text(`DELETE /objects/${id}?jsonPointer=/b/2/d`);
            expect(await text(`GET /objects/${id}`)).to.equal(renamed);
            await service.asAdmin(`PUT /objects/${id}`, multipart(
                { name: 'content', value: renamed }, { name: 'p', value: 'x', filename: 'p.txt' }));
            await text(`DELETE /objects/${id}?payload=p`);
            await text(`PUT /acls/${id}`, '{"readers":["public"]}');
            expect(await text(`GET /objects/${id}`)).to.equal(renamed);
            expect(await text(`GET /objects/${id}?full`)).to.include(USER_METADATA);
            await text(`DELETE /objects/${id}?jsonPointer=/b/0`);
            expect(await text(`GET /objects/${id}`)).to.equal(renamed.replace('9007199254740993,', ''));
        });

        it('can be set and read by a pointer', async () => {

            const id = await create();

            expect(await text(`GET /objects/${id}?jsonPointer=/a`)).to.equal('123456789.123456789');
            expect(await text(`GET /objects/${id}?jsonPointer=/e&text`)).to.equal('1.10');
            expect(await text(`GET /objects/${id}?full&jsonPointer=/userMetadata/weight`)).to.equal('2.50');
            expect(await text(`PUT /objects/${id}?jsonPointer=/e`, ' 0.10 ')).to.equal('0.10');
            expect(await text(`PUT /objects/${id}?jsonPointer=/b/-`, '1e2')).to.equal('1e2');
            expect(await text(`GET /objects/${id}`)).to.equal(CONTENT.replace('1.10', '0.10').replace('-0}]', '-0},1e2]'));
            expect(await text(`PUT /objects/${id}?jsonPointer=/e`, '0.1')).to.equal('0.1');
            await text(`POST /doip?operationId=0.DOIP/Op.Update&targetId=${id}&jsonPointer=/e`, '{"attributes":{"contentAtPointer":1.00}}');
            expect(await text(`GET /objects/${id}?jsonPointer=/e`)).to.equal('1.00');
        });

        it('are returned in search results, filters, versions and relationships', async () => {

            const id = await create();
            const query = `/search?query=id:${encodeURIComponent(`"${id}"`)}`;
            await until(async () => jsonOf(await service.asAdmin(`GET ${query}&ids`))['size'] === 1);

            expect(await text(`GET ${query}`)).to.include(`"content":${CONTENT}`).and.include(USER_METADATA);
            expect(await text(`GET ${query}&full=false`)).to.include(CONTENT);
            expect(await text(`GET ${query}&full=false&includeScore`)).to.include(CONTENT.slice(0, -1));
            expect(await text(`GET ${query}&filter=["/content/b/_/c","/content/b/1","/content/e"]`)).to.include('{"content":{"e":1.10,"b":[1.0,{"c":-0}]}}');
            expect(await text(`GET /objects/${id}?filter=["/b/_"]`)).to.equal('{"b":[9007199254740993,1.0,{"c":-0}]}');
            expect(await text(`GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=id:${encodeURIComponent(`"${id}"`)}`)).to.include(CONTENT);
            expect(await text(`GET /relationships/${id}`)).to.include(CONTENT);
            const version = jsonOf({ payload: await text(`POST /versions?objectId=${id}&versionId=${id}v`) })['id'];
            expect(await text(`GET /objects/${String(version)}`)).to.equal(CONTENT);
        });

        it('are found by their value as doubles', async () => {

            const id = await create();
            const found = async (query: string): Promise<string> => text(`GET /search?ids&query=${encodeURIComponent(query)}`);

            await until(async () => (await found('/e:[1.1 TO 1.1]')).includes(`"${id}"`));
            expect(await found('/g:[1795353533548123000 TO 1795353533548124000]')).to.include(`"${id}"`);
        });

        for (const type of ['Any', 'Indexed']) {
            it(`are found as they were sent, and as JavaScript writes them, among objects of the type ${type}`, async () => {

                const id = await create(type);
                for (const [query, isFound] of [
                    ['/g:1795353533548123457', true], ['/g:1795353533548123400', false], ['/e:1.10', true], ['/e:1.1', true], ['/e:1.100', false],
                    ['/b/_:9007199254740993', true], ['/b/_:9007199254740992', false], ['/b/_:1.0', true], ['/b/_:1', true], ['/d:1e-7', true],
                    ['userMetadata/weight:2.50', true], ['userMetadata/ns/_:1795353533548123457', true], ['price:1.10', type === 'Indexed'], ['all:9007199254740993', type === 'Indexed']
                ] as const) {
                    const found = await text(`GET /search?ids&query=${encodeURIComponent(`+${query} +id:"${id}"`)}`);
                    expect(jsonOf({ payload: found })['size'], query).to.equal(isFound ? 1 : 0);
                }
            });
        }

        it('are kept by batches and uploads', async () => {

            const item = (id: string): string => `{"id":"${id}","type":"Any","content":${CONTENT},"userMetadata":${USER_METADATA}}`;
            expect(await text('POST /batchUpload', `[${item('test/batch1')}]`)).to.include(CONTENT);
            const lines = await service.asAdmin('POST /batchUpload?format=ndjson', { payload: `${item('test/batch2')}\n` });
            expect(lines.payload).to.include(CONTENT);
            const doip = '/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service';
            expect(await text(`POST ${doip}`, `[${item('test/batch3')}]`)).to.include(CONTENT);
            await text('PUT /uploadObjects', `{"results":[${item('test/upload')}]}`);
            for (const id of ['test/batch1', 'test/batch2', 'test/batch3', 'test/upload']) {
                expect(await text(`GET /objects/${id}?full`)).to.include(CONTENT).and.include(USER_METADATA);
            }
        });

        it('are kept when the code of a type does not change them', async () => {

            const id = await create('Coded');
            const stored = CONTENT.slice(0, -1);

            expect(await text(`GET /objects/${id}`)).to.equal(`${stored},"seen":1.1,"shown":true}`);
            expect(await text(`GET /objects/${id}?full`)).to.include(USER_METADATA);
            expect(await text(`POST /call?objectId=${id}&method=rename`, '{"name":"y"}')).to.equal('1.1');
            expect(await text(`GET /objects/${id}`)).to.startWith(stored.replace('"x"', '"y"'));
            expect(await text('POST /call?type=Coded&method=touch', `{"id":"${id}"}`)).to.equal('1.1');
            expect(await text(`GET /objects/${id}`)).to.startWith(stored.replace('"x"', '"touched"'));
        });

        it('are returned in schemas', async () => {

            const schema = '{"type":"object","properties":{"n":{"multipleOf":0.10,"maximum":1e3,"default":1.00}}}';
            await text('PUT /schemas/Numbered', schema);

            expect(await text('GET /schemas/Numbered')).to.equal(schema);
            const { payload } = await service.asAdmin('POST /objects?type=Numbered', { payload: '{"n":0.25}' });
            expect(payload).to.include('/n');
        });

        it('are validated as doubles', async () => {

            const refused = await service.asAdmin('POST /objects?type=Any', { payload: '{"e":1.10000000000000000000001}' });
            const tooLarge = await service.asAdmin('POST /objects?type=Any', { payload: '{"e":1.2000}' });

            expect(refused.statusCode).to.equal(200);
            expect(tooLarge.statusCode).to.equal(400);
        });

        it('are rejected beyond the range of doubles, and with more than a thousand characters', async () => {

            for (const number of ['1e400', '-1e309', `0.${'1'.repeat(999)}`]) {
                const response = await service.asAdmin('POST /objects?type=Any', { payload: `{"x":{"y":${number}}}` });
                expect(response.statusCode).to.equal(400);
                expect(response.payload).to.include('/x/y');
            }
        });
    });
});
