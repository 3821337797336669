/**
 * How long a new user waits for a first object: seconds from `git clone`, and from `npx` in an empty folder, until an object was created and read.
 * Packages come from the cache of npm, which a first installation, not measured, fills; what has to be compiled is compiled.
 *
 *     npm run bench:first-object
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = join(__dirname, '../../..');
const PASSWORD = 'password of the benchmark';

/** The same for both: nothing of the npm that runs this program. */
const ENV = {
    PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_update_notifier: 'false', npm_config_prefer_offline: 'true',
    PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error'
};

async function main(): Promise<void> {

    const folder = await mkdtemp(join(tmpdir(), 'bench-first-object-'));
    try {
        // Fills the cache, and makes the package.
        const source = join(folder, 'source');
        await clone(source);
        await execute('npm', ['ci', '--no-audit', '--no-fund'], { cwd: source, env: ENV });
        const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env: ENV });
        const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');

        const cloned = await timed(async (step) => {

            const place = join(folder, 'clone');
            await clone(place);
            step('git clone');
            await execute('npm', ['ci'], { cwd: place, env: ENV });
            step('npm ci');
            return launch(place, 'npm', ['start', '--silent']);
        });
        console.log(`git clone, npm ci, npm start: ${cloned}`);

        const empty = join(folder, 'empty');
        await mkdir(empty);
        const launched = await timed(() => {

            return Promise.resolve(launch(empty, 'npx', ['--yes', `--package=${archive}`, 'doip-gateway']));
        });
        console.log(`npx: ${launched}`);
    }
    finally {
        await rm(folder, { recursive: true, force: true });
    }
}

async function clone(folder: string): Promise<void> {

    await execute('git', ['clone', '--quiet', ROOT, folder], { env: ENV });
}

/** A process of its own group, as npm starts others. */
function launch(cwd: string, command: string, args: readonly string[]): ChildProcess {

    return spawn(command, args, { cwd, env: ENV, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
}

/** Starts a service, creates and reads an object, and stops it. Returns the seconds of each step and of all. */
async function timed(start: (step: (name: string) => void) => Promise<ChildProcess>): Promise<string> {

    const began = performance.now();
    const steps: [string, number][] = [];
    const step = (name: string): void => {

        steps.push([name, performance.now()]);
    };

    const service = await start(step);
    try {
        await useService(service, step);
    }
    finally {
        // With npm's own processes.
        const ended = once(service, 'exit');
        process.kill(-(service.pid ?? 0), 'SIGTERM');
        await ended;
    }

    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
    const parts = steps.map(([name, at], index) => `${name} ${seconds(steps[index - 1]?.[1] ?? began, at)}`);
    return `${seconds(began, steps.at(-1)?.[1] ?? began)} (${parts.join(', ')})`;
}

async function useService(service: ChildProcess, step: (name: string) => void): Promise<void> {

    const url = await urlOf(service);
    step('start');
    const headers = { authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`, 'content-type': 'application/json' };
    const created = await fetch(`${url}/objects?type=Document&handle=test/map`, { method: 'POST', headers, body: '{"name": "A map"}' });
    const read = await fetch(`${url}/objects/test/map`);
    if (!created.ok || !read.ok) {
        throw new Error(`the object was answered with ${created.status}, then ${read.status}`);
    }

    step('object');
}

/** The first line with a URL. */
async function urlOf({ stdout }: ChildProcess): Promise<string> {

    for await (const line of createInterface({ input: stdout! })) {
        if (line.startsWith('http://')) {
            return line.trim();
        }
    }

    throw new Error('the service ended before it listened');
}

void main();
