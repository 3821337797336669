/** Connections on which nothing comes of it: they end in time, and one address cannot hold them all. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestServer } from '../../support/server.js';
import { clientOf, pathOf, startServer } from '../../support/server.js';
import { frame, GET, openHttp2, PING, PREFACE, SETTINGS } from '../../support/http2-frames.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('HTTP/2 sessions without requests', () => {

    let server: TestServer;
    let ends: Map<string, Promise<void>>;
    before(async () => {

        // More than a busy machine takes for a handshake or a request
        server = await startServer({ KEEP_ALIVE_SECONDS: 4, HEADERS_TIMEOUT_SECONDS: 4 }, { tls: true });
        // At the same time, as each lasts for seconds.
        const sessions = await Promise.all(cases.map(async ([title, ...frames]) => [title, await open(...frames)] as const));
        ends = new Map(sessions.map(([title, socket]) => [title, new Promise<void>((resolve) => void (socket.closed ? resolve() : socket.once('close', () => resolve())))]));
    });
    after(() => server.stop());

    const open = async (...frames: Buffer[]): Promise<Socket> => {

        const socket = await openHttp2(server.port);
        socket.on('error', () => undefined).resume();
        socket.write(Buffer.concat(frames));
        return socket;
    };

    const cases: [string, ...Buffer[]][] = [
        ['sends nothing', PREFACE, SETTINGS],
        ['does not finish its headers', PREFACE, SETTINGS, frame(1, 0, 1, GET)],
        ['says that no body follows and does not finish its headers', PREFACE, SETTINGS, frame(1, 1, 1, GET)],
        ['sends half of a frame', PREFACE, SETTINGS, frame(1, 4, 1, GET).subarray(0, 10)]
    ];
    for (const [title] of cases) {
        it(`end when the client ${title}`, () => ends.get(title));
    }

    it('end even if the client sends other frames', async () => {

        const socket = await open(PREFACE, SETTINGS);
        const pings = setInterval(() => socket.write(PING), 50);

        await once(socket, 'close');
        clearInterval(pings);
    });

    it('are timed from the end of the last request', async () => {

        const client = clientOf(server, 'https, http/2');
        const calls = server.waiting.calls;
        const pending = client.text({ path: pathOf('Wait'), method: 'POST', body: 'abc', headers: { 'content-type': 'image/png' } });
        await until(() => server.waiting.calls > calls);
        const other = await open(PREFACE, SETTINGS, frame(1, 0, 1, GET));
        await once(other, 'close');
        server.waiting.release();

        expect((await pending).status).to.equal(200);
        client.close();
    });
});

for (const tls of [false, true]) {
    describe(`the connections of one address by ${tls ? 'HTTPS' : 'HTTP'}`, () => {

        const sockets: Socket[] = [];
        const open = (server: TestServer, localAddress = '127.0.0.1'): Socket => {

            const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
            socket.on('error', () => undefined).resume();
            sockets.push(socket);
            return socket;
        };

        const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;
        const countOf = async (server: TestServer): Promise<number> => await new Promise((resolve, reject) => {

            server.server.listener.getConnections((error, count) => (error ? reject(error) : resolve(count)));
        });

        it('are limited, and other addresses can still connect', async () => {

            const server = await startServer({ MAX_CONNECTIONS_PER_ADDRESS: 3 }, { tls });
            const mine = [1, 2, 3, 4, 5].map(() => open(server));
            await until(() => mine.filter(isOpen).length === 3);
            const other = open(server, '127.0.0.2');
            await until(async () => await countOf(server) === 4);

            expect(isOpen(other)).to.be.true();

            mine.filter(isOpen)[0]?.destroy();
            await until(async () => await countOf(server) === 3);
            const again = open(server);
            await until(async () => await countOf(server) === 4);

            expect(isOpen(again)).to.be.true();
            sockets.forEach((socket) => socket.destroy());
            await server.stop();
        });

        it('are limited to a quarter of all by default', async () => {

            const server = await startServer({ MAX_CONNECTIONS: 80 }, { tls });
            const mine = Array.from({ length: 30 }, () => open(server));

            await until(() => mine.filter(isOpen).length === 20);
            sockets.forEach((socket) => socket.destroy());
            await server.stop();
        });

        it('are not limited for a trusted proxy', async () => {

            const server = await startServer({ MAX_CONNECTIONS_PER_ADDRESS: 3, TRUSTED_PROXIES: '127.0.0.1' }, { tls });
            const mine = [1, 2, 3, 4, 5].map(() => open(server));

            await until(async () => await countOf(server) === 5);

            expect(mine.every(isOpen)).to.be.true();
            sockets.forEach((socket) => socket.destroy());
            await server.stop();
        });
    });
}
