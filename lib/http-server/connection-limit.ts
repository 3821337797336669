/** Limits connections per address, so that one client with many idle connections cannot exhaust the total limit. */

import type { Server, Socket } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type { HttpConfig, ListenConfig } from '../config/index.js';
import { parseAddressRanges, withoutMapping } from '../util/net/ip-address.js';
import { sourceOf } from '../identity/throttling/login-throttle.js';

/** Default limit per address: this fraction of all connections, and at least enough for a web browser. */
const PART = 4;
const MIN_CONNECTIONS = 16;

/** Closes connections beyond the limit of their address. Trusted proxies, which forward for many clients, are exempt. */
export function shareConnections(front: Server, http: HttpConfig, { trustedProxies }: ListenConfig): void {

    const share = http.maxConnectionsPerAddress || Math.max(Math.ceil(http.maxConnections / PART), MIN_CONNECTIONS);
    const trusted = new BlockList();
    for (const { address, bits, family } of trustedProxies.flatMap((entry) => parseAddressRanges(entry) ?? [])) {
        trusted.addSubnet(address, bits, family);
    }

    const open = new Map<string, number>();
    front.prependListener('connection', (socket: Socket) => {

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
