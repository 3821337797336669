/**
 * `npm run bench:scripts`: what a hook costs beside the same request without one, a page of search results whose type has code,
 * and what endless scripts in all threads leave to others.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'bench-password';
const ADMIN = basic('admin', PASSWORD);
const CALLS = 1500;
const SEARCHES = 60;
const RESULTS = 100;
const WORKERS = 3;
const TIMEOUT_SECONDS = 3;
/** Milliseconds between requests without scripts while scripts run on. */
const PACE = 5;
/** Times that all threads are filled with endless scripts. */
const ROUNDS = 4;

const SCHEMA = { type: 'object', properties: { description: { type: 'string' } } };
const TYPES: Readonly<Record<string, string>> = {
    Plain: '',
    Shown: 'exports.onObjectResolution = (object) => { object.content.shown = true; return object; };',
    Checked: 'exports.beforeSchemaValidation = (object) => { object.content.checked = true; return object; };',
    Endless: 'exports.onObjectResolution = () => { for (;;); };'
};

/** Types whose objects fill a page of results. */
const SEARCHED: ReadonlySet<string> = new Set(['Plain', 'Shown']);

/** Milliseconds, sorted. */
type Times = readonly number[];

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

async function main(): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const server = await MeasuredProcess.start(join(__dirname, '../../bundle/main.js'), ['serve'], {
        DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'fatal',
        SCRIPT_WORKERS: String(WORKERS), SCRIPT_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS)
    });
    try {
        const plain = await prepare(server.url, ['Plain']);
        await warmUp(server.url, plain);
        const memory = server.memory();
        const ids = { ...plain, ...await prepare(server.url, ['Shown', 'Checked', 'Endless']) };
        await measureHooks(server, ids);
        console.log(`memory of the service: ${mib(memory)} after as many requests without scripts, ${mib(server.memory())} with one thread for scripts`);
        await measureSearch(server.url);
        await measureLoops(server.url, ids);
    }
    finally {
        agent.destroy();
        await server.stop();
        rmSync(folder, { recursive: true });
    }
}

/** Types, an object of each, and enough of those that are searched for a page of results; type → id of its object. */
async function prepare(url: string, names: readonly string[]): Promise<Record<string, string>> {

    const ids: Record<string, string> = {};
    for (const name of names) {
        await send(url, 'POST', '/objects?type=Schema', { name, schema: SCHEMA, javascript: TYPES[name], authConfig: { defaultAclRead: ['public'] } });
        ids[name] = await create(url, name);
        for (let i = 1; i < RESULTS && SEARCHED.has(name); ++i) {
            await create(url, name);
        }
    }

    return ids;
}

/** What a service takes for requests alone is not to be laid at the door of scripts. */
async function warmUp(url: string, ids: Readonly<Record<string, string>>): Promise<void> {

    for (let i = 0; i < CALLS; ++i) {
        await send(url, 'GET', `/objects/${ids['Plain']}`);
        await send(url, 'PUT', `/objects/${ids['Plain']}`, { description: 'z'.repeat(1850) });
    }
}

async function create(url: string, type: string): Promise<string> {

    const { text } = await send(url, 'POST', `/objects?type=${type}&full`, { description: 'x'.repeat(1850) });
    return (JSON.parse(text) as { id: string }).id;
}

/** With and without take turns, so that what else the machine does meets both alike. */
async function measureHooks(server: MeasuredProcess, ids: Readonly<Record<string, string>>): Promise<void> {

    const { url } = server;
    const read = (type: string): Promise<unknown> => send(url, 'GET', `/objects/${ids[type]}`);
    const write = (type: string): Promise<unknown> => send(url, 'PUT', `/objects/${ids[type]}`, { description: 'y'.repeat(1850) });
    for (const [name, without, withHook] of [
        ['retrieve, 2 KB, with onObjectResolution', () => read('Plain'), () => read('Shown')],
        ['update, 2 KB, with beforeSchemaValidation', () => write('Plain'), () => write('Checked')]
    ] as const) {
        const [plain, hooked] = await alternate(without, withHook, CALLS);
        console.log(`${name}: p50 ${ms(at(hooked, 0.5))}, p95 ${ms(at(hooked, 0.95))}; without p50 ${ms(at(plain, 0.5))}, p95 ${ms(at(plain, 0.95))}: ` +
            `the hook costs ${ms(at(hooked, 0.5) - at(plain, 0.5))} p50`);
    }

    const costs: number[] = [];
    for (const type of ['Plain', 'Shown']) {
        const before = server.cpu();
        for (let i = 0; i < CALLS; ++i) {
            await read(type);
        }

        costs.push((server.cpu().all - before.all) / CALLS);
    }

    const [plain = NaN, hooked = NaN] = costs;
    console.log(`retrieve, 2 KB, with onObjectResolution: ${ms(hooked)} of processor time, without ${ms(plain)}`);
}

