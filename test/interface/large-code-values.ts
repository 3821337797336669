/** What type code gives and asks for, with the limits of the server as it is: long results come through, and larger objects than clients may send do not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, NativeClient, serveNative } from '../support/native.js';
import { startRest, type Received, type RestService } from '../support/rest-service.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CODE = `
const cordra = require('cordra');
const grid = (rows, columns, value) => Array(rows).fill(Array(columns).fill(value));
const attempt = (work) => { try { return work(); } catch (error) { return JSON.stringify([error.message, error.response]); } };
const made = ({ rows = 0, columns = 1000, value = 1, quotes = 0, length = 0, deep = 0 }) => {
    let nested = grid(rows, columns, value);
    for (let i = 0; i < deep; ++i) { nested = [nested]; }
    return deep > 0 ? nested : quotes > 0 ? '"'.repeat(quotes) : length > 0 ? 'x'.repeat(length) : grid(rows, columns, value);
};
exports.beforeSchemaValidation = (object) => {
    if (object.content.make) { object.content.made = made(object.content.make); }
    return object;
};
exports.objectForIndexing = (object) => {
    if (object.content.index) { object.content.made = made(object.content.index); }
    return object;
};
exports.onObjectResolution = (object) => {
    if (object.content.show) { object.content.made = made(object.content.show); }
    return object;
};
exports.methods = {
    make: (object, { params }) => { object.content.made = made(params); },
    both: (object, { params }) => { object.content.made = made(params.object); return made(params.returned); },
    describe: (object, { params }) => { object.userMetadata = { made: made(params) }; },
    size: (object) => JSON.stringify(object).length
};
exports.staticMethods = {
    rows: ({ params }) => made(params),
    proto: () => { const value = { rows: grid(100, 1000, 1) }; Object.defineProperty(value, '__proto__', { value: 1, enumerable: true }); return value; },
    create: ({ params }) => attempt(() => cordra.create({ type: 'Document', content: { made: made(params) } }).id),
    update: ({ params }) => attempt(() => cordra.update({ id: 'test/known', type: 'Document', content: { made: made(params) } }).id),
    hashes: ({ params }) => attempt(() => require('cordraUtil').verifyHashes({ id: 'test/known', content: { made: made(params) } })),
    read: ({ params }) => cordra.search('type:Document AND /text:long', params).results.map(({ id }) => id)
};
for (const method of Object.values(exports.staticMethods)) { method.allowGet = true; }
`;

/** Rows of a thousand values, and how many of all of them a client may send. */
const MAX_VALUES = 20_000;
const TOO_MANY = `content holds more than the allowed ${MAX_VALUES} values`;
const FAR_TOO_MANY = 'what the code gave holds more than the allowed 50000 values';

const grid = (rows: number, value: unknown = 1): unknown[] => Array.from({ length: rows }, () => Array.from({ length: 1000 }, () => value));

