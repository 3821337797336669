/** The figures about the running service are the same by REST, by DOIP over HTTP and by native DOIP: payloads, sessions, the progress of indexing again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN, NativeClient, nativePort, OK, UNAUTHENTICATED } from '../support/native.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FORBIDDEN = '0.DOIP/Status.103';

const OBJECTS = 200;
const BYTES = 700;

/** A type whose objects take 20 ms each when they are indexed. */
const SLOW = { identifier: '', name: 'Slow', schema: { type: 'object' } };
const SLOW_CODE = 'exports.objectForIndexing = (object) => { const end = Date.now() + 20; while (Date.now() < end); return object; };';

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
const ANN = { username: 'ann', password: 'a password of hers' };

type Status = Readonly<Record<'payloads' | 'index', JsonObject>> & { readonly sessions: number };

describe('the status of the service', () => {

    let test: TestServer;
    let client: NativeClient;

    const send = async (method: string, path: string, body?: unknown, authorization: string | null = AUTHORIZATION): Promise<Response> => fetch(test.url + path, {
        method, ...body === undefined ? {} : { body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', ...authorization === null ? {} : { authorization } }
    });

    const byNative = async (authentication: JsonObject | undefined = ADMIN): Promise<{ readonly status: string; readonly output?: unknown }> => {

        const { head } = await client.ask(`${JSON.stringify({ targetId: 'service', operationId: Op.status, authentication })}\n#\n#\n`);
        return head;
    };

    const DOIP = `/doip?operationId=${Op.status}&targetId=service`;

    /** The status by each protocol. */
    const byAll = async (): Promise<Status[]> => Promise.all([
        send('GET', '/status').then((response) => response.json() as Promise<Status>), send('POST', DOIP).then((response) => response.json() as Promise<Status>),
        byNative().then(({ output }) => output as Status)
    ]);

    before(async () => {

        test = await startServer({ DOIP_PORT: 0 });
        client = await NativeClient.open(nativePort(test));
        const base64Element = Buffer.alloc(BYTES).toString('base64');
        const file = { id: 'test/file', type: 'Document', attributes: { content: {} }, elements: [{ id: 'a', base64Element }, { id: 'b', base64Element }] };
        expect((await send('POST', '/objects?type=Schema&handle=test/slow', SLOW)).status).to.equal(200);
        const more = Array.from({ length: OBJECTS }, (_, i) => ({ type: 'Slow', attributes: { content: { name: `object ${i}` } } }));
        expect((await send('POST', '/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service', [file, ...more])).status).to.equal(200);
        expect((await send('PUT', '/objects/test/slow', { ...SLOW, javascript: SLOW_CODE })).status).to.equal(200);
        await send('PUT', '/schemas/Person', { type: 'object', properties: {
            username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password', secureProperty: true } }
        } });
        expect((await send('POST', '/objects?type=Person', ANN)).status).to.equal(200);
        expect((await send('POST', '/auth/token', { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD }, null)).status).to.equal(200);
    });

    after(async () => {

        client.close();
        await test.stop();
    });

    it('has the same payloads and sessions by each protocol', async () => {

        const asked = await byAll();

        expect<unknown>(asked.map(({ payloads, sessions }) => [payloads, sessions]))
            .to.equal(asked.map(() => [{ count: 2, bytes: 2 * BYTES }, 1]));
        expect(asked.map((each) => Object.keys(each))).to.equal(asked.map(() => Object.keys(asked[0] ?? {})));
    });

    it('has the progress of indexing again by each protocol, while that goes on', async () => {

        let seen: (JsonObject | undefined)[] = [];
        let running: Promise<unknown> | null = null;
        await until(async () => {

            running ??= send('POST', '/reindexBatch?all').finally(() => {

                running = null;
            });
            seen = (await byAll()).map(({ index }) => index['reindexing'] as JsonObject | undefined);
            return seen.every((each) => each !== undefined);
        });
        const totals = seen.map((each) => Number(each?.['total']));

        expect(new Set(totals).size, totals.join()).to.equal(1);
        expect(Number(totals[0])).to.be.above(OBJECTS);
        expect(seen.every((each) => Object.keys(each ?? {}).join() === 'done,total' && Number(each?.['done']) <= Number(each?.['total']))).to.be.true();

        await until(async () => running === null && (await byAll()).every(({ index }) => !('reindexing' in index)));
    });

    it('is for the administrator alone, by each protocol', async () => {

        const ann = `Basic ${Buffer.from(`${ANN.username}:${ANN.password}`).toString('base64')}`;

        expect([(await send('GET', '/status', undefined, null)).status, (await send('POST', DOIP, undefined, null)).status]).to.equal([401, 401]);
        expect([(await send('GET', '/status', undefined, ann)).status, (await send('POST', DOIP, undefined, ann)).status]).to.equal([403, 403]);
        expect([(await byNative({})).status, (await byNative(ANN)).status, (await byNative()).status]).to.equal([UNAUTHENTICATED, FORBIDDEN, OK]);
    });
});
