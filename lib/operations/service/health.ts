/** Liveness and readiness for supervisors and load balancers, available even when the service is down. */

import Joi from 'joi';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { HEALTH } from '../../doip/result-schemas.js';
import { unavailable } from '../../errors/errors.js';
import { OPTIONAL_PARTS, type OptionalPart } from '../../health/startup-state.js';

const RETRY_SECONDS = 5;

/** Which question is asked. */
interface HealthAttributes {
    /** `live`: does the process respond? `ready`: should it be sent requests? */
    readonly check: 'live' | 'ready';
    /** Parts that a service that is ready need not have. */
    readonly exclude: readonly OptionalPart[];
}

export const health = defineOperation<HealthAttributes>({
    id: Op.health,
    summary: 'tell whether the process responds, or whether it should be sent requests',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    availableWhenDown: true,
    unlisted: true,
    attributes: Joi.object({
        check: Joi.string().valid('live', 'ready').default('ready'),
        exclude: Joi.array().items(Joi.string().valid(...OPTIONAL_PARTS)).single().default([])
    }),
    resultSchema: HEALTH,

    async handler({ services: { startup }, attributes: { check, exclude } }) {

        const reason = check === 'live' ? null : await startup.unreadiness(exclude);
        if (reason !== null) {
            throw unavailable(reason, RETRY_SECONDS);
        }

        return result.json({ status: 'UP' });
    }
});
