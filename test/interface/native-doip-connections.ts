import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import type { BytesSegment, Segment } from '../../lib/doip/envelope.js';
import { ConfigError, configure } from '../../lib/config/index.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { RecordOutput } from '../../lib/doip/record-output.js';
import { drain, jsonSegment } from '../../lib/doip/segments.js';
import { result } from '../../lib/core/operation.js';
import { defineOwnOperation } from '../../lib/core/own-operation.js';
import { createServer as createGatewayServer } from '../../lib/server.js';
import { bodyMemoryOf } from '../../translators/http/request/body-memory.js';
import { ADMIN, BAD, certify, NativeClient, nativePort, OK } from '../support/native.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const HELLO = `{"targetId":"service","operationId":"${Op.hello}"}\n#\n#\n`;

const WAIT = '{"targetId":"service","operationId":"test/Op.Wait"}\n#\n#\n';

/** Runs a test with a server of its own. */
async function withServer(settings: Record<string, unknown>, work: (test: TestServer) => Promise<void>): Promise<void> {

    const test = await startServer({ DOIP_PORT: 0, ...settings });
    try {
        await work(test);
    }
    finally {
        await test.stop();
    }
}

/** A connection that was reset after a message. Where both arrive together, libuv reports the end of the stream instead of the reset. */
function expectReset({ errors }: NativeClient): void {

    expect(errors.filter((code) => code !== 'ECONNRESET')).to.equal([]);
}

