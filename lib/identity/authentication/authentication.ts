/**
 * Who is behind a request.
 */

import type { DoipRequest } from '../../doip/envelope.js';
import type { Caller } from '../../model/caller.js';
import type { Epochs } from '../../stores/objects/object-store.js';

/** Finds out who is behind a request. */
export interface Authentication {
    /**
     * @param operationId the id of a fixed operation, undefined for one that the target decides
     * @throws DoipError 401 for credentials that are wrong, 403 where they may not be sent at all, 429 for too many attempts
     */
    authenticate(request: DoipRequest, operationId: string | undefined, epochs: Epochs): Promise<Caller>;
}
