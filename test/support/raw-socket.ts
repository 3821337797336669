/** A connection on which a test sends octets, and reads what comes back. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens one to the host and port of a URL. */
export async function openSocket(url: string): Promise<Socket> {

    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
}

/**
 * Sends octets as one request or several, and returns what is read until the connection is closed, which the last request should ask for, as one
 * character for each octet.
 */
export async function exchange(url: string, octets: string): Promise<string> {

    const socket = await openSocket(url);
    socket.write(octets, 'latin1');
    let text = '';
    try {
        for await (const chunk of socket) {
            text += (chunk as Buffer).toString('latin1');
        }
    }
    catch {
        // The service may reset a connection on which it has not read everything
    }

    return text;
}
