/** Bodies that announce to be longer than allowed: they are refused before any of them is there, and the client reads why. */

import type { AddressInfo } from 'node:net';
import * as Http from 'node:http';
import { gzipSync } from 'node:zlib';
import * as Hapi from '@hapi/hapi';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { DoipResponse } from '../../../lib/doip/envelope.js';
import { doipHttp } from '../../../translators/doip-http/index.js';
import { rest } from '../../../translators/rest/index.js';
import { echo, performer } from '../../support/performers.js';
import { until } from '../../support/until.js';
import { answerOf } from '../../support/wire.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const LIMIT = 1000;
const MESSAGE = `the input is longer than the allowed ${LIMIT} bytes`;

describe('a body with a Content-Length beyond the limit', () => {

    const answered: DoipResponse[] = [];
    const server = Hapi.server({ port: 0, host: '127.0.0.1', debug: false });
    const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 });

    before(async () => {

        const gateway = performer(async (request) => {

            const response = await echo.perform(request);
            answered.push(response);
            return response;
        });
        const limits = { jsonBytes: LIMIT };
        await server.register({ plugin: doipHttp, options: { gateway, limits } });
        await server.register({ plugin: rest, options: { gateway, limits } });
        await server.start();
    });

    after(async () => {

        agent.destroy();
        await server.stop();
    });

    const send = (path: string, method: string, headers: Http.OutgoingHttpHeaders): Http.ClientRequest => Http.request({
        port: (server.listener.address() as AddressInfo).port, path, method, agent, headers: { 'content-type': 'application/json', ...headers }
    });

    const routes: readonly (readonly [path: string, method: string])[] = [
        ['/doip?operationId=Op&targetId=t/1', 'POST'],
        ['/doip?operationId=Op&targetId=t/1&input={}', 'POST'],
        ['/objects?type=Document', 'POST'],
        ['/objects/test/1', 'PUT'],
        ['/schemas/Document', 'PUT']
    ];
    for (const [path, method] of routes) {
        it(`is rejected before it arrives by ${method} ${path}`, async () => {

            answered.length = 0;
            const request = send(path, method, { 'content-length': LIMIT + 1 });
            const answer = answerOf(request);
            request.flushHeaders();
            await until(() => answered.length > 0);
            request.end(`"${'x'.repeat(LIMIT - 1)}"`);

            expect(await answer).to.equal({ code: 413, text: JSON.stringify({ message: MESSAGE }), connection: 'keep-alive' });
        });
    }

    it('is read within the limit, and without a Content-Length or with compression', async () => {

        const path = '/doip?operationId=Op&targetId=t/1';
        const text = `"${'x'.repeat(LIMIT - 2)}"`;
        const packed = gzipSync(text, { level: 0 });
        expect(packed.byteLength).to.be.above(LIMIT);
        for (const [headers, body, code] of [
            [{ 'content-length': LIMIT }, text, 200],
            [{ 'transfer-encoding': 'chunked' }, text, 200],
            [{ 'content-encoding': 'gzip', 'content-length': packed.byteLength }, packed, 200],
            [{ 'transfer-encoding': 'chunked' }, `${text} `, 413]
        ] as const) {
            const request = send(path, 'POST', headers);
            const answer = answerOf(request);
            request.end(body);

            expect((await answer).code, JSON.stringify(headers)).to.equal(code);
        }
    });
});
