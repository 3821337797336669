/** A body that cannot be decompressed is refused, whoever sends it and wherever to, and the service goes on. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess, type ServiceProcess } from '../support/process.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const WHOLE = gzipSync(JSON.stringify([{ id: 'test/packed', type: 'Document', content: {} }]));
const BODIES: readonly Buffer[] = [WHOLE.subarray(0, -1), WHOLE.subarray(0, 40), WHOLE.subarray(0, 3), Buffer.from('no gzip at all'), Buffer.alloc(100_000, 7)];

const CALLERS: readonly Record<string, string>[] = [{}, { authorization: basic('admin', ADMIN_PASSWORD) }];

/** Its login takes a while, in which nobody reads the body. */
const STRANGER = { authorization: basic('nobody', 'wrong') };

const PLACES = [
    'POST /objects?type=Document', 'PUT /objects/test/none', 'POST /batchUpload', 'POST /uploadObjects', 'POST /search', 'POST /auth/token', 'POST /objects/test/none',
    'POST /doip?operationId=0.DOIP/Op.Create&targetId=service', 'POST /startupStatus', 'DELETE /objects/test/none', 'POST /nowhere', 'PUT /search'
];

function basic(name: string, password: string): string {

    return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

describe('a body with invalid compression', () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        database = await createSqlite();
        service = await startProcess(database);
        const javascript = 'exports.staticMethods = { echo: (context) => context.params };';
        await asAdmin('POST', '/objects?type=Schema', 'identity', Buffer.from(JSON.stringify({ name: 'Caller', schema: { type: 'object' }, javascript })));
        await asAdmin('POST', '/objects?type=Document&handle=test/there', 'identity', OBJECT);
    });

    after(async () => {

        await service.kill();
        await database.dispose();
    });

    const ask = async (place: string, headers: Record<string, string>, body: Buffer): Promise<number> => {

        const [method = '', path = ''] = place.split(' ');
        const response = await fetch(service.url + path, { method, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }, body });
        await response.arrayBuffer();
        return response.status;
    };

    for (const place of PLACES) {

        it(`is rejected by ${place}, and the service continues`, async () => {

            const statuses = await Promise.all([
                ask(place, STRANGER, BODIES[0] as Buffer), ...CALLERS.flatMap((headers) => BODIES.map((body) => ask(place, headers, body)))
            ]);

            expect(statuses.filter((status) => status < 400 || status >= 500), JSON.stringify(statuses)).to.equal([]);
            expect((await fetch(`${service.url}/startupStatus`)).status).to.equal(200);
        });
    }

    const OBJECT = Buffer.from('{"name":"packed"}');
    const CALL = 'POST /call?type=Caller&method=echo';
    const asAdmin = async (method: string, path: string, coding: string, body: Buffer): Promise<Response> => await fetch(service.url + path, {
        method, body, headers: { 'content-type': 'application/json', 'content-encoding': coding, authorization: basic('admin', ADMIN_PASSWORD) }
    });

    const CODINGS: readonly (readonly [coding: string, code: (body: Buffer) => Buffer])[] = [
        ['gzip', gzipSync], ['GZIP', gzipSync], ['x-gzip', gzipSync], ['X-GZip', gzipSync], ['deflate', deflateSync], ['Deflate', deflateSync],
        ['identity', (body) => body], ['Identity', (body) => body]
    ];
    for (const [coding, code] of CODINGS) {
        it(`is none of ${coding} that is right`, async () => {

            const created = await asAdmin('POST', '/objects?type=Document', coding, code(OBJECT));
            expect([created.status, ((await created.json()) as { name?: string }).name]).to.equal([200, 'packed']);
            const found = await asAdmin('POST', '/search', coding, code(Buffer.from(JSON.stringify({ query: 'x'.repeat(3000) }))));
            expect([found.status, ((await found.json()) as { size?: number }).size]).to.equal([200, 0]);
            expect(await (await asAdmin('POST', CALL.slice(5), coding, code(OBJECT))).json()).to.equal({ name: 'packed' });
        });
    }

    for (const coding of ['GZIP', 'x-gzip', 'Deflate']) {
        it(`is rejected as one of ${coding}`, async () => {

            const statuses = await Promise.all(PLACES.flatMap((place) => BODIES.map((body) => ask(place, { ...CALLERS[1], 'content-encoding': coding }, body))));

            expect(statuses.filter((status) => status < 400 || status >= 500), JSON.stringify(statuses)).to.equal([]);
            expect((await fetch(`${service.url}/startupStatus`)).status).to.equal(200);
        });
    }

    for (const coding of ['br', 'compress', 'zstd', 'gzip, gzip', 'gzip, br', 'utf-8']) {
        it(`gets 415 as one of ${coding}, which is not supported`, async () => {

            for (const place of ['POST /objects?type=Document', 'PUT /objects/test/there', 'POST /search', 'POST /batchUpload', CALL, PLACES[7] ?? '']) {
                const [method = '', path = ''] = place.split(' ');
                const response = await asAdmin(method, path, coding, brotliCompressSync(OBJECT));
                const { message } = await response.json() as { message?: string };

                expect([response.status, message], place).to.equal([415, 'the header Content-Encoding must be gzip, deflate or identity']);
                expect(response.headers.has('doip-response'), place).to.equal(path.startsWith('/doip'));
            }
        });
    }
});
