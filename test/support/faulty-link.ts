/** A TCP connection to a service that breaks as it is told to, request by request, whatever the protocol. */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * What becomes of a request: it is passed on; the connection is cut as soon as it begins, or after so many bytes of it; it is passed on, and the
 * connection is cut in place of the response, or after so many bytes of that.
 */
export type LinkFate = 'pass' | 'cut' | 'lose' | { readonly sent: number } | { readonly received: number };

/** A link to one port. */
export interface FaultyLink {
    readonly port: number;
    /** Number of requests since the last call of `next`. A request begins with the first bytes after a response. */
    readonly requests: number;
    /** Number of connections that are open. */
    readonly open: number;
    /** What becomes of the next requests; those after them are passed on. */
    next(...fates: readonly LinkFate[]): void;
    stop(): Promise<void>;
}

const LINE_FEED = 0x0a;

/** Starts a link to a port of this machine. */
export async function startFaultyLink(target: number): Promise<FaultyLink> {

    const open = new Set<Socket>();
    let fates: LinkFate[] = [];
    let requests = 0;
    const server = createServer((near) => {

        const far = connect(target, '127.0.0.1');
        const cut = (): void => {

            near.destroy();
            far.destroy();
        };

        for (const socket of [near, far]) {
            open.add(socket);
            socket.setNoDelay(true).on('error', cut).on('close', () => {

                open.delete(socket);
                cut();
            });
        }

        let isWaiting = true;
        let left: BytesLeft = { sent: Infinity, received: Infinity };
        near.on('data', (bytes) => {

            // A connection that will be cut is for one request, whose response may come before it has arrived.
            if (isWaiting && Math.min(left.sent, left.received) === Infinity) {
                isWaiting = false;
                requests += 1;
                left = leftOf(fates.shift() ?? 'pass');
            }

            left.sent -= bytes.length;
            return left.sent < 0 ? cut() : void far.write(bytes);
        });
        far.on('data', (bytes) => {

            // Native DOIP sends blank lines while an operation takes long.
            isWaiting ||= bytes.some((octet) => octet !== LINE_FEED);
            const part = bytes.subarray(0, left.received);
            left.received -= bytes.length;
            near.write(part, () => (left.received < 0 ? cut() : undefined));
        });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        port: (server.address() as AddressInfo).port,
        get requests() {

            return requests;
        },
        get open() {

            return open.size / 2;
        },
        next(...more) {

            [fates, requests] = [[...more], 0];
        },
        async stop() {

            open.forEach((socket) => socket.destroy());
            server.close();
            await once(server, 'close');
        }
    };
}

/** Bytes that pass in either direction before the connection is cut. */
interface BytesLeft {
    sent: number;
    received: number;
}

function leftOf(fate: LinkFate): BytesLeft {

    const limits = fate === 'pass' ? {} : fate === 'cut' ? { sent: 0 } : fate === 'lose' ? { received: 0 } : fate;
    return { sent: Infinity, received: Infinity, ...limits };
}
