/** `gateway/Op.Keys.List`: the API keys of the caller; for the administrator those of any user, or of all users. Never their values. */

import Joi from 'joi';
import { flag, text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { apiKey, apiKeys } from '../../doip/result-schemas.js';
import { keyRecord } from '../../identity/keys/key-record.js';

interface ListAttributes {
    readonly userId?: string;
    readonly all: boolean;
    readonly after: string;
    readonly pageSize: number;
}

const MAX_PAGE = 1000;

export const listKeys = defineOperation<ListAttributes>({
    id: Op.keysList,
    summary: 'list API keys',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'caller',
    attributes: Joi.object<ListAttributes>({
        userId: text(), all: flag().default(false), after: text().default(''), pageSize: Joi.number().integer().min(1).max(MAX_PAGE).default(MAX_PAGE)
    }),
    resultSchema: apiKeys(apiKey()),

    async handler({ attributes: { userId, all, after, pageSize }, caller, services: { identity } }) {

        if (!all) {
            return result.json({ keys: (await identity.keys.ofUser(userId, caller)).map(keyRecord) });
        }

        const { keys, next } = await identity.keys.all({ after, limit: pageSize }, caller);
        return result.json({ keys: keys.map(keyRecord), ...next === null ? {} : { next } });
    }
});
