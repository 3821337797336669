/**
 * What a worker process performs itself, from its own read connection: reads of objects and payloads, anonymously or with a token of the
 * service. Everything else is for the primary process, which has the state that it needs: whatever writes, runs type code, counts towards a
 * limit, or is to be recorded. A request is left to it before anything was done, and performed there from the beginning.
 */

import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import { empty } from '../doip/segments.js';
import type { JsonObject } from '../util/json-types.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Operation } from './operation.js';
import type { Services } from './services.js';

/** Settings of the service on which it depends what a worker may do. */
export interface LocalOptions {
    /** Requests count towards rate limits. */
    readonly countsRequests: boolean;
    /** Denied requests are recorded in the audit log. */
    readonly recordsDenials: boolean;
    /** Payloads may be in another store than the database. */
    readonly hasPayloadStore: boolean;
}

/** Errors that need nothing of the primary process. */
const FINAL: ReadonlySet<string> = new Set([Status.badRequest, Status.notFound, Status.declined]);

/** Decides what a worker performs. */
export class LocalRequests {

    readonly #options: LocalOptions;

    constructor(options: LocalOptions) {

        this.#options = options;
    }

    /** True if a worker may begin with a request. */
    admits({ attributes, authentication, safe }: DoipRequest, operation: Operation | undefined): boolean {

        const { countsRequests, hasPayloadStore } = this.#options;
        return operation?.isLocal === true && safe === true && !countsRequests && hasOwnToken(authentication) &&
            !(hasPayloadStore && (attributes['element'] !== undefined || attributes['includeElementData'] !== undefined));
    }

    /** True if no type code has to do with an object: its type has none, which could change access rules, the object or its payloads. */
    admitsTarget(target: StoredObject | null, { catalog }: Pick<Services, 'catalog'>): boolean {

        return target === null || catalog.current.get(target.type)?.javascript === undefined;
    }

    /** True for an error that is the answer; any other one, such as wrong credentials, which count, is for the primary process. */
    isAnswer(error: unknown, { authentication }: DoipRequest): boolean {

        if (!(error instanceof DoipError) || error.cause !== undefined) {
            return false;
        }

        const isDenial = error.status === Status.forbidden || error.status === Status.unauthenticated && isEmpty(authentication);
        return FINAL.has(error.status) || isDenial && !this.#options.recordsDenials;
    }
}

/** Thrown to leave a request to the primary process. */
export class ForPrimary extends Error {}

/** Response of a worker to a request that is for the primary process. */
export function forPrimary({ requestId }: DoipRequest): DoipResponse {

    return { requestId, status: Status.internal, attributes: {}, output: empty(), isForPrimary: true };
}

/** True without credentials, and for a token or key that the service has issued: those of others have a dot. */
function hasOwnToken(authentication: JsonObject): boolean {

    return Object.entries(authentication).every(([name, value]) => name === 'asUserId' || name === 'token' && typeof value === 'string' && !value.includes('.'));
}

function isEmpty(authentication: JsonObject): boolean {

    return Object.keys(authentication).length === 0;
}
