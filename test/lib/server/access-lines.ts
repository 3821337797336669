/** What the log says of a request: sizes, the caller, what was created, and the trace. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestServer } from '../../support/server.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import { NativeClient, nativePort } from '../../support/native.js';
import { startServer } from '../../support/server.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ADMIN = `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('the line of a request', () => {

    let server: TestServer;
    let count = 0;

    /** Sends a request; returns its line and its response. */
    const send = async (path: string, init: RequestInit = {}): Promise<{ line: Record<string, unknown>; response: Response; body: string }> => {

        const id = `line-${++count}`;
        const response = await fetch(server.url + path, { ...init, headers: { 'Request-Id': id, ...init.headers } });
        const body = await response.text();
        let line: Record<string, unknown> | undefined;
        await until(() => {

            line = server.log.find(({ requestId, event }) => requestId === id && event === 'http.request');
            return line !== undefined;
        });
        return { line: line!, response, body };
    };

    before(async () => {

        server = await startServer({ DOIP_PORT: 0 });
    });

    after(() => server.stop());

    it('has the size of both bodies, and the id of a created object', async () => {

        const content = JSON.stringify({ name: 'a line' });
        const { line, body } = await send('/objects?type=Document', { method: 'POST', headers: { authorization: ADMIN }, body: content });

        expect(line).to.include({ requestBytes: content.length, responseBytes: Buffer.byteLength(body), user: 'admin', created: (JSON.parse(body) as { id: string }).id });
    });

    it('has no created id for a dry run, a retrieve, and a refused create', async () => {

        const dry = await send('/objects?type=Document&dryRun', { method: 'POST', headers: { authorization: ADMIN }, body: '{"name": "x"}' });
        const read = await send('/objects/test/nothing');
        const refused = await send('/objects?type=Document', { method: 'POST', body: '{"name": "x"}' });

        expect([dry, read, refused].map(({ line }) => line['created'])).to.equal([undefined, undefined, undefined]);
        expect([dry.line['status'], read.line['status'], refused.line['status']]).to.equal([200, 404, 401]);
    });

    it('has the id of a published version', async () => {

        await send('/objects?type=Document&handle=test/tip', { method: 'POST', headers: { authorization: ADMIN }, body: '{"name": "x"}' });
        const { line, body } = await send('/versions?objectId=test/tip', { method: 'POST', headers: { authorization: ADMIN } });

        expect(line['created']).to.equal((JSON.parse(body) as { id: string }).id);
    });

    it('counts a streamed response, what is sent of a compressed one, and none of a HEAD', async () => {

        const { line } = await send('/doip/test/Op.Source?targetId=service&attributes.size=300000');
        const page = await send('/search?query=*:*&pageSize=100&pretty=true', { headers: { 'Accept-Encoding': 'gzip', authorization: ADMIN } });
        const whole = await send(`/doip/${Op.exportObjects}?targetId=service`, { method: 'POST', headers: { 'Accept-Encoding': 'identity', authorization: ADMIN } });
        const head = await send('/objects/test/tip', { method: 'HEAD' });

        expect(line['responseBytes']).to.equal(300_000);
        expect(Number(page.line['responseBytes'])).to.be.within(1, Buffer.byteLength(page.body));
        expect(whole.response.headers.get('content-length')).to.be.null();
        expect(whole.line['responseBytes']).to.equal(Buffer.byteLength(whole.body));
        expect(head.line['responseBytes']).to.equal(0);
    });

    it('counts of a response that was broken off what was sent', async () => {

        const size = 64 * 1024 * 1024;
        const aborting = new AbortController();
        const response = await fetch(`${server.url}/doip/test/Op.Source?targetId=service&attributes.size=${size}`, { signal: aborting.signal, headers: { 'Request-Id': 'line-broken' } });
        await response.body?.getReader().read();
        aborting.abort();
        await until(() => server.log.some(({ requestId, event }) => requestId === 'line-broken' && event === 'http.request'));

        const line = server.log.find(({ requestId, event }) => requestId === 'line-broken' && event === 'http.request');
        expect(line?.['broken']).to.be.true();
        expect(Number(line?.['responseBytes'])).to.be.within(1, size - 1);
    });

    it('has the user who has logged in, and never the name of a failed login', async () => {

        const form = (fields: Record<string, string>): RequestInit => ({ method: 'POST', body: new URLSearchParams({ grant_type: 'password', ...fields }) });
        const success = await send('/auth/token', form({ username: 'admin', password: ADMIN_PASSWORD }));
        const failure = await send('/auth/token', form({ username: 'my-password-by-mistake', password: 'x' }));
        const basic = await send('/check-credentials', { headers: { authorization: `Basic ${btoa('my-password-by-mistake:x')}` } });

        expect(success.line['user']).to.equal('admin');
        expect([failure.line['user'], basic.line['user']]).to.equal([null, null]);
        expect(JSON.stringify(server.log)).to.not.include('by-mistake');
    });

    const traces: [title: string, header: string | null, traceId: string | undefined][] = [
        ['has the id of the trace', `00-${TRACE}-b7ad6b7169203331-01`, TRACE],
        ['has it for a later version of the header, too', `cc-${TRACE}-b7ad6b7169203331-01-more`, TRACE],
        ['has none without the header', null, undefined],
        ['has none for a header that is longer than its version allows', `00-${TRACE}-b7ad6b7169203331-01-more`, undefined],
        ['has none for an invalid version', `ff-${TRACE}-b7ad6b7169203331-01`, undefined],
        ['has none for a trace of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
        ['has none for a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
        ['has none for capital letters', `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, undefined],
        ['has none for other text', `evil" trace`, undefined]
    ];

    for (const [title, traceparent, traceId] of traces) {
        it(title, async () => {

            const { line } = await send('/objects/test/nothing', traceparent === null ? {} : { headers: { traceparent } });

            expect(line['traceId']).to.equal(traceId);
        });
    }

    it('of a failed operation has the trace as well', async () => {

        await send('/doip/test/Op.Crash?targetId=service', { headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } });

        expect(server.log.some(({ event, traceId }) => event === 'operation.failed' && traceId === TRACE)).to.be.true();
    });

    it('has the bytes of native DOIP, request by request', async () => {

        const client = await NativeClient.open(nativePort(server));
        const message = `${JSON.stringify({ operationId: '0.DOIP/Op.Hello', targetId: 'service' })}\n#\n#\n`;
        await client.ask(message);
        await client.ask(message);
        client.close();
        const lines = (): Record<string, unknown>[] => server.log.filter(({ event }) => event === 'doip.request');
        await until(() => lines().length === 2);

        for (const { responseBytes, requestBytes } of lines()) {
            expect(Number(responseBytes)).to.be.within(100, 5000);
            expect(Number(requestBytes)).to.be.least(message.length);
        }
    });
});
