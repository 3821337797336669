/**
 * Requests that are answered before they are performed, because so many logins wait from their address. Such an answer
 * must cost as little as possible: no envelope, no error object, no line of its own in the log.
 */

import type { Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Failure } from './response/errors.js';
import type { Performer } from './request/translator-options.js';
import { noteRejection } from './request/request-facts.js';
import { failureFrom } from './response/errors.js';

/** The failure that a request ends with whatever it asks for; null when it has to be performed. */
export function rejectEarly(gateway: Performer, authentication: JsonObject, transport: Transport): Failure | null {

    const error = gateway.refusal?.(authentication, transport);
    if (!error) {
        return null;
    }

    noteRejection(transport);
    return failureFrom(error, gateway.statuses);
}
