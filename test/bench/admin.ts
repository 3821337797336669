/**
 * `npm run bench:admin`: what goes over all objects, or over all that refer to one: bringing the records of all handles up to date,
 * and the relationships of a hub. Time, and how late the event loop is and how much memory it takes meanwhile.
 *
 *     npm run bench:admin                                     200,000 objects on SQLite
 *     npm run bench:admin -- --objects 20000 --folder DIR     keeps them in a folder, and uses those that are there
 *     npm run bench:admin -- --handle-server                  registers them with a handle server on this machine
 *     DATABASE_URL=mysql://… npm run bench:admin
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TestHandleServer } from '../support/handle-server.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'bench-password';
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const MIB = 1024 * 1024;
const HUB = 'test/hub';
const LOOK_MS = 100;

/** Objects of which each refers to the hub. */
const SCHEMA = {
    type: 'object',
    properties: { name: { type: 'string' }, hub: { type: 'string', cordra: { type: { handleReference: { types: ['Document'] } } } } }
};

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { objects: { type: 'string', default: '200000' }, folder: { type: 'string' }, 'handle-server': { type: 'boolean', default: false } } });
    const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const isNew = !existsSync(join(folder, 'bench-corpus'));
    const handles = values['handle-server'] ? new TestHandleServer() : null;
    await handles?.start();
    const server = await MeasuredProcess.start(join(__dirname, '../../bundle/main.js'), ['serve'], {
        DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn',
        ...handles ? { HANDLE_SERVER_URL: handles.url, HANDLE_SERVER_IDENTITY: '300:test/ADMIN', HANDLE_SERVER_SECRET: 'secret' } : {}
    });
    try {
        if (isNew) {
            await fill(server, Number(values.objects));
            mkdirSync(join(folder, 'bench-corpus'));
        }

        if (handles) {
            await registerAll(server);
        }

        await measure(server, 'updating the records of all handles', () => updateHandles(server));
        await measure(server, 'relationships of a hub, outbound alone', () => relationships(server, '?outboundOnly'));
        await measure(server, 'relationships of a hub', () => relationships(server, ''));
        await measure(server, 'relationships of a hub, for nobody', () => relationships(server, '', {}));
    }
    finally {
        await server.stop();
        await handles?.stop();
        if (values.folder === undefined) {
            rmSync(folder, { recursive: true });
        }
    }
}

async function measure(server: MeasuredProcess, name: string, work: () => Promise<string>): Promise<void> {

    server.resetDelay();
    const before = await server.delay();
    const [started, cpu] = [performance.now(), server.cpu()];
    const found = await work();
    const [ms, spent] = [performance.now() - started, server.cpu()];
    const { heapPeak, p99, max } = await server.delay();
    console.log(`${name}: ${found} in ${(ms / 1000).toFixed(2)} s (${((spent.main - cpu.main) / 1000).toFixed(2)} s of the main thread); ` +
        `event-loop delay p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms; memory of the main thread +${((heapPeak - before.heapPeak) / MIB).toFixed(0)} MiB at most`);
}

async function ask(server: MeasuredProcess, path: string, options: RequestInit = {}): Promise<Response> {

    const answer = await fetch(`${server.url}${path}`, { headers: { authorization: AUTHORIZATION }, ...options });
    if (answer.status !== 200) {
        throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    }

    return answer;
}

async function fill(server: MeasuredProcess, count: number): Promise<void> {

    await ask(server, '/schemas/Spoke', { method: 'PUT', body: JSON.stringify(SCHEMA) });
    await ask(server, `/objects?type=Document&handle=${HUB}`, { method: 'POST', body: '{"name":"hub"}' });
    const started = performance.now();
    const body = ReadableStream.from(lines(count));
    await (await ask(server, '/batchUpload?format=ndjson', { method: 'POST', body, duplex: 'half' })).body?.pipeTo(new WritableStream());
    console.log(`${count} objects stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

/** Makes handles of the objects: only where the design has an address they are registered. */
async function registerAll(server: MeasuredProcess): Promise<void> {

    const design = await (await ask(server, '/objects/design')).json() as object;
    const content = { ...design, handleMintingConfig: { prefix: 'test', baseUri: 'https://repository.example/' } };
    await ask(server, '/objects/design', { method: 'PUT', body: JSON.stringify(content) });
}

function *lines(count: number): Generator<Buffer> {

    for (let start = 0; start < count; start += 200) {
        const block = Array.from({ length: Math.min(200, count - start) }, (_, k) => {

            return JSON.stringify({ id: `test/spoke-${start + k}`, type: 'Spoke', content: { name: `spoke ${start + k}`, hub: HUB }, acl: { readers: [], writers: [] } });
        });
        yield Buffer.from(`${block.join('\n')}\n`);
    }
}

async function updateHandles(server: MeasuredProcess): Promise<string> {

    const status = async () => await (await ask(server, '/updateHandles')).json() as { inProgress: boolean; total: number; progress: number; exceptionCount: number };
    const steps = new Set<number>();
    await ask(server, '/updateHandles', { method: 'POST' });
    for (;;) {
        const { inProgress, total, progress, exceptionCount } = await status();
        steps.add(progress);
        if (!inProgress) {
            return `${progress} of ${total} (${exceptionCount} failed, progress seen in ${steps.size} steps)`;
        }

        await sleep(LOOK_MS);
    }
}

async function relationships(server: MeasuredProcess, query: string, headers: Record<string, string> = { authorization: AUTHORIZATION }): Promise<string> {

    const { nodes, edges, truncated = false } = await (await ask(server, `/relationships/${HUB}${query}`, { headers })).json() as
        { nodes: unknown[]; edges: unknown[]; truncated?: boolean };
    return `${nodes.length} nodes, ${edges.length} edges, ${truncated ? 'truncated' : 'all of them'}`;
}

if (require.main === module) {
    void main();
}
