/** The client for DOIP over either transport, through a connection that breaks as a test wants. */

import type { Connection } from '../../lib/client/connection.js';
import type { RequesterOptions } from '../../lib/client/requester.js';
import type { NewElement, NewObject } from '../../lib/client/index.js';
import { DoipClient, HttpConnection, NativePool } from '../../lib/client/index.js';
import { type FaultyLink, startFaultyLink } from './faulty-link.js';
import { ADMIN, nativePort, serveNative } from './native.js';
import type { TestServer } from './server.js';

/** A service, and the way to it. */
export interface DoipLink {
    readonly link: FaultyLink;
    /** A client of its own for the administrator, unless the options say otherwise; closed by `stop`. */
    client(options?: RequesterOptions): DoipClient;
    /** Connections of the same kind, which the caller closes. */
    connection(): Connection;
    stop(): Promise<void>;
}

/** The transports by their names. */
export const TRANSPORTS = ['DOIP over HTTP', 'native DOIP'] as const;

export type TransportName = typeof TRANSPORTS[number];

/** The address of a server with native DOIP, for `connect`. */
export function addressOf(test: TestServer, transport: TransportName): string {

    return transport === 'native DOIP' ? `doip://127.0.0.1:${nativePort(test)}/test/service` : test.url;
}

/** A document to be created, with these elements. */
export function documentOf(id: string, elements: readonly NewElement[] = []): NewObject {

    return { id, type: 'Document', attributes: { content: { id: '', name: 'A map' } }, elements };
}

/** Opens a way to a server. Native DOIP is without TLS, so that the link can tell requests apart. */
export async function openLink({ server, port }: TestServer, transport: TransportName): Promise<DoipLink> {

    const native = transport === 'native DOIP' ? await serveNative(server.plugins['doip-gateway'].gateway) : null;
    const link = await startFaultyLink(native?.port ?? port);
    const clients: DoipClient[] = [];
    const connection = (): Connection => (
        native ? new NativePool({ host: '127.0.0.1', port: link.port, tls: false }) : new HttpConnection({ url: `http://127.0.0.1:${link.port}` })
    );
    return {
        link,
        connection,
        client(options = { authentication: ADMIN }) {

            const client = new DoipClient(connection(), { retries: { delayMs: 1 }, ...options });
            clients.push(client);
            return client;
        },
        async stop() {

            clients.forEach((client) => client.close());
            await link.stop();
            await native?.stop();
        }
    };
}
