/**
 * `npm run bench:bulk`: many small objects at once, by a client at low priority. Objects per second from the first byte of the
 * upload to the last of the answer, and until all of them can be searched; how much the memory of the main thread grows.
 *
 *     npm run bench:bulk                          SQLite
 *     npm run bench:bulk -- --objects 20000
 *     DATABASE_URL=mysql://… npm run bench:bulk
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'bench-password';
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const MIB = 1024 * 1024;
const LOW_PRIORITY = 10;

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { objects: { type: 'string', default: '100000' } } });
    const count = Number(values.objects);
    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const server = await MeasuredProcess.start(join(__dirname, '../../lib/cli.js'), ['serve'], {
        DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn'
    });
    setPriority(LOW_PRIORITY);
    try {
        await upload(server, 'warm', 2000);
        await searchable(server, 'warm', 2000);
        server.resetDelay();
        await measure(server, `batch upload of ${count} objects`, count, () => upload(server, 'bench', count), () => searchable(server, 'bench', count));
    }
    finally {
        await server.stop();
        rmSync(folder, { recursive: true });
    }
}

async function measure(
    server: MeasuredProcess, name: string, count: number, work: () => Promise<unknown>, after: () => Promise<unknown> = async () => {}
): Promise<void> {

    const before = await server.delay();
    const started = performance.now();
    await work();
    const answered = performance.now();
    await after();
    const searched = performance.now();
    const { heapPeak, p99, max } = await server.delay();
    const rate = (end: number): string => `${(count / (end - started) * 1000).toFixed(0)}/s`;
    console.log(`${name}: ${rate(answered)}, until searchable ${rate(searched)}; heap and buffers of the main thread grew by ` +
        `${((heapPeak - before.heapPeak) / MIB).toFixed(0)} MiB at most; event-loop delay p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`);
}

async function upload({ url }: MeasuredProcess, batch: string, count: number): Promise<void> {

    const answer = await fetch(`${url}/batchUpload?format=ndjson`, {
        method: 'POST', headers: { authorization: AUTHORIZATION }, body: ReadableStream.from(lines(batch, count)), duplex: 'half'
    });
    let text = '';
    for await (const chunk of answer.body ?? []) {
        text = (text + Buffer.from(chunk).toString('latin1')).slice(-1000);
    }

    if (answer.status !== 200 || !text.endsWith('"success":true}')) {
        throw new Error(`the upload failed: ${answer.status} ${text.slice(-300)}`);
    }
}

function *lines(batch: string, count: number): Generator<Buffer> {

    const WORDS = ['map', 'river', 'city', 'mountain', 'harbour', 'forest', 'castle', 'bridge'];
    for (let i = 0; i < count; i += 200) {
        const block = Array.from({ length: Math.min(200, count - i) }, (_, k) => {

            const n = i + k;
            const name = `${WORDS[n % 8]} ${WORDS[n % 7]} ${n}`;
            return JSON.stringify({ id: `test/${batch}-${n}`, type: 'Document', content: { name, description: `${name} of the year ${n % 2000}`, batch } });
        });
        yield Buffer.from(`${block.join('\n')}\n`);
    }
}

/** Waits until a search finds all of them. */
async function searchable({ url }: MeasuredProcess, batch: string, count: number): Promise<void> {

    for (;;) {
        const answer = await fetch(`${url}/search?query=/batch:${batch}&pageSize=0`, { headers: { authorization: AUTHORIZATION } });
        const { size } = await answer.json() as { size: number };
        if (size === count) {
            return;
        }

        await sleep(20);
    }
}

if (require.main === module) {
    void main();
}
