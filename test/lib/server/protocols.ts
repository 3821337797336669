/** The same requests over HTTP/1.1, HTTPS with HTTP/1.1, and HTTP/2: a client must not notice which it speaks. */

import { once } from 'node:events';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { body } from '../../support/bytes.js';
import { field, Flag, frame, framesOf, GET, openHttp2, POST, PREFACE, SETTINGS, Type } from '../../support/http2-frames.js';
import type { Client, Protocol, TestServer } from '../../support/server.js';
import { clientOf, pathOf, rawExchange, startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;
const PROTOCOLS: readonly Protocol[] = ['http/1.1', 'https, http/1.1', 'https, http/2'];

for (const protocol of PROTOCOLS) {
    describe(`a server over ${protocol}`, () => {

        let server: TestServer;
        let client: Client;

        before(async () => {

            server = await startServer({}, { tls: protocol !== 'http/1.1' });
            client = clientOf(server, protocol);
        });

        after(async () => {

            client.close();
            await server.stop();
        });

        it('performs an operation', async () => {

            const { status, headers, text } = await client.text({ path: '/doip/0.DOIP/Op.Hello?targetId=service' });

            expect(status).to.equal(200);
            expect(headers['content-type']).to.match(/^application\/json/);
            expect(headers['request-id']).to.match(/^[0-9a-f]{12}$/);
            expect(JSON.parse(text)).to.include({ id: 'test/service' });
        });

        it('answers HEAD with the headers of GET and no body', async () => {

            const path = pathOf('Source', '&size=300000');

            const head = await client.text({ path, method: 'HEAD' });
            const get = await client.send({ path });
            get.body.resume();

            expect(head.status).to.equal(200);
            expect(head.text).to.be.empty();
            expect(head.headers['content-length']).to.equal('300000');
            expect(head.headers['content-type']).to.equal(get.headers['content-type']);
        });

        it('streams 5 MiB to a client', async () => {

            const response = await client.send({ path: pathOf('Source', `&size=${5 * MIB}`) });

            let bytes = 0;
            for await (const chunk of response.body) {
                bytes += (chunk as Buffer).length;
            }

            expect(bytes).to.equal(5 * MIB);
        });

        it('streams 5 MiB from a client', async () => {

            const { status, text } = await client.text({
                path: pathOf('Sink'), method: 'POST', body: body(5 * MIB), headers: { 'content-type': 'image/png' }
            });

            expect(status).to.equal(200);
            expect(JSON.parse(text)).to.equal({ bytes: 5 * MIB });
        });

        it('accepts a body after Expect: 100-continue', async () => {

            const { status, text } = await client.text({
                path: pathOf('Sink'), method: 'POST', body: body(1000), headers: { 'content-type': 'image/png', expect: '100-continue' }
            });

            expect(status).to.equal(200);
            expect(JSON.parse(text)).to.equal({ bytes: 1000 });
        });

        it('responds with errors as JSON with a message', async () => {

            const cases: [path: string, method: string, status: number][] = [
                ['/nowhere', 'GET', 404], [pathOf('Unknown'), 'POST', 400], ['/doip?targetId=service', 'GET', 400], ['/doip', 'DELETE', 405]
            ];

            for (const [path, method, expected] of cases) {
                const { status, headers, text } = await client.text({ path, method });
                expect(status).to.equal(expected);
                expect(headers['request-id']).to.exist();
                expect(JSON.parse(text)).to.include('message');
            }
        });

        it('hides an internal error, and logs it', async () => {

            const { status, headers, text } = await client.text({ path: pathOf('Crash') });

            expect(status).to.equal(500);
            expect(text).to.equal('{"message":"Something went wrong. Contact your sysadmin."}');
            const entries = server.log.filter(({ event }) => event === 'operation.failed');
            expect(entries.some(({ request }) => request === headers['request-id'])).to.be.true();
            expect(JSON.stringify(server.log)).to.include('the secret is 42');
        });

        it('aborts the operation when its client disconnects', async () => {

            const before = server.waiting.aborted;
            const calls = server.waiting.calls;
            const pending = client.send({ path: pathOf('Wait'), headers: { 'x-test': 'abort' } }).catch((error: Error) => error);
            await until(() => server.waiting.calls > calls);
            client.close();
            await pending;

            await until(() => server.waiting.aborted > before);
            client = clientOf(server, protocol);
        });

        it('aborts the operation when its client disconnects after sending a body', async () => {

            const before = server.waiting.aborted;
            const calls = server.waiting.calls;
            const pending = client.send({ path: pathOf('Wait'), method: 'POST', body: 'some bytes', headers: { 'content-type': 'image/png' } })
                .catch((error: Error) => error);
            await until(() => server.waiting.calls > calls);
            client.close();
            await pending;

            await until(() => server.waiting.aborted > before);
            client = clientOf(server, protocol);
        });

        it('continues after an aborted download', async () => {

            const response = await client.send({ path: pathOf('Source', `&size=${200 * MIB}`) });
            await once(response.body, 'readable');
            response.body.on('error', () => undefined);
            response.abort();

            const { status } = await client.text({ path: '/doip/0.DOIP/Op.Hello?targetId=service' });
            expect(status).to.equal(200);
            await until(() => server.log.some(({ url, broken }) => String(url).includes('size=209715200') && broken === true));
        });

        it('responds to many concurrent requests', async () => {

            const answers = await Promise.all(Array.from({ length: 50 }, (_, i) =>
                client.text({ path: pathOf('Source', `&size=${i * 1000}`) })));

            expect(answers.map(({ text, status }) => [status, text.length > 0])).to.equal(
                Array.from({ length: 50 }, (_, i) => [200, i > 0]));
        });
    });
}

describe('requests over HTTP/2 that are reset at once', () => {

    /** The octets of requests, each with its reset, and one more request. */
    const octets = (method: Buffer, hasBody: boolean): Buffer => {

        const head = (id: number, flags: number, path: string): Buffer =>
            frame(Type.headers, flags, id, Buffer.concat([method, field(':authority', 'x'), field(':path', path), field('content-encoding', 'gzip')]));
        const sent = (id: number): Buffer[] => (hasBody ? [frame(Type.data, 0, id, Buffer.from('no gzip'))] : []);
        const ids = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
        return Buffer.concat([
            PREFACE, SETTINGS,
            ...ids.flatMap((id) => [
                head(id, hasBody ? Flag.endHeaders : Flag.endHeaders | Flag.endStream, '/objects/test/reset'), ...sent(id),
                frame(Type.reset, 0, id, Buffer.from([0, 0, 0, 8]))
            ]),
            head(41, Flag.endHeaders | Flag.endStream, '/objects/test/last')
        ]);
    };

    const REQUESTS: readonly (readonly [title: string, method: Buffer, hasBody: boolean])[] = [
        ['GET', GET.subarray(0, 2), false], ['POST', POST, false], ['POST with a body', POST, true]
    ];
    for (const [title, method, hasBody] of REQUESTS) {
        for (const isLate of [false, true]) {
            it(`are no failures as ${title}${isLate ? ', where they are read after they were reset' : ''}`, async () => {

                const server = await startServer({}, { tls: true });
                const { listener } = server.server;
                const handlers = listener.listeners('request') as ((...args: unknown[]) => void)[];
                if (isLate) {
                    listener.removeAllListeners('request');
                    listener.on('request', (...args) => setImmediate(() => handlers.forEach((handle) => handle.apply(listener, args))));
                }

                const socket = await openHttp2(server.port);
                socket.write(octets(method, hasBody));
                for await (const { type, stream } of framesOf(socket)) {
                    if (type === Type.headers && stream === 41) {
                        break;
                    }
                }

                socket.destroy();
                await server.stop();

                const lines = server.log.filter(({ event, status }) => event === 'http.error' || status === 500);
                expect([lines, server.log.filter(({ url }) => url === '/objects/test/last').length]).to.equal([[], 1]);
                if (isLate) {
                    expect(server.log.filter(({ url }) => url === '/objects/test/reset')).to.equal([]);
                }
            });
        }
    }
});

describe('a server below a base path', () => {

    it('serves that path only, which is in its URL', async () => {

        const server = await startServer({ BASE_PATH: '/api/' });

        const there = await fetch(`${server.url}/schemas`);
        const elsewhere = await fetch(new URL('/schemas', server.url));
        await server.stop();

        expect(server.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
        expect(there.status).to.equal(200);
        expect(elsewhere.status).to.equal(404);
        expect(await elsewhere.json()).to.equal({ message: 'there is nothing at /schemas' });
    });

    it('answers whatever the header Host is, with and without a slash at the end', async () => {

        const server = await startServer({ BASE_PATH: '/api' });
        const heads: string[] = [];
        for (const path of ['/api', '/api/', '/api?x=1', '/api/?x=1']) {
            for (const host of ['a b', '[', 'x:y', '%', '\xe9', '']) {
                heads.push((await rawExchange(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(0, 12));
            }
        }

        await server.stop();

        expect(new Set(heads)).to.equal(new Set(['HTTP/1.1 200']));
        expect(server.log.filter(({ event }) => event === 'http.error')).to.equal([]);
    });
});

describe('a server on an IPv6 address', () => {

    it('has it in brackets in its URL', async () => {

        const server = await startServer({ HOST: '::1' });

        const { status } = await fetch(`${server.url}/schemas`);
        await server.stop();

        expect(server.url).to.match(/^http:\/\/\[::1\]:\d+$/);
        expect(status).to.equal(200);
    });
});

describe('a server with a mismatched certificate', () => {

    it('is not created, and the error names the settings', async () => {

        const settings = { TLS_CERT: __filename, TLS_KEY: __filename };

        await expect(startServer(settings)).to.reject(/^configuration: TLS_CERT and TLS_KEY cannot be used: /);
    });
});