describe('a connection of native DOIP', () => {

    it('gets a message that answers no request, and is reset, after the idle time', () => withServer({ DOIP_IDLE_SECONDS: 8 }, async (test) => {

        const client = await NativeClient.open(nativePort(test));
        expect((await client.ask(HELLO)).head.status).to.equal(OK);
        const message = await client.receive();
        expect([message?.head.requestId, message?.head.status]).to.equal([undefined, BAD]);
        expect(message?.head.attributes).to.equal({ message: 'the connection was idle for too long: connect again' });
        await client.closed();
        expectReset(client);
    }));

    it('is closed with a message after an incomplete request', () => withServer({ HEADERS_TIMEOUT_SECONDS: 8 }, async (test) => {

        const client = await NativeClient.open(nativePort(test));
        await client.send(HELLO.slice(0, 20));
        const message = await client.receive();
        expect(message?.head.status).to.equal(BAD);
        expect(message?.head.attributes).to.equal({ message: 'the request did not arrive in time' });
        await client.closed();
    }));

    it('is closed with a message when an upload makes no progress', () => withServer({ STALL_TIMEOUT_SECONDS: 4 }, async (test) => {

        // Longer than the interval of the signs of life, which do not count.
        const client = await NativeClient.open(nativePort(test));
        await client.send('{"targetId":"service","operationId":"test/Op.Sink"}\n#\n@\n9\nabc');
        const message = await client.receive();
        expect(message?.head.attributes).to.equal({ message: 'the request made no progress' });
        await client.closed();
    }));

    it('is closed when an upload stalls while the operation is not ready for it', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-native-'));
        const server = await createGatewayServer(configure({
            PORT: 0, DOIP_PORT: 0, DATA_DIR: folder, LOG_LEVEL: 'silent', ADMIN_PASSWORD: ADMIN.password, STALL_TIMEOUT_SECONDS: 0.5
        }));
        const { gateway } = server.plugins['doip-gateway'];
        gateway.registerOperation(defineOwnOperation({
            id: 'test/Op.Later', summary: 'read later', target: 'service', authorise: 'anyone', input: 'segments',
            handler: async ({ input }) => {

                await delay(1500);
                for await (const segment of input) {
                    await drain((segment as BytesSegment).body);
                }

                return result.empty();
            }
        }));
        await server.start();
        const client = await NativeClient.open(gateway.services.endpoint().native!.port);
        await client.send('{"targetId":"service","operationId":"test/Op.Later"}\n#\n@\n9\nabc');
        expect((await client.receive())?.head.attributes).to.equal({ message: 'the request made no progress' });
        await client.closed();
        await server.stop();
        await rm(folder, { recursive: true });
    });

    it('is reset when the client does not read a response', () => withServer({ STALL_TIMEOUT_SECONDS: 1 }, async (test) => {

        const client = await NativeClient.open(nativePort(test), { tls: true });
        await client.send('{"targetId":"service","operationId":"test/Op.Source","attributes":{"size":100000000}}\n#\n#\n');
        await until(() => test.log.some(({ event, broken }) => event === 'doip.request' && broken === true));
        client.close();
    }));

    it('is kept while an operation takes longer than the limit for clients', () =>
        withServer({ STALL_TIMEOUT_SECONDS: 2, DOIP_IDLE_SECONDS: 6 }, async (test) => {

            const client = await NativeClient.open(nativePort(test));
            await client.send(WAIT);
            await until(() => test.waiting.calls > 0);
            await delay(7000);
            test.waiting.release();
            expect((await client.receive())?.head.status).to.equal(OK);
            client.close();
        }));

    it('is reset at the end of the service, unless a request is in progress', async () => {

        const test = await startServer({ DOIP_PORT: 0, SHUTDOWN_SECONDS: 10 });
        const port = nativePort(test);
        const [idle, busy] = [await NativeClient.open(port), await NativeClient.open(port)];
        await idle.ask(HELLO);
        await busy.send(WAIT);
        await until(() => test.waiting.calls > 0);
        const stopped = test.stop();
        expect((await idle.receive())?.head.attributes).to.equal({ message: 'the service stops: connect again' });
        await idle.closed();
        expectReset(idle);
        test.waiting.release();
        expect((await busy.receive())?.head.status).to.equal(OK);
        await stopped;
    });

    it('is cut at the end of the service when its request takes too long', async () => {

        const test = await startServer({ DOIP_PORT: 0, SHUTDOWN_SECONDS: 0.3 });
        const client = await NativeClient.open(nativePort(test));
        await client.send(WAIT);
        await until(() => test.waiting.calls > 0);
        await test.stop();
        await client.closed();
        expect(client.errors).to.equal(['ECONNRESET']);
    });

    it('is refused beyond the share of an address', () => withServer({ MAX_CONNECTIONS_PER_ADDRESS: 2 }, async (test) => {

        const port = nativePort(test);
        const clients = [await NativeClient.open(port), await NativeClient.open(port)];
        await expect(NativeClient.open(port)).to.reject();
        expect((await clients[1]!.ask(HELLO)).head.status).to.equal(OK);
        clients.forEach((client) => client.close());
    }));

    it('cannot use up the memory for requests from other addresses', () => withServer({ MAX_BODY_MEMORY_BYTES: 1_048_576 }, async (test) => {

        const slow = await NativeClient.open(nativePort(test), { localAddress: '127.0.0.2' });
        await slow.send(`{"targetId":"${'x'.repeat(270_000)}`);
        await until(() => bodyMemoryOf(test.server, 0).used > 240_000);
        const client = await NativeClient.open(nativePort(test));
        const request = { targetId: 'service', operationId: Op.hello, authentication: ADMIN, attributes: { long: 'x'.repeat(100_000) } };
        expect((await client.ask(`${JSON.stringify(request)}\n#\n#\n`)).head.status).to.equal(OK);
        slow.close();
        client.close();
    }));

    it('does not count when the client left in the handshake', () => withServer({ MAX_CONNECTIONS_PER_ADDRESS: 4 }, async (test) => {

        for (let n = 0; n < 12; ++n) {
            // The client is ready before the service is.
            (await NativeClient.open(nativePort(test))).close();
            await delay(50);
        }

        const client = await NativeClient.open(nativePort(test));
        expect((await client.ask(HELLO)).head.status).to.equal(OK);
        client.close();
    }));

    it('is closed when TLS is not begun in time', () => withServer({ HEADERS_TIMEOUT_SECONDS: 0.3 }, async (test) => {

        const client = await NativeClient.open(nativePort(test), { tls: false });
        await client.closed();
    }));

    it('of plain TCP does not accept TLS, and TLS does not accept plain text', () => withServer({ DOIP_PLAIN: true }, async (test) => {

        const client = await NativeClient.open(nativePort(test), { tls: false });
        expect((await client.ask(HELLO)).head.status).to.equal(OK);
        client.close();
        await expect(NativeClient.open(nativePort(test))).to.reject();
        await withServer({}, async (other) => {

            const plain = await NativeClient.open(nativePort(other), { tls: false });
            await plain.send(HELLO);
            await plain.closed();
        });
    }));

    it('of plain TCP does not take credentials', () => withServer({ DOIP_PLAIN: 'true' }, async (test) => {

        const client = await NativeClient.open(nativePort(test), { tls: false });
        const { head } = await client.ask(`${JSON.stringify({ targetId: 'service', operationId: Op.hello, authentication: ADMIN })}\n#\n#\n`);
        expect(head.status).to.equal('0.DOIP/Status.103');
        client.close();
    }));

    it('without TLS is for this machine only', () => {

        for (const settings of [{ DOIP_HOST: '0.0.0.0' }, { HOST: '0.0.0.0' }, { DOIP_HOST: '192.0.2.1' }]) {
            expect(() => configure({ DOIP_PLAIN: true, ...settings })).to.throw(ConfigError, /DOIP_PLAIN is for addresses of this machine/);
        }
    });
});

