/**
 * Fuzzing of native DOIP: clients send altered messages to a running service, on many connections at once. Every response must be a right one
 * or an error, every connection is closed, nothing is stored in part, other clients are served, and the service takes no more memory and
 * connections afterwards.
 */

import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MessageReader } from '../../lib/doip/framing/message-reader.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readBytes } from '../../lib/doip/segments.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, NativeClient, OK, type Message } from '../support/native.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { type Random, seeded } from '../support/random.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const SEED = 20261123;

/** Connections, and how many of them are open at a time. */
const CONNECTIONS = 120;
const WORKERS = 10;

/** Limits of the service in seconds, and the time within which it must have closed every connection; busy machines are slow. */
const LIMITS = { HEADERS_TIMEOUT_SECONDS: '8', STALL_TIMEOUT_SECONDS: '8', DOIP_IDLE_SECONDS: '8' };
const CLOSED_MS = 60_000;

const MOST_BYTES = 96 * 1024 * 1024;

/** How a client ends: it waits until the service closes the connection, closes its own side, or goes away. */
type Ending = 'wait' | 'end' | 'reset';

/** A valid message in its segments, with the response it gets. */
interface Valid {
    readonly segments: readonly string[];
    readonly isRight: (response: Message) => boolean;
}

/** What a client sends. */
interface Sent {
    readonly bytes: Buffer;
    /** The messages that are sent as a whole before the first alteration. */
    readonly whole: readonly Valid[];
    /** True if nothing follows them but a part of a message. */
    readonly isCut: boolean;
    readonly ending: Ending;
}

const UNITS = [
    '#', '#\n', '\n#\n', '@\n', '@', '0\n\n', '00\n', '9\n', '999999999\n', '9999999999\n', '1e3\n', '-1\n', '!\n', '\r', '\r\n', '\n'.repeat(100), ' '.repeat(1500),
    '\0', '\xff\xfe', '\u{1f600}', '{}', '{}\n#\n', 'null', '"', '['.repeat(200), '{"id":"a"}\n#\n', '{"__proto__":{}}\n#\n', '1\nx\n'.repeat(300), '@\n#\n'.repeat(100)
];

/** A file of a message. */
const TEXT = 'abc\n#\n#\n';

