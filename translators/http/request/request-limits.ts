/**
 * The limits of one request: smaller for callers who show no credentials, with the bytes that it holds taken from the account
 * of the server.
 */

import type { Request, Server } from '@hapi/hapi';
import type { Transport } from '../../../lib/doip/envelope.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { BodyMemory } from './body-memory.js';
import { bodyMemoryOf } from './body-memory.js';
import { header } from '../headers/decode.js';
import type { HttpLimits } from './translator-options.js';
import { DEFAULT_LIMITS } from './translator-options.js';

/** Makes the limits of requests. */
export class RequestLimits {

    /** For what is not read into memory, or is bounded by the limits of HTTP itself. */
    readonly base: HttpLimits;
    readonly #unknown: HttpLimits;
    readonly #memory: BodyMemory;

    constructor(server: Server, limits: Partial<HttpLimits> = {}) {

        this.base = { ...DEFAULT_LIMITS, ...limits };
        const { anonymousBytes } = this.base;
        this.#unknown = {
            ...this.base,
            jsonBytes: Math.min(this.base.jsonBytes, anonymousBytes), formBytes: Math.min(this.base.formBytes, anonymousBytes)
        };
        this.#memory = bodyMemoryOf(server, this.base.bodyMemoryBytes);
    }

    /** For a form, whose fields may be the credentials: it is read before anybody looks at any. */
    ofForm(request: Request, { remoteAddress }: Transport): HttpLimits {

        const limits = header(request.headers, 'authorization') === undefined ? this.#unknown : this.base;
        return { ...limits, takeBytes: this.#memory.forRequest(request, remoteAddress, false) };
    }

    /** For a body that is read before the caller is known. */
    ofUnknown(request: Request, { remoteAddress }: Transport): HttpLimits {

        return { ...this.#unknown, takeBytes: this.#memory.forRequest(request, remoteAddress, false) };
    }

    /** For a body that is read when the operation has let the caller in. */
    of(request: Request, { remoteAddress }: Transport, authentication: JsonObject): HttpLimits {

        if (request.method === 'get' || request.method === 'head') {
            return this.base;
        }

        const isKnown = Object.keys(authentication).length > 0;
        return { ...isKnown ? this.base : this.#unknown, takeBytes: this.#memory.forRequest(request, remoteAddress, isKnown) };
    }
}

/** Longest body that carries credentials: many of them may wait for their turn. */
const LOGIN_BYTES = 64 * 1024;

/** The limits of a route whose body is credentials. */
export function loginLimits(limits: HttpLimits): HttpLimits {

    return { ...limits, jsonBytes: Math.min(limits.jsonBytes, LOGIN_BYTES), formBytes: Math.min(limits.formBytes, LOGIN_BYTES) };
}
