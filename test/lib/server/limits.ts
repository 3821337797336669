/** Requests that are too long, too slow or not HTTP at all: each gets a JSON answer, and the service goes on. */

import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Protocol, TestServer } from '../../support/server.js';
import { clientOf, parseRaw, pathOf, rawExchange, readToEnd, startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const KIB = 1024;
const LIMITS = { MAX_URL_BYTES: 64 * KIB, MAX_HEADER_BYTES: 64 * KIB };

/** Much longer than a busy machine keeps a process waiting. */
const STALL_MS = 6000;

for (const protocol of ['http/1.1', 'https, http/1.1', 'https, http/2'] satisfies Protocol[]) {
    describe(`limits on requests over ${protocol}`, () => {

        let server: TestServer;

        before(async () => {

            server = await startServer(LIMITS, { tls: protocol !== 'http/1.1' });
        });

        after(() => server.stop());

        const cases: [title: string, url: number, header: number, status: number, message: RegExp][] = [
            ['a URL of 60 KiB passes', 60 * KIB, 0, 200, /./],
            ['headers of 60 KiB pass', 0, 60 * KIB, 200, /./],
            ['a URL of 66 KiB is refused', 66 * KIB, 0, 414, /^the URL is longer than the allowed 65536 bytes$/],
            ['headers of 66 KiB are refused', 0, 66 * KIB, 431, /^the headers are longer than the allowed 65536 bytes$/]
        ];

        for (const [title, url, header, status, message] of cases) {
            it(title, async () => {

                const client = clientOf(server, protocol);
                const answer = await client.text({
                    path: `/doip/0.DOIP/Op.Hello?targetId=service&x=${'u'.repeat(url)}`, headers: { 'x-long': 'h'.repeat(header) }
                });
                client.close();

                expect(answer.status).to.equal(status);
                const { message: text } = JSON.parse(answer.text) as { message?: string };
                expect(text ?? 'none').to.match(message);
            });
        }
    });
}

describe('malformed HTTP requests', () => {

    let server: TestServer;
    let impatient: TestServer;

    before(async () => {

        server = await startServer(LIMITS);
        impatient = await startServer({ ...LIMITS, HEADERS_TIMEOUT_SECONDS: 1 });
    });

    after(() => Promise.all([server.stop(), impatient.stop()]));

    const host = 'Host: x\r\n';
    const cases: [title: string, pieces: (string | Buffer)[], status: number, message: RegExp][] = [
        ['a line that is no request', ['HELLO\r\n\r\n'], 400, /^this is not HTTP\/1\.1/],
        ['a TLS handshake', [Buffer.from('16030100a5010000a1', 'hex'), Buffer.alloc(200, 1)], 400, /^this is not HTTP\/1\.1/],
        ['a header without colon', [`GET / HTTP/1.1\r\n${host}no colon here\r\n\r\n`], 400, /^this is not HTTP\/1\.1: /],
        ['two lengths', [`POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`], 400, /not HTTP/],
        ['a length and chunks', [`POST /doip HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`], 400, /not HTTP/],
        ['a length that is no number', [`POST / HTTP/1.1\r\n${host}Content-Length: many\r\n\r\n`], 400, /not HTTP/],
        ['no Host', ['GET /doip HTTP/1.1\r\nConnection: close\r\n\r\n'], 400, /^the header Host is missing$/],
        ['two Hosts', [`GET /doip HTTP/1.1\r\n${host}host: y\r\nConnection: close\r\n\r\n`], 400, /^the header host is given more than once$/],
        ['two credentials', [`GET /doip HTTP/1.1\r\n${host}Authorization: Bearer a\r\nX: y\r\nAUTHORIZATION: Bearer b\r\nConnection: close\r\n\r\n`],
            400, /^the header authorization is given more than once$/],
        ['two users to act as', [`GET /doip HTTP/1.1\r\n${host}As-User: a\r\nAs-User: b\r\nConnection: close\r\n\r\n`],
            400, /^the header as-user is given more than once$/],
        ['a path that is no UTF-8', [`GET /objects/test/%ff HTTP/1.1\r\n${host}Connection: close\r\n\r\n`], 400, /^the path is not percent-encoded UTF-8$/],
        ['an unknown expectation', [`GET /doip HTTP/1.1\r\n${host}Expect: coffee\r\n\r\n`], 417, /^cannot meet the expectation coffee$/],
        ['a URL of 1 MiB', [`GET /${'u'.repeat(1024 * KIB)} HTTP/1.1\r\n${host}\r\n`], 414, /URL .* too long/],
        ['headers of 1 MiB', [`GET / HTTP/1.1\r\n${host}${'X-Many: 0123456789\r\n'.repeat(50_000)}\r\n`], 431, /headers .* too long/],
        ['headers that do not end', [`GET / HTTP/1.1\r\n${host}`], 408, /did not arrive in time/],
        ['no bytes at all', [], 408, /did not arrive in time/]
    ];

    for (const [title, pieces, status, message] of cases) {
        it(`get ${status}: ${title}`, async () => {

            const { port } = status === 408 ? impatient : server;
            const answer = await rawExchange(port, ...pieces);

            const { status: code, headers, json } = parseRaw(answer);
            expect(code).to.equal(status);
            expect(json.message).to.match(message);
            expect(headers).to.match(/\r\nrequest-id: [0-9a-f]{12}(\r\n|$)/);
            expect(headers).to.include('connection: close');
        });
    }

    it('get 400 for a body with broken chunks', async () => {

        const answer = await rawExchange(server.port,
            `POST ${pathOf('Sink')} HTTP/1.1\r\n${host}Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\nzz\r\n`);

        const { status, json } = parseRaw(answer);
        expect(status).to.equal(400);
        expect(json.message).to.match(/not HTTP/);
    });

    it('do not affect earlier requests on the same connection', async () => {

        const good = `GET /doip/0.DOIP/Op.Hello?targetId=service HTTP/1.1\r\n${host}\r\n`;
        const socket = connect(server.port, '127.0.0.1');
        socket.write(good);
        await once(socket, 'data');
        socket.write('BROKEN\r\n\r\n');

        const rest = await readToEnd(socket);

        expect(rest).to.match(/^HTTP\/1\.1 400 /);
    });

    it('do not affect a request in progress before them', async () => {

        const socket = connect(server.port, '127.0.0.1');
        const text = readToEnd(socket);
        socket.write(`GET ${pathOf('Wait')} HTTP/1.1\r\n${host}\r\nBROKEN\r\n\r\n`);
        await until(() => server.log.some(({ event, status }) => event === 'http.malformed' && status === 400) && server.waiting.calls > 0);
        server.waiting.release();

        const [first, second, ...rest] = (await text).split(/(?=HTTP\/1\.1 )/);

        expect(first).to.match(/^HTTP\/1\.1 200 [\s\S]*"isReleased":true/);
        expect(second).to.match(/^HTTP\/1\.1 400 [\s\S]*this is not HTTP/);
        expect(rest).to.be.empty();
    });

    it('that end anywhere do not affect the server', async () => {

        const request = `POST ${pathOf('Sink')} HTTP/1.1\r\n${host}Content-Type: image/png\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`;
        for (let i = 1; i < request.length; i += 37) {
            const socket = connect(server.port, '127.0.0.1');
            await once(socket, 'connect');
            socket.write(request.slice(0, i));
            socket.resetAndDestroy();
        }

        const client = clientOf(server, 'http/1.1');
        const { status } = await client.text({ path: '/doip/0.DOIP/Op.Hello?targetId=service' });
        client.close();
        expect(status).to.equal(200);
    });

    it('are not read on a connection beyond the limit', async () => {

        const small = await startServer({ MAX_CONNECTIONS: 2 });
        const sockets: Socket[] = [];
        for (let i = 0; i < 2; ++i) {
            const socket = connect(small.port, '127.0.0.1');
            sockets.push(socket);
            await once(socket, 'connect');
            socket.write(`GET /doip/0.DOIP/Op.Hello?targetId=service HTTP/1.1\r\n${host}\r\n`);
            await once(socket, 'data');
        }

        const answer = await rawExchange(small.port);

        expect(answer).to.equal('');
        sockets.forEach((socket) => socket.destroy());
        await small.stop();
    });
});

for (const protocol of ['http/1.1', 'https, http/1.1', 'https, http/2'] satisfies Protocol[]) {
    describe(`slow clients over ${protocol}`, () => {

        let server: TestServer;

        before(async () => {

            server = await startServer({ STALL_TIMEOUT_SECONDS: STALL_MS / 1000 }, { tls: protocol !== 'http/1.1' });
        });

        after(() => server.stop());

        const pause = (ms: number): Promise<void> => new Promise((resolve) => {

            setTimeout(resolve, ms);
        });

        it('get 408 when their upload stops arriving', async () => {

            const client = clientOf(server, protocol);
            const body = async function *(): AsyncGenerator<Buffer> {

                yield Buffer.alloc(1000);
                await pause(60_000);
            };

            const answer = await client.text({ path: pathOf('Sink'), method: 'POST', body: body(), headers: { 'content-type': 'image/png' } });
            client.close();

            expect(answer.status).to.equal(408);
            expect(JSON.parse(answer.text)).to.equal({ message: 'the request body stopped arriving' });
        });

        it('may take any time while they make progress', async () => {

            const client = clientOf(server, protocol);
            const body = async function *(): AsyncGenerator<Buffer> {

                for (let i = 0; i < 15; ++i) {
                    yield Buffer.alloc(10);
                    await pause(0.1 * STALL_MS);
                }
            };

            const answer = await client.text({ path: pathOf('Sink'), method: 'POST', body: body(), headers: { 'content-type': 'image/png' } });
            client.close();

            expect(answer.status).to.equal(200);
            expect(JSON.parse(answer.text)).to.equal({ bytes: 150 });
        });

        it('wait for a long operation', async () => {

            const client = clientOf(server, protocol);
            const pending = client.text({ path: pathOf('Wait'), method: 'POST', body: 'abc', headers: { 'content-type': 'image/png' } });
            await pause(1.5 * STALL_MS);
            server.waiting.release();

            const answer = await pending;
            client.close();

            expect(answer.status).to.equal(200);
        });

        it('are disconnected when they do not read a download', async () => {

            const client = clientOf(server, protocol);
            const response = await client.send({ path: pathOf('Source', '&size=500000000') });
            response.body.on('error', () => undefined);
            await pause(3 * STALL_MS);

            let bytes = 0;
            const reading = (async () => {

                for await (const chunk of response.body) {
                    bytes += (chunk as Buffer).length;
                }
            })();
            await expect(reading).to.reject();
            client.close();

            expect(bytes).to.be.below(500_000_000);
        });
    });
}

describe('idle connections', () => {

    it('are closed after the timeout, over HTTP/1.1', async () => {

        const server = await startServer({ KEEP_ALIVE_SECONDS: 0.2 });
        const socket = connect(server.port, '127.0.0.1');
        socket.write('GET /doip/0.DOIP/Op.Hello?targetId=service HTTP/1.1\r\nHost: x\r\n\r\n');

        const text = await readToEnd(socket);

        expect(text).to.match(/^HTTP\/1\.1 200 /);
        await server.stop();
    });

    it('are closed after the timeout, over HTTP/2', async () => {

        const server = await startServer({ KEEP_ALIVE_SECONDS: 0.2 }, { tls: true });
        const socket = connectTls({ port: server.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
        socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));

        await readToEnd(socket);

        expect(socket.destroyed).to.be.true();
        await server.stop();
    });
});
