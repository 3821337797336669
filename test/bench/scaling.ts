/**
 * How retrieves scale with the number of nodes or of worker processes, each of which control groups hold to a share of a core, so that the machine
 * has enough for the database and the client as well. Needs the right to make control groups.
 *
 *     npm run bench:scaling -- --of nodes --counts 1,2,4 --share 0.1 --seconds 5
 *     npm run bench:scaling -- --of workers --counts 1,4
 *
 * Nodes share a private MariaDB; worker processes are those of one service on SQLite. Each request is for another one of 2,000 objects.
 */

import { existsSync, mkdirSync, openSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Autocannon from 'autocannon';
import Mysql from 'mysql2/promise';
import { startPrivateMariadb } from '../support/private-mariadb.js';
import { childrenOf } from '../support/worker-connections.js';
import { MeasuredProcess, processorTime } from './measured-process.js';

const CLI = join(__dirname, '../../bundle/main.js');
const PASSWORD = 'password of the benchmark';
const OBJECTS = 2000;
const CONNECTIONS = 8;

/** Short, so that a process that has used its share does not stand still for long. */
const PERIOD_US = 20_000;

/** Rounds of each number of processes, in turns; the first one warms up. */
const ROUNDS = 4;

interface Load {
    readonly services: readonly MeasuredProcess[];
    readonly limited: readonly number[];
}

/** What was seen in a round. */
interface Seen {
    readonly perSecond: number;
    /** Processor time of a request in milliseconds: of the processes that are limited, and of the database server or the primary process. */
    readonly own: number;
    readonly other: number;
}

/** Control groups with a share of a core. */
class Shares {

    readonly #groups: string[] = [];
    readonly #share: number;

    constructor(share: number) {

        this.#share = share;
    }

    /** Holds a process to a share of its own. */
    limit(pid: number): void {

        const isSecond = existsSync('/sys/fs/cgroup/cgroup.controllers');
        const group = join(isSecond ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu', `doip-gateway-bench-${process.pid}-${pid}`);
        mkdirSync(group);
        this.#groups.push(group);
        const quota = Math.round(this.#share * PERIOD_US);
        if (isSecond) {
            writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
        }
        else {
            writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
            writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
        }

        writeFileSync(join(group, 'cgroup.procs'), String(pid));
    }

    /** Removes the groups, whose processes have ended. */
    remove(): void {

        this.#groups.forEach((group) => rmdirSync(group));
    }
}

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            of: { type: 'string', default: 'nodes' }, counts: { type: 'string', default: '1,2,4' },
            share: { type: 'string', default: '0.1' }, seconds: { type: 'string', default: '5' }
        }
    });
    const counts = values.counts.split(',').map(Number);
    const [share, seconds] = [Number(values.share), Number(values.seconds)];
    if (!['nodes', 'workers'].includes(values.of) || ![...counts, share, seconds].every((number) => number > 0)) {
        throw new Error('usage: --of nodes|workers --counts 1,2,4 --share 0.1 --seconds 5');
    }

    const folder = await mkdtemp(join(tmpdir(), 'bench-scaling-'));
    const shares = new Shares(share);
    const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
    try {
        const measure = values.of === 'nodes' ? await nodes(folder, shares, stops) : await workers(folder, counts, shares, stops);
        const seen = new Map(counts.map((count): [number, Seen[]] => [count, []]));
        for (let round = 0; round < ROUNDS; ++round) {
            for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
                const result = await measure(count, seconds);
                if (round > 0) {
                    seen.get(count)?.push(result);
                }
            }
        }

        report(values.of, share, seen);
    }
    finally {
        for (const stop of stops.reverse()) {
            await stop();
        }

        shares.remove();
    }
}

type Measure = (count: number, seconds: number) => Promise<Seen>;

