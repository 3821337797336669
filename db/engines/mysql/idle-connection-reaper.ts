/**
 * Ends connections whose server was asked something and has said nothing for a long time: a machine that froze or a network that
 * swallows packets closes no connection, and whoever waited for such a one would wait for ever.
 */

import type { Socket } from 'node:net';
import type { Pool, PoolConnection } from 'mysql2';

/** So many looks within the time. */
const CHECKS = 5;

/** What was heard of a connection when it was looked at last. */
interface Heard {
    bytes: number;
    /** When there was something new; ms of the clock that nobody sets. */
    at: number;
}

/**
 * Watches the connections of a pool that are in use; what is lost with one that is ended fails as with any lost connection.
 *
 * @param limit milliseconds
 * @returns ends the watch
 */
export function reapStalledConnections(pool: Pool, limit: number): () => void {

    const used = new Map<PoolConnection, Heard>();
    pool.on('acquire', (connection) => used.set(connection, { bytes: socketOf(connection).bytesRead, at: performance.now() }));
    pool.on('release', (connection) => used.delete(connection));
    const timer = setInterval(() => {

        for (const [connection, heard] of used) {
            const socket = socketOf(connection);
            if (socket.destroyed) {
                used.delete(connection);
            }
            else if (socket.bytesRead !== heard.bytes) {
                heard.bytes = socket.bytesRead;
                heard.at = performance.now();
            }
            else if (performance.now() - heard.at >= limit) {
                used.delete(connection);
                socket.destroy(Object.assign(new Error(`the database server has said nothing for ${limit} ms`), { code: 'ETIMEDOUT' }));
            }
        }
    }, limit / CHECKS).unref();
    return () => clearInterval(timer);
}

/** With TLS, too, it is the socket below. */
function socketOf(connection: PoolConnection): Socket {

    return (connection as unknown as { readonly stream: Socket }).stream;
}
