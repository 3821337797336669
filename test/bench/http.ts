/**
 * `npm run bench:http`: calls as users make them, each about another object or with another query, over 1, 8 and 64 connections: requests
 * per second, latency, and processor time for each request. Beside it, in turns in the same run, what the platform takes: an empty hapi
 * route, and a bare server of node that sends the same bytes. Prints a table in Markdown.
 *
 *     npm run bench:http -- --seconds 3 --rounds 3 --only GET --connections 1,8
 *     npm run bench:http -- --workers 2           with worker processes, whose processor time is the third figure
 *     npm run bench:http -- --with FOLDER         another build in place of this one
 */

import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/doc-pages.js';
import {
    batchOf, content, FORM_TYPE, formWith, idOf, loggedIn, LOGIN, MIB, PASSWORD, prepare, search, send, type Call, type Kind, type Target
} from './calls.js';
import { MeasuredProcess } from './measured-process.js';

/** Calls of a second that warm a row up. */
const WARM_UP_SECONDS = 1;

/** Bytes of the answers of the anchors: those of a retrieved object. */
const ANSWER_BYTES = Buffer.byteLength(content(1));

/** Objects that are updated before the first page after many updates. */
const UPDATES = 10_000;

const FILE = Buffer.alloc(MIB, 'y');

/** Result of a row over some connections; times in milliseconds. */
interface Result {
    readonly perSecond: number;
    readonly p50: number;
    readonly p99: number;
    /** Processor time for each request: of the main thread, of all others, and of worker processes. */
    readonly main: number;
    readonly others: number;
    readonly workers: number;
}

interface Row {
    readonly name: string;
    readonly kind: Kind;
    /** The server that answers; default: the service. */
    readonly anchor?: boolean;
    /** Called before the row is measured. */
    readonly before?: (target: Target) => Promise<void>;
}

let fresh = 0;

/** A number that no call had before. */
function next(): number {

    return 10_000_000 + ++fresh;
}

