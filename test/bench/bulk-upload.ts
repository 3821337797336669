/**
 * Many small objects by one request, and whether all of them are found.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZATION } from './bulk-place.js';
import type { MeasuredProcess } from './measured-process.js';

/** Uploads objects by lines; reads the answer to its end. */
export async function upload({ url }: MeasuredProcess, batch: string, count: number): Promise<void> {

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
export async function searchable({ url }: MeasuredProcess, batch: string, count: number): Promise<void> {

    for (;;) {
        const answer = await fetch(`${url}/search?query=/batch:${batch}&pageSize=0`, { headers: { authorization: AUTHORIZATION } });
        const { size } = await answer.json() as { size: number };
        if (size === count) {
            return;
        }

        await sleep(20);
    }
}
