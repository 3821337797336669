/**
 * Publishing a version of an object with a large payload: the bytes are shared, so it must not take longer than without them.
 */

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { AUTHORIZATION } from './bulk-place.js';
import type { MeasuredProcess } from './measured-process.js';
import { uploadPayload } from './payload.js';

/** Publishes so many versions one after the other; milliseconds of each, in ascending order. */
export async function publish({ url }: MeasuredProcess, bytes: number, count: number): Promise<number[]> {

    const id = await uploadPayload(url, AUTHORIZATION, bytes);
    const times: number[] = [];
    for (let i = 0; i < count; ++i) {
        const started = performance.now();
        const call = request(`${url}/versions?objectId=${id}&clonePayloads=true`, { method: 'POST', headers: { authorization: AUTHORIZATION } }).end();
        const [response] = await once(call, 'response') as [IncomingMessage];
        await response.resume().toArray();
        times.push(performance.now() - started);
        if (response.statusCode !== 200) {
            throw new Error(`publishing was answered ${response.statusCode}`);
        }
    }

    return times.sort((a, b) => a - b);
}
