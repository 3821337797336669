/** What the native interface needs, and its limits. */

import type { ClientCertificate, DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { HttpLimits, Performer } from '../http/request/translator-options.js';
import type { BodyMemory } from '../http/request/body-memory.js';
import type { Socket } from 'node:net';

/** A connection that was accepted, after the TLS handshake if there is one. It must allow half-open connections. */
export interface Connection {
    readonly socket: Socket;
    /** For the log. */
    readonly id: string;
    readonly remoteAddress: string;
    /** True for TLS. */
    readonly isEncrypted: boolean;
    /** Certificate whose key the client has proved to own; null if it has none. */
    readonly certificate: ClientCertificate | null;
    /** Closes the connection by a TCP reset, which published clients notice at once, unlike an ordered end. */
    readonly reset: () => void;
}

/** Limits of the native interface. */
export interface DoipTcpLimits extends Pick<HttpLimits, 'jsonBytes' | 'jsonDepth' | 'jsonValues' | 'anonymousBytes'> {
    /** Maximum number of segments of a message. */
    readonly segments: number;
    /** Time in milliseconds for the first segment of a message to arrive. */
    readonly headMs: number;
    /** Time in milliseconds after which a message or a response that makes no progress because of the client is given up. */
    readonly stallMs: number;
    /** Time in milliseconds for which a connection without requests is kept. */
    readonly idleMs: number;
}

/** A request that was answered, for the log. */
export interface AnsweredRequest {
    readonly logId: string;
    /** Null if no request could be read. */
    readonly request: DoipRequest | null;
    readonly status: string;
    readonly callerId: DoipResponse['callerId'];
    readonly createdId: DoipResponse['createdId'] | undefined;
    readonly remoteAddress: string;
    /** Bytes that the connection moved. */
    readonly requestBytes: number;
    readonly responseBytes: number;
    readonly ms: number;
    /** True if the response could not be written to its end. */
    readonly isBroken: boolean;
    /** True if it was rejected early, by the rate limit of its address. */
    readonly isRejectedEarly: boolean;
}

/** Dependencies. */
export interface DoipTcpOptions {
    readonly gateway: Performer;
    readonly limits: DoipTcpLimits;
    /** Budget for JSON in memory. */
    readonly memory: BodyMemory;
    /** Called after each response. */
    readonly onAnswered: (answered: AnsweredRequest) => void;
    /** Called for an error that the client does not see. */
    readonly onError: (error: unknown) => void;
}
