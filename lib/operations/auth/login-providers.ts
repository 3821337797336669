/** `gateway/Op.Login.Providers`: the OpenID Connect providers at which browsers can log in. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { LOGIN_PROVIDERS } from '../../doip/result-schemas.js';

export const loginProviders = defineOperation({
    id: Op.loginProviders,
    summary: 'list the login providers for browsers',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    resultSchema: LOGIN_PROVIDERS,

    async handler({ services: { identity } }) {

        return result.json({ providers: identity.browserLogins.list().map((provider) => ({ ...provider })) });
    }
});
