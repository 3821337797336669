import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { ClientResponse } from '../../../lib/client/connection.js';
import { ConnectionError } from '../../../lib/client/errors.js';
import { NativeConnection } from '../../../lib/client/native-connection.js';
import type { Segment } from '../../../lib/doip/envelope.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment, sequence } from '../../../lib/doip/segments.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { body } from '../../support/bytes.js';
import { ADMIN, certify, nativePort, OK } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const HELLO = { targetId: 'service', operationId: Op.hello };

/** The output of a response: JSON values, and hashes of bytes. */
async function read({ output }: ClientResponse): Promise<unknown[]> {

    const values: unknown[] = [];
    for await (const segment of output) {
        values.push(segment.kind === 'json' ? segment.value : await hashOf(segment.body));
    }

    return values;
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {

    const hash = createHash('sha256');
    for await (const chunk of bytes) {
        hash.update(chunk);
    }

    return hash.digest('hex');
}

describe('a native connection', () => {

    let test: TestServer;
    let connection: NativeConnection;

    before(async () => {

        test = await startServer({ DOIP_PORT: 0 });
        connection = await NativeConnection.open({ host: '127.0.0.1', port: nativePort(test), serviceId: 'test/service' });
    });

    after(async () => {

        connection.close();
        await test.stop();
    });

    it('is of no use after an input that broke off, and performs nothing that was aborted before', async () => {

        const own = await NativeConnection.open({ host: '127.0.0.1', port: nativePort(test) });
        const aborted = AbortSignal.abort(new Error('given up'));
        await expect(own.perform({ ...HELLO, signal: aborted })).to.reject('given up');
        expect((await own.perform(HELLO)).status).to.equal(OK);

        let breakOff = (): void => undefined;
        const broken = new Promise<never>((_, reject) => {

            breakOff = () => reject(new Error('the disk is gone'));
        });
        // It may be rejected before the connection asks for the rest.
        broken.catch(() => undefined);
        const input = async function *(): AsyncGenerator<Segment> {

            const rest = async function *(): AsyncGenerator<Uint8Array> {

                yield Buffer.from('some bytes');
                await broken;
            };

            yield jsonSegment({ type: 'None', attributes: { content: {} }, elements: [{ id: 'a' }] });
            yield jsonSegment({ id: 'a' });
            yield { kind: 'bytes', body: rest() };
        };

        // The response comes before the input ends: there is no such type.
        const early = await own.perform({ targetId: 'service', operationId: Op.create, authentication: ADMIN, input: input() });
        expect(early.status).to.not.equal(OK);
        await early.output.return();
        breakOff();
        await until(() => !own.isOpen);
        await expect(own.perform(HELLO)).to.reject();
    });

    it('performs requests with all kinds of input and output', async () => {

        const bytes = randomBytes(300_000);
        const object = { id: 'test/client', type: 'Document', attributes: { content: { id: '' } }, elements: [{ id: 'a', type: 'image/png' }, { id: 'b' }] };
        const created = await connection.perform({
            targetId: 'service', operationId: Op.create, authentication: ADMIN, requestId: 'c1',
            input: sequence(jsonSegment(object), jsonSegment({ id: 'a' }), bytesSegment(bytes), jsonSegment({ id: 'b' }), bytesSegment(Buffer.alloc(0)))
        });
        expect([created.status, created.requestId]).to.equal([OK, 'c1']);
        await read(created);
        const updated = await connection.perform({
            targetId: 'test/client', operationId: Op.update, authentication: ADMIN, input: { attributes: { content: { id: '', n: 1 } } }
        });
        expect((await read(updated)).length).to.equal(1);
        const element = await connection.perform({ targetId: 'test/client', operationId: Op.retrieve, authentication: ADMIN, attributes: { element: 'a' } });
        expect(element.attributes['mediaType'] as unknown).to.equal('image/png');
        expect(await read(element)).to.equal([createHash('sha256').update(bytes).digest('hex')]);
        const gone = await connection.perform({ targetId: 'test/client', operationId: Op.delete, authentication: ADMIN });
        expect([gone.status, await read(gone)]).to.equal([OK, []]);
    });

    it('sends requests before the responses to others have come, and reads responses in order', async () => {

        const work = Array.from({ length: 50 }, async (_, n) => {

            const response = await connection.perform({ ...HELLO, requestId: `${n}` });
            await read(response);
            return response.requestId;
        });
        expect(await Promise.all(work)).to.equal(Array.from({ length: 50 }, (_, n) => `${n}`));
    });

    it('goes on after an output that was not read', async () => {

        const { output } = await connection.perform({ targetId: 'service', operationId: 'test/Op.Source', attributes: { size: 3_000_000 } });
        await output.return();
        const half = await connection.perform({ targetId: 'service', operationId: 'test/Op.Source', attributes: { size: 3_000_000 } });
        for await (const segment of half.output) {
            expect(segment.kind).to.equal('bytes');
            break;
        }

        expect((await read(await connection.perform(HELLO))).length).to.equal(1);
    });

    it('streams in both directions', async () => {

        const sunk = await connection.perform({
            targetId: 'service', operationId: 'test/Op.Sink', input: sequence({ kind: 'bytes', body: body(30_000_000) } satisfies Segment)
        });
        expect(await read(sunk)).to.equal([{ bytes: 30_000_000 }]);
        const source = await connection.perform({ targetId: 'service', operationId: 'test/Op.Source', attributes: { size: 30_000_000 } });
        expect(await read(source)).to.equal([await hashOf(body(30_000_000))]);
    });

    it('gives errors as responses', async () => {

        const refused = await connection.perform({ targetId: 'test/none', operationId: Op.retrieve });
        expect(refused.status).to.equal('0.DOIP/Status.104');
        expect(await read(refused)).to.equal([{ message: 'Missing object test/none' }]);
    });

    it('is not opened to another service', async () => {

        await expect(NativeConnection.open({ host: '127.0.0.1', port: nativePort(test), serviceId: 'test/other' }))
            .to.reject(/^the service at 127\.0\.0\.1:\d+ is test\/service, not test\/other$/);
    });

    it('shows a client certificate', async () => {

        const own = await NativeConnection.open({ host: '127.0.0.1', port: nativePort(test), certificate: await certify('admin') });
        const refused = await own.perform(HELLO);
        expect(refused.status).to.equal('0.DOIP/Status.102');
        own.close();
    });

    it('is closed when an input fails, as the service waits for the rest of the message', async () => {

        const own = await NativeConnection.open({ host: '127.0.0.1', port: nativePort(test) });
        async function *failing(): AsyncGenerator<Segment> {

            yield jsonSegment({ id: 'a' });
            throw new Error('the file is gone');
        }

        await expect(own.perform({ targetId: 'service', operationId: 'test/Op.Sink', input: failing() })).to.reject('the file is gone');
        await expect(own.perform(HELLO)).to.reject();
    });

    it('rejects a request to which the service only says that it ends the connection', async () => {

        const message = '{"status":"0.DOIP/Status.101","attributes":{"message":"the connection was idle for too long: connect again"}}\n#\n#\n';
        const server = createServer((socket) => socket.once('data', () => socket.end(message))).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const other = await NativeConnection.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false });
        await expect(other.perform(HELLO)).to.reject(ConnectionError, 'the service has closed the connection');
        expect(other.isOpen).to.be.false();
        server.close();
    });

    it('sends the numbers of attributes with their texts', async () => {

        const received: Buffer[] = [];
        const server = createServer((socket) => socket.on('data', (chunk: Buffer) => received.push(chunk))).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const other = await NativeConnection.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false });
        const attributes = parseJson('{"price": 1.10, "no": 9007199254740993}') as JsonObject;
        const response = other.perform({ ...HELLO, attributes });
        await until(() => Buffer.concat(received).includes('#'));
        other.destroy();
        await expect(response).to.reject();
        server.close();

        expect(Buffer.concat(received).toString()).to.contain('"attributes":{"price":1.10,"no":9007199254740993}');
    });

    it('rejects all requests when the service closes it', async () => {

        const server = createServer((socket) => socket.end('{"status":"0.DOIP/Status.001"}\n#\n#\n')).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const other = await NativeConnection.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false });
        const responses = [other.perform(HELLO), other.perform(HELLO)];
        await read(await responses[0]!);
        await expect(responses[1]!).to.reject();
        await expect(other.perform(HELLO)).to.reject();
        other.close();
        server.close();
    });
});