describe('altered messages of native DOIP', { skip: process.platform !== 'linux' }, () => {

    let database: TestDatabase;
    let service: ServiceProcess;
    let port: number;
    let token: string;
    /** Ids of the objects whose creation was confirmed. */
    const created = new Set<string>();
    /** Ids of objects whose creation was sent in full to a connection that was then cut: they may be stored. */
    const possible = new Set<string>();

    const head = (operationId: string, more: JsonObject = {}): string =>
        JSON.stringify({ targetId: 'service', operationId, authentication: { token }, ...more });

    const ask = async (client: NativeClient, operation: string, more: JsonObject = {}): Promise<Message> => client.ask(`${head(operation, more)}\n#\n#\n`);

    before(async () => {

        database = await createSqlite();
        service = await startProcess(database, { DOIP_PORT: '0', LOG_LEVEL: 'warn', ...LIMITS });
        const hello = await fetch(`${service.url}/doip/${Op.hello}?targetId=service`).then((response) => response.json()) as { attributes: { port: number } };
        ({ port } = hello.attributes);
        const client = await NativeClient.open(port);
        const input = { grant_type: 'password', ...ADMIN };
        const { head: { output } } = await client.ask(`${JSON.stringify({ targetId: 'service', operationId: Op.authToken, input })}\n#\n#\n`);
        token = (output as { access_token: string }).access_token;
        expect((await client.ask(create('test/kept').segments.join(''))).head.status).to.equal(OK);
        client.close();
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    /** Creates an object with two files. */
    function create(id: string): Valid {

        const object = {
            id, type: 'Document', attributes: { content: { id: '', names: ['a', 'b'] } }, elements: [{ id: 'a', type: 'text/plain' }, { id: 'b', type: 'image/png' }]
        };
        return {
            segments: [
                `${head(Op.create, { requestId: id })}\n#\n`, `${JSON.stringify(object)}\n#\n`, '{"id":"a"}\n#\n', `@\n3\n${TEXT.slice(0, 3)}\n5\n${TEXT.slice(3)}\n#\n`,
                '{"id":"b"}\n#\n', `@\n${`1000\n${'\0'.repeat(1000)}\n`.repeat(12)}#\n`, '#\n'
            ],
            isRight: ({ head: { requestId, status, output } }) => requestId === id && status === OK && (output as JsonObject)['id'] === id
        };
    }

    const requests: readonly ((id: string) => Valid)[] = [
        create, create,
        (id) => ({
            segments: [`${head(Op.hello, { requestId: id })}\n#\n`, '#\n'],
            isRight: ({ head: { requestId, status, output } }) => requestId === id && status === OK && (output as JsonObject)['id'] === 'test/service'
        }),
        (id) => ({
            segments: [`${head(Op.retrieve, { requestId: id, targetId: 'test/kept', attributes: { element: 'a', range: { start: 1, end: 5 } } })}\r\n#\r\n`, '# \n'],
            isRight: ({ head: { requestId, status }, segments }) => requestId === id && status === OK && segments[0]?.bytes === TEXT.slice(1, 6)
        }),
        (id) => ({
            segments: [`${head(Op.retrieve, { requestId: id, targetId: `test/none-${id}` })}\n#\n`, '#\n'],
            isRight: ({ head: { requestId, status } }) => requestId === id && status === '0.DOIP/Status.104'
        }),
        (id) => ({
            segments: [`${head(Op.search, { requestId: id, input: null, attributes: { query: 'id:"test/kept"', type: 'id' } }).replaceAll(',', ',\n ')}\n#\n`, '\n#\n'],
            isRight: ({ head: { requestId, status }, segments }) => requestId === id && status === OK &&
                JSON.stringify((segments[0]?.json as JsonObject)['results']) === '["test/kept"]'
        })
    ];

    /** Changes the segments of a message: one is left out, sent twice, exchanged, or gets another length of a chunk. */
    function altered(random: Random, segments: readonly string[]): string[] {

        const [at, other] = [random.integer(0, segments.length - 1), random.integer(0, segments.length - 1)];
        switch (random.integer(0, 3)) {
            case 0:
                return segments.filter((_, i) => i !== at);
            case 1:
                return segments.flatMap((segment, i) => (i === at ? [segment, segment] : [segment]));
            case 2:
                return segments.map((segment, i) => segments[i === at ? other : i === other ? at : i] ?? segment);
            default:
                return segments.map((segment) => segment.replace(/(?<=\n)\d+(?=\n)/, (length) => String(Number(length) + random.pick([-1, 1, 2, 1000, 999_999_999]))));
        }
    }

    function insert(random: Random, bytes: Buffer): Buffer {

        const at = random.integer(0, bytes.length);
        return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(UNITS), 'utf8'), bytes.subarray(at)]);
    }

    /** Makes what a client sends: some messages, altered unless the client goes away. */
    function makeSent(random: Random, round: number): Sent {

        const messages = Array.from({ length: random.integer(1, 4) }, (_, n) => random.pick(requests)(`test/f${round}-${n}`));
        const plain = Buffer.from(messages.map(({ segments }) => segments.join('')).join(''));
        const ending: Ending = random.chance(0.2) ? 'reset' : random.chance(0.12) ? 'wait' : 'end';
        const bytes = ending === 'reset' ? cut(random, messages, plain) : alteration(random, messages, plain);
        let length = 0;
        const same = bytes.findIndex((octet, i) => octet !== plain[i]);
        const whole = messages.filter(({ segments }) => {

            length += Buffer.byteLength(segments.join(''));
            return length <= (same === -1 ? Math.min(bytes.length, plain.length) : same);
        });
        return { bytes, whole, isCut: same === -1, ending };
    }

    /** Cuts messages off, often at the end of a segment. */
    function cut(random: Random, messages: readonly Valid[], plain: Buffer): Buffer {

        if (random.chance(0.3)) {
            return plain.subarray(0, random.integer(0, plain.length));
        }

        const segments = messages.flatMap((message) => message.segments);
        return Buffer.from(segments.slice(0, random.integer(1, segments.length)).join('')).subarray(0, -random.integer(1, 3));
    }

    function alteration(random: Random, messages: readonly Valid[], plain: Buffer): Buffer {

        switch (random.integer(0, 4)) {
            case 0:
                return cut(random, messages, plain);
            case 1: {
                const which = random.integer(0, messages.length - 1);
                return Buffer.from(messages.map(({ segments }, i) => (i === which ? altered(random, segments) : segments).join('')).join(''));
            }

            case 2:
                return random.mutate(plain, random.integer(1, 3));
            case 3:
                return plain;
            default:
                return insert(random, random.chance(0.5) ? insert(random, plain) : plain);
        }
    }

    /** Sends in pieces, and returns everything that came back when the connection is closed. */
    async function exchange(random: Random, { bytes, ending }: Sent): Promise<Buffer> {

        const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
        const received: Buffer[] = [];
        socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
        const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
        await once(socket, 'secureConnect');
        socket.setNoDelay(true);
        const pieces = random.chance(0.3) ? 1 : random.integer(2, 12);
        for (let at = 0; at < bytes.length && !socket.destroyed;) {
            const end = random.chance(0.1) ? at + 1 : at + random.integer(1, Math.ceil(2 * bytes.length / pieces));
            await new Promise<void>((resolve) => void socket.write(bytes.subarray(at, end), () => resolve()));
            at = end;
        }

        if (ending === 'reset') {
            socket.destroy();
        }
        else if (ending === 'end') {
            socket.end();
        }

        const over = new AbortController();
        const isClosed = await Promise.race([closed, delay(CLOSED_MS, false, { signal: over.signal })]);
        over.abort();
        socket.destroy();
        expect(isClosed, `closed (${ending})`).to.be.true();
        return Buffer.concat(received);
    }

    /** Reads responses; throws for anything else. */
    async function responsesIn(bytes: Buffer): Promise<Message[]> {

        const stream = new PassThrough();
        stream.end(bytes);
        const reader = new MessageReader(stream);
        const responses: Message[] = [];
        while (await reader.nextMessage()) {
            const values: { json?: unknown; bytes?: string }[] = [];
            for (let next = await reader.nextSegment(); next; next = await reader.nextSegment()) {
                const body = await readBytes(next.body, 1e9);
                values.push(next.kind === 'json' ? { json: JSON.parse(body.toString()) as unknown } : { bytes: body.toString('latin1') });
            }

            const [first, ...segments] = values;
            responses.push({ head: first?.json as Message['head'], segments });
        }

        return responses;
    }

    /** Notes what was created, and checks each response. */
    async function check({ whole, isCut, ending }: Sent, received: Buffer): Promise<void> {

        if (ending === 'reset') {
            whole.forEach(({ segments }) => possible.add((JSON.parse(segments[0]!.slice(0, -3)) as { requestId: string }).requestId));
            return;
        }

        const responses = await responsesIn(received);
        for (const { head: { status, attributes, output } } of responses) {
            expect(status).to.match(/^0\.DOIP\/Status\.(001|10[1-5]|200)$/);
            if (status === OK) {
                const id = (output as JsonObject | undefined)?.['id'];
                if (typeof id === 'string' && id !== 'test/service') {
                    created.add(id);
                }
            }
            else {
                expect(attributes?.['message']).to.be.a.string();
            }
        }

        expect(responses.length).to.be.at.least(whole.length);
        expect(isCut ? responses.slice(whole.length).filter(({ head: { status } }) => status === OK) : []).to.equal([]);
        whole.forEach(({ isRight, segments }, n) => expect(isRight(responses[n]!), `${segments.join('')}\n${JSON.stringify(responses[n])}`).to.be.true());
    }

    /** A client that does everything right, until it is told to stop. */
    async function behaveWell(signal: AbortSignal): Promise<number> {

        const client = await NativeClient.open(port);
        let count = 0;
        for (; !signal.aborted; ++count) {
            const { head: { status }, segments } = await ask(client, Op.retrieve, { targetId: 'test/kept', attributes: { element: 'a' } });
            expect([status, segments]).to.equal([OK, [{ bytes: TEXT }]]);
            await delay(10);
        }

        client.close();
        return count;
    }

    const sockets = (): number => readdirSync(`/proc/${service.pid}/fd`).filter((fd) => isSocket(`/proc/${service.pid}/fd/${fd}`)).length;

    const memory = (): number => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);

    /** Sends from some clients at a time; those that wait for the service do so beside them. */
    async function sendAll(from: number, to: number): Promise<void> {

        const waiting: Promise<void>[] = [];
        let round = from;
        await Promise.all(Array.from({ length: WORKERS }, async () => {

            while (round < to) {
                const random = seeded(SEED + round);
                const sent = makeSent(random, round++);
                const done = send(random, sent);
                if (sent.ending === 'wait') {
                    done.catch(() => undefined);            // Reported below
                    waiting.push(done);
                }
                else {
                    await done;
                }
            }
        }));
        await Promise.all(waiting);
    }

    async function send(random: Random, sent: Sent): Promise<void> {

        try {
            await check(sent, await exchange(random, sent));
        }
        catch (error) {
            throw new Error(`${(error as Error).message}\nafter ${JSON.stringify(sent.bytes.toString('latin1'))}, ${sent.ending}`, { cause: error });
        }
    }

    it('get responses, close their connections, and leave nothing behind', { timeout: 300_000 }, async () => {

        await sendAll(0, WORKERS);
        const open = sockets();
        const before = memory();
        const over = new AbortController();
        const other = behaveWell(over.signal);
        await sendAll(WORKERS, CONNECTIONS);
        over.abort();
        expect(await other).to.be.above(10);
        await until(() => sockets() <= open);
        expect(memory() - before).to.be.below(MOST_BYTES);
        expect(service.log() + service.output().replace(/^http.*$/m, '')).to.not.match(/"level":"(error|fatal)"/);
    });

    it('store whole objects or none', async () => {

        const client = await NativeClient.open(port);
        const { segments: [found] } = await ask(client, Op.search, { attributes: { query: 'type:Document', pageSize: -1 } });
        const stored = (found?.json as { results: { id: string }[] }).results.map(({ id }) => id).filter((id) => id !== 'test/kept');
        expect(stored.filter((id) => !created.has(id) && !possible.has(id))).to.equal([]);
        expect([...created].filter((id) => id !== 'test/kept' && !stored.includes(id))).to.equal([]);
        expect(stored.length).to.be.above(CONNECTIONS / 10);
        for (const id of stored) {
            const { segments: [object, ...data] } = await ask(client, Op.retrieve, { targetId: id, attributes: { includeElementData: true } });
            const { elements = [] } = object?.json as { elements?: { id: string; length: number }[] };
            expect(data).to.have.length(2 * elements.length);
            elements.forEach(({ id: element, length }, n) => {

                expect(data[2 * n]?.json).to.equal({ id: element });
                expect(data[2 * n + 1]?.bytes).to.have.length(length);
            });
        }

        client.close();
        const opened = await database.open();
        expect(await opened.read({ sql: 'SELECT id FROM blobs WHERE state = ?' }, ['staged'])).to.equal([]);
    });
});

function isSocket(path: string): boolean {

    try {
        return readlinkSync(path).startsWith('socket:');
    }
    catch {
        return false;                                       // Closed meanwhile
    }
}