describe('the certificate of native DOIP', () => {

    const subjectOf = async (port: number): Promise<{ subject: string; key: string }> => {

        const client = await NativeClient.open(port);
        const certificate = (client.socket as TLSSocket).getPeerX509Certificate()!;
        client.close();
        return { subject: certificate.subject, key: certificate.publicKey.export({ format: 'pem', type: 'spki' }).toString() };
    };

    it('names the service, and stays the same after a restart', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-native-'));
        const seen: unknown[] = [];
        for (let n = 0; n < 2; ++n) {
            await withServer({ DATA_DIR: folder }, async (test) => void seen.push(await subjectOf(nativePort(test))));
        }

        expect(seen[0]).to.include({ subject: 'UID=test/service' });
        expect(seen[1]).to.equal(seen[0]);
        await rm(folder, { recursive: true });
    });

    it('is made for another id of the service, with the same key', () => withServer({}, async (test) => {

        const { identity } = test.server.plugins['doip-gateway'].gateway.services;
        const one = await identity.certificate.of('test/service');
        const other = await identity.certificate.of('20.500/Ü, "x"');
        expect(other.cert).to.not.equal(one.cert);
        expect(other.key).to.equal(one.key);
        expect((await identity.certificate.of('20.500/Ü, "x"')).cert).to.equal(other.cert);
        const again = await identity.certificate.of('test/service');
        expect(JSON.stringify(again.publicKey)).to.equal(JSON.stringify(one.publicKey));
        expect((await identity.certificate.of('test/service')).cert).to.equal(again.cert);
    }));

    it('can be one of the operator, which is exchanged without a restart', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-native-'));
        const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
        const put = async (id: string, time: number): Promise<void> => {

            const made = await certify(id);
            await writeFile(cert, made.cert);
            await writeFile(key, made.key);
            await utimes(key, time, time);
        };

        await put('own/one', 1000);
        await withServer({ DOIP_TLS_CERT: cert, DOIP_TLS_KEY: key }, async (test) => {

            expect((await subjectOf(nativePort(test))).subject).to.equal('UID=own/one');
            // As a file is while it is being written.
            await writeFile(cert, '');
            await until(() => test.log.some(({ event }) => event === 'doip.certificate-invalid'), 30_000);
            expect((await subjectOf(nativePort(test))).subject).to.equal('UID=own/one');
            await put('own/two', 2000);
            await until(async () => (await subjectOf(nativePort(test))).subject === 'UID=own/two', 30_000);
        });
        await writeFile(cert, await readFile(key));
        await expect(startServer({ DOIP_PORT: 0, DOIP_TLS_CERT: cert, DOIP_TLS_KEY: key })).to.reject();
        await rm(folder, { recursive: true });
    });

    it('needs its key', () => {

        expect(() => configure({ DOIP_TLS_CERT: __filename })).to.throw(/DOIP_TLS_CERT and DOIP_TLS_KEY belong together: DOIP_TLS_KEY is not set/);
    });
});

