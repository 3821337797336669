/**
 * What a service takes at several numbers of objects, and how well all but the largest number predict the largest: bytes on disk, memory,
 * processor time of a start and of each kind of call. From the lines through the figures it says what numbers beyond take.
 *
 *     npm run bench:capacity -- --objects 10000,30000,100000,300000,1000000
 *     npm run bench:capacity -- --database mariadb --search opensearch
 *
 * One service grows from one number to the next; it is started anew before each is measured. Processor time is that of all threads of the
 * service, with the database server and the search engine beside it. Objects have 2 KB.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Mysql from 'mysql2/promise';
import { startOpenSearch } from '../support/opensearch.js';
import { startPrivateMariadb } from '../support/private-mariadb.js';
import { content, idOf, loggedIn, PASSWORD, prepare, search, send, upload, type Kind, type Target } from './calls.js';
import { fit, predict, type Growth, type Sample } from './capacity-model.js';
import { MeasuredProcess, processorTime } from './measured-process.js';
import { table } from './search/report.js';

const CLI = join(__dirname, '../../bundle/main.js');

/** Numbers that are predicted. */
const BEYOND = [100_000_000, 1_000_000_000];

/** As many as the compiler needs until a call costs what it costs for good. */
const WARM_UP_CALLS = 2000;

/** Calls of a batch, and batches of each kind. Kinds take turns, as a machine is slower at times. */
const CALLS = 250;
const BATCHES = 16;

/** Share of the batches that cost less than the one that counts: background work and the collection of garbage only add to what calls take. */
const QUANTILE = 0.25;

/** Starts, of which the least counts for the same reason. */
const STARTS = 3;

/** The clock of other processes has ticks of ten milliseconds; nothing is measured below this. */
const LEAST_MS = 0.01;

/** Nothing is left to do when the service takes less than this share of a core for so many seconds, or together with its engines the other one. */
const QUIET = { share: 0.03, withEngines: 0.12, seconds: 3 };
const MAX_QUIET_MS = 30 * 60_000;

const MIB = 1024 * 1024;
const TAGS = 20;
const RANGE = 500;

let fresh = 1e8;

/** Objects that calls have created, which count as well. */
let created = 0;

