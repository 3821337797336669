/**
 * What the gateway found out about a request, kept for the access log of the server. Nothing is answered from it.
 */

import type { Request } from '@hapi/hapi';
import type { DoipRequest, DoipResponse, Transport } from '../../../lib/doip/envelope.js';

/** Facts about a request that was performed. */
export interface PerformedFacts {
    readonly operationId?: string;
    /** User id; null when anonymous, undefined when the gateway was not asked. */
    readonly callerId?: string | null | undefined;
    /** Address of the client, with regard to trusted proxies. */
    readonly remoteAddress?: string;
    /** True when it was answered without being performed, as many others from its address. */
    readonly isTurnedAway?: boolean;
}

/** How a request reached us, with room for what is found out about it. A class, because a property that comes later costs each request dear. */
class LoggedTransport implements Transport {

    readonly protocol: Transport['protocol'];
    readonly secure: boolean;
    readonly remoteAddress: string;
    readonly localToken: string | undefined;
    readonly logId: string;
    #performed: PerformedFacts | null = null;

    constructor({ protocol, secure, remoteAddress, localToken }: Transport, logId: string) {

        this.protocol = protocol;
        this.secure = secure;
        this.remoteAddress = remoteAddress;
        this.localToken = localToken;
        this.logId = logId;
    }

    static performed(transport: LoggedTransport): PerformedFacts | null {

        return transport.#performed;
    }

    /** Requests that did not come through these translators are nobody's to note. */
    static note(transport: Transport, facts: PerformedFacts): void {

        if (#performed in transport) {
            transport.#performed = facts;
        }
    }
}

/** Where the transport stands: on the request itself, because a `WeakMap` entry for every request keeps the collector busy. */
const TRANSPORT = Symbol('transport of the request');

/** Notes how a request reached us; the value that comes back must go into its envelope. */
export function noteTransport(request: Request, transport: Transport, logId: string): Transport {

    const noted = new LoggedTransport(transport, logId);
    (request as Request & { [TRANSPORT]?: LoggedTransport })[TRANSPORT] = noted;
    return noted;
}

/** Notes what was performed, and for whom. */
export function notePerformed({ operationId, transport }: DoipRequest, { callerId }: DoipResponse): void {

    LoggedTransport.note(transport, { operationId, callerId });
}

/** Notes that a request was answered without being performed. */
export function noteRejection(transport: Transport): void {

    LoggedTransport.note(transport, { isTurnedAway: true });
}

/** What is known of a request; empty when no translator came to it. */
export function factsOf(request: Request): PerformedFacts {

    const transport = (request as Request & { [TRANSPORT]?: LoggedTransport })[TRANSPORT];
    return transport ? { remoteAddress: transport.remoteAddress, ...LoggedTransport.performed(transport) } : {};
}
