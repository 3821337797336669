/** Entity tags and preconditions, over REST and DOIP: two editors do not overwrite each other, and a client does not read again what it has. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachWay } from '../support/rest-service.js';
import { jsonOf, multipart } from '../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };

/** The tag of a response without its quotes. */
function tagOf({ headers }: Received): string {

    return /^"(\d+)(?:-gzip)?"$/.exec(String(headers['etag']))?.[1] ?? `none: ${String(headers['etag'])}`;
}

/** The request headers by which a response varies. */
function varied({ headers }: Received): string[] {

    return String(headers['vary']).split(',').map((name) => name.trim()).sort();
}

forEachWay((name, start) => {

    describe(`entity tags on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let id = '';
        let path = '';
        let tag = '';

        before(async () => {

            service = await start();
            await service.create('Schema', { name: 'Resolved', schema: { type: 'object' }, javascript:
                'exports.onObjectResolution = (object) => { object.content.seen = true; return object; };' });
        });

        beforeEach(async () => {

            id = `test/${++count}`;
            path = `/objects/${id}`;
            const { metadata } = await service.create('Document', { name: 'first' }, `handle=${id}`) as unknown as { metadata: { txnId: number } };
            tag = String(metadata.txnId);
        });

        after(() => service.stop());

        const put = async (to: string, content: object, headers: Record<string, string> = {}): Promise<Received> =>
            service.asAdmin(`PUT ${to}`, { payload: JSON.stringify(content), headers: { ...JSON_TYPE, ...headers } });
        const nameNow = async (): Promise<unknown> => jsonOf(await service.asAdmin(`GET ${path}`))['name'];

        it('are the transaction number of the object in every form', async () => {

            const form = multipart({ name: 'content', value: '{"name":"with a file"}' }, { name: 'scan', filename: 'scan.txt', value: 'bytes' });
            const written = await service.asAdmin(`PUT ${path}?full`, form);
            const { metadata } = jsonOf(written) as { metadata: { txnId: number } };
            for (const form of ['', '?full', '?jsonPointer=/name', '?filter=["/name"]', '?payload=scan', '?payload=scan&metadata']) {
                for (const method of ['GET', 'HEAD']) {
                    expect(tagOf(await service.asAdmin(`${method} ${path}${form}`)), form).to.equal(String(metadata.txnId));
                }
            }

            expect(tagOf(written)).to.equal(String(metadata.txnId));
            expect(tagOf(await service.asAdmin(`GET /acls/${id}`))).to.equal(String(metadata.txnId));
            expect(tagOf(await service.asAdmin(`GET /doip/0.DOIP/Op.Retrieve?targetId=${id}`))).to.equal(String(metadata.txnId));
            expect(String((await service.asAdmin(`GET ${path}`)).headers['vary'])).to.match(/authorization/).and.match(/cookie/).and.match(/as-user/);
        });

        it('are absent where the response depends on more than the object', async () => {

            await service.create('Resolved', {}, `handle=${id}-resolved`);
            const lines = [
                `GET ${path}?full&includeResponseContext`, `GET ${path}-resolved`, `GET ${path}-resolved?jsonPointer=/seen`, `GET /search?query=id:"${id}"`,
                `GET /schemas`, `GET ${path}-none`
            ];
            for (const line of lines) {
                expect((await service.asAdmin(line)).headers['etag'], line).to.be.undefined();
            }

            expect((await put(`${path}?dryRun`, { name: 'rehearsed' })).headers['etag']).to.be.undefined();
            expect((await service.asAdmin(`GET /doip/0.DOIP/Op.Retrieve?targetId=${id}&includeElementData=true`)).headers['etag']).to.be.undefined();
        });

        const FRESH: readonly (readonly [header: (tag: string) => string, status: number])[] = [
            [(seen) => `"${seen}"`, 304], [(seen) => `W/"${seen}"`, 304], [(seen) => `"other", "${seen}"`, 304], [(seen) => `"${seen}-gzip"`, 304],
            [() => '*', 304], [() => '"other"', 200], [(seen) => seen, 200], [(seen) => `"${seen}`, 200], [() => '"*"', 200], [() => '', 200]
        ];

        it('spare clients what they have', async () => {

            await service.asAdmin(`PUT ${path}`, multipart({ name: 'content', value: '{"name":"x"}' }, { name: 'scan', filename: 'scan.txt', value: 'bytes' }));
            const now = tagOf(await service.asAdmin(`GET ${path}`));
            for (const [header, status] of FRESH) {
                for (const line of [`GET ${path}`, `GET ${path}?payload=scan`, `HEAD ${path}?full`, `GET /acls/${id}`, `GET /doip/0.DOIP/Op.Retrieve?targetId=${id}`]) {
                    const response = await service.asAdmin(line, { headers: { 'if-none-match': header(now) } });
                    expect([response.statusCode, response.payload === ''], `${line} ${header(now)}`).to.equal([status, status === 304 || line.startsWith('HEAD')]);
                    expect(tagOf(response)).to.equal(now);
                }
            }
        });

        it('show nothing to those who may not read', async () => {

            await put(`/acls/${id}`, { readers: [], writers: [] });
            const now = tagOf(await service.asAdmin(`GET ${path}`));
            for (const seen of [now, '*']) {
                const response = await service.anonymously(`GET ${path}`, { headers: { 'if-none-match': seen === '*' ? '*' : `"${seen}"` } });
                expect([response.statusCode, response.headers['etag']]).to.equal([401, undefined]);
            }

            expect((await service.anonymously(`PUT ${path}`, { payload: '{}', headers: { ...JSON_TYPE, 'if-match': '"0"' } })).statusCode).to.equal(401);
        });

        it('let one of two editors through', async () => {

            const first = await put(path, { name: 'by one' }, { 'if-match': `"${tag}"` });
            const second = await put(path, { name: 'by the other' }, { 'if-match': `"${tag}"` });

            expect([first.statusCode, second.statusCode]).to.equal([200, 412]);
            expect((jsonOf(second) as { message: string }).message).to.equal(`object ${id} has another version than the request demands: read it again`);
            expect(await nameNow()).to.equal('by one');
            expect((await put(path, { name: 'by the other' }, { 'if-match': `"${tagOf(first)}"` })).statusCode).to.equal(200);
        });

        it('let exactly one of many through at the same time', async () => {

            const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => put(path, { name: `editor ${n}` }, { 'if-match': `"${tag}"` })));

            const codes = responses.map(({ statusCode }) => statusCode);
            expect(codes.filter((code) => code === 200).length, codes.join()).to.equal(1);
            expect(codes.filter((code) => code === 412).length, codes.join()).to.equal(11);
            expect(await nameNow()).to.equal(`editor ${codes.indexOf(200)}`);
        });

        const PRECONDITIONS: readonly (readonly [header: string, value: (tag: string) => string, holds: boolean])[] = [
            ['if-match', (seen) => `"${seen}"`, true], ['if-match', (seen) => `"1", "${seen}"`, true], ['if-match', () => '*', true],
            ['if-match', () => '"1"', false], ['if-match', () => '', false], ['if-match', (seen) => seen, false], ['if-match', () => '"*"', false],
            ['if-none-match', () => '*', false], ['if-none-match', (seen) => `"${seen}"`, false], ['if-none-match', () => '"1"', true],
            ['if-match', (seen) => `"${seen}-gzip"`, true], ['if-match', (seen) => `W/"${seen}-zstd"`, true]
        ];
        const WRITES: readonly (readonly [title: string, line: (path: string) => string, payload?: string])[] = [
            ['an update', (to) => `PUT ${to}`, '{"name":"new"}'],
            ['an update of a part', (to) => `PUT ${to}?jsonPointer=/name`, '"new"'],
            ['an update that is rehearsed', (to) => `PUT ${to}?dryRun`, '{"name":"new"}'],
            ['a deletion of a part', (to) => `DELETE ${to}?jsonPointer=/name`],
            ['a deletion', (to) => `DELETE ${to}`],
            ['a change of rights', (to) => `PUT ${to.replace('/objects/', '/acls/')}`, '{"readers":["public"]}']
        ];

        for (const [title, line, payload] of WRITES) {
            it(`are the condition of ${title}`, async () => {

                const body = payload === undefined ? {} : { payload };
                for (const [header, value, holds] of PRECONDITIONS) {
                    const own = `${id}-${PRECONDITIONS.findIndex((each) => each[1] === value)}`;
                    const { metadata } = await service.create('Document', { name: 'first' }, `handle=${own}`) as unknown as { metadata: { txnId: number } };
                    const headers: Record<string, string> = { ...payload === undefined ? {} : JSON_TYPE, [header]: value(String(metadata.txnId)) };

                    const response = await service.asAdmin(line(`/objects/${own}`), { ...body, headers });

                    expect(response.statusCode, `${header}: ${headers[header] ?? ''}`).to.equal(holds ? 200 : 412);
                    if (!holds) {
                        expect(tagOf(await service.asAdmin(`GET /objects/${own}`))).to.equal(String(metadata.txnId));
                    }
                }
            });
        }

        it('are the condition under which a version is published', async () => {

            const publish = async (ifMatch: string): Promise<number> => (await service.asAdmin(`POST /versions?objectId=${id}`, { headers: { 'if-match': ifMatch } })).statusCode;
            const count = async (): Promise<number> => (JSON.parse((await service.asAdmin(`GET /versions?objectId=${id}`)).payload) as unknown[]).length;

            expect([await publish('"1"'), await publish('none'), await count()]).to.equal([412, 412, 1]);
            expect([await publish(`"${tag}"`), await publish(`"1", "${tag}"`), await publish('*'), await count()]).to.equal([200, 200, 200, 4]);
            expect((await service.asAdmin(`GET ${path}`)).headers['etag']).to.match(new RegExp(`^"${tag}`));
        });

        it('refuse an upload before its bytes are read', async () => {

            const form = multipart({ name: 'content', value: '{"name":"new"}' }, { name: 'scan', filename: 'scan.bin', value: 'x'.repeat(1_000_000) });
            const response = await service.asAdmin(`PUT ${path}`, { ...form, headers: { ...form.headers, 'if-match': '"1"' } });

            expect(response.statusCode).to.equal(412);
            expect((await service.asAdmin(`GET ${path}?payload=scan`)).statusCode).to.equal(404);
        });

        it('are attributes of DOIP, with the status of a conflict', async () => {

            const perform = async (operation: string, ifMatch: string, payload?: JsonObject): Promise<Received> => service.asAdmin(
                `POST /doip/0.DOIP/Op.${operation}?targetId=${id}&attributes=${encodeURIComponent(JSON.stringify({ ifMatch }))}`,
                payload ? { payload: JSON.stringify(payload), headers: JSON_TYPE } : {});
            const update = { attributes: { content: { name: 'new' } } };

            const wrong = await perform('Update', '1', update);
            expect([wrong.statusCode, String(wrong.headers['doip-response'])]).to.equal([412, JSON.stringify({
                status: '0.DOIP/Status.105', attributes: { message: `object ${id} has another version than the request demands: read it again` }
            })]);
            const right = await perform('Update', tag, update);
            expect([right.statusCode, await nameNow()]).to.equal([200, 'new']);
            expect((await perform('Delete', tag)).statusCode).to.equal(412);
            expect((await perform('Delete', tagOf(right))).statusCode).to.equal(200);
        });

        it('are headers of DOIP over HTTP too', async () => {

            const perform = async (operation: string, ifMatch: string): Promise<number> => (await service.asAdmin(
                `POST /doip/0.DOIP/Op.${operation}?targetId=${id}`,
                { payload: '{"attributes":{"content":{"name":"new"}}}', headers: { ...JSON_TYPE, 'if-match': ifMatch } })).statusCode;

            expect([await perform('Update', '"1"'), await nameNow()]).to.equal([412, 'first']);
            expect([await perform('Update', `"${tag}"`), await nameNow()]).to.equal([200, 'new']);
        });

        it('decide whether a download goes on where it ended', async () => {

            const bytesPut = async (value: string): Promise<Received> =>
                service.asAdmin(`PUT ${path}`, multipart({ name: 'content', value: '{"name":"x"}' }, { name: 'scan', filename: 'scan.txt', value }));
            const read = async (condition: string, range = 'bytes=2-'): Promise<readonly unknown[]> => {

                const lines = [`GET ${path}?payload=scan`, `GET /doip/0.DOIP/Op.Retrieve?targetId=${id}&element=scan`];
                const answers = await Promise.all(lines.map(async (line) => service.asAdmin(line, { headers: { range, 'if-range': condition } })));
                const [first, second] = answers.map(({ statusCode, payload, headers }) => [statusCode, payload, headers['content-range'] ?? null]);
                expect(second).to.equal(first);
                return first ?? [];
            };

            const before = tagOf(await bytesPut('old bytes'));
            expect(await read(`"${before}"`)).to.equal([206, 'd bytes', 'bytes 2-8/9']);

            const after = tagOf(await bytesPut('new'));
            expect(await read(`"${after}"`)).to.equal([206, 'w', 'bytes 2-2/3']);
            for (const condition of [`"${before}"`, `W/"${after}"`, after, '*', '"*"', 'Mon, 23 Nov 2026 22:00:00 GMT']) {
                expect(await read(condition), condition).to.equal([200, 'new', null]);
            }

            // A range that only the old bytes had
            expect(await read(`"${before}"`, 'bytes=5-')).to.equal([200, 'new', null]);
            expect((await read(`"${after}"`, 'bytes=5-'))[0]).to.equal(416);
        });

        it('are those of types as well', async () => {

            const type = `Type${count}`;
            const schemas = `/schemas/${type}`;
            const schema = (title: string): object => ({ type: 'object', title });
            const titleNow = async (): Promise<unknown> => jsonOf(await service.anonymously(`GET ${schemas}`))['title'];

            expect((await put(schemas, schema('none'), { 'if-match': '*' })).statusCode).to.equal(412);
            expect((await service.anonymously(`GET ${schemas}`)).statusCode).to.equal(404);
            const created = tagOf(await put(schemas, schema('first'), { 'if-none-match': '*' }));
            expect([tagOf(await service.anonymously(`GET ${schemas}`)), await titleNow()]).to.equal([created, 'first']);
            expect((await service.anonymously(`GET ${schemas}`, { headers: { 'if-none-match': `"${created}"` } })).statusCode).to.equal(304);

            const [found] = jsonOf(await service.asAdmin(`GET /search?query=${encodeURIComponent(`type:Schema AND /name:${type}`)}`))['results'] as { metadata: { txnId: number } }[];
            expect(String(found?.metadata.txnId)).to.equal(created);

            expect((await put(schemas, schema('again'), { 'if-none-match': '*' })).statusCode).to.equal(412);
            const changed = tagOf(await put(schemas, schema('second'), { 'if-match': `"${created}"` }));
            expect([(await put(schemas, schema('lost'), { 'if-match': `"${created}"` })).statusCode, await titleNow()]).to.equal([412, 'second']);
            expect(tagOf(await service.anonymously(`GET ${schemas}`))).to.equal(changed);
            const stale = { headers: { 'if-match': `"${created}"` } };
            expect([(await service.anonymously(`DELETE ${schemas}`, stale)).statusCode, (await service.asAdmin(`DELETE ${schemas}`, stale)).statusCode])
                .to.equal([401, 412]);
            expect((await service.asAdmin(`DELETE ${schemas}`, { headers: { 'if-match': `"${changed}"` } })).statusCode).to.equal(200);
            expect((await service.anonymously('GET /schemas/Schema')).headers['etag']).to.be.undefined();
        });

        it('let one of many editors of a type through', async () => {

            const schemas = `/schemas/Crowd${count}`;
            const tag = tagOf(await put(schemas, { type: 'object' }));
            const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => put(schemas, { title: `editor ${n}` }, { 'if-match': `"${tag}"` })));
            const codes = responses.map(({ statusCode }) => statusCode);
            expect([codes.filter((code) => code === 200).length, codes.filter((code) => code === 412).length]).to.equal([1, 7]);
        });

        it('are preconditions of the items of a batch', async () => {

            const item = (name: string, more: JsonObject): JsonObject => ({ id, type: 'Document', content: { name }, ...more });
            const batch = async (form: string, items: readonly JsonObject[]): Promise<unknown[]> => {

                const { results } = jsonOf(await service.asAdmin(`POST /batchUpload?parallel=false&${form}`, {
                    payload: form === 'format=ndjson' ? items.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(items), headers: JSON_TYPE
                })) as { results: { responseCode: number }[] };
                return results.map(({ responseCode }) => responseCode);
            };

            const refused = [item('a', { ifMatch: '1' }), item('b', { ifMatch: ['1', '2'] }), item('c', { ifNoneMatch: `"${tag}"` }), item('d', { ifNoneMatch: '*' })];
            expect(await batch('', refused)).to.equal([412, 412, 412, 412]);
            expect(await nameNow()).to.equal('first');
            // The second demands the version that the first has replaced.
            expect(await batch('format=ndjson', [item('e', { ifMatch: Number(tag) }), item('f', { ifMatch: tag })])).to.equal([200, 412]);
            expect(await nameNow()).to.equal('e');
            expect(await batch('', [item('g', { ifMatch: '*', ifNoneMatch: tag })])).to.equal([200]);

            const other = `${id}-new`;
            expect(await batch('', [item('h', { id: other, ifMatch: '*' }), { type: 'Document', content: {}, ifMatch: '1' }])).to.equal([412, 412]);
            expect((await service.asAdmin(`GET /objects/${other}`)).statusCode).to.equal(404);
            expect(await batch('', [item('i', { id: other, ifNoneMatch: '*' }), item('j', { id: other, ifNoneMatch: '*' })])).to.equal([200, 412]);
            expect(await batch('', [item('k', { ifMatch: {} }), item('l', { ifNoneMatch: [[]] }), item('m', { ifMatch: [] })])).to.equal([400, 400, 412]);
            expect(await nameNow()).to.equal('g');
        });

        it('of the design change with it and with each type, and come back with the same content', async () => {

            const read = async (line = 'GET /design', headers: Record<string, string> = {}): Promise<Received> => service.anonymously(line, { headers });
            const designTag = async (): Promise<string> => String((await read()).headers['etag']);
            const first = await designTag();
            const titled = '/objects/design?jsonPointer=/uiConfig';
            const uiConfig = (jsonOf(await read()) as { uiConfig: object }).uiConfig;
            const changes: (() => Promise<Received>)[] = [
                () => put('/schemas/Tagged', { type: 'object' }), () => put('/schemas/Tagged', { type: 'object', title: 'of another form' }),
                () => put(titled, { ...uiConfig, title: 'Another' }), () => put('/schemas/Other', { type: 'object' })
            ];
            const seen = [first];
            for (const change of changes) {
                expect((await change()).statusCode).to.equal(200);
                seen.push(await designTag());
            }

            expect(new Set(seen).size).to.equal(seen.length);
            for (const line of ['GET /design', 'HEAD /design', 'GET /doip/20.DOIP/Op.GetDesign?targetId=service']) {
                const fresh = await read(line, { 'if-none-match': seen.at(-1) ?? '' });
                const stale = await read(line, { 'if-none-match': first });

                expect([fresh.statusCode, fresh.payload, fresh.headers['etag'], stale.statusCode], line).to.equal([304, '', seen.at(-1), 200]);
            }

            await put(titled, uiConfig);
            await service.asAdmin('DELETE /schemas/Other');
            await service.asAdmin('DELETE /schemas/Tagged');
            const zipped = await read('GET /design', { 'accept-encoding': 'gzip' });

            expect(String(zipped.headers['etag'])).to.equal(`${(await designTag()).slice(0, -1)}-gzip"`);
            expect((await read('GET /design', { 'accept-encoding': 'gzip', 'if-none-match': String(zipped.headers['etag']) })).statusCode).to.equal(304);
        });

        it('go with compressed bodies', async () => {

            const long = { name: 'x'.repeat(5000) };
            await put(path, long);
            const zipped = await service.asAdmin(`GET ${path}`, { headers: { 'accept-encoding': 'gzip' } });
            const etag = String(zipped.headers['etag']);

            for (const [held, expected] of [
                [etag, etag], [`W/${etag}`, etag], [`"other", ${etag}`, etag], [`"${tagOf(zipped)}"`, `"${tagOf(zipped)}"`], ['*', `"${tagOf(zipped)}"`]
            ] as const) {
                const response = await service.asAdmin(`GET ${path}`, { headers: { 'accept-encoding': 'gzip', 'if-none-match': held } });
                const doip = await service.asAdmin(`GET /doip/0.DOIP/Op.Retrieve?targetId=${id}`, { headers: { 'accept-encoding': 'gzip', 'if-none-match': held } });

                expect([response.statusCode, response.headers['etag'], varied(response)], held).to.equal([304, expected, varied(zipped)]);
                expect([doip.statusCode, doip.headers['etag'], varied(doip)], held).to.equal([304, expected, varied(zipped)]);
            }

            expect(etag).to.match(/^"\d+-gzip"$/);
            expect(varied(zipped)).to.include('accept-encoding');
            expect((await put(path, { name: 'y' }, { 'if-match': etag })).statusCode).to.equal(200);
            expect((await put(path, { name: 'z' }, { 'if-match': etag })).statusCode).to.equal(412);
        });
    });
});
