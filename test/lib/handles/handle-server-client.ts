import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { HandleServerOptions } from '../../../lib/handles/handle-server-client.js';
import { HandleServer, HandleServerError } from '../../../lib/handles/handle-server-client.js';
import { textValue } from '../../../lib/handles/handle-value.js';
import { TestHandleServer } from '../../support/handle-server.js';
import { tlsSettings } from '../../support/server.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const VALUES = [textValue(1, 'URL', 'https://a.example/', '2024-05-01T10:20:30Z')];
const SIGNAL = new AbortController().signal;
const OPTIONS: HandleServerOptions = {
    url: '', identity: '300:test/ADMIN', secret: 'secret', cert: null, key: null, ca: null, timeoutMs: 60_000
};

describe('a handle server', () => {

    let folder: string;
    let files: { TLS_CERT: string; TLS_KEY: string };
    let servers: Server[] = [];
    let clients: HandleServer[] = [];

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'handle-server-'));
        files = await tlsSettings(folder);
    });

    afterEach(async () => {

        clients.forEach((client) => client.close());
        await Promise.all(servers.map(async (server) => {

            server.closeAllConnections();
            server.close();
            await once(server, 'close');
        }));
        servers = [];
        clients = [];
    });

    after(() => rm(folder, { recursive: true }));

    async function listen(server: Server): Promise<number> {

        servers.push(server.listen(0));
        await once(server, 'listening');
        return (server.address() as AddressInfo).port;
    }

    /** A server that answers in one way, and how to ask it. */
    async function answering(listener: RequestListener, options: Partial<HandleServerOptions> = {}): Promise<HandleServer> {

        return client({ url: `http://localhost:${await listen(createHttp(listener))}`, ...options });
    }

    function client(options: Partial<HandleServerOptions>): HandleServer {

        const made = new HandleServer({ ...OPTIONS, ...options });
        clients.push(made);
        return made;
    }

    async function blameOf(work: Promise<void>): Promise<string> {

        const error = await work.then(() => null, (thrown: unknown) => thrown);
        return error instanceof HandleServerError ? `${error.blame}: ${error.message}` : String(error);
    }

    for (const [code, body, expected] of [
        [200, '', /^null$/], [201, '{"responseCode":1}', /^null$/],
        [400, '{"responseCode":301,"message":"not responsible"}', /^request: the handle server answered 400, 301, not responsible$/],
        [401, '{"responseCode":402}', /^server: the handle server answered 401, 402$/],
        [403, '', /^handle: the handle server answered 403$/], [404, '<html>', /^handle: the handle server answered 404$/],
        [409, 'null', /^handle: the handle server answered 409$/], [500, '{"responseCode":2}', /^handle: the handle server answered 500, 2$/],
        [503, '', /^server: /], [302, '', /^server: the handle server answered 302$/],
        [200, 'x'.repeat(100_000), /^server: .* longer than 65536 bytes$/]
    ] as const) {
        it(`that answers ${code} ${body.slice(0, 50)} to a PUT results in ${expected.source}`, async () => {

            const server = await answering((request, response) => {

                request.resume();
                response.writeHead(code, { location: '/elsewhere' }).end(body);
            });

            expect(await blameOf(server.put('test/1', VALUES, SIGNAL))).to.match(expected);
        });
    }

    it('that does not know a handle has deleted it', async () => {

        const server = await answering((request, response) => response.writeHead(404).end());

        expect(await blameOf(server.delete('test/1', SIGNAL))).to.equal('null');
    });

    it('that does not answer, or closes the connection, times out', async () => {

        const silent = await answering(() => {}, { timeoutMs: 50 });
        const half = await answering((request, response) => response.writeHead(200, { 'content-length': 10 }).write('x'), { timeoutMs: 50 });
        const broken = await answering((request, response) => response.destroy());

        expect(await blameOf(silent.put('test/1', VALUES, SIGNAL))).to.equal('server: the handle server cannot be asked: no answer within 50 ms');
        expect(await blameOf(half.put('test/1', VALUES, SIGNAL))).to.match(/^server: .* no answer within 50 ms/);
        expect(await blameOf(broken.put('test/1', VALUES, SIGNAL))).to.match(/^server: /);
    });

    it('is not awaited after the service stops', async () => {

        const stop = new AbortController();
        const server = await answering(() => stop.abort(new Error('the service stops')));

        expect(await blameOf(server.put('test/1', VALUES, stop.signal))).to.match(/the service stops/);
        expect(await blameOf(server.put('test/1', VALUES, stop.signal))).to.match(/the service stops/);
    });

    it('authenticates the service by a client certificate, over a verified connection', async () => {

        const [cert, key] = await Promise.all([readFile(files.TLS_CERT), readFile(files.TLS_KEY)]);
        const records = new TestHandleServer();
        const port = await listen(createHttps({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true }, records.listener));
        const url = `https://localhost:${port}`;
        const certified = { url, identity: null, secret: null, cert: files.TLS_CERT, key: files.TLS_KEY };

        expect(await blameOf(client({ ...certified, ca: files.TLS_CERT }).put('test/1', VALUES, SIGNAL))).to.equal('null');
        expect(await blameOf(client(certified).put('test/2', VALUES, SIGNAL))).to.match(/^server: .*self-signed/);
        expect(await blameOf(client({ url, ca: files.TLS_CERT }).put('test/3', VALUES, SIGNAL))).to.match(/^server: /);
        expect(records.requests.map(({ handle, authorization }) => [handle, authorization])).to.equal([['test/1', 'Handle clientCert="true"']]);
    });
});
