/**
 * How long the service takes to start, and what it needs when it is idle: milliseconds until the URL is printed and processor time of all
 * threads until then, for a new data folder and for one with data, and resident memory and processor time after some time without requests.
 *
 *     npm run bench:start -- --rounds 9 --idle 25 --with FOLDER
 *
 * `--with` names the folder of another build, such as that of an earlier version, which starts in turns with this one.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Time until a small index is stored, in milliseconds. */
const STORED_MS = 1000;

const ROOT = join(__dirname, '../../..');

/** One start. */
interface Start {
    /** Milliseconds until the service listens, elapsed and of the processor. */
    readonly elapsed: number;
    readonly processor: number;
}

/** An idle process. */
interface Idle {
    readonly memory: number;
    readonly threads: number;
    /** Milliseconds of the processor for each second. */
    readonly processor: number;
}

/** Results of one build. */
class Results {

    readonly first: Start[] = [];
    readonly later: Start[] = [];
    readonly idle: Idle[] = [];
}

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: { rounds: { type: 'string', default: '9' }, idle: { type: 'string', default: '25' }, with: { type: 'string' } }
    });
    const builds = [ROOT, ...values.with === undefined ? [] : [values.with]].map((folder) => ({ folder, results: new Results() }));
    for (let round = 0; round < Number(values.rounds); ++round) {
        // Each is the first as often as the others.
        for (const { folder, results } of round % 2 === 0 ? builds : builds.toReversed()) {
            // The memory of an idle service hardly differs between rounds.
            await measure(folder, results, round === 0 ? Number(values.idle) : 0);
        }
    }

    for (const { folder, results: { first, later, idle } } of builds) {
        console.log(`\n${folder}`);
        console.log(`first start, new data folder: ${describe(first)}`);
        console.log(`later start: ${describe(later)}`);
        for (const { memory, threads, processor } of idle) {
            console.log(`idle for ${values.idle} s: ${memory.toFixed(0)} MiB resident, ${threads} threads, ${processor.toFixed(1)} ms of the processor a second`);
        }
    }
}

async function measure(folder: string, results: Results, idleSeconds: number): Promise<void> {

    const dataDir = mkdtempSync(join(tmpdir(), 'bench-start-'));
    try {
        for (const starts of [results.first, results.later]) {
            const started = performance.now();
            const service = spawn(process.execPath, [join(folder, 'dist/bundle/main.js'), 'serve'], {
                env: { ...process.env, DATA_DIR: dataDir, PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: 'password of the benchmark', LOG_LEVEL: 'error' },
                stdio: ['ignore', 'pipe', 'inherit']
            });
            const [url] = await once(service.stdout, 'data') as [Buffer];
            starts.push({ elapsed: performance.now() - started, processor: processorTime(service) });
            // A service that was in use has stored its index.
            await searched(String(url).trim());
            if (starts === results.later && idleSeconds > 0) {
                results.idle.push(await idle(service, idleSeconds));
            }

            const ended = once(service, 'exit');
            service.kill('SIGTERM');
            await ended;
        }
    }
    finally {
        rmSync(dataDir, { recursive: true });
    }
}

/** Resolves when the index is complete. */
async function searched(url: string): Promise<void> {

    const response = await fetch(`${url}/search?query=*`);
    if (!response.ok) {
        throw new Error(`a search was answered with ${response.status}`);
    }

    await response.text();
    await sleep(STORED_MS);
}

async function idle(service: ChildProcess, seconds: number): Promise<Idle> {

    const before = processorTime(service);
    await sleep(seconds * 1000);
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return { memory: figure('VmRSS') / 1024, threads: figure('Threads'), processor: (processorTime(service) - before) / seconds };
}

/** Processor time of all threads, in milliseconds. */
function processorTime({ pid }: ChildProcess): number {

    const times = readdirSync(`/proc/${pid}/task`).map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
    return times.reduce((sum, ms) => sum + ms, 0);
}

/** Median and minimum: other programs of the machine only add to them. */
function describe(starts: readonly Start[]): string {

    const [elapsed, processor] = (['elapsed', 'processor'] as const).map((key) => {

        const values = starts.map((start) => start[key]).sort((a, b) => a - b);
        return `${values[values.length >> 1]?.toFixed(0)} ms (at least ${values[0]?.toFixed(0)})`;
    });
    return `listens after ${elapsed}, ${processor} of the processor`;
}

void main();
