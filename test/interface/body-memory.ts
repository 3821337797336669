/**
 * Memory for the long bodies of all callers together: when it is used up, the next one is refused with 503 and may come back; callers
 * without credentials can use half of it, so that others still get in. It is given back with the end of each request, whatever its end.
 */

import { once } from 'node:events';
import Http from 'node:http';
import Http2 from 'node:http2';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { bodyMemoryOf, type BodyMemory } from '../../translators/http/request/body-memory.js';
import { ADMIN_HEADERS, multipart } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { pathOf, startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const KIB = 1024;
const MIB = 1024 * KIB;

/** Without worker processes, each of which has such a memory. */
const SETTINGS = { MAX_BODY_MEMORY_BYTES: MIB, WORKERS: 0 };

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** Bytes of the open bodies: four of them are more than half of a mebibyte, seven more than all of it. */
const HELD = 170 * KIB;

/** What is not counted of each body. */
const FREE = 16 * KIB;

const BUSY = { status: 503, message: 'too many long bodies at this moment, try again a little later', retryAfter: '1' };

interface Answer {
    readonly status: number;
    readonly message: string;
    readonly retryAfter: string | null;
}

interface Sent {
    readonly body: string | Buffer;
    readonly headers?: Record<string, string>;
    /** Last number of the address from which it comes. */
    readonly from?: number;
}

/** A request that has sent a part of its body. */
interface Open {
    /** Sends the rest, and resolves to the status. */
    finish(): Promise<number>;
    abort(): void;
}

/** A creation by the administrator, whose body is read after the login; a search, whose body is read before, is one of a caller without credentials. */
const CREATION = { path: '/objects?type=Document&dryRun', headers: { ...JSON_TYPE, ...ADMIN_HEADERS }, begin: '{"text":"' };
const SEARCH = { path: '/search', headers: JSON_TYPE, begin: '{"query":"x","junk":"' };

const bodyOf = ({ begin }: typeof CREATION | typeof SEARCH, bytes: number): string => `${begin}${'x'.repeat(bytes)}"}`;

/** An address of this machine. */
const address = (n: number): string => `127.0.0.${n}`;

describe('the memory for long bodies', () => {

    let service: TestServer;
    let memory: BodyMemory;
    let opened: Open[] = [];

    before(async () => {

        service = await startServer(SETTINGS);
        memory = bodyMemoryOf(service.server, 0);
    });

    afterEach(async () => {

        opened.forEach((each) => each.abort());
        opened = [];
        await until(() => memory.used === 0);
    });

    after(() => service.stop());

    async function send(path: string, { body, headers = {}, from = 1 }: Sent): Promise<Answer> {

        const request = Http.request(service.url + path, { method: 'POST', headers, localAddress: address(from), agent: false });
        request.end(body);
        const [response] = await once(request, 'response') as [Http.IncomingMessage];
        const chunks: Buffer[] = [];
        for await (const chunk of response) {
            chunks.push(chunk as Buffer);
        }

        const { message = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string };
        return { status: response.statusCode ?? 0, message, retryAfter: response.headers['retry-after'] ?? null };
    }

    const create = (bytes: number, from: number): Promise<Answer> => send(CREATION.path, { body: bodyOf(CREATION, bytes), headers: CREATION.headers, from });
    const search = (bytes: number, from: number): Promise<Answer> => send(SEARCH.path, { body: bodyOf(SEARCH, bytes), headers: SEARCH.headers, from });

    /** Begins a request from each of these addresses, and waits until the service has read what was sent. */
    async function open({ path, headers, begin }: typeof CREATION | typeof SEARCH, ...addresses: number[]): Promise<Open[]> {

        const before = memory.used;
        const made = addresses.map((from): Open => {

            const request = Http.request(service.url + path, { method: 'POST', headers, localAddress: address(from), agent: false });
            const response = once(request, 'response') as Promise<[Http.IncomingMessage]>;
            response.catch(() => undefined);                // One that is broken off has none
            request.on('error', () => undefined);
            request.write(begin + 'x'.repeat(HELD));
            return {
                finish: async () => {

                    request.end('"}');
                    const [{ statusCode = 0 }] = await response;
                    return statusCode;
                },
                abort: () => request.destroy()
            };
        });
        opened.push(...made);
        await until(() => memory.used >= before + addresses.length * (HELD - FREE));
        return made;
    }

    it('is not more than it is: the next body is refused with 503 until others have ended', async () => {

        const bodies = await open(CREATION, 11, 12, 13, 14, 15, 16);

        const refused = await create(HELD, 20);
        const short = await create(KIB, 20);
        const statuses = await Promise.all(bodies.map((each) => each.finish()));
        await until(() => memory.used === 0);
        const later = await create(HELD, 20);

        expect(refused).to.equal(BUSY);
        expect(short.status).to.equal(200);
        expect(statuses).to.equal(bodies.map(() => 200));
        expect(later.status).to.equal(200);
    });

    it('is enough for one more as soon as one of the others was broken off', async () => {

        const bodies = await open(CREATION, 11, 12, 13, 14, 15, 16);
        const refused = await create(HELD, 20);
        const { used } = memory;

        bodies[0]?.abort();
        await until(() => memory.used < used);

        expect(refused.status).to.equal(503);
        expect((await create(HELD, 20)).status).to.equal(200);
    });

    it('is used by callers without credentials to its half, while others get in', async () => {

        const bodies = await open(SEARCH, 11, 12, 13);

        const refused = await search(HELD, 20);
        const short = await search(KIB, 20);
        const loggedIn = await create(HELD, 20);
        bodies.forEach((each) => each.abort());
        await until(() => memory.used === 0);
        const later = await search(HELD, 20);

        expect(refused).to.equal(BUSY);
        expect([short.status, loggedIn.status]).to.equal([200, 200]);
        expect(later.status).to.equal(200);
    });

    it('is not used by callers with credentials to the disadvantage of the half of others', async () => {

        await open(CREATION, 11, 12, 13);

        expect((await search(HELD, 20)).status).to.equal(200);
    });

    const long = 'x'.repeat(100 * KIB);
    const zipped = gzipSync(Buffer.from(`{"text":"${Array.from({ length: 20_000 }, (_, i) => i * 7919 % 99_991).join(' ')}"}`));
    const ends: readonly (readonly [title: string, status: number, path: string, body: string | Buffer, headers?: Record<string, string>])[] = [
        ['that is no JSON', 400, CREATION.path, `{"text":"${long}"`],
        ['whose content is none', 400, CREATION.path, `["${long}"]`],
        ['with too many values', 413, CREATION.path, `{"a":[${'1,'.repeat(30_000)}1]}`],
        ['that is too long for one address', 429, CREATION.path, `{"text":"${'x'.repeat(700 * KIB)}"}`],
        ['whose compressed bytes are broken', 400, CREATION.path, Buffer.concat([zipped.subarray(0, -2000), Buffer.alloc(2000, 'x')]), { 'content-encoding': 'gzip' }],
        ['with a byte that is no UTF-8', 400, CREATION.path, Buffer.concat([Buffer.from(`{"text":"${long}`), Buffer.from([0xff]), Buffer.from('"}')])],
        ['that is a form', 200, '/search', `query=x&junk=${long}`, FORM_TYPE],
        ['that is a form with too many names', 400, '/search', 'a&'.repeat(20_000), FORM_TYPE],
        ['with parts', 200, CREATION.path, multipart({ name: 'content', value: `{"text":"${long}"}` }).payload, multipart().headers],
        ['that is input by DOIP', 200, pathOf('Sink'), `{"text":"${long}"}`]
    ];
    for (const [title, status, path, body, headers = {}] of ends) {
        it(`is given back after a body ${title}`, async () => {

            const answer = await send(path, { body, headers: { ...JSON_TYPE, ...ADMIN_HEADERS, ...headers } });

            expect(answer.status, answer.message).to.equal(status);
            await until(() => memory.used === 0);
        });
    }

    it('is in use until the response has ended, or the client has gone', async () => {

        const wait = (): Http.ClientRequest => {

            const request = Http.request(service.url + pathOf('Wait'), { method: 'POST', headers: { ...JSON_TYPE, ...ADMIN_HEADERS }, agent: false });
            request.on('error', () => undefined);
            request.end(bodyOf(CREATION, HELD));
            return request;
        };

        const { waiting } = service;
        const { calls, aborted } = waiting;
        const left = wait();
        await until(() => waiting.calls === calls + 1);
        const whileWaiting = memory.used;
        left.destroy();
        await until(() => memory.used === 0);
        await until(() => waiting.aborted === aborted + 1);
        const [response] = await Promise.all([
            once(wait(), 'response') as Promise<[Http.IncomingMessage]>,
            until(() => waiting.calls === calls + 2).then(() => {

                expect(memory.used).to.be.at.least(HELD - FREE);
                waiting.release();
            })
        ]);
        response[0].resume();

        expect(whileWaiting).to.be.at.least(HELD - FREE);
        expect(response[0].statusCode).to.equal(200);
        await until(() => memory.used === 0);
    });
});

describe('the memory for long bodies over HTTP/2', () => {

    const ends: readonly (readonly [title: string, end: (request: Http2.ClientHttp2Stream, session: Http2.ClientHttp2Session) => void])[] = [
        ['a request that is broken off', (request) => request.close(Http2.constants.NGHTTP2_CANCEL)],
        ['a connection that is cut', (_request, session) => session.destroy()],
        ['a request that ends', (request) => request.end('"}')]
    ];
    let service: TestServer;

    before(async () => {

        service = await startServer(SETTINGS, { tls: true });
    });

    after(() => service.stop());

    for (const [title, end] of ends) {
        it(`is given back after ${title}`, async () => {

            const memory = bodyMemoryOf(service.server, 0);
            const session = Http2.connect(service.url, { rejectUnauthorized: false });
            session.on('error', () => undefined);
            const request = session.request({ ':method': 'POST', ':path': SEARCH.path, ...SEARCH.headers });
            request.on('error', () => undefined);
            request.resume();
            request.write(SEARCH.begin + 'x'.repeat(HELD));
            await until(() => memory.used >= HELD - FREE);

            end(request, session);

            await until(() => memory.used === 0);
            session.destroy();
        });
    }
});
