/**
 * Local administrator access for programs on the same host that can read the data folder, and with it the whole repository: a
 * secret per process. It is not accepted from other hosts, through a proxy or in a query.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transport } from '../../doip/envelope.js';
import type { Caller } from '../../model/caller.js';
import { ADMIN_ID } from '../../model/caller.js';

/** Prefix of the secret. An access token with the same prefix still differs in the rest. */
const MARK = 'local_';

const SECRET_BYTES = 32;

/** The caller of such requests. */
export const LOCAL_ADMIN: Caller = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/** The secret of this process. */
export class LocalAccess {

    /** To be sent like an access token. */
    readonly secret = MARK + randomBytes(SECRET_BYTES).toString('hex');

    /** True for a request that carries the secret: it counts before all other credentials. */
    proves({ localToken }: Transport): boolean {

        return localToken?.length === this.secret.length && localToken.startsWith(MARK) &&
            timingSafeEqual(Buffer.from(localToken, 'latin1'), Buffer.from(this.secret, 'latin1'));
    }
}
