/**
 * What a caller without credentials can make the service do with 64 KiB on one connection, by native DOIP or HTTP/2: its longest turn of the
 * event loop, in processor time, and how much its process grows. As `anonymous-costs.ts` by HTTP/1.1.
 */

import Https from 'node:https';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../lib/doip/operation-ids.js';
import { MeasuredProcess } from '../bench/measured-process.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { field, Flag, frame, framesOf, GET, LAST_KEPT, openHttp2, PING, POST, PREFACE, SETTINGS, Type } from '../support/http2-frames.js';
import { NativeClient } from '../support/native.js';
import { expectCheap } from '../support/request-costs.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { tlsSettings } from '../support/server.js';
import { withoutTurns } from '../support/turn-monitor.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CLI = join(__dirname, '../../bundle/main.js');
const MONITOR = join(__dirname, '../support/turn-monitor.js');

/** Bytes that are sent. */
const WIRE = 64 * 1024;

/** Milliseconds after which a client that gets no answer goes away. */
const PATIENCE_MS = 90_000;

const DOCUMENTS = 1_000;

const list = (length: number, make: (index: number) => string, separator = ','): string => Array.from({ length }, (_, index) => make(index)).join(separator);
const row = (unit: string, length = 60_000): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** A message of native DOIP with a first segment. */
const native = (operationId: string, more = '', segments = ''): string => `{"targetId":"service","operationId":"${operationId}"${more === '' ? '' : `,${more}`}}\n#\n${segments}#\n`;
const search = (query: string, more = ''): string => native(Op.search, `"attributes":{"query":"${query}"${more}}`);

/** Messages by the number of the attempt. */
const MESSAGES: Readonly<Record<string, (n: number) => string>> = {
    'many values': () => native(Op.hello, `"attributes":{"a":[${row('{},', 59_700)}{}]}`),
    'numbers that keep their text': () => native(Op.hello, `"attributes":{"a":[${list(2_700, (i) => `1.0000000000000000${1000 + i}`)}]}`),
    'attributes that are too deep': () => native(Op.hello, `"attributes":{"a":${'['.repeat(60_000)}`),
    'attributes as deep as allowed': () => native(Op.search, `"attributes":{"query":"a","a":[${list(500, () => '['.repeat(60) + ']'.repeat(60))}]}`),
    'one name many times': () => native(Op.hello, `"attributes":{${list(9_000, () => '"a":1')}}`),
    'escapes': () => native(row('\\u0061')),
    'a long operation': () => native(row('a/')),
    'a long target': () => `{"targetId":"${row('%41/')}","operationId":"${Op.retrieve}"}\n#\n#\n`,
    'a long request id': () => native(Op.hello, `"requestId":"${row('\ud83d\ude00', 29_000)}"`),
    'a long token': () => native(Op.hello, `"authentication":{"token":"${row('a.')}"}`),
    'a long password': (n) => native(Op.hello, `"authentication":{"username":"somebody-${n}","password":"${row('x')}"}`),
    'a query of many clauses': (n) => search(list(6_000, (i) => `w${n}x${i}*`, ' ')),
    'a query of wildcards': (n) => search(`w${n} ${row('*a*b* ')}`),
    'a query of similar words': (n) => search(list(6_000, (i) => `w${n}x${i}~2`, ' ')),
    'facets': (n) => search(`w${n}`, `,"facets":[${list(2_900, (i) => `{"field":"/f${i}"}`)}]`),
    'sort fields': (n) => search(`w${n}`, `,"sortFields":"${row(' , a')}"`),
    'chunks of one byte': () => native(Op.create, '', `@\n${row('1\nx\n')}#\n`),
    'chunks without a byte': () => native(Op.create, '', `@\n${row('0\n\n')}#\n`),
    'segments of one digit': () => native(Op.create, '', row('1\n#\n')),
    'segments without a byte': () => native(Op.batchUpload, '', row('@\n#\n')),
    'a long length': () => native(Op.create, '', `@\n${row('9')}\n`),
    'blank lines': () => `${row('\n')}${native(Op.hello)}`,
    'blanks behind a mark': () => native(Op.create, '', `@${row(' ')}\n`),
    'many requests': () => native(Op.hello).repeat(900),
    'many requests of something long': () => `{"targetId":"design","operationId":"${Op.retrieve}"}\n#\n#\n`.repeat(900),
    'many requests that are not DOIP': () => row('GET / HTTP/1.1\r\n\r\n')
};

