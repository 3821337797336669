/**
 * Rate limiter at the edge: rejects logins from an address with too many logins in progress, before their requests are
 * performed. Translators call it once per request; requests without name and password always pass.
 */

import type { Transport } from '../../doip/envelope.js';
import type { DoipError } from '../../errors/errors.js';
import { tooManyRequests } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';

/** Created once, because rejections must be cheap. */
export const TOO_MANY_LOGINS: DoipError = tooManyRequests('too many logins at this moment, try again a little later', 2);

/** A login with a password. */
export interface Login {
    /** User name, object id or `admin`. */
    readonly name: string;
    readonly password: string;
    readonly remoteAddress: string;
}

/** True if a login would fail with {@link TOO_MANY_LOGINS}; must be cheap. */
export type LoginCheck = (login: Login) => boolean;

/** One per gateway; before the gateway is started, everything passes. */
export class EdgeLimiter {

    #check: LoginCheck | null = null;

    /** Installs the check of the running service; null when it stops. */
    use(check: LoginCheck | null): void {

        this.#check = check;
    }

    /** Returns the error for a request that is rejected by its credentials alone; null if it has to be performed. */
    rejects({ username, password, token }: JsonObject, { remoteAddress }: Transport): DoipError | null {

        const isLogin = typeof username === 'string' && typeof password === 'string' && token === undefined;
        return isLogin && this.#check?.({ name: username, password, remoteAddress }) === true ? TOO_MANY_LOGINS : null;
    }
}
