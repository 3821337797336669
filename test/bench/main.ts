/**
 * `npm run bench`: how fast and how lean the service is, as ratios against an empty hapi route and a bare insert measured in
 * the same run. Every number comes from a server in a process of its own.
 *
 *     npm run bench                       SQLite
 *     npm run bench -- --seconds 10       longer, steadier
 *     DATABASE_URL=mysql://… npm run bench
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, UNIQUE, type Load, type LoadResult } from './load.js';
import { MeasuredProcess } from './measured-process.js';
import { measurePayload } from './payload.js';

const CONTENT_BYTES = 2048;
const OBJECTS = 64;
const PASSWORD = 'bench-password';
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const MIB = 1024 * 1024;

interface Line {
    readonly name: string;
    readonly result: LoadResult;
    readonly against: LoadResult;
    readonly what: string;
}

async function main(): Promise<void> {

    const { values } = parseArgs({ options: {
        seconds: { type: 'string', default: '5' }, 'payload-mib': { type: 'string', default: '1024' }
    } });
    const seconds = Number(values.seconds);
    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const env = { DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn' };
    const baseline = await MeasuredProcess.start(join(__dirname, 'baseline-server.js'), [String(CONTENT_BYTES)], env);
    const server = await MeasuredProcess.start(join(__dirname, '../../bundle/main.js'), ['serve'], env);
    try {
        // Both, as it takes processor time.
        baseline.resetDelay();
        server.resetDelay();
        const lines = await measureRequests(server, baseline, seconds);
        for (const line of lines) {
            console.log(format(line));
        }

        console.log(`event-loop delay of the service under this load: ${delayText(await server.delay())}`);
        server.resetDelay();
        const size = Number(values['payload-mib']) * MIB;
        const { up, down, growth, peak } = await measurePayload(server, AUTHORIZATION, size);
        console.log(`payload of ${size / MIB} MiB: up ${up.toFixed(0)} MB/s, down (slow reader) ${down.toFixed(0)} MB/s, ` +
            `resident memory grew by ${(growth / MIB).toFixed(0)} MiB to a peak of ${(peak / MIB).toFixed(0)} MiB`);
        console.log(`event-loop delay meanwhile: ${delayText(await server.delay())}`);
    }
    finally {
        await server.stop();
        await baseline.stop();
        rmSync(folder, { recursive: true });
    }
}

async function measureRequests(server: MeasuredProcess, baseline: MeasuredProcess, seconds: number): Promise<Line[]> {

    const ids = await createObjects(server.url);
    const body = JSON.stringify(content());
    const load = (requests: Load['requests']): Load => ({ url: server.url, requests, authorization: AUTHORIZATION });
    const anonymous = (requests: Load['requests']): Load => ({ url: server.url, requests });
    server.resetDelay();
    const empty = await run({ url: baseline.url, requests: [{ method: 'GET', path: '/empty' }] }, seconds);
    const insert = await run({ url: baseline.url, requests: [{ method: 'POST', path: '/insert', body }] }, seconds);
    const rest = await run(anonymous(ids.map((id) => ({ method: 'GET', path: `/objects/${id}` }))), seconds);
    const doip = await run(anonymous(ids.map((id) => ({
        method: 'GET', path: `/doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}`
    }))), seconds);
    const create = await run(load([{ method: 'POST', path: '/objects?type=Document', body }]), seconds);
    const update = await run(load(ids.map((id) => ({ method: 'PUT', path: `/objects/${id}`, body }))), seconds);
    return [
        { name: 'REST retrieve, 2 KB', result: rest, against: empty, what: 'empty hapi route' },
        { name: 'DOIP retrieve, 2 KB', result: doip, against: empty, what: 'empty hapi route' },
        { name: 'durable create, 2 KB', result: create, against: insert, what: 'bare insert' },
        { name: 'update, 2 KB', result: update, against: insert, what: 'bare insert' }
    ];
}

async function createObjects(url: string): Promise<string[]> {

    const ids: string[] = [];
    for (let n = 0; n < OBJECTS; ++n) {
        const answer = await fetch(`${url}/objects?type=Document&full`, {
            method: 'POST', headers: { authorization: AUTHORIZATION }, body: JSON.stringify(content())
        });
        if (answer.status !== 200) {
            throw new Error(`an object could not be created: ${answer.status} ${await answer.text()}`);
        }

        ids.push((await answer.json() as { id: string }).id);
    }

    return ids;
}

/** Content whose JSON has about {@link CONTENT_BYTES} bytes when it is stored. */
function content(): object {

    return { name: `map ${UNIQUE}`, description: 'x'.repeat(CONTENT_BYTES - 220) };
}

function format({ name, result, against, what }: Line): string {

    const ratio = result.perSecond / against.perSecond;
    return `${name.padEnd(22)} ${result.perSecond.toFixed(0).padStart(6)}/s   p50 ${result.p50} ms, p99 ${result.p99} ms   ` +
        `${ratio.toFixed(2)} of ${what} (${against.perSecond.toFixed(0)}/s)`;
}

function delayText({ p50, p99, max }: { p50: number; p99: number; max: number }): string {

    return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`;
}

if (require.main === module) {
    void main();
}
