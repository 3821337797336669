/**
 * Closes connections of a pool that a burst of requests has left: other nodes may need them, as a server accepts a limited number.
 */

import type { Pool, PoolConnection } from 'mysql2';

/** Number of connections that stay open without use, and the time in milliseconds after which others are closed. */
const MIN_UNUSED = 2;
const UNUSED_MS = 60_000;

/** Interval of the checks, in milliseconds. */
const CHECK_MS = 10_000;

export interface SurplusOptions {
    readonly minUnused?: number;
    readonly unusedMs?: number;
    readonly checkMs?: number;
}

/** Watches the unused connections of a pool; returns a function that stops watching. */
export function closeSurplusConnections(pool: Pool, { minUnused = MIN_UNUSED, unusedMs = UNUSED_MS, checkMs = CHECK_MS }: SurplusOptions = {}): () => void {

    /** Times of their release, by the monotonic clock, in this order. */
    const unused = new Map<PoolConnection, number>();
    pool.on('release', (connection) => unused.set(connection, performance.now()));
    pool.on('acquire', (connection) => unused.delete(connection));
    const timer = setInterval(() => {

        for (const [connection, releasedOn] of unused) {
            if ((connection as unknown as { readonly stream: { readonly destroyed: boolean } }).stream.destroyed) {
                unused.delete(connection);
            }
            else if (unused.size > minUnused && performance.now() - releasedOn >= unusedMs) {
                unused.delete(connection);
                connection.end();
            }
        }
    }, checkMs).unref();
    return () => clearInterval(timer);
}
