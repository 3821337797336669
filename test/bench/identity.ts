/**
 * `npm run bench:identity`: what a login costs beside the same request without one, and what is left for others while somebody
 * guesses passwords.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Autocannon from 'autocannon';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'bench-password';
const ADMIN = basic('admin', PASSWORD);
const USER_PASSWORD = 'user-password';
const RUNS = 5;
const SECONDS = 2;
const FLOOD_SECONDS = 8;
const FLOODS = 3;
const FLOOD_PER_SECOND = 1000;
const NAMES = 100;
/** Many, because refusals are slowed down: whoever waits for one cannot send the next. */
const FLOOD_CONNECTIONS = 1000;

interface Sample {
    readonly perSecond: number;
}

interface Flood {
    /** Wrong logins that were answered in a second. */
    readonly rate: number;
    readonly statuses: NonNullable<Autocannon.Result['statusCodeStats']>;
    readonly cpu: { readonly main: number; readonly all: number };
}

async function main(): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const server = await MeasuredProcess.start(join(__dirname, '../../bundle/main.js'), ['serve'], {
        DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error'
    });
    try {
        const { url } = server;
        const id = await post(url, '/objects?type=Document&full', { description: 'x'.repeat(1850) }, 'id');
        for (const username of ['reader', 'elsewhere']) {
            await post(url, '/objects?type=User&full', { username, password: USER_PASSWORD }, 'id');
        }

        const token = `Bearer ${await post(url, '/auth/token', { grant_type: 'password', username: 'reader', password: USER_PASSWORD }, 'access_token')}`;
        await measureCost(url, `/objects/${id}`, { token, basic: basic('reader', USER_PASSWORD) });
        await measureFlood(server, `/objects/${id}`, token);
    }
    finally {
        await server.stop();
        rmSync(folder, { recursive: true });
    }
}

/** Alternating runs, so that what else the machine does meets all of them alike. */
async function measureCost(url: string, path: string, logins: { token: string; basic: string }): Promise<void> {

    const ratios: Record<'token' | 'basic', number[]> = { token: [], basic: [] };
    await load(url, path, undefined, SECONDS);
    for (let i = 0; i < RUNS; ++i) {
        const anonymous = await load(url, path, undefined, SECONDS);
        for (const kind of ['token', 'basic'] as const) {
            ratios[kind].push((await load(url, path, logins[kind], SECONDS)).perSecond / anonymous.perSecond);
        }
    }

    console.log(`retrieve, 2 KB, with an access token: ${median(ratios.token).toFixed(2)} of the same without login (median of ${RUNS})`);
    console.log(`retrieve, 2 KB, with Basic every time: ${median(ratios.basic).toFixed(2)} of the same without login (median of ${RUNS})`);
}

/** Calm and flood take turns, so that what else the machine does meets both alike. */
async function measureFlood(server: MeasuredProcess, path: string, token: string): Promise<void> {

    const { url } = server;
    const alone = await flood(server, path, async () => undefined);
    const ratios: number[] = [];
    const latencies: number[] = [];
    const rates: number[] = [];
    const codes = new Map<string, number>();
    for (let i = 0; i < FLOODS; ++i) {
        const calm = await load(url, path, token, FLOOD_SECONDS / 2);
        const { rate, statuses } = await flood(server, path, async () => {

            const [busy, latency] = await Promise.all([load(url, path, token, FLOOD_SECONDS / 2), loginFromElsewhere(url, path)]);
            ratios.push(busy.perSecond / calm.perSecond);
            latencies.push(latency);
        });
        rates.push(rate);
        for (const [code, { count = 0 }] of Object.entries(statuses)) {
            codes.set(code, (codes.get(code) ?? 0) + count);
        }
    }

    console.log(`while ${median(rates).toFixed(0)} wrong logins a second arrive from one address ` +
        `(${[...codes].map(([code, count]) => `${code}: ${count}`).join(', ')}): requests with a token keep ${median(ratios).toFixed(2)} of their ` +
        `throughput (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}), a right login from elsewhere takes at most ${Math.max(...latencies).toFixed(0)} ms`);
    console.log(`a wrong login costs ${alone.cpu.main.toFixed(3)} ms of the main thread, ${alone.cpu.all.toFixed(3)} ms of all threads, when nothing else is asked`);
}

/** Wrong logins, each with a password of its own, while something else goes on; CPU in milliseconds per login. */
async function flood(server: MeasuredProcess, path: string, meanwhile: () => Promise<void>): Promise<Flood> {

    let sent = 0;
    const before = server.cpu();
    const flooding = Autocannon({
        url: server.url, connections: FLOOD_CONNECTIONS, duration: FLOOD_SECONDS, overallRate: FLOOD_PER_SECOND,
        requests: [{
            method: 'GET', path,
            setupRequest: (request) => ({ ...request, headers: { ...request.headers, authorization: basic(`name-${++sent % NAMES}`, `guess-${sent}`) } })
        }]
    });
    await meanwhile();
    const { requests, statusCodeStats } = await flooding;
    const after = server.cpu();
    return {
        rate: requests.total / FLOOD_SECONDS,
        statuses: statusCodeStats ?? {},
        cpu: { main: (after.main - before.main) / requests.total, all: (after.all - before.all) / requests.total }
    };
}

/** Milliseconds of a first login with the right password from another address, in the middle of the flood. */
async function loginFromElsewhere(url: string, path: string): Promise<number> {

    await new Promise((resolve) => setTimeout(resolve, 1500));
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {

        request(url + path, { localAddress: '127.0.0.2', headers: { authorization: basic('elsewhere', USER_PASSWORD) } }, (response) => {

            response.resume().once('end', () => {

                if (response.statusCode === 200) {
                    resolve();
                }
                else {
                    reject(new Error(`the right login was answered ${response.statusCode}`));
                }
            });
        }).once('error', reject).end();
    });
    return performance.now() - started;
}

async function load(url: string, path: string, authorization: string | undefined, duration: number): Promise<Sample> {

    const { requests, non2xx } = await Autocannon({
        url: url + path, duration, connections: 8, headers: authorization === undefined ? {} : { authorization }
    });
    if (non2xx > 0) {
        throw new Error(`${non2xx} requests were refused`);
    }

    return { perSecond: requests.average };
}

async function post(url: string, path: string, body: object, member: string): Promise<string> {

    const answer = await fetch(url + path, {
        method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...path.startsWith('/auth') ? {} : { authorization: ADMIN } }
    });
    const text = await answer.text();
    if (!answer.ok) {
        throw new Error(`${path} was answered ${answer.status}: ${text}`);
    }

    return (JSON.parse(text) as Record<string, string>)[member] ?? '';
}

function basic(username: string, password: string): string {

    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function median(values: readonly number[]): number {

    return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

if (require.main === module) {
    void main();
}
