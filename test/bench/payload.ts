/**
 * A large payload up as fast as it goes and down at the pace of a slow reader, with the memory of the server watched.
 */

import { randomBytes } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredProcess } from './measured-process.js';

/** What came out. */
export interface PayloadResult {
    /** MB (10^6 bytes) per second. */
    readonly up: number;
    readonly down: number;
    /** Most bytes of resident memory above the warmed-up process, sampled every 100 ms. */
    readonly growth: number;
    /** Most bytes of resident memory. */
    readonly peak: number;
}

const MIB = 1024 * 1024;
const SAMPLE_MS = 100;
const BOUNDARY = 'bench-boundary';

/** @param bytes size of the payload */
export async function measurePayload(server: MeasuredProcess, authorization: string, bytes: number): Promise<PayloadResult> {

    // Warms up the same paths, so that growth is what this payload adds.
    const warm = await uploadPayload(server.url, authorization, 64 * MIB);
    await download(server.url, warm, 0);
    const before = server.memory();
    let most = before;
    const sampler = setInterval(() => {

        most = Math.max(most, server.memory());
    }, SAMPLE_MS);
    const started = performance.now();
    const id = await uploadPayload(server.url, authorization, bytes);
    const uploaded = performance.now();
    await download(server.url, id, 4 * MIB);
    const downloaded = performance.now();
    clearInterval(sampler);
    return {
        up: bytes / 1000 / (uploaded - started),
        down: bytes / 1000 / (downloaded - uploaded),
        growth: most - before,
        peak: most
    };
}

/** Creates an object with a payload of so many bytes; resolves to its id. */
export async function uploadPayload(url: string, authorization: string, bytes: number): Promise<string> {

    const call = request(`${url}/objects?type=Document&full`, {
        method: 'POST', headers: { authorization, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    });
    const answer = once(call, 'response') as Promise<[IncomingMessage]>;
    call.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="content"\r\n\r\n{"name":"large"}\r\n` +
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="data"; filename="data.bin"\r\n\r\n`);
    const block = randomBytes(MIB);
    for (let sent = 0; sent < bytes; sent += MIB) {
        if (!call.write(block)) {
            await once(call, 'drain');
        }
    }

    call.end(`\r\n--${BOUNDARY}--\r\n`);
    const [response] = await answer;
    const { id } = JSON.parse(await text(response)) as { id: string };
    return id;
}

/** @param pauseEvery bytes after which the reader rests for a moment; 0 for never */
async function download(url: string, id: string, pauseEvery: number): Promise<void> {

    const call = request(`${url}/objects/${id}?payload=data`).end();
    const [response] = await once(call, 'response') as [IncomingMessage];
    let since = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
        since += chunk.byteLength;
        if (pauseEvery > 0 && since >= pauseEvery) {
            since = 0;
            await sleep(10);
        }
    }
}

async function text(response: IncomingMessage): Promise<string> {

    let body = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
        body += chunk.toString();
    }

    if (response.statusCode !== 200) {
        throw new Error(`the upload was answered ${response.statusCode}: ${body}`);
    }

    return body;
}
