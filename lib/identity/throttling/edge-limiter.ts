/**
 * Rate limiter at the edge: rejects logins from an address from which too many are in progress, before their requests are
 * performed. A translator asks it once; requests without a name and a password always pass.
 */

import type { Transport } from '../../doip/envelope.js';
import type { DoipError } from '../../errors/errors.js';
import { tooManyRequests } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';

/** Made once: a rejection has to be cheap. */
export const TOO_MANY_LOGINS: DoipError = tooManyRequests('too many logins at this moment, try again a little later', 2);

/** A login with a password. */
export interface Login {
    /** Username, object id or `admin`. */
    readonly name: string;
    readonly password: string;
    readonly remoteAddress: string;
}

/** True for a login that would be answered with {@link TOO_MANY_LOGINS}; must be cheap. */
export type LoginCheck = (login: Login) => boolean;

/** One for each gateway, also while it is not started: then everything passes. */
export class EdgeLimiter {

    #check: LoginCheck | null = null;

    /** Takes the check of the service that has been started; null when it ends. */
    use(check: LoginCheck | null): void {

        this.#check = check;
    }

    /** The answer to a request with these credentials when it is rejected, whatever it asks for; null when it has to be performed. */
    rejects({ username, password, token }: JsonObject, { remoteAddress }: Transport): DoipError | null {

        const isLogin = typeof username === 'string' && typeof password === 'string' && token === undefined;
        return isLogin && this.#check?.({ name: username, password, remoteAddress }) === true ? TOO_MANY_LOGINS : null;
    }
}
