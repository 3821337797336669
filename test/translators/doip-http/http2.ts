import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as Http2 from 'node:http2';
import type { Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import * as Code from '@hapi/code';
import * as Hapi from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import type { DoipRequest, DoipResponse } from '../../../lib/doip/envelope.js';
import { badRequest, DoipError } from '../../../lib/errors/errors.js';
import { drain, json } from '../../../lib/doip/segments.js';
import { doipHttp } from '../../../translators/doip-http/index.js';
import { performer, portOf, success } from '../../support/performers.js';
import { MEBIBYTE, until, write } from '../../support/wire.js';
import { Http2Response } from '../../../lib/http-server/listener.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('DOIP over HTTP/2', () => {

    let server: Hapi.Server;
    let session: Http2.ClientHttp2Session;
    let perform: (request: DoipRequest) => Promise<DoipResponse>;

    before(async () => {

        const gateway = performer(async (request) => {

            try {
                return await perform(request);
            }
            catch (error) {
                const { status, message } = error as DoipError;
                return { requestId: null, status, attributes: {}, output: json({ message }) };
            }
        });
        const listener = Http2.createServer({ Http2ServerResponse: Http2Response }) as unknown as Server;
        server = Hapi.server({ listener, tls: false, port: 0, host: '127.0.0.1', debug: false });
        await server.register({ plugin: doipHttp, options: { gateway } });
        await server.start();
        session = Http2.connect(`http://127.0.0.1:${portOf(server)}`);
    });

    after(async () => {

        session.close();
        await server.stop({ timeout: 1000 });
    });

    function open(method: string, headers: Http2.OutgoingHttpHeaders = {}): Http2.ClientHttp2Stream {

        return session.request({ ':method': method, ':path': '/doip?o=Op&t=t/1', ...headers }, { endStream: method === 'GET' });
    }

    async function answerOf(stream: Http2.ClientHttp2Stream): Promise<{ code: unknown; text: string }> {

        const [headers] = await once(stream, 'response') as [Http2.IncomingHttpHeaders];
        let text = '';
        for await (const chunk of stream) {
            text += String(chunk);
        }

        return { code: headers[':status'], text };
    }

    it('serves GET', async () => {

        perform = () => Promise.resolve(success(json({ a: 1 })));

        expect(await answerOf(open('GET'))).to.equal({ code: 200, text: '{"a":1}' });
    });

    it('accepts uploads', async () => {

        perform = async ({ input }) => {

            let bytes = 0;
            for await (const segment of input) {
                for await (const chunk of segment.kind === 'bytes' ? segment.body : []) {
                    bytes += chunk.byteLength;
                }
            }

            return success(json(bytes));
        };

        const upload = open('POST', { 'content-type': 'a/b' });
        const answer = answerOf(upload);
        await write(upload, Buffer.alloc(MEBIBYTE));
        await write(upload, Buffer.alloc(MEBIBYTE));
        upload.end();

        expect(await answer).to.equal({ code: 200, text: String(2 * MEBIBYTE) });
    });

    it('responds to rejected uploads', async () => {

        perform = () => Promise.reject(badRequest('no'));
        const upload = open('POST', { 'content-type': 'a/b' });
        const answer = answerOf(upload);
        for (let i = 0; i < 5; ++i) {
            await write(upload, Buffer.alloc(MEBIBYTE));
        }

        upload.end();

        expect(await answer).to.equal({ code: 400, text: '{"message":"no"}' });
    });

    it('aborts the operation when an upload is aborted', async () => {

        for (const encoding of ['identity', 'gzip']) {
            await breakOff(encoding);
        }
    });

    async function breakOff(encoding: string): Promise<void> {

        let outcome: unknown;
        let signal: AbortSignal | undefined;
        perform = async (request) => {

            signal = request.signal;
            try {
                for await (const segment of request.input) {
                    await drain(segment.kind === 'bytes' ? segment.body : neverEmpty());
                }

                outcome = 'complete';
            }
            catch (error) {
                outcome = error;
            }

            return success(json(1));
        };

        const own = Http2.connect(`http://127.0.0.1:${portOf(server)}`);
        const upload = own.request({ ':method': 'POST', ':path': '/doip?o=Op&t=t/1', 'content-type': 'a/b', 'content-encoding': encoding });
        upload.on('error', () => undefined);
        upload.write(encoding === 'gzip' ? gzipSync(randomBytes(100_000)).subarray(0, 50_000) : Buffer.alloc(1000));
        await until('the operation has begun', () => signal !== undefined);
        own.destroy();
        await until('the operation has ended', () => outcome !== undefined);

        expect(outcome).to.be.instanceof(DoipError);
        await until('the signal fires', () => signal?.aborted === true);
    }
});

async function *neverEmpty(): AsyncGenerator<Uint8Array> {

    yield Buffer.alloc(1);
}
