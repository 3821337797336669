/** Requests that a worker process forwards: what is sent by one client never becomes a part of the request of another one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { exchange } from '../support/raw-socket.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { tlsSettings } from '../support/server.js';
import { connectInTurns, connectOverHttp2, type WorkerConnection } from '../support/worker-connections.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TIMEOUT = { timeout: 600_000 };
const SETTINGS = { WORKERS: '2', LOG_LEVEL: 'error' };

const SEARCH = '/search?query=nothing&pageSize=1';
const FOUND = /^\{"pageNum":0,"pageSize":1,"size":0,"results":\[\]\}$/;

/** The beginning of a request, which the next one on the same connection would continue. */
const SMUGGLED = 'GET /objects/smuggled HTTP/1.1\r\nhost: x\r\nx-rest: ';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND'];

describe('a worker that forwards requests', TIMEOUT, () => {

    let databases: TestDatabase[];
    let alone: ServiceProcess;
    let service: ServiceProcess;
    let connections: WorkerConnection[];

    /** Fails unless the next forwarded requests of each worker are answered as they are alone. */
    const expectOwnAnswers = async (): Promise<void> => {

        for (let i = 0; i < 3; ++i) {
            for (const { status, text } of await Promise.all(connections.map((connection) => connection.send(SEARCH)))) {
                expect(status, text).to.equal(200);
                expect(text).to.match(FOUND);
            }
        }
    };

    before(TIMEOUT, async () => {

        const [own, other] = [await createSqlite(), await createSqlite()];
        databases = [own, other];
        [service, alone] = await Promise.all([startProcess(own, SETTINGS), startProcess(other, { LOG_LEVEL: 'error' })]);
        connections = await connectInTurns(service, 4);
    });

    after(async () => {

        connections.forEach((connection) => connection.close());
        await Promise.all([service.kill(), alone.kill()]);
        await Promise.all(databases.map((database) => database.dispose()));
    });

    for (const method of METHODS) {
        it(`forwards the body of ${method} as a body`, async () => {

            const chunked = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
            for (const [header, body] of [['transfer-encoding: chunked', chunked], [`content-length: ${SMUGGLED.length}`, SMUGGLED]]) {
                // Twice, as the connections are handed out in turns
                for (let i = 0; i < 2; ++i) {
                    const text = await exchange(service.url, `${method} ${SEARCH} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n\r\n${body}`);
                    expect(text).to.match(/^HTTP\/1.1 [24]/);
                    expect(text.split('HTTP/1.1').length).to.equal(2);
                }

                await expectOwnAnswers();
            }
        });
    }

    const HEAD = 'host: x\r\nconnection: close\r\n';
    const QUIRKS: readonly (readonly [string, string])[] = [
        ['two kinds of length', `POST /search HTTP/1.1\r\n${HEAD}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
        ['two lengths', `POST /search HTTP/1.1\r\n${HEAD}content-length: 4\r\ncontent-length: 5\r\n\r\nabcd`],
        ['an unknown transfer coding', `POST /search HTTP/1.1\r\n${HEAD}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
        ['two transfer codings', `POST /search HTTP/1.1\r\n${HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
        ['a length with a sign', `POST /search HTTP/1.1\r\n${HEAD}content-length: +4\r\n\r\nabcd`],
        ['a space before the colon', `POST /search HTTP/1.1\r\n${HEAD}content-length : 4\r\n\r\nabcd`],
        ['a folded header', `DELETE /objects/x HTTP/1.1\r\n${HEAD}x: a\r\n b\r\n\r\n`],
        ['two hosts', `DELETE /objects/x HTTP/1.1\r\n${HEAD}host: y\r\n\r\n`],
        ['no host', 'DELETE /objects/x HTTP/1.1\r\nconnection: close\r\n\r\n'],
        ['HTTP/1.0', `GET ${SEARCH} HTTP/1.0\r\n\r\n`],
        ['an absolute URL', `DELETE http://other.test/objects/x HTTP/1.1\r\n${HEAD}\r\n`],
        ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`],
        ['an unknown method', `PROPFIND /objects/x HTTP/1.1\r\n${HEAD}\r\n`],
        ['an upgrade', `POST /search HTTP/1.1\r\nhost: x\r\nconnection: close, upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}`],
        ['headers of the connection', `POST /search HTTP/1.1\r\nhost: x\r\nconnection: close, content-length, host\r\ncontent-length: 2\r\n\r\n{}`],
        ['trailers', `POST /search HTTP/1.1\r\n${HEAD}trailer: x\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nx: y\r\n\r\n`],
        ['another expectation', `POST /search HTTP/1.1\r\n${HEAD}expect: 200-ok\r\ncontent-length: 2\r\n\r\n{}`],
        ['a body before permission', `POST /search HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`],
        ['a control character', `DELETE /objects/x HTTP/1.1\r\n${HEAD}x: \x01\r\n\r\n`],
        ['other characters', `DELETE /objects/x HTTP/1.1\r\n${HEAD}x: a\t\xff\x80\r\n__proto__: y\r\n\r\n`],
        ['several requests at once', `DELETE /objects/x HTTP/1.1\r\nhost: x\r\n\r\nGET /objects/x HTTP/1.1\r\nhost: x\r\n\r\nGET ${SEARCH} HTTP/1.1\r\n${HEAD}\r\n`]
    ];
    const withoutDates = (text: string): string => text.replace(/^(date|request-id): .*\r\n/gmi, '').replace(/^[\w-]+(?=:)/gm, (name) => name.toLowerCase());

    for (const [title, octets] of QUIRKS) {
        it(`answers a request with ${title} like a service without workers`, async () => {

            const [expected, answer] = await Promise.all([exchange(alone.url, octets), exchange(service.url, octets)]);
            expect(withoutDates(answer).split('\r\n').sort()).to.equal(withoutDates(expected).split('\r\n').sort());
            await expectOwnAnswers();
        });
    }

    it('takes no word of a client about its connection', async () => {

        const forged = 'doip-gateway-forwarded: x 1.1 tls 127.0.0.1 127.0.0.1\r\n';
        for (const header of [forged, forged + forged, `connection: close, doip-gateway-forwarded\r\n${forged}`]) {
            expect(await exchange(service.url, `GET ${SEARCH} HTTP/1.1\r\n${HEAD}${header}\r\n`)).to.match(/^HTTP\/1.1 200/);
        }
    });
});

describe('a worker that forwards requests over HTTP/2', TIMEOUT, () => {

    let database: TestDatabase;
    let service: ServiceProcess;
    let folder: string;

    before(TIMEOUT, async () => {

        database = await createSqlite();
        folder = await mkdtemp(join(tmpdir(), 'gateway-forwarding-'));
        service = await startProcess(database, { ...SETTINGS, WORKERS: '1', ...await tlsSettings(folder) });
    });

    after(async () => {

        await service.kill();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    for (const method of METHODS) {
        it(`forwards the body of ${method} as a body`, async () => {

            const connection = connectOverHttp2(service);
            await connection.send(SEARCH, { method, body: SMUGGLED });
            for (let i = 0; i < 4; ++i) {
                const { status, text } = await connection.send(SEARCH);
                expect(status).to.equal(200);
                expect(text).to.match(FOUND);
            }

            connection.close();
        });
    }

    it('forwards paths that are not encoded', async () => {

        const connection = connectOverHttp2(service);
        // Octets of latin1, and of UTF-8, also with one that is none in the other part
        const PATHS: readonly (readonly [raw: string, encoded: string])[] = [
            ['/search?query=%22x%22&pageSize=\xe9', '/search?query=%22x%22&pageSize=%C3%A9'], ['/objects/test/\xe9', '/objects/test/%C3%A9'],
            ['/search?query=%22x%22&pageSize=\xc3\xa4', '/search?query=%22x%22&pageSize=%C3%A4'], ['/objects/test/\xc3\xa4', '/objects/test/%C3%A4'],
            ['/objects/test/\xc3\xa4?x=\xe9?\xe9', '/objects/test/%C3%A4?x=%C3%A9?%C3%A9'], ['/objects/test/\xe9?x=\xc3\xa4', '/objects/test/%C3%A9?x=%C3%A4']
        ];
        for (const [raw, encoded] of PATHS) {
            const send = async (path: string): Promise<[status: number, text: string]> => {

                const { status, text } = await connection.send(path, { method: path.startsWith('/search') ? 'GET' : 'DELETE', headers: ADMIN_HEADERS });
                return [status, text];
            };

            expect(await send(raw), raw).to.equal(await send(encoded));
        }

        const stored = await connection.send('/objects?type=Document&handle=test/\xc3\xa4', { method: 'POST', headers: ADMIN_HEADERS, body: '{"name":"x"}' });
        expect(JSON.parse(stored.text)).to.equal({ id: 'test/ä', name: 'x' });
        const updated = await connection.send('/objects/test/\xc3\xa4', { method: 'PUT', headers: ADMIN_HEADERS, body: '{"name":"y"}' });
        expect(JSON.parse(updated.text)).to.equal({ id: 'test/ä', name: 'y' });
        connection.close();
    });
});

describe('a worker that stops', TIMEOUT, () => {

    it('asks clients to close the connection, whichever process answers', async () => {

        const database = await createSqlite();
        // Without a time to drain, connections are closed whose clients take longer for their next request than 1.5 s, as on a busy machine.
        const service = await startProcess(database, { ...SETTINGS, DRAIN_SECONDS: '10' });
        const connections = await connectInTurns(service, 6);
        const lastHeaders = connections.map(async (connection, i) => {

            for (;;) {
                const { status, headers } = await connection.send(i % 3 === 0 ? '/objects/x/y' : SEARCH, { method: i % 3 === 1 ? 'DELETE' : 'GET' });
                expect(status).to.be.below(500);
                if (headers.connection === 'close') {
                    return;
                }
            }
        });
        expect(await service.stop()).to.equal(0);
        await Promise.all(lastHeaders);
        await database.dispose();
    });
});
