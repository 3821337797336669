/**
 * Stands between the program and a MySQL server, and breaks connections where a test wants it.
 */

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Database } from '../../db/database.js';
import { openDatabase } from '../../db/engines/open.js';
import type { TestDatabase } from './database.js';

/**
 * What happens when the client sends the watched command:
 *
 * - `before`: the connection is cut and the server never hears of the command
 * - `after`: the server carries the command out, and the connection is cut in place of the answer
 * - `deadlock`: the server carries the command out, and its answer is replaced by that of a deadlock
 * - `rollback`: the server rolls back instead, and its answer is replaced by that of a deadlock
 */
export interface Cut {
    /** A text command, such as `commit`. */
    readonly command: string;
    readonly when: 'before' | 'after' | 'deadlock' | 'rollback';
}

/** An error packet with number 1, as the answer to a command. */
function deadlock(): Buffer {

    const message = '#40001Deadlock found when trying to get lock; try restarting transaction';
    const body = Buffer.concat([Buffer.from([0xff, 1213 & 0xff, 1213 >> 8]), Buffer.from(message)]);
    return Buffer.concat([Buffer.from([body.length, 0, 0, 1]), body]);
}

/** A packet with a text command. */
function textCommand(command: string): Buffer {

    return Buffer.concat([Buffer.from([command.length + 1, 0, 0, 0, 3]), Buffer.from(command)]);
}

/** Connections that wait because of a command they have sent. */
export interface Hold {
    /** Number of them. */
    count(): number;
    /** Passes on what they have sent, and holds no more. */
    release(): void;
}

/** A proxy on a port of its own. */
export interface MysqlProxy {
    /** The server's URL by way of the proxy. */
    readonly url: string;
    /** Number of connections made so far. */
    connections(): number;
    /** How often a text command was sent so far. */
    sent(command: string): number;
    /** Cuts the next connection that sends the command, once. */
    cutNext(cut: Cut): void;
    /** Holds connections that send the text command, before the server hears of it: from now on, or once some connection has sent a text. */
    hold(command: string, after?: string): Hold;
    /** Cuts all connections now. */
    cutAll(): void;
    /** Accepts connections (and drops them at once when false). */
    accept(accepts: boolean): void;
    /** Passes nothing on any more, and accepts connections all the same (true), or does again (false) for new connections. */
    freeze(isFrozen: boolean): void;
    close(): Promise<void>;
}

/** A database by way of a proxy, and the same without it. */
export interface ProxiedDatabase {
    /** On at most four connections, all of them through the proxy. */
    readonly database: Database;
    readonly direct: Database;
    readonly proxy: MysqlProxy;
    readonly place: TestDatabase;
    stop(): Promise<void>;
}

/** Opens a fresh one. */
export async function openProxied(create: () => Promise<TestDatabase>): Promise<ProxiedDatabase> {

    const place = await create();
    const direct = await place.open();
    const proxy = await startMysqlProxy(place.options.url ?? '');
    const database = await openDatabase({ ...place.options, url: `${proxy.url}?connections=4` });
    return {
        database, direct, proxy, place,
        async stop() {

            await database.close();
            await proxy.close();
            await place.dispose();
        }
    };
}

/** Starts a proxy before a server, on an address of this machine. */
export async function startMysqlProxy(serverUrl: string, host = '127.0.0.1'): Promise<MysqlProxy> {

    const target = new URL(serverUrl);
    const open = new Set<Socket>();
    let accepts = true;
    let isFrozen = false;
    let next: Cut | null = null;
    let holding: { readonly command: string; readonly after: string; isOn: boolean; readonly release: (() => void)[] } | null = null;
    let count = 0;
    const sent = new Map<string, number>();

    const server = createServer((client) => {

        count += 1;
        if (!accepts) {
            client.destroy();
            return;
        }

        const upstream = connect(Number(target.port), target.hostname);
        const both = [client, upstream];
        const drop = (): void => both.forEach((socket) => socket.destroy());
        for (const socket of both) {
            open.add(socket);
            socket.on('error', drop).on('close', () => {

                open.delete(socket);
                drop();
            });
        }

        let answers = true;
        let isReplaced = false;
        let held: Buffer[] | null = null;
        client.on('data', (data: Buffer) => {

            if (isFrozen) {
                return;
            }

            if (held) {
                held.push(data);
                return;
            }

            // A text command is one small packet: four bytes of header, the number 3, the text.
            const command = data[4] === 3 ? data.subarray(5).toString('latin1') : '';
            sent.set(command, (sent.get(command) ?? 0) + 1);
            if (holding?.isOn && command === holding.command) {
                held = [data];
                holding.release.push(() => {

                    held?.forEach((bytes) => upstream.write(bytes));
                    held = null;
                });
                return;
            }

            if (holding && data.includes(holding.after)) {
                holding.isOn = true;
            }

            if (next && command === next.command) {
                const { when } = next;
                next = null;
                isReplaced = when === 'deadlock' || when === 'rollback';
                answers = isReplaced;
                if (when === 'before') {
                    drop();
                    return;
                }

                if (when === 'rollback') {
                    upstream.write(textCommand('rollback'));
                    return;
                }
            }

            upstream.write(data);
        });
        upstream.on('data', (data) => {

            if (isFrozen) {
                return;
            }

            if (isReplaced) {
                isReplaced = false;
                client.write(deadlock());
            }
            else if (answers) {
                client.write(data);
            }
            else {
                drop();
            }
        });
    });
    server.listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = new URL(serverUrl);
    url.hostname = host;
    url.port = String(port);

    return {
        url: url.href,
        connections: () => count,
        sent: (command) => sent.get(command) ?? 0,
        cutNext(cut) {

            next = cut;
        },
        hold(command, after = '') {

            const current = { command, after, isOn: after === '', release: [] as (() => void)[] };
            holding = current;
            return {
                count: () => current.release.length,
                release() {

                    holding = null;
                    current.release.forEach((release) => release());
                }
            };
        },
        cutAll: () => open.forEach((socket) => socket.destroy()),
        accept(value) {

            accepts = value;
        },
        freeze(value) {

            isFrozen = value;
        },
        async close() {

            open.forEach((socket) => socket.destroy());
            server.close();
            await once(server, 'close');
        }
    };
}
