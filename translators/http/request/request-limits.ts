/** Limits of one request: smaller without credentials, and charged to the memory budget of the server. */

import type { Request, Server } from '@hapi/hapi';
import type { InputKind, Transport } from '../../../lib/doip/envelope.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { BodyMemory } from './body-memory.js';
import { bodyMemoryOf } from './body-memory.js';
import { header } from '../headers/decode.js';
import type { HttpLimits } from './translator-options.js';
import { DEFAULT_LIMITS } from './translator-options.js';

/** Creates the limits of requests. */
export class RequestLimits {

    /** For bodies that are streamed, or bounded by the limits of HTTP. */
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

    /** For a form, which is read before authentication, as its fields may be the credentials. */
    ofForm(request: Request, { remoteAddress }: Transport, isShort = false): HttpLimits {

        const limits = isShort || header(request.headers, 'authorization') === undefined ? this.#unknown : this.base;
        return { ...limits, memory: this.#memory.forRequest(request, remoteAddress, 'anonymous') };
    }

    /** For a body that is read before the caller is authenticated. */
    ofUnknown(request: Request, { remoteAddress }: Transport): HttpLimits {

        return { ...this.#unknown, memory: this.#memory.forRequest(request, remoteAddress, 'anonymous') };
    }

    /** For a body that is read after the operation has authorised the caller. `kind` is that of the input, where the path does not tell it. */
    of(request: Request, { remoteAddress }: Transport, authentication: JsonObject, kind = ANY_INPUT): HttpLimits {

        if (request.method === 'get' || request.method === 'head') {
            return this.base;
        }

        const isVerified = !kind.isUnverified && Object.keys(authentication).length > 0;
        const limits = isVerified ? this.base : this.#unknown;
        return {
            ...shortened(limits, maxBytesOf(kind, limits.anonymousBytes)),
            memory: this.#memory.forRequest(request, remoteAddress, isVerified ? 'verified' : 'anonymous')
        };
    }
}

/** The input of an operation of which nothing else is known. */
export const ANY_INPUT: InputKind = { of: 'any', isUnverified: false };

/** Maximum size in bytes of a body with credentials, of which many may be queued. */
const LOGIN_BYTES = 64 * 1024;

/** Maximum size in bytes of one JSON text of an input, whoever sends it. */
export function maxBytesOf({ of }: InputKind, anonymousBytes: number): number {

    return of === 'login' ? LOGIN_BYTES : of === 'search' ? anonymousBytes : Infinity;
}

/** Limits of a route whose body is credentials. */
export function loginLimits(limits: HttpLimits): HttpLimits {

    return shortened(limits, LOGIN_BYTES);
}

function shortened(limits: HttpLimits, maxBytes: number): HttpLimits {

    return { ...limits, jsonBytes: Math.min(limits.jsonBytes, maxBytes), formBytes: Math.min(limits.formBytes, maxBytes) };
}
