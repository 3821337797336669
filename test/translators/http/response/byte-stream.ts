/** Bytes on their way to clients that read slowly, stop or go away; chunks that may be freed are freed when they were sent, and not before. */

import { expect } from '@hapi/code';
import { type Server, server as createServer } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as Http from 'node:http';
import * as Https from 'node:https';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTransient, asUnshared } from '../../../../lib/util/streams/transient-bytes.js';
import { ByteStream } from '../../../../translators/http/response/byte-stream.js';
import { FREES_BUFFERS, pattern } from '../../../support/bytes.js';
import { tlsSettings } from '../../../support/server.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const CHUNK = 256 * 1024;
const CHUNKS = 40;
/** Bytes that a chunk has that was freed. */
const FREED = FREES_BUFFERS ? 0 : CHUNK;

for (const protocol of ['http', 'https'] as const) {
    describe(`a stream of bytes over ${protocol}`, () => {

        let folder: string;
        let server: Server;
        /** What the source has given out. */
        let chunks: Uint8Array[];
        let closed: number;
        let failures: unknown[];
        /** Where the source throws. */
        let failsAt: number;
        /** True where its release fails. */
        let isStuck: boolean;

        async function *source(): AsyncGenerator<Uint8Array> {

            for (let n = 0; n < CHUNKS; ++n) {
                if (n === failsAt) {
                    throw new Error('no more');
                }

                // Not at once, as chunks come from a disk.
                await sleep(0);
                const chunk = asTransient(new Uint8Array(pattern(n * CHUNK, (n + 1) * CHUNK - 1)));
                chunks.push(chunk);
                yield chunk;
            }
        }

        function release(): void {

            ++closed;
            if (isStuck) {
                throw new Error('no release');
            }
        }

        before(async () => {

            folder = mkdtempSync(join(tmpdir(), 'byte-stream-'));
            const { TLS_CERT, TLS_KEY } = await tlsSettings(folder);
            server = createServer({ host: '127.0.0.1', ...protocol === 'https' ? { tls: { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) } } : {}, debug: false });
            server.route({
                method: 'GET', path: '/{framing}',
                handler: ({ params }, h) => {

                    const stream = new ByteStream({ body: asUnshared(source()), length: CHUNKS * CHUNK, close: async () => release() });
                    stream.onFailure = (error) => failures.push(error);
                    const response = h.response(stream).type('application/octet-stream');
                    return params['framing'] === 'chunked' ? response : response.bytes(CHUNKS * CHUNK);
                }
            });
            await server.start();
        });

        beforeEach(() => {

            [chunks, failures, closed, failsAt, isStuck] = [[], [], 0, -1, false];
        });

        after(async () => {

            await server?.stop({ timeout: 0 });
            rmSync(folder, { recursive: true, force: true });
        });

        async function ask(path: string): Promise<Http.IncomingMessage> {

            const options = { path, port: server.info.port, host: '127.0.0.1', agent: false, rejectUnauthorized: false };
            const [response] = await once((protocol === 'https' ? Https : Http).get(options), 'response') as [Http.IncomingMessage];
            return response;
        }

        for (const framing of ['length', 'chunked']) {
            it(`arrives whole at a client that pauses, with ${framing === 'length' ? 'a length' : 'chunked encoding'}`, async () => {

                const response = await ask(`/${framing}`);
                const received: Buffer[] = [];
                let pauses = 0;
                for await (const bytes of response as AsyncIterable<Buffer>) {
                    received.push(bytes);
                    if (received.length % 40 === 0 && pauses < 12) {
                        pauses += 1;
                        await sleep(20);
                    }
                }

                expect(Buffer.concat(received).equals(pattern(0, CHUNKS * CHUNK - 1))).to.be.true();
                await until(() => closed === 1);
                expect(chunks.map(({ byteLength }) => byteLength)).to.equal(Array.from({ length: CHUNKS }, () => FREED));
                expect(failures).to.equal([]);
            });
        }

        it('holds one chunk for a client that does not read, and is released when the client goes away', async () => {

            const response = await ask('/length');
            response.pause();
            let count = -1;
            await until(async () => {

                const before = count;
                count = chunks.length;
                await sleep(200);
                return before === count;
            });

            expect(count).to.be.below(CHUNKS);
            expect(chunks.slice(0, -1).every(({ byteLength }) => byteLength === FREED)).to.be.true();
            expect(chunks.at(-1)?.byteLength).to.equal(CHUNK);
            response.destroy();
            await until(() => closed === 1);
            expect(failures).to.equal([]);
        });

        for (const end of ['has been sent', 'fails', 'loses its client']) {
            it(`does not end the process when it ${end} and its source cannot be released`, async () => {

                isStuck = true;
                failsAt = end === 'fails' ? 20 : -1;
                const response = await ask('/length');
                await (end === 'loses its client' ? response.destroy() : response.resume() && once(response, 'close').catch(() => undefined));

                await until(() => closed === 1);
                await sleep(50);
                expect((await ask('/length')).statusCode).to.equal(200);
            });
        }

        it('refuses a chunk that is no bytes', async () => {

            const stream = new ByteStream({ body: (async function *() {

                yield 'text' as unknown as Uint8Array;
            })(), close: async () => undefined });

            await expect(buffer(stream)).to.reject(TypeError, 'the output has a chunk that is no bytes');
        });

        it('resets the connection when the source fails, and reports it once', async () => {

            failsAt = 20;
            const response = await ask('/length');
            const received: Buffer[] = [];

            const error: unknown = await (async () => {

                for await (const bytes of response as AsyncIterable<Buffer>) {
                    received.push(bytes);
                }
            })().catch((reason: unknown) => reason);

            expect(error).to.be.an.error();
            const bytes = Buffer.concat(received);
            expect(bytes.equals(pattern(0, bytes.byteLength - 1))).to.be.true();
            await until(() => closed === 1);
            expect(failures.map(String)).to.equal(['Error: no more']);
        });
    });
}
