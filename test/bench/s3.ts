/**
 * Payloads in S3: uploads and downloads of the service against those of the client of S3 alone, in turns, on one S3 server on this machine.
 *
 *     npm run bench:s3 -- --mib 128 --rounds 7
 *
 * The service adds a process to the server and its client: on a machine with two cores they wait for each other. Therefore the processor time of the
 * service's main thread is compared as well, with that of the client alone, which is the limit where there are cores enough.
 */

import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import {
    CompleteMultipartUploadCommand, CreateMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand, type S3Client, UploadPartCommand
} from '@aws-sdk/client-s3';
import { BUCKET, s3Environment, startS3 } from '../support/s3.js';
import { MeasuredProcess } from './measured-process.js';
import { uploadPayload } from './payload.js';

const PASSWORD = 'password of the benchmark';
const CLI = join(__dirname, '../../bundle/main.js');
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const MIB = 1024 * 1024;
const PART = 8 * MIB;
const PARTS_AT_A_TIME = 4;

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { mib: { type: 'string', default: '128' }, rounds: { type: 'string', default: '7' } } });
    const [bytes, rounds] = [Number(values.mib) * MIB, Number(values.rounds)];
    const folder = mkdtempSync(join(tmpdir(), 'bench-s3-'));
    const s3 = await startS3();
    const service = await MeasuredProcess.start(CLI, ['serve'], {
        ...s3Environment(), DATA_DIR: join(folder, 'data'), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD,
        PAYLOAD_STORE: `s3://${BUCKET}/bench`, PAYLOAD_STORE_ENDPOINT: s3.url
    }, [], openSync(join(folder, 'log'), 'w'));
    try {
        const times: Record<'upload' | 'download', [raw: Spent, service: Spent][]> = { upload: [], download: [] };
        const ofClient = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
        const cpu = [ofClient, () => service.cpu().main] as const;
        for (let round = -1; round < rounds; ++round) {
            const key = `raw-${round}`;
            let id = '';
            const tasks = {
                upload: [() => uploadRaw(s3.client, key, bytes), async () => {

                    id = await uploadPayload(service.url, AUTHORIZATION, bytes);
                }],
                download: [() => downloadRaw(s3.client, key, bytes), () => download(`${service.url}/objects/${id}?payload=data`, bytes)]
            };
            for (const kind of ['upload', 'download'] as const) {
                const [raw, own] = await inTurn(tasks[kind], cpu, round % 2 === 0);
                if (round >= 0 && raw && own) {
                    times[kind].push([raw, own]);
                }
            }

            await s3.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: key }));
            await fetch(`${service.url}/objects/${id}`, { method: 'DELETE', headers: { authorization: AUTHORIZATION } });
        }

        for (const kind of ['upload', 'download'] as const) {
            const rate = (ms: number): string => (bytes / 1000 / ms).toFixed(0);
            const of = (value: (pair: [raw: Spent, service: Spent]) => number): number => median(times[kind].map(value));
            console.log(`${kind} of ${values.mib} MiB: service ${rate(of(([, own]) => own.ms))} MB/s, client alone ${rate(of(([raw]) => raw.ms))} MB/s; ` +
                `${of(([raw, own]) => raw.ms / own.ms).toFixed(2)} of its speed, median of ${rounds} pairs; processor time for each MiB ` +
                `${(of(([, own]) => own.cpu) * MIB / bytes).toFixed(2)} ms, of the client ${(of(([raw]) => raw.cpu) * MIB / bytes).toFixed(2)} ms`);
        }
    }
    finally {
        await service.stop();
        await s3.stop();
        rmSync(folder, { recursive: true });
    }
}

/** Milliseconds, by the clock and of the processor. */
interface Spent {
    readonly ms: number;
    readonly cpu: number;
}

/** Runs both in one order or the other. */
async function inTurn(tasks: readonly (() => Promise<void>)[], cpu: readonly (() => number)[], isReversed: boolean): Promise<Spent[]> {

    const times: Spent[] = [];
    for (const i of isReversed ? [1, 0] : [0, 1]) {
        const [begun, before] = [performance.now(), cpu[i]?.() ?? NaN];
        await tasks[i]?.();
        times[i] = { ms: performance.now() - begun, cpu: (cpu[i]?.() ?? NaN) - before };
    }

    return times;
}

/** Parts of 8 MiB, four at a time, of bytes that are in memory. */
async function uploadRaw(client: S3Client, key: string, bytes: number): Promise<void> {

    const at = { Bucket: BUCKET, Key: key };
    const part = Buffer.alloc(PART, 'some bytes');
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...at, ChecksumAlgorithm: 'CRC32' }));
    const numbers = Array.from({ length: Math.ceil(bytes / PART) }, (_, i) => i + 1);
    const parts: { PartNumber: number; ETag?: string; ChecksumCRC32?: string }[] = [];
    await Promise.all(Array.from({ length: PARTS_AT_A_TIME }, async () => {

        for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
            const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: n, Body: part, ChecksumAlgorithm: 'CRC32' }));
            parts.push({ PartNumber: n, ...ETag === undefined ? {} : { ETag }, ...ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 } });
        }
    }));
    parts.sort((a, b) => a.PartNumber - b.PartNumber);
    await client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts: parts } }));
}

async function downloadRaw(client: S3Client, key: string, bytes: number): Promise<void> {

    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    await count(Body as Readable, bytes);
}

async function download(url: string, bytes: number): Promise<void> {

    const [response] = await once(get(url), 'response') as [IncomingMessage];
    await count(response, bytes);
}

async function count(body: AsyncIterable<Buffer>, bytes: number): Promise<void> {

    let received = 0;
    for await (const chunk of body) {
        received += chunk.byteLength;
    }

    if (received !== bytes) {
        throw new Error(`${received} bytes instead of ${bytes}`);
    }
}

function median(values: readonly number[]): number {

    return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

void main();