/** The header block of a request in as many frames as it takes. */
function request(stream: number, block: Buffer, flags = Flag.endStream): Buffer {

    const parts = Array.from({ length: Math.ceil(block.length / 16_384) }, (_, n) => block.subarray(n * 16_384, (n + 1) * 16_384));
    return Buffer.concat(parts.map((part, n) =>
        frame(n === 0 ? Type.headers : Type.continuation, (n === 0 ? flags : 0) + (n === parts.length - 1 ? Flag.endHeaders : 0), stream, part)));
}

const bytes = (...parts: readonly (Buffer | number)[]): Buffer => Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
const many = (count: number, make: (index: number) => Buffer): Buffer => Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));

/** `:method: GET` and `:scheme: https` of the static table, with a path that was sent before. */
const GET_AGAIN = bytes(GET.subarray(0, 2), LAST_KEPT);
const getOf = (path: string): Buffer => bytes(GET.subarray(0, 2), field(':path', path, true));
const post = (path: string): Buffer => request(1, bytes(POST, field(':path', path), field('content-type', 'application/json')), 0 as 1);
const data = (text: string, flags = 0): Buffer => frame(Type.data, flags, 1, Buffer.from(text));

/** What is sent behind the beginning of a session, and how many responses it has. */
const SESSIONS: Readonly<Record<string, (n: number) => { readonly frames: Buffer; readonly streams: number }>> = {
    'many header fields': () => ({ streams: 1, frames: request(1, bytes(GET, many(1_900, (i) => field(`x-${i}`, row('y', 20))))) }),
    'short header fields': () => ({ streams: 1, frames: request(1, bytes(GET, many(12_000, () => field('a', 'b')))) }),
    'header fields that are sent once': () => ({ streams: 1, frames: request(1, bytes(GET, field('x', row('y', 3_900), true), Buffer.alloc(60_000, LAST_KEPT))) }),
    'a long path': () => ({ streams: 1, frames: request(1, bytes(GET.subarray(0, 2), field(':path', row('/..')))) }),
    'many streams': (n) => {

        const first = request(1, getOf(`/search?query=*a*${n}*&pageSize=100`));
        return { streams: 4_000, frames: bytes(first, many(3_999, (i) => request(3 + 2 * i, GET_AGAIN))) };
    },
    'many streams that are ended at once': (n) => {

        const reset = (stream: number): Buffer => frame(Type.reset, 0, stream, Buffer.from([0, 0, 0, 8]));
        const first = bytes(request(1, getOf(`/search?query=*b*${n}*&pageSize=100`)), reset(1));
        return { streams: 0, frames: bytes(first, many(2_300, (i) => bytes(request(3 + 2 * i, GET_AGAIN), reset(3 + 2 * i)))) };
    },
    'a body of small frames': (n) => {

        const text = `{"query":"w${n}","junk":"${row('x', 6_000)}"}`;
        return { streams: 1, frames: bytes(post('/search'), many(text.length, (i) => data(text[i] ?? '')), data('', Flag.endStream)) };
    },
    'a body of empty frames': () => ({ streams: 1, frames: bytes(post('/search'), many(6_500, () => data('')), data('{"query":"x"}', Flag.endStream)) }),
    'pings': () => ({ streams: 0, frames: many(3_500, () => PING) }),
    'settings': () => ({ streams: 0, frames: many(6_500, () => SETTINGS) })
};

/** The largest windows there are, so that the service can send everything. */
const WINDOWS = bytes(frame(Type.settings, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])), frame(Type.windowUpdate, 0, 0, Buffer.from([0x7f, 0, 0, 0])));

