/**
 * The interface between dispatcher and handlers: domain objects only, no hapi, knex or headers.
 */

import type { Logger } from 'pino';
import type { Segment, Transport } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Services } from './services.js';

/** The context of one request. */
export interface OperationContext<A extends object = JsonObject> {
    readonly caller: Caller;
    /**
     * Returns the caller as of now, or of the last second: for what a request that takes long still does.
     *
     * @param maxAgeMs 0 for the caller as of now
     * @throws DoipError 401 if the credentials have ended since
     */
    currentCaller(maxAgeMs?: number): Promise<Caller>;
    /** Resolved target: an object id, or the id of the service. */
    readonly targetId: string;
    /** Target of an operation on objects. Throws for operations on the service, where reading it is a programming error. */
    readonly target: StoredObject;
    /** False for the service, and for ids without an object. */
    readonly hasTarget: boolean;
    /** Validated, with defaults. */
    readonly attributes: A;
    /** Attributes as received, to distinguish them from defaults. */
    readonly givenAttributes: JsonObject;
    /** JSON input for `input: 'json'` or `'optional-json'`; undefined without input. */
    readonly inputJson: JsonValue | undefined;
    /** Input for `input: 'segments'`. */
    readonly input: AsyncIterable<Segment>;
    /** The same input for streaming: a JSON body comes as bytes. Only one of the two may be read. */
    readonly rawInput: AsyncIterable<Segment>;
    /** Client data for hooks, methods and the storage chooser; `{}` if absent. */
    readonly requestContext: JsonObject;
    /** Returns the attributes and request context known so far: fields of a form become known once the input is read. */
    latest(): Pick<OperationContext<A>, 'attributes' | 'requestContext'>;
    /** True if the request must not change anything, as a GET. */
    readonly isSafe: boolean;
    /** True if an update may change the type of the object whatever the design says. */
    readonly allowTypeChange: boolean;
    readonly services: Services;
    readonly transport: Transport;
    /** Aborted when the client disconnects. */
    readonly signal: AbortSignal;
    readonly log: Logger;
}
