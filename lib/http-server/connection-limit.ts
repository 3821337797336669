/** Limits connections per address, so that one client with many idle connections cannot exhaust the total limit. */

import type { Server, Socket } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type { HttpConfig, ListenConfig } from '../config/index.js';
import { parseAddressRanges, sourceOf, withoutMapping } from '../util/net/ip-address.js';

/** Default limit per address: this fraction of all connections, and at least enough for a web browser. */
const PART = 4;
const MIN_CONNECTIONS = 16;

/** Maximum number of connections of one address. */
function connectionsPerAddress({ maxConnections, maxConnectionsPerAddress }: HttpConfig): number {

    return maxConnectionsPerAddress || Math.max(Math.ceil(maxConnections / PART), MIN_CONNECTIONS);
}

/** Closes connections beyond the limit, and those beyond the limit of their address. Trusted proxies, which forward for many clients, are exempt. */
export function shareConnections(front: Server, http: HttpConfig, { trustedProxies }: ListenConfig): void {

    const share = connectionsPerAddress(http);
    const trusted = new BlockList();
    for (const { address, bits, family } of trustedProxies.flatMap((entry) => parseAddressRanges(entry) ?? [])) {
        trusted.addSubnet(address, bits, family);
    }

    const open = new Map<string, number>();
    let total = 0;
    front.prependListener('connection', (socket: Socket) => {

        total += 1;
        socket.once('close', () => {

            total -= 1;
        });
        if (total > http.maxConnections) {
            socket.destroy();
            return;
        }

        const address = withoutMapping(socket.remoteAddress ?? '');
        const family = isIP(address);
        if (family === 0 || trusted.check(address, family === 4 ? 'ipv4' : 'ipv6')) {
            return;
        }

        const key = sourceOf(address);
        const count = (open.get(key) ?? 0) + 1;
        open.set(key, count);
        socket.once('close', () => {

            const left = (open.get(key) ?? 1) - 1;
            if (left === 0) {
                open.delete(key);
            }
            else {
                open.set(key, left);
            }
        });
        if (count > share) {
            socket.destroy();
        }
    });
}

/**
 * The limits of connections of one worker process: its share of those of the service, as connections are handed out in turns; rounded down, so that
 * all together do not exceed it. They are not for the listener, whose primary process would offer the connection that a worker does not accept to
 * the next one again and again.
 */
export function shareOfWorker(http: HttpConfig, workers: number): HttpConfig {

    const part = (connections: number): number => Math.max(Math.floor(connections / workers), 1);
    return { ...http, maxConnections: part(http.maxConnections), maxConnectionsPerAddress: part(connectionsPerAddress(http)) };
}

/** The limits of the primary process of workers, which have limits for clients: its connections are those of workers. */
export function withoutClients(http: HttpConfig): HttpConfig {

    return { ...http, maxConnections: Infinity, keepAliveSeconds: DAY_SECONDS, stallSeconds: http.stallSeconds + STALL_MARGIN_SECONDS };
}

/** Workers close their connections themselves, and notice clients that stall. */
const DAY_SECONDS = 86_400;
const STALL_MARGIN_SECONDS = 5;
