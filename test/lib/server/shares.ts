/** Connections on which nothing comes of it: they end in time, and one address cannot hold them all. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestServer } from '../../support/server.js';
import { clientOf, pathOf, startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frame = (type: number, flags: number, stream: number, body: Buffer): Buffer => {

    const head = Buffer.alloc(9);
    head.writeUIntBE(body.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, body]);
};

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
/** `:method: GET`, `:scheme: https` and `:path: /` of the static table. */
const FIELDS = Buffer.from([0x82, 0x87, 0x84]);
const PING = frame(6, 0, 0, Buffer.alloc(8));

describe('HTTP/2 sessions without requests', () => {

    let server: TestServer;
    before(async () => {

        server = await startServer({ KEEP_ALIVE_SECONDS: 0.3, HEADERS_TIMEOUT_SECONDS: 0.3 }, { tls: true });
    });
    after(() => server.stop());

    const open = async (...frames: Buffer[]): Promise<Socket> => {

        const socket = connectTls({ port: server.port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        socket.on('error', () => undefined).resume();
        socket.write(Buffer.concat(frames));
        return socket;
    };

    const cases: [string, ...Buffer[]][] = [
        ['sends nothing', PREFACE, SETTINGS],
        ['does not finish its headers', PREFACE, SETTINGS, frame(1, 0, 1, FIELDS)],
        ['says that no body follows and does not finish its headers', PREFACE, SETTINGS, frame(1, 1, 1, FIELDS)],
        ['sends half of a frame', PREFACE, SETTINGS, frame(1, 4, 1, FIELDS).subarray(0, 10)]
    ];
    for (const [title, ...frames] of cases) {
        it(`end when the client ${title}`, async () => {

            const socket = await open(...frames);

            await once(socket, 'close');
        });
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
        const other = await open(PREFACE, SETTINGS, frame(1, 0, 1, FIELDS));
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