/** Kinds of calls, and how their processor time grows. */
const READS: Readonly<Record<string, readonly [growth: Growth, kind: Kind]>> = {
    'retrieve': ['logarithmic', (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}` })],
    'search: a rare word': ['logarithmic', (n, { objects }) => search(`word${n * 7 % objects}x`)],
    [`search: range of ${RANGE}, sorted`]: ['proportional', (n, { objects }) => {

        const from = n * 7919 % (objects - RANGE);
        return search(`/number:[${from} TO ${from + RANGE - 1}]`, '&sortFields=/number DESC');
    }],
    'search: a twentieth of all': ['proportional', (n) => search(`/tag:tag${n % TAGS}`)],
    'search: two words of all, a number': ['proportional', (n, { objects }) => search(`common AND lorem AND /number:${n * 7 % objects}`)],
    'search: facet of a twentieth': ['proportional', (n) => search(`/tag:tag${n % TAGS}`, `&facets=${encodeURIComponent('[{"field":"/series"}]')}`)]
};

/** They are measured after all others, as what they change has to be indexed, also later. */
const WRITES: typeof READS = {
    'create': ['constant', (_, { token }) => {

        created += 1;
        return { method: 'POST', path: '/objects?type=Record', body: content(++fresh), authorization: `Bearer ${token}` };
    }],
    // With the words and numbers that the object has, so that searches go on to find it
    'update': ['constant', (n, target) => ({
        method: 'PUT', path: `/objects/${idOf(n, target)}`, body: content(n * 7 % target.objects), authorization: `Bearer ${target.token}`
    })]
};

/** A figure by number of objects. */
interface Figure {
    readonly name: string;
    readonly growth: Growth;
    readonly unit: string;
    readonly samples: Sample[];
}

/** What stores and searches for the service. */
interface Engines {
    readonly env: NodeJS.ProcessEnv;
    /** Whether one of them searches. */
    readonly searches: boolean;
    /** Bytes on disk; the index of the service is in its database. */
    bytes(): Promise<readonly [name: string, bytes: number][]>;
    /** Processor time so far, milliseconds. */
    cpu(): number;
    stop(): Promise<void>;
}

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            objects: { type: 'string', default: '10000,30000,100000' }, database: { type: 'string', default: 'sqlite' }, search: { type: 'string', default: 'embedded' }
        }
    });
    const numbers = values.objects.split(',').map(Number);
    if (numbers.length < 3 || numbers.some((number, i) => !(number > Math.max(RANGE, numbers[i - 1] ?? 0)))) {
        throw new Error('--objects are at least three ascending numbers above 500');
    }

    const folder = mkdtempSync(join(tmpdir(), 'bench-capacity-'));
    const engines = await startEngines(folder, values.database, values.search);
    const figures = new Map<string, Figure>();
    try {
        let known = 0;
        for (const objects of numbers) {
            await fill(folder, engines, [known, objects]);
            const real = objects + created;
            await measure(folder, engines, { objects, note: (name, growth, unit, value) => {

                const figure = figures.get(name) ?? { name, growth, unit, samples: [] };
                figures.set(name, figure);
                figure.samples.push({ objects: real, value });
            } });
            known = objects;
        }

        report([...figures.values()], numbers);
    }
    finally {
        await engines.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

async function startEngines(folder: string, database: string, search: string): Promise<Engines> {

    const mariadb = database === 'mariadb' ? await startPrivateMariadb() : null;
    const engine = search === 'opensearch' ? await startOpenSearch() : null;
    const url = engine?.newUrl() ?? '';
    if (mariadb) {
        const connection = await Mysql.createConnection(mariadb.url);
        await connection.query('create database capacity character set utf8mb4');
        await connection.end();
    }

    return {
        searches: engine !== null,
        env: { ...mariadb ? { DATABASE_URL: `${mariadb.url}/capacity` } : {}, ...engine ? { SEARCH_URL: url } : {} },
        async bytes() {

            const found: [string, number][] = [['database', mariadb ? await tableBytes(mariadb.url) : folderBytes(folder)]];
            if (engine) {
                await engine.refresh();
                const { _all: all } = await engine.client.send<{ _all: { primaries: { store: { size_in_bytes: number } } } }>({
                    method: 'GET', path: `/${new URL(url).pathname.slice(1)}-*/_stats/store`
                });
                found.push(['indexes of OpenSearch', all.primaries.store.size_in_bytes]);
            }

            return found;
        },
        cpu: () => [mariadb?.pid(), engine?.pid()].reduce<number>((sum, pid) => sum + (typeof pid === 'number' ? processorTime(pid) : 0), 0),
        async stop() {

            await engine?.stop();
            await mariadb?.stop();
        }
    };
}

async function tableBytes(server: string): Promise<number> {

    const connection = await Mysql.createConnection(`${server}/capacity`);
    try {
        const [tables] = await connection.query<Mysql.RowDataPacket[]>('show tables');
        await connection.query(`analyze table ${tables.map((row) => `\`${String(Object.values(row)[0])}\``).join(', ')}`);
        const [[row]] = await connection.query<Mysql.RowDataPacket[]>('select sum(data_length + index_length) as bytes from information_schema.tables where table_schema = database()');
        return Number(row?.['bytes']);
    }
    finally {
        await connection.end();
    }
}

function folderBytes(folder: string): number {

    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile()).reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Works with a service that is started for it. */
async function serving(folder: string, engines: Engines, work: (server: MeasuredProcess, agent: Agent) => Promise<void>): Promise<void> {

    const server = await MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: folder, PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'fatal', ...engines.env
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
        await work(server, agent);
    }
    finally {
        agent.destroy();
        await server.stop();
    }
}

async function fill(folder: string, engines: Engines, [from, to]: readonly [number, number]): Promise<void> {

    await serving(folder, engines, async (server, agent) => {

        const began = performance.now();
        if (from === 0) {
            await prepare({ name: 'capacity', server, agent, objects: 0 });
        }

        await upload({ server, agent }, from, to);
        const uploaded = performance.now();
        await quiet(server, engines);
        console.error(`${to} objects: ${((to - from) / (uploaded - began) * 1000).toFixed(0)} a second were stored, the index was ready ${((performance.now() - uploaded) / 1000).toFixed(0)} s later`);
    });
}

/** Waits until nothing is left to be indexed, merged or written. */
async function quiet(server: MeasuredProcess, engines: Engines): Promise<void> {

    const cpu = (): number => server.cpu().all + engines.cpu();
    const share = engines.cpu() > 0 ? QUIET.withEngines : QUIET.share;
    const deadline = performance.now() + MAX_QUIET_MS;
    for (let before = cpu(), seconds = 0; seconds < QUIET.seconds && performance.now() < deadline; before = cpu()) {
        await sleep(1000);
        seconds = cpu() - before < share * 1000 ? seconds + 1 : 0;
    }
}

interface Measuring {
    readonly objects: number;
    readonly note: (name: string, growth: Growth, unit: string, value: number) => void;
}

async function measure(folder: string, engines: Engines, { objects, note }: Measuring): Promise<void> {

    for (const [name, bytes] of await engines.bytes()) {
        note(name, 'proportional', 'MiB', bytes / MIB);
    }

    const starts: { readonly ms: number; readonly memory: number }[] = [];
    for (let n = 0; n < STARTS; ++n) {
        await serving(folder, engines, async (server, agent) => {

            await searchable(await loggedIn({ name: 'capacity', server, agent, objects }));
            const ms = server.cpu().all;
            await quiet(server, engines);
            starts.push({ ms, memory: server.memory() });
        });
    }

    note('start until the first search', 'logarithmic', 'ms', Math.min(...starts.map(({ ms }) => ms)));
    note('memory after a start', 'root', 'MiB', Math.min(...starts.map(({ memory }) => memory)) / MIB);
    await serving(folder, engines, async (server, agent) => {

        const target: Target = await loggedIn({ name: 'capacity', server, agent, objects });
        await searchable(target);
        for (const kinds of [READS, WRITES]) {
            const typical = kinds === READS ? quantile : mean;
            const costs = await costsOf(target, engines, { kinds: Object.values(kinds).map(([, kind]) => kind), typical });
            for (const [i, [name, [growth]]] of Object.entries(kinds).entries()) {
                const [service, others] = costs[i] ?? [NaN, NaN];
                // Where an engine searches, the service only reads what was found.
                note(name, engines.searches ? 'constant' : growth, 'ms', service);
                if (engines.cpu() > 0) {
                    note(`${name} (engines)`, growth, 'ms', Math.max(LEAST_MS, others));
                }
            }
        }

        note('memory after all calls', 'logarithmic', 'MiB', server.memory() / MIB);
    });
}

/** Processor time of a call of each kind, in milliseconds. */
async function costsOf(target: Target, engines: Engines, { kinds, typical }: Costing): Promise<readonly Cost[]> {

    let next = 0;
    const batch = async (kind: Kind, count: number): Promise<Cost> => {

        const before = [target.server.cpu().all, engines.cpu()] as const;
        for (const end = next + count; next < end; ++next) {
            await send(target, kind(next, target));
        }

        return [(target.server.cpu().all - before[0]) / count, (engines.cpu() - before[1]) / count];
    };

    for (const kind of kinds) {
        await batch(kind, WARM_UP_CALLS);
    }

    await quiet(target.server, engines);
    const batches: Cost[][] = kinds.map(() => []);
    for (let n = 0; n < BATCHES; ++n) {
        for (const [i, kind] of kinds.entries()) {
            batches[i]?.push(await batch(kind, CALLS));
        }
    }

    await quiet(target.server, engines);
    return batches.map((each): Cost => [typical(each.map(([service]) => service)), typical(each.map(([, others]) => others))]);
}

interface Costing {
    readonly kinds: readonly Kind[];
    /** Returns what counts of the costs of the batches. */
    readonly typical: (costs: readonly number[]) => number;
}

/** Of the service, and of its engines. */
type Cost = readonly [service: number, others: number];

/** For writes, as what they leave to be indexed, merged and stored is part of their cost. */
function mean(values: readonly number[]): number {

    return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function quantile(values: readonly number[]): number {

    return values.toSorted((one, other) => one - other)[Math.floor(values.length * QUANTILE)] ?? NaN;
}

/** Waits until the last object is found. */
async function searchable(target: Target): Promise<void> {

    for (const deadline = performance.now() + MAX_QUIET_MS; ;) {
        const text = await send(target, search(`word${target.objects - 1}x`)).catch(() => '{}');
        if ((JSON.parse(text) as { size?: number }).size === 1) {
            return;
        }

        if (performance.now() > deadline) {
            throw new Error('the last object is not found');
        }

        await sleep(100);
    }
}

function report(figures: readonly Figure[], numbers: readonly number[]): void {

    const largest = numbers.at(-1) ?? 0;
    const rows = figures.map(({ name, growth, unit, samples }) => {

        const expected = predict(fit(growth, samples.slice(0, -1)), samples.at(-1)?.objects ?? NaN);
        const measured = samples.at(-1)?.value ?? NaN;
        const line = fit(growth, samples);
        return [
            `${name}, ${unit}`, ...samples.map(({ value }) => digits(value)), digits(expected), `${((expected / measured - 1) * 100).toFixed(0)} %`,
            ...BEYOND.map((objects) => digits(predict(line, objects)))
        ];
    });
    console.log(table(['', ...numbers.map((number) => number.toLocaleString('en')), `predicted for ${largest.toLocaleString('en')}`, 'off by',
        ...BEYOND.map((objects) => `for ${objects.toExponential(0).replace('+', '')}`)], rows));
}

function digits(value: number): string {

    return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

void main();
