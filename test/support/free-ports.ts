/**
 * Ports for servers that are started with a number, or stopped and started again with the one that they had. They are below those that the
 * system gives to connections and to servers without a number (32768 and above on Linux), one of which might take a port before its server does.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 31_000;

/** The first of some free ports in a row. */
export async function freePorts(count = 1): Promise<number> {

    for (;;) {
        const first = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT - count));
        const areFree = await Promise.all(Array.from({ length: count }, (_, i) => isFree(first + i)));
        if (areFree.every(Boolean)) {
            return first;
        }
    }
}

async function isFree(port: number): Promise<boolean> {

    const server = createServer();
    try {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
        server.close();
        await once(server, 'close');
        return true;
    }
    catch {
        return false;
    }
}
