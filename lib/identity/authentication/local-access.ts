/**
 * Lets programs on the same machine that may read the data folder act as the administrator: by a secret that lives as long as the
 * process. Whoever may read that folder may read the whole repository anyhow. From other machines, through a proxy or in a query
 * the secret is worth nothing.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transport } from '../../doip/envelope.js';
import type { Caller } from '../../model/caller.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { Authentication } from './authentication.js';

/** What the secret begins with. An access token that happens to begin so is still told apart, being another one. */
const MARK = 'local_';

const SECRET_BYTES = 32;

const LOCAL_ADMIN: Caller = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/** The secret of this process. */
export class LocalAccess {

    /** To be sent as an access token. */
    readonly secret = MARK + randomBytes(SECRET_BYTES).toString('hex');

    /** The same way to authenticate, with the secret beside all other credentials. */
    beside(others: Authentication): Authentication {

        return {
            authenticate: (request, operationId, epochs) => {

                return this.#isMeant(request.transport) ? Promise.resolve(LOCAL_ADMIN) : others.authenticate(request, operationId, epochs);
            }
        };
    }

    #isMeant({ localToken }: Transport): boolean {

        return localToken?.length === this.secret.length && localToken.startsWith(MARK) &&
            timingSafeEqual(Buffer.from(localToken, 'latin1'), Buffer.from(this.secret, 'latin1'));
    }
}
