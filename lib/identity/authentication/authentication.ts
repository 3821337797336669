/**
 * The interface of authentication.
 */

import type { DoipRequest } from '../../doip/envelope.js';
import type { Caller } from '../../model/caller.js';
import type { Epochs } from '../../stores/objects/object-store.js';

/** Authenticates requests. */
export interface Authentication {
    /**
     * Returns the caller of a request.
     *
     * @param operationId id of a fixed operation; undefined if the target determines the operation
     * @throws DoipError 401 for wrong credentials, 403 if they must not be sent over this connection, 429 for too many attempts
     */
    authenticate(request: DoipRequest, operationId: string | undefined, epochs: Epochs): Promise<Caller>;
}
