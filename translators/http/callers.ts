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
}

const transports = new WeakMap<Request, Transport>();
const performed = new WeakMap<Transport, PerformedFacts>();

/** Notes how a request reached us; the same value must go into its envelope. */
export function noteTransport(request: Request, transport: Transport): Transport {

    transports.set(request, transport);
    return transport;
}

/** The gateway, with a note of every caller. */
export function notingCallers(gateway: Performer): Performer {

    return {
        statuses: gateway.statuses,
        async perform(request) {

            const response = await gateway.perform(request);
            performed.set(request.transport, { operationId: request.operationId, callerId: response.callerId });
            return response;
        }
    };
}

/** What is known of a request; empty when no translator came to it. */
export function factsOf(request: Request): PerformedFacts {

    const transport = transports.get(request);
    return transport ? { remoteAddress: transport.remoteAddress, ...performed.get(transport) } : {};
}
