/** Whom the client trusts with credentials. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientOptions, JsonObject } from '../../../lib/client/index.js';
import { connect, DoipClient, NativePool } from '../../../lib/client/index.js';
import { reasonForDistrust, type Trust } from '../../../lib/client/trust.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { ADMIN, certify, nativePort } from '../../support/native.js';
import { startServer, tlsSettings } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('whom the client trusts', () => {

    it('sends credentials over native DOIP to the right service only', async () => {

        const test = await startServer({ DOIP_PORT: 0 });
        const port = nativePort(test);
        const { publicKey } = (await connect(`doip://127.0.0.1:${port}`).hello()).attributes as unknown as { publicKey: JsonObject };
        const outcome = async (address: string, options: ClientOptions = {}): Promise<string> => {

            const client = connect(address, { ...ADMIN, ...options });
            try {
                return await client.call('service', Op.checkCredentials).then(() => 'performed', (error: Error) => error.message);
            }
            finally {
                client.close();
            }
        };

        expect<unknown>(await outcome(`doip://127.0.0.1:${port}/test/service`)).to.equal('performed');
        expect<unknown>(await outcome(`doip://localhost:${port}`, { publicKey })).to.equal('performed');
        expect<unknown>(await outcome(`doip://127.0.0.1:${port}/other/service`)).to.equal(`the service at 127.0.0.1:${port} is test/service, not other/service`);
        const { publicKey: foreign } = await certify('test/service');
        expect<unknown>(await outcome(`doip://127.0.0.1:${port}`, { publicKey: foreign })).to.equal(`the service at 127.0.0.1:${port} has another public key`);
        await test.stop();
    });

    it('sends credentials to another machine only when it is verified', async () => {

        const distrust = (remoteAddress: string, more: Partial<Trust> = {}): boolean =>
            reasonForDistrust({ target: 'x', remoteAddress, isVerified: false, insecure: false, remedy: 'y', ...more }) !== null;
        expect<unknown>(['127.0.0.1', '127.9.0.1', '::1', '[::1]', '::ffff:127.0.0.1', 'localhost'].map((each) => distrust(each))).to.equal(new Array<boolean>(6).fill(false));
        expect(['192.0.2.1', '0.0.0.0', '2001:db8::1', 'example.org', 'localhost.example.org', '127.example.org', ''].map((each) => distrust(each)))
            .to.equal(new Array<boolean>(7).fill(true));
        expect<unknown>([distrust('192.0.2.1', { isVerified: true }), distrust('192.0.2.1', { insecure: true })]).to.equal([false, false]);
        const http = connect('http://192.0.2.1:1', ADMIN);
        await expect(http.hello()).to.reject(
            'credentials are not sent to http://192.0.2.1:1, which is not verified: use https, or allow insecure connections');
    });

    it('verifies HTTPS by an authority', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'client-tls-'));
        const { TLS_CERT, TLS_KEY } = await tlsSettings(folder);
        const test = await startServer({ TLS_CERT, TLS_KEY, HOST: 'localhost' });
        const address = `https://localhost:${test.port}`;
        const hello = async (options: ClientOptions): Promise<string> => {

            const client = connect(address, { ...ADMIN, ...options });
            try {
                return await client.hello().then(({ id }) => id, (error: NodeJS.ErrnoException) => error.code ?? error.message);
            }
            finally {
                client.close();
            }
        };

        expect(await hello({})).to.match(/SELF_SIGNED|UNABLE_TO_VERIFY/);
        expect<unknown>(await hello({ insecure: true })).to.equal('test/service');
        expect<unknown>(await hello({ ca: await readFile(TLS_CERT, 'utf8') })).to.equal('test/service');
        await test.stop();
        await rm(folder, { recursive: true });
    });

    it('refuses addresses that are none', () => {

        for (const address of ['ftp://127.0.0.1', '127.0.0.1:9000', 'nothing', '', 'http://ann:pw@127.0.0.1', 'doip://ann@127.0.0.1:9000']) {
            expect(() => connect(address), address).to.throw();
        }
    });

    it('says when what answers is no DOIP service', async () => {

        const other = createServer((socket) => {

            socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'));
        });
        other.listen(0, '127.0.0.1');
        await once(other, 'listening');
        const { port } = other.address() as AddressInfo;
        const http = connect(`http://127.0.0.1:${port}`);
        await expect(http.hello()).to.reject(`http://127.0.0.1:${port} does not serve DOIP: its response is 200 without Doip-Response`);
        const native = new DoipClient(new NativePool({ host: '127.0.0.1', port, tls: false }));
        await expect(native.hello()).to.reject();
        other.close();
    });

    it('does not wait for a response after a change of the protocol', async () => {

        const other = createServer((socket) => {

            socket.on('data', () => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'));
        });
        other.listen(0, '127.0.0.1');
        await once(other, 'listening');
        const { port } = other.address() as AddressInfo;
        await expect(connect(`http://127.0.0.1:${port}`).hello()).to.reject(`http://127.0.0.1:${port} has closed the connection without a response`);
        other.close();
    });
});
