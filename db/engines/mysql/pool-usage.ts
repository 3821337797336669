/** Load of a pool of connections. */

import type { Pool } from 'mysql2/promise';
import type { PoolUsage } from '../../database.js';

/** Returns the load of a pool, which counts its connections in members that its types do not have. */
export function poolUsage(pool: Pool, limit: number): PoolUsage {

    const { _allConnections: all, _freeConnections: free, _connectionQueue: queue } =
        pool.pool as unknown as Partial<Record<'_allConnections' | '_freeConnections' | '_connectionQueue', { readonly length: number }>>;
    const idle = free?.length ?? 0;
    return { busy: Math.max(0, (all?.length ?? 0) - idle), idle, limit, waiting: queue?.length ?? 0 };
}