const bearer = ({ token }: Target): string => `Bearer ${token}`;
const get: Kind = (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}`, authorization: bearer(target) });
const create: Kind = (_, target) => ({ method: 'POST', path: '/objects?type=Record', body: content(next()), authorization: bearer(target) });
const update: Kind = (n, target) => ({ method: 'PUT', path: `/objects/${idOf(n, target)}`, body: content(next()), authorization: bearer(target) });
const term: Kind = (n) => search(`/series:s${n % 1000}`);

/** Calls of which none is repeated within a measurement, as long as it has fewer calls than there are objects and values. */
const ROWS: readonly Row[] = [
    { name: 'hapi: an empty route, 2 KB', anchor: true, kind: () => ({ method: 'GET', path: '/hapi' }) },
    { name: 'node: the same bytes', anchor: true, kind: () => ({ method: 'GET', path: '/node' }) },
    { name: 'GET of an object, with token', kind: get },
    { name: 'GET of an object, anonymous', kind: (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}` }) },
    { name: 'retrieve by DOIP over HTTP', kind: (n, target) => ({ method: 'GET', path: `/doip?operationId=0.DOIP/Op.Retrieve&targetId=${idOf(n, target)}` }) },
    { name: 'search: a term, 10 results', kind: term },
    { name: 'search: a word in a text, 10 results', kind: (n, { objects }) => search(`theme${n % 200} -word${n % objects}x`) },
    {
        name: 'search: range and tag, by two fields, 10 results',
        kind: (n, { objects }) => search(`/number:[${n * 3 % objects} TO ${n * 3 % objects + objects / 2}] AND /tag:tag${n % 20}`, '&sortFields=/series,/number DESC')
    },
    {
        name: 'search: two facets, 10 results',
        kind: (n, { objects }) => search(`/number:[${n * 3 % objects} TO *]`, `&facets=${encodeURIComponent('[{"field":"/tag"},{"field":"/series"}]')}`)
    },
    { name: 'search: number of results', kind: (n, target) => ({ ...term(n, target), path: term(n, target).path.replace('pageSize=10', 'pageSize=0') }) },
    { name: 'search: ids of 10 results', kind: (n, target) => ({ ...term(n, target), path: `${term(n, target).path}&ids` }) },
    { name: 'search and update in turns', kind: (n, target) => (n % 2 === 0 ? term(n, target) : update(n, target)) },
    {
        name: `first page after ${UPDATES} updates`, kind: term,
        before: async (target) => {

            for (let start = 0; start < UPDATES; start += 1000) {
                await send(target, {
                    method: 'POST', path: '/batchUpload', type: 'application/x-ndjson', authorization: bearer(target),
                    body: Array.from({ length: 1000 }, (_, i) => `{"id":"test/${(start + i) % target.objects}","type":"Record","content":${content(start + i)}}\n`).join('')
                });
            }
        }
    },
    { name: 'create', kind: create },
    { name: 'update', kind: update },
    { name: 'batch upload of 100', kind: (_, target) => ({ method: 'POST', path: '/batchUpload', type: 'application/x-ndjson', authorization: bearer(target), body: batchOf(100, next) }) },
    { name: 'node: 1 MiB', anchor: true, kind: () => ({ method: 'GET', path: '/mebibyte' }) },
    { name: 'download of 1 MiB', kind: () => ({ method: 'GET', path: '/objects/test/file?payload=bytes' }) },
    { name: 'upload of 1 MiB', kind: (_, target) => ({ method: 'POST', path: '/objects?type=Record', type: FORM_TYPE, body: formWith(FILE), authorization: bearer(target) }) },
    { name: 'login by password', kind: () => LOGIN },
    { name: 'check of a token', kind: (_, target) => ({ method: 'GET', path: '/check-credentials', authorization: bearer(target) }) },
    {
        name: 'mixed: 70 GET, 15 searches, 10 updates, 5 creates',
        kind: (n, target) => {

            const share = n * 37 % 100;
            return (share < 70 ? get : share < 85 ? term : share < 95 ? update : create)(n, target);
        }
    }
];

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            with: { type: 'string' }, only: { type: 'string', default: '' }, objects: { type: 'string', default: '10000' },
            connections: { type: 'string', default: '1,8,64' }, seconds: { type: 'string', default: '3' }, workers: { type: 'string', default: '0' }, rounds: { type: 'string', default: '3' }
        }
    });
    const connections = values.connections.split(',').map(Number);
    const rows = ROWS.filter(({ name, anchor }) => anchor || name.includes(values.only));
    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const stops: (() => Promise<void>)[] = [];
    try {
        const anchors = await startTarget(join(__dirname, 'anchors.js'), [String(ANSWER_BYTES)], {});
        stops.push(() => anchors.server.stop());
        const root = values.with === undefined ? ROOT : resolve(values.with);
        const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
        // The access log is written, as it is where the service is in use.
        const log = openSync(join(folder, 'log'), 'w');
        const empty = await startTarget(join(root, Object.values(bin)[0] ?? ''), ['serve'], { DATA_DIR: join(folder, 'data'), WORKERS: values.workers }, log);
        stops.push(() => empty.server.stop());
        const idle = empty.server.memory();
        const service = await prepare({ ...empty, objects: Number(values.objects) });
        const measured = await measureAll(rows, { anchors, service, connections, seconds: Number(values.seconds), rounds: Number(values.rounds) });
        printTable(rows, connections, measured);
        console.log(`\nresident memory: ${(idle / MIB).toFixed(0)} MiB after the start, ${(service.server.memory() / MIB).toFixed(0)} MiB at the end`);
    }
    finally {
        for (const stop of stops) {
            await stop();
        }

        rmSync(folder, { recursive: true, force: true });
    }
}

async function startTarget(script: string, args: readonly string[], env: NodeJS.ProcessEnv, log?: number): Promise<Target> {

    const server = await MeasuredProcess.start(script, args, { PORT: '0', ADMIN_PASSWORD: PASSWORD, ...env }, [], log);
    return { name: script, server, agent: new Agent({ keepAlive: true }), token: '', objects: 1 };
}

