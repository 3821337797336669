/** A server that never answers, for clients that wait, are aborted or are cut off. */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** A server that answers nothing, and does to each connection what it is told as soon as something has arrived. */
export async function silentServer(act: (socket: Socket) => void = () => undefined): Promise<{ port: number; readonly received: number; stop: () => Promise<void> }> {

    const sockets = new Set<Socket>();
    let received = 0;
    const server = createServer((socket) => {

        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('data', () => {

            ++received;
            act(socket);
        });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        port: (server.address() as AddressInfo).port,
        get received() {

            return received;
        },
        async stop() {

            sockets.forEach((socket) => socket.destroy());
            server.close();
            await once(server, 'close');
        }
    };
}
