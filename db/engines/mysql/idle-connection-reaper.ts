/**
 * Destroys connections that wait for a silent server: a frozen machine, or a network that drops packets, closes no connection, and
 * their users would wait indefinitely.
 */

import type { Socket } from 'node:net';
import type { Pool, PoolConnection } from 'mysql2';

/** Number of checks within the limit. */
const CHECKS = 5;

/** State of a connection at the last check. */
interface LastActivity {
    bytes: number;
    /** Time of the last progress, by the monotonic clock in ms. */
    at: number;
}

/**
 * Watches the connections of a pool that are in use; requests on a destroyed one fail as with any lost connection.
 *
 * @param limit milliseconds without data from the server
 * @returns a function that stops watching
 */
export function reapStalledConnections(pool: Pool, limit: number): () => void {

    const used = new Map<PoolConnection, LastActivity>();
    pool.on('acquire', (connection) => used.set(connection, { bytes: socketOf(connection).bytesRead, at: performance.now() }));
    pool.on('release', (connection) => used.delete(connection));
    const timer = setInterval(() => {

        for (const [connection, activity] of used) {
            const socket = socketOf(connection);
            if (socket.destroyed) {
                used.delete(connection);
            }
            else if (socket.bytesRead !== activity.bytes) {
                activity.bytes = socket.bytesRead;
                activity.at = performance.now();
            }
            else if (performance.now() - activity.at >= limit) {
                used.delete(connection);
                socket.destroy(Object.assign(new Error(`the database server has said nothing for ${limit} ms`), { code: 'ETIMEDOUT' }));
            }
        }
    }, limit / CHECKS).unref();
    return () => clearInterval(timer);
}

/** With TLS it is the underlying socket as well. */
function socketOf(connection: PoolConnection): Socket {

    return (connection as unknown as { readonly stream: Socket }).stream;
}
