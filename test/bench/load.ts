/**
 * Requests per second and latency of one kind of request, from eight keep-alive connections outside the server's process.
 */

import Autocannon from 'autocannon';

/** What came out. */
export interface LoadResult {
    /** Requests answered with 200 per second. */
    readonly perSecond: number;
    /** Milliseconds. */
    readonly p50: number;
    readonly p99: number;
}

/** One kind of request. */
export interface Load {
    readonly url: string;
    readonly requests: readonly { method: 'GET' | 'POST' | 'PUT'; path: string; body?: string }[];
    readonly authorization?: string;
}

/** Replaced in the body of every request by something that no other request has. */
export const UNIQUE = '[<id>]';

const CONNECTIONS = 8;

/** Warms up, then measures for `seconds`. Fails when any answer is an error: a fast refusal is no result. */
export async function run(load: Load, seconds: number): Promise<LoadResult> {

    await fire(load, Math.max(1, seconds / 4));
    const { requests, latency, non2xx, errors } = await fire(load, seconds);
    if (non2xx > 0 || errors > 0) {
        throw new Error(`${load.requests[0]?.path}: ${non2xx} answers were errors, ${errors} connections failed`);
    }

    return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
}

function fire({ url, requests, authorization }: Load, duration: number): Promise<Autocannon.Result> {

    return Autocannon({
        url, duration,
        connections: CONNECTIONS,
        idReplacement: requests.some(({ body }) => body?.includes(UNIQUE)),
        headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
        requests: [...requests]
    });
}
