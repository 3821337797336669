/** Load of a pool of connections, and its end, though its server may be silent. */

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { PoolUsage } from '../../database.js';

/** All connections of a pool, also those that are being made; the types of the driver do not have them. */
interface PoolConnections {
    readonly _allConnections: { toArray(): { readonly stream: Socket }[] };
}

/** Returns the load of a pool, which counts its connections in members that its types do not have. */
export function poolUsage(pool: Pool, limit: number): PoolUsage {

    const { _allConnections: all, _freeConnections: free, _connectionQueue: queue } =
        pool.pool as unknown as Partial<Record<'_allConnections' | '_freeConnections' | '_connectionQueue', { readonly length: number }>>;
    const idle = free?.length ?? 0;
    return { busy: Math.max(0, (all?.length ?? 0) - idle), idle, limit, waiting: queue?.length ?? 0 };
}

/**
 * Ends a pool. Connections that are not closed in time are cut, and so are all where one fails: the driver waits without end for one that is
 * still being made. Never rejects.
 *
 * @param timeout milliseconds
 */
export async function endPool(pool: Pool, timeout: number): Promise<void> {

    const over = new AbortController();
    const ended = pool.end().then(() => true, () => false);
    const timedOut = sleep(timeout, false, { signal: over.signal }).catch(() => false);
    const isClosed = await Promise.race([ended, timedOut]);
    over.abort();
    if (!isClosed) {
        for (const { stream } of (pool.pool as unknown as PoolConnections)._allConnections.toArray()) {
            stream.destroy();
        }
    }
}
