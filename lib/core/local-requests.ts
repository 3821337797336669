/**
 * What a worker process performs itself, from its own read connection: reads of objects and payloads, and searches, anonymously or with a token
 * of the service. Everything else is for the primary process, which has the state that it needs: whatever writes, runs type code, counts towards a
 * limit, or is to be recorded. A request is left to it before anything was done, and performed there from the beginning.
 */

import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import { DoipError } from '../errors/errors.js';
import { isMarkedAnswer } from '../errors/for-primary.js';
import { Status } from '../errors/status.js';
import { Op } from '../doip/operation-ids.js';
import { empty } from '../doip/segments.js';
import type { JsonObject } from '../util/json-types.js';
import type { StoredObject } from '../model/stored-object.js';
import type { CodeSurvey, TypesState } from '../scripting/hooks/search-code.js';
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
    /** Searches are those of another engine, which the primary process asks. */
    readonly hasSearchEngine: boolean;
    /** What type code has to do with searches in a state of the types; null while that is not known. */
    readonly codeOf: (state: TypesState) => Pick<CodeSurvey, 'isSearchFree'> | null;
}

/** Errors that need nothing of the primary process. */
const FINAL: ReadonlySet<string> = new Set([Status.badRequest, Status.notFound, Status.declined]);

/** Decides what a worker performs. */
export class LocalRequests {

    readonly #options: LocalOptions;
    /** The epoch of the types with which a request began. */
    readonly #epochs = new WeakMap<DoipRequest, number>();

    constructor(options: LocalOptions) {

        this.#options = options;
    }

    /** True if a worker may begin with a request. */
    admits({ attributes, authentication, safe }: DoipRequest, operation: Operation | undefined): boolean {

        const { countsRequests, hasPayloadStore, hasSearchEngine } = this.#options;
        return operation?.isLocal === true && safe === true && !countsRequests && hasOwnToken(authentication) &&
            !(hasSearchEngine && operation.id === Op.search) && !(hasPayloadStore && (attributes['element'] !== undefined || attributes['includeElementData'] !== undefined));
    }

    /**
     * True if no type code has to do with the target: the type of the object has none, which could change access rules, the object or its
     * payloads. A search, which is for the service, has to do with the code of all types and of the design.
     */
    admitsTarget(
        request: DoipRequest, { isService, object }: { readonly isService: boolean; readonly object: StoredObject | null },
        { catalog: { current, epoch, storedEpoch } }: Pick<Services, 'catalog'>
    ): boolean {

        this.#epochs.set(request, epoch);
        return isService ?
            this.#options.codeOf({ epoch, storedEpoch })?.isSearchFree ?? false :
            object === null || current.get(object.type)?.javascript === undefined;
    }

    /** True if the types have changed since {@link admitsTarget}, so that rights were checked by other rules than code was looked for. */
    isOutdated(request: DoipRequest, { catalog: { epoch } }: Pick<Services, 'catalog'>): boolean {

        return epoch !== this.#epochs.get(request);
    }

    /** True for an error that is the answer; any other one, such as wrong credentials, which count, is for the primary process. */
    isAnswer(error: unknown, request: DoipRequest, { catalog }: Partial<Pick<Services, 'catalog'>>): boolean {

        if (!(error instanceof DoipError) || error.cause !== undefined) {
            return false;
        }

        if (isMarkedAnswer(error)) {
            return true;
        }

        // Rules of code that came meanwhile, which are not known here, may be the reason.
        const isCurrent = catalog?.epoch === this.#epochs.get(request);
        const isDenial = isCurrent && (error.status === Status.forbidden || error.status === Status.unauthenticated && isEmpty(request.authentication));
        return FINAL.has(error.status) || isDenial && !this.#options.recordsDenials;
    }
}

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
