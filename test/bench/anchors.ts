/**
 * What `bench:http` compares the service with, in one process: an empty hapi route, and bare servers of node that send ready bytes.
 *
 *     node anchors.js <bytes of an answer>
 */

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Hapi from '@hapi/hapi';
import { MIB } from './calls.js';

async function main(): Promise<void> {

    const answer = JSON.stringify({ text: 'x'.repeat(Number(process.argv[2]) - 11) });
    const bytes: Readonly<Record<string, Buffer>> = { '/node': Buffer.from(answer), '/mebibyte': Buffer.alloc(MIB, 'x') };
    const listener = createServer();
    const server = Hapi.server({ listener, autoListen: false });
    server.route({ method: 'GET', path: '/hapi', handler: (_request, h) => h.response(answer).type('application/json') });
    // hapi has added its listener for requests, which answers only what the other does not.
    const [hapi] = listener.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    listener.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {

        const body = bytes[request.url ?? ''];
        if (body) {
            response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': body.length }).end(body);
            return;
        }

        hapi?.(request, response);
    });
    // Until it is started, hapi ends every connection. It does not listen itself.
    await server.start();
    listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`));
    process.once('SIGTERM', () => process.exit());
}

void main();
