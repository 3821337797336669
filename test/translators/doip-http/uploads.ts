import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import * as Http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Segment } from '../../../lib/doip/envelope.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { drain, empty, json } from '../../../lib/doip/segments.js';
import { collectGarbage } from '../../../lib/util/garbage.js';
import { success } from '../../support/performers.js';
import type { Wire } from '../../support/wire.js';
import { answerOf, MEBIBYTE, openWire, until, write } from '../../support/wire.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

/** Bytes in memory that are not garbage: how long V8 keeps garbage depends on its version. */
function held(): number {

    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
}

describe('uploads through DOIP over HTTP', () => {

    let wire: Wire;

    before(async () => {

        wire = await openWire();
    });

    after(() => wire.server.stop({ timeout: 1000 }));

    it('apply back-pressure to a large multipart upload, of which little is in memory', async () => {

        let received = 0;
        let sent = 0;
        let lead = 0;
        wire.perform = async ({ input }) => {

            for await (const segment of input) {
                if (segment.kind === 'bytes') {
                    for await (const chunk of segment.body) {
                        received += chunk.byteLength;
                        lead = Math.max(lead, sent - received);
                        if (received % (4 * MEBIBYTE) < chunk.byteLength) {
                            await delay(5);
                        }
                    }
                }
            }

            return success(empty());
        };

        const upload = wire.request({ 'content-type': 'multipart/form-data; boundary=BBBBBBBB' });
        const answer = answerOf(upload);
        const chunk = randomBytes(MEBIBYTE);
        let peak = 0;
        const base = held();
        await write(upload, '--BBBBBBBB\r\nContent-Disposition: form-data; name="o"\r\n\r\n{}\r\n' +
            '--BBBBBBBB\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n');
        for (let i = 0; i < 100; ++i) {
            await write(upload, chunk);
            sent += chunk.length;
            if (i % 10 === 0) {
                peak = Math.max(peak, held() - base);
            }
        }

        upload.end('\r\n--BBBBBBBB--');

        expect((await answer).code).to.equal(200);
        expect(received).to.equal(100 * MEBIBYTE);
        expect(lead).to.be.below(16 * MEBIBYTE);
        expect(peak).to.be.below(24 * MEBIBYTE);
    });

    it('abort the operation when the client disconnects', async () => {

        for (const headers of [
            { 'content-type': 'application/octet-stream', 'content-length': 1000 },
            { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
            { 'content-type': 'multipart/form-data; boundary=B' },
            { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' }
        ]) {
            let outcome: unknown;
            let signal: AbortSignal | undefined;
            let bytes = 0;
            wire.perform = async (doip) => {

                signal = doip.signal;
                try {
                    for await (const segment of doip.input) {
                        for await (const chunk of segment.kind === 'bytes' ? segment.body : []) {
                            bytes += chunk.byteLength;
                        }
                    }

                    outcome = 'complete';
                }
                catch (error) {
                    outcome = error;
                }

                return success(empty());
            };

            const upload = wire.request(headers);
            upload.on('error', () => undefined);
            const gzipped = gzipSync(randomBytes(MEBIBYTE));
            upload.write(headers['content-encoding'] ? gzipped.subarray(0, 500_000) : '--B\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nxyz');
            await until('bytes arrive', () => bytes > 0);
            upload.destroy();
            await until('the operation has ended', () => outcome !== undefined);

            expect((outcome as Error).message).to.equal('the request body ends early');
            await until('the signal fires', () => signal?.aborted === true);
        }
    });

    it('that are rejected let the client read the response', async () => {

        wire.perform = () => Promise.reject(badRequest('no, thank you'));
        const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 });
        try {
            for (const round of [1, 2]) {
                const upload = wire.request({ 'content-type': 'application/octet-stream' }, 'POST', agent);
                const answer = answerOf(upload);
                for (let i = 0; i < 20; ++i) {
                    await write(upload, Buffer.alloc(MEBIBYTE));
                }

                upload.end();

                expect(await answer, `round ${round}`).to.include({ code: 400, text: '{"message":"no, thank you"}', connection: 'keep-alive' });
            }
        }
        finally {
            agent.destroy();
        }
    });

    it('that are read in part let the client read the response', async () => {

        wire.perform = async ({ input }) => {

            for await (const segment of input) {
                for await (const chunk of segment.kind === 'bytes' ? segment.body : []) {
                    expect(chunk.byteLength).to.be.above(0);
                    break;
                }

                break;
            }

            return success(json('enough'));
        };

        // More than the buffers of connections hold, and made in advance: the service waits five seconds for the rest.
        const chunk = randomBytes(MEBIBYTE);
        for (const headers of [{ 'content-type': 'multipart/mixed; boundary=B' }, { 'content-type': 'a/b' }, { 'content-encoding': 'gzip' }]) {
            const upload = wire.request(headers);
            const answer = answerOf(upload);
            const pack = createGzip();
            if (headers['content-encoding']) {
                pack.pipe(upload);
            }

            const target = headers['content-encoding'] ? pack : upload;
            target.write('--B\r\n\r\n');
            for (let i = 0; i < 12; ++i) {
                await write(target, chunk);
            }

            target.end();

            expect(await answer).to.include({ code: 200, text: '"enough"' });
        }
    });

    it('get a response while the operation still reads', async () => {

        wire.perform = ({ input }) => {

            const body = async function *(): AsyncGenerator<Uint8Array> {

                for await (const segment of input) {
                    yield *segment.kind === 'bytes' ? segment.body : [];
                }
            };

            const output = async function *(): AsyncGenerator<Segment> {

                yield { kind: 'bytes', body: body() };
            };

            return Promise.resolve(success(output()));
        };

        const content = randomBytes(5 * MEBIBYTE).toString('base64');
        const upload = wire.request({ 'content-type': 'a/b' });
        const answer = answerOf(upload);
        upload.end(content);

        expect((await answer).text === content).to.be.true();
    });

    it('are disconnected when the client keeps sending', async () => {

        wire.perform = () => Promise.reject(badRequest('no'));
        const socket = connect(wire.port, '127.0.0.1');
        let text = '';
        socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
        socket.write('POST /doip?o=a&t=b HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n');
        while (!socket.destroyed && socket.writable) {
            await write(socket, Buffer.alloc(MEBIBYTE));
        }

        expect(text === '' || text.includes('400 Bad Request')).to.be.true();
    });

    it('are decompressed from gzip', async () => {

        let seen = '';
        wire.perform = async ({ input }) => {

            for await (const segment of input) {
                seen = JSON.stringify(segment);
            }

            return success(empty());
        };

        const upload = wire.request({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
        upload.end(gzipSync('{"a":1}'));

        expect((await answerOf(upload)).code).to.equal(200);
        expect(seen).to.equal('{"kind":"json","value":{"a":1}}');
    });

    it('reject a gzip bomb of JSON after little of it', async () => {

        wire.perform = async ({ input }) => {

            for await (const segment of input) {
                expect(segment.kind).to.equal('json');
            }

            return success(empty());
        };

        const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, 0x20));
        const upload = wire.request({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
        upload.end(bomb);
        const answer = await answerOf(upload);

        expect(bomb.length).to.be.below(100_000);
        expect(answer.text).to.match(/longer than the allowed 1048576 bytes/);
    });

    it('send 100 Continue only when the body is read', async () => {

        wire.perform = async ({ input }) => {

            for await (const segment of input) {
                if (segment.kind === 'bytes') {
                    await drain(segment.body);
                }
            }

            return success(json(1));
        };

        const upload = wire.request({ expect: '100-continue', 'content-type': 'a/b', 'content-length': 3 });
        const answer = answerOf(upload);
        upload.flushHeaders();
        await once(upload, 'continue');
        upload.end('abc');

        expect((await answer).code).to.equal(200);
    });
});