describe(`64 KiB on one anonymous connection${withoutTurns}`, { skip: withoutTurns !== '', timeout: 900_000 }, () => {

    let database: TestDatabase;
    let service: MeasuredProcess;
    let nativePort: number;

    before(async () => {

        database = await createSqlite();
        const { dataDir = '' } = database.options;
        const env = {
            PORT: '0', DOIP_PORT: '0', LOG_LEVEL: 'silent', ADMIN_PASSWORD, DATA_DIR: dataDir, DATABASE_URL: '', TURN_MONITOR: 'yes', ...await tlsSettings(dataDir)
        };
        service = await MeasuredProcess.start(CLI, ['serve'], env, [MONITOR]);
        const documents = list(DOCUMENTS, (i) => `{"id":"test/d${i}","type":"Document","content":{"name":"word${i} a b${i}","f${i % 50}":"x${i}"}}`);
        await ask('/batchUpload', `[${documents}]`);
        nativePort = ((await ask(`/doip/${Op.hello}?targetId=service`))['attributes'] as { port: number }).port;
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    /** Sends a request as the administrator. */
    async function ask(path: string, body?: string): Promise<Record<string, unknown>> {

        const headers = { ...ADMIN_HEADERS, ...body === undefined ? {} : { 'content-type': 'application/json' } };
        const sent = Https.request(service.url + path, { method: body === undefined ? 'GET' : 'POST', headers, agent: false, rejectUnauthorized: false });
        sent.end(body);
        const [response] = await once(sent, 'response') as [NodeJS.ReadableStream & { statusCode: number }];
        const chunks: Buffer[] = [];
        for await (const chunk of response) {
            chunks.push(chunk as Buffer);
        }

        expect(response.statusCode, path).to.equal(200);
        return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    }

    /** Resolves to the statuses of the responses when the service has closed the connection. */
    async function exchange(text: string): Promise<string[]> {

        const client = await NativeClient.open(nativePort);
        client.socket.setTimeout(PATIENCE_MS, () => client.close());
        const statuses: string[] = [];
        try {
            client.socket.end(text);
            for (let message = await client.receive(); message; message = await client.receive()) {
                statuses.push(message.head.status);
            }
        }
        catch {
            // The service may reset a connection on which it does not read on
        }

        client.close();
        return statuses;
    }

    /** Sends frames, and waits for the ends of streams, the response to a ping, and the end of the connection, whatever comes first. */
    async function talk(frames: Buffer, streams: number): Promise<void> {

        const socket = await openHttp2(Number(new URL(service.url).port));
        socket.setTimeout(PATIENCE_MS, () => socket.destroy());
        socket.on('error', () => undefined).write(bytes(PREFACE, WINDOWS, frames, PING));
        let ended = 0;
        for await (const { type, flags } of framesOf(socket)) {
            const isEnd = type === Type.reset || (type === Type.data || type === Type.headers) && (flags & Flag.endStream) !== 0;
            ended += isEnd ? 1 : 0;
            if (type === Type.goAway || streams > 0 && ended >= streams || streams === 0 && type === Type.ping) {
                break;
            }
        }

        socket.destroy();
    }

    for (const [title, message] of Object.entries(MESSAGES)) {
        it(`does not block others and takes little memory by native DOIP: ${title}`, async () => {

            await expectCheap(service, async (n) => {

                const text = message(n);
                const statuses = await exchange(text);

                expect(Buffer.byteLength(text)).to.be.at.most(WIRE);
                expect(statuses.length).to.be.above(0);
                expect(statuses).to.not.include('0.DOIP/Status.500');
            });
        });
    }

    for (const [title, session] of Object.entries(SESSIONS)) {
        it(`does not block others and takes little memory by HTTP/2: ${title}`, async () => {

            await expectCheap(service, async (n) => {

                const { frames, streams } = session(n);
                await talk(frames, streams);

                expect(frames.length).to.be.at.most(WIRE);
                await ask('/startupStatus');
            });
        });
    }
});
