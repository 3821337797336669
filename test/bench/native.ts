/**
 * Native DOIP beside DOIP over HTTP, as their clients see them: retrievals on one connection, an element of 1 GiB in both directions, and
 * what idle connections take. The service runs in a process of its own with TLS; HTTP has none, which is an advantage for it.
 *
 *     npm run bench:native -- --seconds 5 --rounds 3 --mebibytes 1024 --connections 1000
 */

import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NativeConnection } from '../../lib/client/native-connection.js';
import type { ClientRequest, ClientResponse } from '../../lib/client/connection.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonSegment, readBytes, sequence } from '../../lib/doip/segments.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { body } from '../support/bytes.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'password of the benchmark';
const AUTHENTICATION = { username: 'admin', password: PASSWORD };
const CLI = join(__dirname, '../../bundle/main.js');
const MIB = 1024 * 1024;

/** Requests that are under way at the same time where they are pipelined. */
const DEPTH = 16;

const OBJECTS = 100;

/** How a number of requests went. */
interface Result {
    readonly perSecond: number;
    /** Processor time of a request in all threads of the service, milliseconds. */
    readonly cost: number;
}

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' },
            mebibytes: { type: 'string', default: '1024' }, connections: { type: 'string', default: '1000' }
        }
    });
    const folder = mkdtempSync(join(tmpdir(), 'bench-native-'));
    const log = openSync(join(folder, 'log'), 'w');
    const server = await MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: join(folder, 'data'), PORT: '0', DOIP_PORT: '0', ADMIN_PASSWORD: PASSWORD, MAX_CONNECTIONS_PER_ADDRESS: '4096'
    }, [], log);
    try {
        const port = await nativePort(server.url);
        const connection = await NativeConnection.open({ host: '127.0.0.1', port });
        const token = await prepare(connection);
        await compareRetrievals({ server, connection, token }, Number(values.seconds), Number(values.rounds));
        await measureIdle(server, port, Number(values.connections));
        await measureElement(server, connection, Number(values.mebibytes));
        connection.close();
    }
    finally {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

async function nativePort(url: string): Promise<number> {

    const hello = await (await fetch(`${url}/doip/${Op.hello}?targetId=service`)).json() as { attributes: { port: number } };
    return hello.attributes.port;
}

/** Creates objects of 2 KB; returns a token. */
async function prepare(connection: NativeConnection): Promise<string> {

    for (let n = 0; n < OBJECTS; ++n) {
        const object = { id: `test/o${n}`, type: 'Document', attributes: { content: { id: '', name: 'x'.repeat(2000) } } };
        await consume(await connection.perform({ targetId: 'service', operationId: Op.create, authentication: AUTHENTICATION, input: object }));
    }

    const [{ access_token: token }] = await consume(await connection.perform({
        targetId: 'service', operationId: Op.authToken, input: { grant_type: 'password', ...AUTHENTICATION }
    })) as [{ access_token: string }];
    return token;
}

/** Reads an output; bytes are counted. Throws for an error. */
async function consume({ status, attributes, output }: ClientResponse): Promise<unknown[]> {

    const values: unknown[] = [];
    for await (const segment of output) {
        if (segment.kind === 'json') {
            values.push(segment.value);
            continue;
        }

        let bytes = 0;
        for await (const chunk of segment.body) {
            bytes += chunk.byteLength;
        }

        values.push(bytes);
    }

    if (status !== '0.DOIP/Status.001') {
        throw new Error(`${status} ${JSON.stringify(attributes)}`);
    }

    return values;
}

let calls = 0;

async function compareRetrievals(
    { server, connection, token }: { server: MeasuredProcess; connection: NativeConnection; token: string }, seconds: number, rounds: number
): Promise<void> {

    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const retrieval = (): ClientRequest => ({
        targetId: `test/o${calls++ % OBJECTS}`, operationId: Op.retrieve, authentication: { token }
    });
    const native = async (): Promise<unknown> => consume(await connection.perform(retrieval()));
    const http = (): Promise<unknown> => new Promise((resolve, reject) => {

        const { targetId, operationId } = retrieval();
        request(`${server.url}/doip/${operationId}?targetId=${targetId}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {

            readBytes(response as AsyncIterable<Uint8Array>, MIB).then(resolve, reject);
        }).on('error', reject).end();
    });
    const ways: readonly [name: string, call: () => Promise<unknown>, depth: number][] = [
        ['DOIP over HTTP, keep-alive', http, 1], ['native DOIP, one after another', native, 1], [`native DOIP, ${DEPTH} pipelined`, native, DEPTH]
    ];
    const results = new Map<string, Result[]>(ways.map(([name]) => [name, []]));
    for (let round = 0; round <= rounds; ++round) {
        for (const [name, call, depth] of ways) {
            const result = await load(server, call, depth, seconds);
            // The first round warms up.
            if (round > 0) {
                results.get(name)?.push(result);
            }
        }
    }

    console.log('| retrieval of 2 KB on one connection | per second | processor time in the service (ms) |\n|---|---|---|');
    for (const [name, list] of results) {
        console.log(`| ${name} | ${median(list.map(({ perSecond }) => perSecond)).toFixed(0)} | ${median(list.map(({ cost }) => cost)).toFixed(3)} |`);
    }

    agent.destroy();
}

async function load(server: MeasuredProcess, call: () => Promise<unknown>, depth: number, seconds: number): Promise<Result> {

    const [cpu, started] = [server.cpu().all, performance.now()];
    let count = 0;
    await Promise.all(Array.from({ length: depth }, async () => {

        while (performance.now() - started < seconds * 1000) {
            await call();
            ++count;
        }
    }));
    return { perSecond: count / (performance.now() - started) * 1000, cost: (server.cpu().all - cpu) / count };
}

async function measureElement(server: MeasuredProcess, connection: NativeConnection, mebibytes: number): Promise<void> {

    const object: JsonObject = { id: 'test/large', type: 'Document', attributes: { content: { id: '' } }, elements: [{ id: 'large' }] };
    for (const [title, work] of [
        ['up', () => connection.perform({
            targetId: 'service', operationId: Op.create, authentication: AUTHENTICATION,
            input: sequence(jsonSegment(object), jsonSegment({ id: 'large' }), { kind: 'bytes', body: body(mebibytes * MIB) })
        })],
        ['down', () => connection.perform({ targetId: 'test/large', operationId: Op.retrieve, authentication: AUTHENTICATION, attributes: { element: 'large' } })]
    ] as const) {
        const [before, started] = [server.memory(), performance.now()];
        let peak = before;
        const timer = setInterval(() => {

            peak = Math.max(peak, server.memory());
        }, 50);
        await consume(await work());
        clearInterval(timer);
        const rate = mebibytes / ((performance.now() - started) / 1000);
        console.log(`element of ${mebibytes} MiB ${title}: ${rate.toFixed(0)} MiB/s, resident memory grows by ${((peak - before) / MIB).toFixed(0)} MiB`);
    }
}

async function measureIdle(server: MeasuredProcess, port: number, count: number): Promise<void> {

    const before = server.memory();
    const connections: NativeConnection[] = [];
    for (let n = 0; n < count; ++n) {
        const connection = await NativeConnection.open({ host: '127.0.0.1', port });
        await consume(await connection.perform({ targetId: 'service', operationId: Op.hello }));
        connections.push(connection);
    }

    console.log(`${count} idle connections: resident memory grows by ${((server.memory() - before) / MIB).toFixed(0)} MiB`);
    connections.forEach((connection) => connection.close());
}

function median(values: readonly number[]): number {

    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

void main();
