/** Facts about a request for the access log of the server; they do not affect the response. */

import type { Request } from '@hapi/hapi';
import type { DoipRequest, DoipResponse, Transport } from '../../../lib/doip/envelope.js';

/** Facts about a performed request. */
export interface PerformedFacts {
    readonly operationId?: string;
    /** User id; null when anonymous, undefined when the request was not performed. */
    readonly callerId?: string | null | undefined;
    /** Address of the client, with regard to trusted proxies. */
    readonly remoteAddress?: string;
    /** True when it was rejected early, by the rate limit of its address. */
    readonly isTurnedAway?: boolean;
}

/** Transport of a request with fields for its facts. A class, because properties that are added later are slow. */
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

    /** Ignores requests of other translators. */
    static note(transport: Transport, facts: PerformedFacts): void {

        if (#performed in transport) {
            transport.#performed = facts;
        }
    }
}

/** Key of the transport on the request itself, because a `WeakMap` entry for every request burdens the garbage collector. */
const TRANSPORT = Symbol('transport of the request');

/** Stores the transport of a request; the returned value must be used in its envelope. */
export function noteTransport(request: Request, transport: Transport, logId: string): Transport {

    const noted = new LoggedTransport(transport, logId);
    (request as Request & { [TRANSPORT]?: LoggedTransport })[TRANSPORT] = noted;
    return noted;
}

/** Stores the operation and the caller of a performed request. */
export function notePerformed({ operationId, transport }: DoipRequest, { callerId }: DoipResponse): void {

    LoggedTransport.note(transport, { operationId, callerId });
}

/** Marks a request as rejected early. */
export function noteRejection(transport: Transport): void {

    LoggedTransport.note(transport, { isTurnedAway: true });
}

/** Returns the facts about a request; empty when no translator handled it. */
export function factsOf(request: Request): PerformedFacts {

    const transport = (request as Request & { [TRANSPORT]?: LoggedTransport })[TRANSPORT];
    return transport ? { remoteAddress: transport.remoteAddress, ...LoggedTransport.performed(transport) } : {};
}