describe('the port of native DOIP', () => {

    it('may be taken by another program, if it is the default one', async () => {

        const other = createServer().listen(9000, '127.0.0.1');
        // Another program has it already, which is as good.
        await once(other, 'listening').catch(() => undefined);
        await withServer({ DOIP_PORT: 9000 }, async (test) => {

            expect(test.log.map(({ event }) => event)).to.include('doip.port-in-use');
            const hello = await fetch(`${test.url}/doip/${Op.hello}?targetId=service`).then((response) => response.json()) as { attributes: object };
            expect(hello.attributes).to.include({ protocol: 'HTTP', port: test.port });
        });
        other.close();
    });

    it('that was chosen and is taken ends the start', () => withServer({}, async (test) => {

        await expect(startServer({ DOIP_PORT: nativePort(test) })).to.reject(/EADDRINUSE/);
    }));

    it('is off when it is empty', () => withServer({ DOIP_PORT: '' }, async (test) => {

        expect(() => nativePort(test)).to.throw('native DOIP is off');
    }));
});

describe('an output of native DOIP that fails', () => {

    const fail = (): never => {

        throw new Error('the disk is gone');
    };

    async function *failing(bytes: number): AsyncGenerator<Uint8Array> {

        if (bytes > 0) {
            yield Buffer.alloc(bytes, 'x');
        }

        await delay(10);
        fail();
    }

    async function *segments(...first: Segment[]): AsyncGenerator<Segment> {

        yield *first;
        await delay(10);
        fail();
    }

    async function *blocks(): AsyncGenerator<string[], void, undefined> {

        for (let n = 0; n < 20; ++n) {
            yield ['x'.repeat(10_000)];
        }

        fail();
    }

    const outputs: Record<string, () => Promise<AsyncIterable<Segment>>> = {
        bytes: async () => segments({ kind: 'bytes', body: failing(10) }),
        start: async () => segments({ kind: 'bytes', body: failing(0) }),
        between: async () => segments(jsonSegment({ a: 1 }), jsonSegment({ b: 1 })),
        record: async () => RecordOutput.open({ before: { size: 20 }, after: {}, blocks: blocks() })
    };

    /** Starts a server with an operation that fails. */
    async function withFailures(work: (client: NativeClient) => Promise<void>): Promise<void> {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-native-'));
        const server = await createGatewayServer(configure({ PORT: 0, DOIP_PORT: 0, DATA_DIR: folder, LOG_LEVEL: 'silent', ADMIN_PASSWORD: ADMIN.password }));
        const { gateway } = server.plugins['doip-gateway'];
        gateway.registerOperation(defineOwnOperation({
            id: 'test/Op.Fail', summary: 'fail', target: 'service', authorise: 'anyone',
            handler: async ({ attributes }) => result.segments(await outputs[attributes['what'] as string]!())
        }));
        await server.start();
        const client = await NativeClient.open(gateway.services.endpoint().native!.port);
        try {
            await work(client);
        }
        finally {
            client.close();
            await server.stop();
            await rm(folder, { recursive: true });
        }
    }

    const failure = (what: string): string => `{"targetId":"service","operationId":"test/Op.Fail","attributes":{"what":"${what}"}}\n#\n#\n`;

    it('before its first bytes is an error', () => withFailures(async (client) => {

        expect((await client.ask(failure('start'))).head).to.include({ status: '0.DOIP/Status.500' });
        expect((await client.ask(HELLO)).head.status).to.equal(OK);
    }));

    it('in bytes ends with a line that is no length, and the connection with it', () => withFailures(async (client) => {

        await expect(client.ask(failure('bytes'))).to.reject('the sender has given up a segment of bytes');
        expect(client.records.join('')).to.endWith('10\nxxxxxxxxxx\n!\n');
        await client.closed();
    }));

    for (const what of ['record', 'between']) {
        it(`in JSON (${what}) ends as no JSON, and the connection goes on`, () => withFailures(async (client) => {

            await expect(client.ask(failure(what))).to.reject(SyntaxError);
            await client.receive().catch(() => undefined);
            expect((await client.ask(HELLO)).head.status).to.equal(OK);
        }));
    }
});
