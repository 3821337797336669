/**
 * What a handler is given. No hapi, no knex, no headers: only the domain.
 */

import type { Logger } from 'pino';
import type { Segment, Transport } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Services } from './services.js';

/** Everything that a handler may use for one request. */
export interface OperationContext<A extends object = JsonObject> {
    readonly caller: Caller;
    /** The resolved target id: an object id, or the id of the service. */
    readonly targetId: string;
    /** The target object of an object operation. Reading it for a service operation is a programming error and throws. */
    readonly target: StoredObject;
    /** False for the service, and for an id that no object has. */
    readonly hasTarget: boolean;
    /** Validated, with defaults. */
    readonly attributes: A;
    /** As they came, to tell what was given from defaults. */
    readonly givenAttributes: JsonObject;
    /** The one JSON input of operations that declare `input: 'json'`; undefined for `optional-json` without input. */
    readonly inputJson: JsonValue | undefined;
    /** The input of operations that declare `input: 'segments'`. */
    readonly input: AsyncIterable<Segment>;
    /** The same for those who read a JSON body while it arrives: it comes as bytes. Of the two one is read. */
    readonly rawInput: AsyncIterable<Segment>;
    /** Given by the client for hooks, methods and the storage chooser; `{}` when absent. */
    readonly requestContext: JsonObject;
    /** Attributes and request context as far as they are known: a form may have some among its fields, which is known when the input was read. */
    latest(): Pick<OperationContext<A>, 'attributes' | 'requestContext'>;
    /** The caller wants nothing changed by this request, as with a GET. */
    readonly isSafe: boolean;
    /** An update may change the type of the object, whatever the design says. */
    readonly allowTypeChange: boolean;
    readonly services: Services;
    readonly transport: Transport;
    /** Fires when the peer goes away. */
    readonly signal: AbortSignal;
    readonly log: Logger;
}
