/**
 * Requests in a worker process that are for the primary process, and the other side: requests that a worker has forwarded. The server that
 * mounts the translators forwards them; they only report that it has to.
 */

import type { Request } from '@hapi/hapi';
import type { TLSSocket } from 'node:tls';
import type { DoipResponse } from '../../../lib/doip/envelope.js';

/** Ends the translation of a request that the primary process performs. */
export class ForwardRequest extends Error {}

/** Forwards a request, and responds to it. */
export type Forward = (request: Request) => void;

/** @throws ForwardRequest for the response of a worker to a request that is for the primary process */
export function demandPerformed<R extends DoipResponse>(response: R): R {

    if (response.isForPrimary) {
        throw new ForwardRequest();
    }

    return response;
}

/** The connection of a client. */
export interface ClientConnection {
    /** Address of the client, and of the service. */
    readonly remoteAddress: string;
    readonly localAddress: string;
    readonly encrypted: boolean;
    readonly httpVersion: string;
}

declare module '@hapi/hapi' {

    interface RequestApplicationState {
        'doip-gateway-client'?: ClientConnection;
    }
}

/** Sets the connection of the client of a request that a worker has forwarded. */
export function setConnection({ app }: Request, connection: ClientConnection): void {

    app['doip-gateway-client'] = connection;
}

/** True if the client of a request has gone before it is handled. Over HTTP/2, its address is not known any more. */
export function isGone({ app, raw: { req } }: Request): boolean {

    return app['doip-gateway-client'] === undefined && req.socket.destroyed;
}

/** The connection of the client of a request, whichever process it is connected to. */
export function connectionOf({ app, info, raw: { req } }: Request): ClientConnection {

    return app['doip-gateway-client'] ?? {
        remoteAddress: info.remoteAddress,
        localAddress: req.socket.localAddress ?? '',
        encrypted: (req.socket as TLSSocket).encrypted === true,
        httpVersion: req.httpVersion
    };
}