async function nodes(folder: string, shares: Shares, stops: (() => Promise<unknown>)[]): Promise<Measure> {

    const server = await startPrivateMariadb();
    stops.push(() => server.stop());
    const connection = await Mysql.createConnection(server.url);
    await connection.query('create database scaling');
    await connection.end();
    const started: MeasuredProcess[] = [];
    return async (count, seconds) => {

        while (started.length < count) {
            const node = await start(join(folder, String(started.length)), { DATABASE_URL: `${server.url}/scaling` });
            stops.push(() => node.stop());
            await (started.length === 0 ? fill(node) : undefined);
            started.push(node);
            shares.limit(node.pid);
        }

        const services = started.slice(0, count);
        return await load({ services, limited: services.map(({ pid }) => pid) }, seconds, () => processorTime(server.pid()));
    };
}

async function workers(folder: string, counts: readonly number[], shares: Shares, stops: (() => Promise<unknown>)[]): Promise<Measure> {

    const services = new Map<number, MeasuredProcess>();
    for (const count of counts) {
        const service = await start(join(folder, String(count)), { WORKERS: String(count) });
        stops.push(() => service.stop());
        await fill(service);
        childrenOf(service.pid).forEach((pid) => shares.limit(pid));
        services.set(count, service);
    }

    return async (count, seconds) => {

        const service = services.get(count);
        if (!service) {
            throw new Error('each number of workers has a service');
        }

        return await load({ services: [service], limited: childrenOf(service.pid) }, seconds, () => service.cpu().all, CONNECTIONS * count);
    };
}

async function start(dataDir: string, env: NodeJS.ProcessEnv): Promise<MeasuredProcess> {

    mkdirSync(dataDir, { recursive: true });
    return await MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: dataDir, PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, ...env
    }, [], openSync(join(dataDir, 'log'), 'w'));
}

async function fill({ url }: MeasuredProcess): Promise<void> {

    const lines = Array.from({ length: OBJECTS }, (_, i) => JSON.stringify({
        id: `test/${i}`, type: 'Document', attributes: { content: { id: '', name: `object ${i}`, text: 'some words '.repeat(180) }, acl: { readers: ['public'] } }
    }));
    const response = await fetch(`${url}/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service`, {
        method: 'POST', body: lines.join('\n'), headers: { authorization: `Basic ${btoa(`admin:${PASSWORD}`)}`, 'content-type': 'application/x-ndjson' }
    });
    const text = await response.text();
    const check = await fetch(`${url}/objects/test/${OBJECTS - 1}`);
    if (response.status !== 200 || check.status !== 200) {
        throw new Error(`the objects were not stored: ${response.status} ${text.slice(0, 500)}`);
    }
}

async function load({ services, limited }: Load, seconds: number, otherTime: () => number, connections = CONNECTIONS): Promise<Seen> {

    const before = { own: sum(limited), other: otherTime() };
    const results = await Promise.all(services.map(({ url }, i) => Autocannon({
        url, connections, duration: seconds,
        requests: Array.from({ length: OBJECTS }, (_, j) => ({ path: `/objects/test/${(j + i * 997) % OBJECTS}` }))
    })));
    const failed = results.reduce((total, { non2xx, errors }) => total + non2xx + errors, 0);
    if (failed > 0) {
        throw new Error(`${failed} requests failed`);
    }

    const requests = results.reduce((total, result) => total + result.requests.total, 0);
    return { perSecond: requests / seconds, own: (sum(limited) - before.own) / requests, other: (otherTime() - before.other) / requests };
}

function report(of: string, share: number, seen: ReadonlyMap<number, readonly Seen[]>): void {

    const median = (results: readonly Seen[], name: keyof Seen): number => {

        return results.map((result) => result[name]).sort((a, b) => a - b)[Math.floor(results.length / 2)] ?? NaN;
    };

    const [first = []] = seen.values();
    for (const [count, results] of seen) {
        console.log(`${count} ${of}, each with ${share} of a core: ${median(results, 'perSecond').toFixed(0)} retrieves a second, `
            + `${(median(results, 'perSecond') / median(first, 'perSecond')).toFixed(2)} times the first; processor time ${median(results, 'own').toFixed(3)} ms of a request, `
            + `and ${median(results, 'other').toFixed(3)} ms of the ${of === 'nodes' ? 'database server' : 'primary process'}`);
    }
}

function sum(pids: readonly number[]): number {

    return pids.reduce((total, pid) => total + processorTime(pid), 0);
}

void main();
