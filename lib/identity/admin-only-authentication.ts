/** PROVISIONAL */
import type { DoipRequest } from '../doip/envelope.js';
import type { Authentication } from '../services.js';
import type { AdminAccount } from './admin-account.js';
import type { Caller } from './caller.js';
import { unauthenticated } from '../doip/error.js';
import { ADMIN_ID, ANONYMOUS } from './caller.js';

export class AdminOnlyAuthentication implements Authentication {

    readonly #admin: AdminAccount;

    constructor(admin: AdminAccount) {

        this.#admin = admin;
    }

    async authenticate({ authentication, clientId }: DoipRequest): Promise<Caller> {

        const { username = clientId, password } = authentication;
        if (username === null && password === undefined) {
            return ANONYMOUS;
        }

        if (username !== ADMIN_ID || !await this.#admin.verify(password as string)) {
            throw unauthenticated('Authentication failed');
        }

        return { userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: false, method: 'password' };
    }
}
