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
const FLOOD_PER_SECOND = 1000;
const NAMES = 100;
/** Many, because refusals are slowed down: whoever waits for one cannot send the next. */
const FLOOD_CONNECTIONS = 1000;

interface Sample {
    readonly perSecond: number;
}

async function main(): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const server = await MeasuredProcess.start(join(__dirname, '../../lib/cli.js'), ['serve'], {
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
        await measureFlood(url, `/objects/${id}`, token);
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

async function measureFlood(url: string, path: string, token: string): Promise<void> {

    const calm = await load(url, path, token, FLOOD_SECONDS / 2);
    const flood = Autocannon({
        url, connections: FLOOD_CONNECTIONS, duration: FLOOD_SECONDS, overallRate: FLOOD_PER_SECOND,
        requests: Array.from({ length: NAMES }, (_, i) => ({
            method: 'GET' as const, path, headers: { authorization: basic(`name-${i}`, `guess-${Math.random()}`) }
        }))
    });
    const [busy, latency] = await Promise.all([load(url, path, token, FLOOD_SECONDS / 2), loginFromElsewhere(url, path)]);
    const { requests, non2xx, statusCodeStats } = await flood;
    const codes = Object.entries(statusCodeStats ?? {}).map(([code, { count }]) => `${code}: ${count}`).join(', ');
    console.log(`while ${(requests.total / FLOOD_SECONDS).toFixed(0)} wrong logins a second arrive (${non2xx} refused; ${codes}): requests with ` +
        `a token keep ${(busy.perSecond / calm.perSecond).toFixed(2)} of their throughput, a right login from elsewhere takes ${latency.toFixed(0)} ms`);
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
