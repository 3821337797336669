/**
 * `gateway/Op.Login.Complete`: completes the login of a browser that comes back from its provider. The attribute `location` of the response is where it
 * goes on, with a code for `20.DOIP/Op.Auth.Token`.
 */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

interface CompleteAttributes {
    readonly provider: string;
    readonly query: string;
    readonly cookie: string;
}

export const completeLogin = defineOperation<CompleteAttributes>({
    id: Op.loginComplete,
    summary: 'complete the login of a browser at a login provider',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    attributes: Joi.object<CompleteAttributes>({
        provider: text().required().description('name of the provider to which the address belongs'),
        query: text().required().description('what the provider has added to the address'),
        cookie: text().default('').description('the cookie that the browser got when it began')
    }),
    outputs: ['none'],

    async handler({ attributes: { provider, query, cookie }, services: { identity } }) {

        const redirectUri = identity.callbackAddress(provider);
        return result.empty({ location: await identity.browserLogins.complete({ provider, query, cookie, redirectUri }) });
    }
});
