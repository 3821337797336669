/**
 * `npm run bench:backup`: latency of requests under full load, without and beside `doip-gateway backup`, in turns: 70 % retrieves, 15 %
 * searches, 10 % updates and 5 % creates over eight connections. The service, its client and the backup share the machine.
 *
 *     npm run bench:backup -- --objects 100000 --payload-mib 1024 --rounds 3
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { content, FORM_TYPE, formWith, idOf, loggedIn, MIB, PASSWORD, prepare, search, send, type Kind, type Target } from './calls.js';
import { MeasuredProcess } from './measured-process.js';

const CLI = join(__dirname, '../../bundle/main.js');
const CONNECTIONS = 8;
const PAYLOAD_MIB = 16;

/** Seconds of load between two backups, in which the service also recovers from the last one. */
const BETWEEN_SECONDS = 10;

const KINDS = ['read', 'search', 'write'] as const;

/** Milliseconds of all requests, by kind. */
type Latencies = Record<typeof KINDS[number], number[]>;

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: { objects: { type: 'string', default: '100000' }, 'payload-mib': { type: 'string', default: '1024' }, rounds: { type: 'string', default: '3' } }
    });
    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const env = { DATA_DIR: join(folder, 'data'), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD };
    const server = await MeasuredProcess.start(CLI, ['serve'], env, [], openSync(join(folder, 'log'), 'w'));
    try {
        const target = await prepare({ name: 'service', server, agent: new Agent({ keepAlive: true }), objects: Number(values.objects) });
        await uploadPayloads(target, Number(values['payload-mib']));
        await measure(target, { folder, env, rounds: Number(values.rounds) });
    }
    finally {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

async function uploadPayloads(target: Target, mib: number): Promise<void> {

    for (let done = 0; done < mib; done += PAYLOAD_MIB) {
        const body = formWith(randomBytes(Math.min(PAYLOAD_MIB, mib - done) * MIB));
        await send(target, { method: 'POST', path: '/objects?type=Record', type: FORM_TYPE, body, authorization: `Bearer ${target.token}` });
    }
}

async function measure(target: Target, { folder, env, rounds }: { folder: string; env: NodeJS.ProcessEnv; rounds: number }): Promise<void> {

    await load(target, sleep(BETWEEN_SECONDS));     // Warms up
    const without: Latencies[] = [];
    const beside: Latencies[] = [];
    for (let round = 0; round < rounds; ++round) {
        const user = await loggedIn(target);
        without.push(await load(user, sleep(BETWEEN_SECONDS)));
        const backup = join(folder, `backup-${round}`);
        const started = performance.now();
        beside.push(await load(user, run(['backup', backup], env)));
        const seconds = (performance.now() - started) / 1000;
        const bytes = readdirSync(backup).reduce((sum, name) => sum + statSync(join(backup, name)).size, 0);
        const log = ['repository', 'blobs'].map((name) => (statSync(join(folder, `data/${name}.sqlite-wal`)).size / MIB).toFixed(0));
        console.log(`backup of ${(bytes / MIB).toFixed(0)} MiB: ${seconds.toFixed(1)} s; logs of ${log.join(' and ')} MiB`);
        if (round === rounds - 1) {
            console.log(`verify: ${await timed(() => run(['verify', backup], env))}, restore: ${await timed(() => run(['restore', backup, '--to', join(folder, 'restored')], env))}`);
        }

        rmSync(backup, { recursive: true });
    }

    console.log('\n| | requests | p50, p99, longest (ms) without | beside a backup | p99: ratio |\n|---|---|---|---|---|');
    for (const kind of [...KINDS, 'all'] as const) {
        const [a, b] = [without, beside].map((list) => Float64Array.from(list.flatMap((each) => (kind === 'all' ? KINDS.flatMap((one) => each[one]) : each[kind]))).sort()) as
            [Float64Array, Float64Array];
        console.log(`| ${kind} | ${a.length}, ${b.length} | ${figures(a)} | ${figures(b)} | ${(at(b, 0.99) / at(a, 0.99)).toFixed(2)} |`);
    }
}

function at(sorted: Float64Array, share: number): number {

    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function figures(sorted: Float64Array): string {

    return [0.5, 0.99, 1].map((share) => at(sorted, share).toFixed(1)).join(', ');
}

function sleep(seconds: number): Promise<void> {

    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

async function timed(work: () => Promise<void>): Promise<string> {

    const started = performance.now();
    await work();
    return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {

    const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'close') as [number | null];
    if (code !== 0) {
        throw new Error(`${args.join(' ')} ended with ${code}`);
    }
}

let calls = 0;
let fresh = 10_000_000;

const CALLS: Readonly<Record<typeof KINDS[number], Kind>> = {
    read: (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}`, authorization: `Bearer ${target.token}` }),
    search: (n) => search(`/series:s${n % 1000}`),
    write: (n, target) => {

        const body = content(++fresh);
        const common = { body, authorization: `Bearer ${target.token}` };
        return n % 3 === 0 ? { ...common, method: 'POST', path: '/objects?type=Record' } : { ...common, method: 'PUT', path: `/objects/${idOf(n, target)}` };
    }
};

/** Calls over all connections until some work has ended. */
async function load(target: Target, work: Promise<void>): Promise<Latencies> {

    const latencies: Latencies = { read: [], search: [], write: [] };
    let isOver = false;
    const over = work.finally(() => {

        isOver = true;
    });
    await Promise.all([over, ...Array.from({ length: CONNECTIONS }, async () => {

        while (!isOver) {
            const n = calls++;
            const share = n * 37 % 100;
            const kind = share < 70 ? 'read' : share < 85 ? 'search' : 'write';
            const started = performance.now();
            await send(target, CALLS[kind](n, target));
            latencies[kind].push(performance.now() - started);
        }
    })]);
    return latencies;
}

void main();