async function measureSearch(url: string): Promise<void> {

    const page = (type: string): Promise<unknown> => send(url, 'GET', `/search?query=type:${type}&pageSize=${RESULTS}`);
    const [plain, shown] = await alternate(() => page('Plain'), () => page('Shown'), SEARCHES);
    console.log(`${RESULTS} results of 2 KB through onObjectResolution in one crossing: p50 ${ms(at(shown, 0.5))}, p95 ${ms(at(shown, 0.95))}; ` +
        `without p50 ${ms(at(plain, 0.5))}: ${ms((at(shown, 0.5) - at(plain, 0.5)) / RESULTS)} for each`);
}

/** Endless scripts of as many callers as there are threads, and of one more; calm and busy times take turns. */
async function measureLoops(url: string, ids: Readonly<Record<string, string>>): Promise<void> {

    const users = Array.from({ length: WORKERS + 1 }, (_, index) => `looper${index}`);
    for (const username of users) {
        await send(url, 'POST', '/objects?type=User', { username, password: PASSWORD });
        // What a first login takes is not to be laid at the door of scripts.
        await send(url, 'GET', `/objects/${ids['Plain']}`, undefined, basic(username, PASSWORD));
    }

    const [calm, busy, ended, answered]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; ++round) {
        calm.push(...await paced(url, `/objects/${ids['Plain']}`, TIMEOUT_SECONDS * 1000));
        const started = performance.now();
        const runs = (type: string, username = ''): Promise<number> =>
            timed(() => send(url, 'GET', `/objects/${ids[type]}`, undefined, basic(username, PASSWORD), true));
        const loops = users.slice(0, WORKERS).map((username) => runs('Endless', username));
        const scripted = Array.from({ length: 5 }, () => runs('Shown', users[WORKERS]));
        busy.push(...await paced(url, `/objects/${ids['Plain']}`, TIMEOUT_SECONDS * 1000 - (performance.now() - started)));
        ended.push(...await Promise.all(loops));
        answered.push(...await Promise.all(scripted));
    }

    const [before, during] = [sorted(calm), sorted(busy)];
    console.log(`while ${WORKERS} endless scripts fill all ${WORKERS} threads: requests without scripts p50 ${ms(at(during, 0.5))}, p99 ${ms(at(during, 0.99))}; ` +
        `before p50 ${ms(at(before, 0.5))}, p99 ${ms(at(before, 0.99))}: ${(at(during, 0.99) / at(before, 0.99)).toFixed(2)} times the p99`);
    console.log(`the endless scripts were answered within ${ms(Math.max(...ended))}, scripts of others that came meanwhile within ${ms(Math.max(...answered))}, ` +
        `with a deadline of ${TIMEOUT_SECONDS} s`);
}

/** Times of a request sent every few milliseconds. */
async function paced(url: string, path: string, milliseconds: number): Promise<Times> {

    const until = performance.now() + milliseconds;
    const times: Promise<number>[] = [];
    while (performance.now() < until) {
        times.push(timed(() => send(url, 'GET', path)));
        await new Promise((resolve) => setTimeout(resolve, PACE));
    }

    return sorted(await Promise.all(times));
}

async function alternate(one: () => Promise<unknown>, other: () => Promise<unknown>, count: number): Promise<readonly [Times, Times]> {

    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < count + count / 5; ++i) {
        const pair = [await timed(one), await timed(other)] as const;
        if (i >= count / 5) {
            times[0].push(pair[0]);
            times[1].push(pair[1]);
        }
    }

    return [sorted(times[0]), sorted(times[1])];
}

async function timed(work: () => Promise<unknown>): Promise<number> {

    const started = performance.now();
    await work();
    return performance.now() - started;
}

/** Sends a request as the administrator, or as somebody else, and reads the answer. Fails for errors unless they are expected. */
function send(
    url: string, method: string, path: string, body?: object, authorization = ADMIN, mayFail = false
): Promise<{ status: number; text: string }> {

    return new Promise((resolve, reject) => {

        const sent = request(url + path, { method, agent, headers: { authorization, 'content-type': 'application/json' } }, (response) => {

            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part)).once('end', () => {

                const text = Buffer.concat(parts).toString();
                const { statusCode = 0 } = response;
                if (statusCode >= 400 && !mayFail) {
                    reject(new Error(`${method} ${path} was answered ${statusCode}: ${text}`));
                }
                else {
                    resolve({ status: statusCode, text });
                }
            });
        });
        sent.once('error', reject).end(body && JSON.stringify(body));
    });
}

function at(times: Times, share: number): number {

    return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
}

function sorted(times: Times): Times {

    return times.toSorted((one, other) => one - other);
}

function basic(username: string, password: string): string {

    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function ms(value: number): string {

    return `${value.toFixed(2)} ms`;
}

function mib(bytes: number): string {

    return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}

if (require.main === module) {
    void main();
}