describe('large values of type code', () => {

    let service: RestService;

    before(async () => {

        // Clients may send less than objects are long.
        service = await startRest(createSqlite, 'http/1.1', { MAX_JSON_BYTES: 100_000 });
        await service.create('Schema', { identifier: '', name: 'Coded', schema: { type: 'object' }, javascript: CODE });
        await service.create('Document', { name: 'known' }, '&handle=test/known');
    });

    after(() => service.stop());

    const call = (query: string, params: unknown): Promise<Received> => (
        service.asAdmin(`POST /call?${query}`, { payload: JSON.stringify(params), headers: { 'content-type': 'application/json' } })
    );

    const callStatic = (method: string, params: unknown): Promise<Received> => call(`type=Coded&method=${method}`, params);

    const answer = ({ statusCode, payload }: Received): unknown => {

        const value: unknown = payload === '' ? null : JSON.parse(payload);
        return [statusCode, (value as JsonObject | null)?.['message'] ?? value];
    };

    describe('that a method returns', () => {

        it('are sent as they are', async () => {

            const rows = grid(490, {});
            const params = { rows: 490, value: {} };
            const plain = await callStatic('rows', params);

            expect([plain.statusCode, plain.headers['content-type'], plain.headers['content-length']]).to.equal([
                200, 'application/json; charset=utf-8', String(JSON.stringify(rows).length)
            ]);
            expect(plain.payload === JSON.stringify(rows)).to.be.true();
        });

        it('are indented where that is asked for', async () => {

            const value = { rows: 60, value: { a: [], b: {}, 'c"\\': 'x, [y]: {z}"\\', d: [null, -1.5e-7, true] } };
            const path = '/doip?operationId=gateway/Op.Call&targetId=service&attributes.type=Coded&attributes.method=rows&attributes.pretty=true';
            const { statusCode, payload, headers } = await service.asAdmin(`POST ${path}`, {
                payload: JSON.stringify(value), headers: { 'content-type': 'application/json' }
            });

            expect([statusCode, headers['content-type']]).to.equal([200, 'application/json; charset=utf-8']);
            expect(payload === JSON.stringify(grid(60, value.value), null, 2)).to.be.true();
        });

        it('are an output of native DOIP', async () => {

            const native = await serveNative(service.gateway);
            const client = await NativeClient.open(native.port, { tls: false });
            const { head, segments } = await client.ask(`${JSON.stringify({
                targetId: 'service', operationId: 'gateway/Op.Call', authentication: ADMIN,
                attributes: { type: 'Coded', method: 'rows', params: { rows: 300, value: { a: 'b\n' } } }
            })}\n#\n#\n`);
            client.close();
            await native.stop();

            expect(head.status).to.equal('0.DOIP/Status.001');
            expect(segments).to.equal([]);
            expect(JSON.stringify(head.output) === JSON.stringify(grid(300, { a: 'b\n' }))).to.be.true();
        });

        it('are values for a program that embeds the service', async () => {

            const { output } = await service.gateway.perform({
                requestId: null, clientId: null, targetId: 'service', operationId: 'gateway/Op.Call', authentication: ADMIN,
                attributes: { type: 'Coded', method: 'rows', params: { rows: 50 } }, input: (async function *() {})(),
                transport: { protocol: 'internal', secure: true, remoteAddress: '' }, signal: new AbortController().signal
            });
            const values: unknown[] = [];
            for await (const segment of output) {
                values.push(segment.kind === 'json' ? segment.value : segment.kind);
            }

            expect(values).to.equal([grid(50)]);
        });

        it('come beside a changed object', async () => {

            const { id } = await service.create('Coded', {});
            const { statusCode, payload } = await call(`objectId=${id}&method=both`, { object: { rows: 10 }, returned: { rows: 600 } });
            const stored = await service.asAdmin(`GET /objects/${id}`);

            expect([statusCode, payload === JSON.stringify(grid(600))]).to.equal([200, true]);
            expect(JSON.parse(stored.payload)).to.equal({ made: grid(10) });
        });

        const REFUSED: readonly (readonly [title: string, method: string, params: unknown, code: number, message: string])[] = [
            ['have more than a million values', 'rows', { rows: 1001 }, 413, 'what the code gave holds more than the allowed 1000000 values'],
            ['are longer than 16 MiB', 'rows', { length: 16 * 1024 * 1024 }, 500, 'the script of type Coded was stopped: a text of '],
            ['are nested too deeply', 'rows', { rows: 60, deep: 200 }, 500, ''],
            ['have a name that JSON may not have', 'proto', null, 500, '']
        ];
        for (const [title, method, params, code, message] of REFUSED) {
            it(`are refused where they ${title}`, async () => {

                const received = await callStatic(method, params);

                expect(received.statusCode, received.payload.slice(0, 200)).to.equal(code);
                expect((JSON.parse(received.payload) as { message: string }).message).to.startWith(message === '' ? 'the script of type Coded failed' : message);
            });
        }
    });

    describe('that become an object', () => {

        let id: string;

        before(async () => {

            ({ id } = await service.create('Coded', { n: 1 }));
        });

        const METHODS: readonly (readonly [title: string, method: string, params: unknown, code: number, message: string])[] = [
            ['some more than clients may send', 'make', { rows: 20 }, 413, TOO_MANY],
            ['many more', 'make', { rows: 600 }, 413, FAR_TOO_MANY],
            ['some more in user metadata', 'describe', { rows: 20 }, 413, TOO_MANY.replace('content', 'userMetadata')],
            ['a longer text', 'make', { length: 2_097_152 }, 413, 'content is longer than the allowed 2097152 bytes'],
            ['a much longer text', 'make', { quotes: 4_000_000 }, 413, 'what the code gave is longer than the allowed 6291456 characters'],
            ['many more, with a long return value', 'both', { object: { rows: 60 }, returned: { rows: 60 } }, 413, FAR_TOO_MANY]
        ];
        for (const [title, method, params, code, message] of METHODS) {
            it(`are refused by a method: ${title}`, async () => {

                expect<unknown>(answer(await call(`objectId=${id}&method=${method}`, params))).to.equal([code, message]);
                expect(JSON.parse((await service.asAdmin(`GET /objects/${id}`)).payload)).to.equal({ n: 1 });
            });
        }

        const HOOKS: readonly (readonly [hook: string, member: string, rows: number, message: string])[] = [
            ['beforeSchemaValidation', 'make', 20, TOO_MANY], ['beforeSchemaValidation', 'make', 600, FAR_TOO_MANY], ['objectForIndexing', 'index', 600, FAR_TOO_MANY]
        ];
        for (const [hook, member, rows, message] of HOOKS) {
            it(`are refused of ${hook}: ${rows} rows`, async () => {

                const payload = JSON.stringify({ [member]: { rows } });
                const received = await service.asAdmin('POST /objects?type=Coded', { payload, headers: { 'content-type': 'application/json' } });

                expect<unknown>(answer(received)).to.equal([413, message]);
            });
        }

        it('are refused of onObjectResolution, and hidden in searches', async () => {

            const shown = await service.create('Coded', { few: true });
            const payload = JSON.stringify({ show: { rows: 600 }, few: true });
            await service.asAdmin('POST /objects?type=Coded&handle=test/shown', { payload, headers: { 'content-type': 'application/json' } });
            const found = await service.asAdmin('GET /search?query=/few:true&ids');

            expect<unknown>(answer(await service.asAdmin('GET /objects/test/shown'))).to.equal([413, FAR_TOO_MANY]);
            expect((JSON.parse(found.payload) as { results: string[] }).results).to.equal([shown.id]);
        });
    });

    const ASKED: readonly (readonly [method: string, rows: number, message: string])[] = [
        ['create', 20, TOO_MANY], ['update', 20, TOO_MANY],
        ['create', 600, 'what the script asks for holds more than the allowed 50000 values'],
        ['update', 600, 'what the script asks for holds more than the allowed 50000 values'],
        ['hashes', 600, 'what the script asks for holds more than the allowed 50000 values']
    ];
    for (const [method, rows, message] of ASKED) {
        it(`that a script asks for are refused: ${method} with ${rows} rows`, async () => {

            const { payload } = await callStatic(method, { rows });

            expect(JSON.stringify(JSON.parse(payload))).to.include(message);
        });
    }

    it('that are stored reach code, whatever clients may send', async () => {

        const text = `long ${'x'.repeat(1_500_000)}`;
        for (let n = 0; n < 4; ++n) {
            await store(`test/long${n}`, 'Document', { text });
        }

        await store('test/long', 'Coded', { text });
        const size = await call('objectId=test/long&method=size', null);
        const read = await callStatic('read', { sortFields: 'id' });

        expect(Number(size.payload)).to.be.above(1_500_000);
        expect<unknown>(answer(read)).to.equal([200, ['test/long0', 'test/long1', 'test/long2', 'test/long3']]);
    });

    /** Stores an object that is longer than a client may send. */
    async function store(id: string, type: string, content: JsonObject): Promise<void> {

        const { status } = await service.gateway.perform({
            requestId: null, clientId: null, targetId: 'service', operationId: '0.DOIP/Op.Create', authentication: ADMIN, attributes: {},
            input: (async function *() {

                yield { kind: 'json' as const, value: { id, type, attributes: { content } } };
            })(),
            transport: { protocol: 'internal', secure: true, remoteAddress: '' }, signal: new AbortController().signal
        });
        expect(status).to.equal('0.DOIP/Status.001');
    }
});
