/**
 * `gateway/Op.Login.Begin`: begins the login of a browser at an OpenID Connect provider. The attributes of the response are where it goes (`location`),
 * and the cookie that it needs when it comes back (`state`, `cookie`, `maxAgeSeconds`).
 */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import type { LoginRequest } from '../../identity/authentication/browser-logins.js';

type BeginAttributes = Omit<LoginRequest, 'redirectUri'>;

export const beginLogin = defineOperation<BeginAttributes>({
    id: Op.loginBegin,
    summary: 'begin the login of a browser at a login provider',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    attributes: Joi.object<BeginAttributes>({
        provider: text().required().description('name of the provider'),
        returnTo: text().default('/').description('path of this service to which the browser returns'),
        codeChallenge: text().required().description('SHA-256 hash of the code verifier of the page, in base64url')
    }),
    outputs: ['none'],

    async handler({ attributes: { provider, returnTo, codeChallenge }, services: { identity } }) {

        const redirectUri = identity.callbackAddress(provider);
        return result.empty({ ...await identity.browserLogins.begin({ provider, returnTo, codeChallenge, redirectUri }) });
    }
});