/** Measures all rows one after the other, again and again; by row and number of connections. */
async function measureAll(
    rows: readonly Row[],
    { anchors, service, connections, seconds, rounds }: { anchors: Target; service: Target; connections: readonly number[]; seconds: number; rounds: number }
): Promise<ReadonlyMap<string, Result>> {

    let user = service;
    const results = new Map<string, Result[]>();
    const warm = new Set<string>();
    for (let round = 0; round < rounds; ++round) {
        for (const row of rows) {
            const target = row.anchor ? anchors : user;
            await row.before?.(target);
            for (const count of connections) {
                const key = `${row.name} ${count}`;
                if (!warm.has(row.name)) {
                    await load(row.kind, target, count, WARM_UP_SECONDS);
                    warm.add(row.name);
                }

                results.set(key, [...results.get(key) ?? [], await load(row.kind, target, count, seconds)]);
            }

            user = await loggedIn(user);
        }
    }

    return new Map(Array.from(results, ([key, list]) => [key, {
        perSecond: median(list.map(({ perSecond }) => perSecond)), p50: median(list.map(({ p50 }) => p50)), p99: median(list.map(({ p99 }) => p99)),
        main: median(list.map(({ main }) => main)), others: median(list.map(({ others }) => others)), workers: median(list.map(({ workers }) => workers))
    }]));
}

let calls = 0;

/** Calls over a number of connections, each of which sends the next call when the last one is answered. */
async function load(kind: Kind, target: Target, connections: number, seconds: number): Promise<Result> {

    const latencies: number[] = [];
    const [cpu, started] = [target.server.cpu(), performance.now()];
    const end = started + seconds * 1000;
    await Promise.all(Array.from({ length: connections }, async () => {

        while (performance.now() < end) {
            const call: Call = kind(calls++, target);
            const sent = performance.now();
            await send(target, call);
            latencies.push(performance.now() - sent);
        }
    }));
    const [after, elapsed] = [target.server.cpu(), performance.now() - started];
    const main = (after.main - cpu.main) / latencies.length;
    const sorted = Float64Array.from(latencies).sort();
    return {
        perSecond: latencies.length / elapsed * 1000, p50: sorted[Math.floor(sorted.length / 2)] ?? NaN, p99: sorted[Math.floor(sorted.length * 0.99)] ?? NaN,
        main, others: (after.all - cpu.all) / latencies.length - main,
        workers: (after.workers - cpu.workers) / latencies.length
    };
}

function printTable(rows: readonly Row[], connections: readonly number[], measured: ReadonlyMap<string, Result>): void {

    console.log(`| | ${connections.map((count) => `c = ${count}: per second | p50, p99 (ms) | processor: main thread, others, workers (ms)`).join(' | ')} |`);
    console.log(`|---|${'---|---|---|'.repeat(connections.length)}`);
    for (const { name } of rows) {
        const cells = connections.map((count) => {

            const { perSecond, p50, p99, main, others, workers } = measured.get(`${name} ${count}`) as Result;
            return `${perSecond.toFixed(0)} | ${p50.toFixed(2)}, ${p99.toFixed(2)} | ${main.toFixed(3)}, ${others.toFixed(3)}, ${workers.toFixed(3)}`;
        });
        console.log(`| ${name} | ${cells.join(' | ')} |`);
    }

    const cost = (name: string): number => geometricMean(connections.filter((count) => count <= 8).map((count) => {

        const { main, others, workers } = measured.get(`${name} ${count}`) as Result;
        return main + others + workers;
    }));
    const [empty, bytes] = [cost('hapi: an empty route, 2 KB'), cost('node: 1 MiB')];
    console.log('\nProcessor time of all threads, geometric mean over the columns up to c = 8:');
    for (const { name, anchor } of rows) {
        if (!anchor) {
            const against = name.startsWith('download') ? `${(cost(name) / bytes).toFixed(2)} × node with 1 MiB` : `${(cost(name) / empty).toFixed(2)} × an empty hapi route`;
            console.log(`- ${name}: ${cost(name).toFixed(3)} ms, ${against}`);
        }
    }
}

function geometricMean(values: readonly number[]): number {

    return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function median(values: readonly number[]): number {

    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

void main();
