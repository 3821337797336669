/**
 * What the gateway found out about a request, kept for the access log of the server. Nothing is answered from it.
 */

import type { Request } from '@hapi/hapi';
import type { Transport } from '../../lib/doip/envelope.js';
import type { Performer } from './performer.js';

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

/** Where the notes stand: on the objects themselves, because a `WeakMap` entry for every request keeps the collector busy. */
const TRANSPORT = Symbol('transport of the request');
const PERFORMED = Symbol('what was performed');

type Noted = Transport & { [PERFORMED]?: PerformedFacts };

/** Notes how a request reached us; the same value must go into its envelope. */
export function noteTransport(request: Request, transport: Transport): Transport {

    (request as Request & { [TRANSPORT]?: Transport })[TRANSPORT] = transport;
    return transport;
}

/** The gateway, with a note of every caller. */
export function notingCallers(gateway: Performer): Performer {

    return {
        statuses: gateway.statuses,
        refusal: (authentication, transport) => gateway.refusal?.(authentication, transport) ?? null,
        async perform(request) {

            const response = await gateway.perform(request);
            (request.transport as Noted)[PERFORMED] = { operationId: request.operationId, callerId: response.callerId };
            return response;
        }
    };
}

/** Notes that a request was answered without being performed. */
export function noteTurnedAway(transport: Transport): void {

    (transport as Noted)[PERFORMED] = { isTurnedAway: true };
}

/** What is known of a request; empty when no translator came to it. */
export function factsOf(request: Request): PerformedFacts {

    const transport = (request as Request & { [TRANSPORT]?: Noted })[TRANSPORT];
    return transport ? { remoteAddress: transport.remoteAddress, ...transport[PERFORMED] } : {};
}
