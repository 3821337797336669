/** How many objects and bytes the caller has, and may have; for administrators also those of other users and of types. */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { USAGE } from '../../doip/result-schemas.js';
import { declined, forbidden } from '../../errors/errors.js';
import { isUnrestrictedAdmin } from '../../model/caller.js';
import type { UsageReport } from '../../objects/quotas/usage-counter.js';
import type { JsonObject } from '../../util/json-types.js';

/** Whose usage is requested. */
interface UsageAttributes {
    readonly user?: string;
    readonly type?: string;
}

export const usage = defineOperation<UsageAttributes>({
    id: Op.usage,
    summary: 'return how many objects and bytes the caller has, and may have',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'caller',
    attributes: Joi.object({
        user: text().description('id of another user, for administrators'),
        type: text().description('name of a type, for administrators')
    }),
    resultSchema: USAGE,

    async handler({ attributes: { user, type }, caller, services: { usage: counter } }) {

        const id = user ?? caller.userId ?? '';
        if (!isUnrestrictedAdmin(caller) && (id !== caller.userId || type !== undefined)) {
            throw forbidden('only administrators see the usage of other users and of types');
        }

        if (!counter) {
            throw declined('usage is not counted here: the operator can turn it on with the setting COUNT_USAGE');
        }

        return result.json({
            user: { id, ...membersOf(await counter.report({ kind: 'user', name: id })) },
            ...type === undefined ? {} : { type: { name: type, ...membersOf(await counter.report({ kind: 'type', name: type })) } }
        });
    }
});

function membersOf({ objects, bytes, limits }: UsageReport): JsonObject {

    return { objects, bytes, maxObjects: limits.objects, maxBytes: limits.bytes };
}
