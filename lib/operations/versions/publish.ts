/**
 * `20.DOIP/Op.Versions.Publish`: stores a copy of the current object under an id of its own (specification: POST `/versions`, DOIP
 * "Versions.Publish").
 */

import Joi from 'joi';
import { flag, text, withoutDryRun } from '../../core/attributes.js';
import { demand } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { VERSION } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';

export const publishVersion = defineOperation<{ readonly versionId?: string; readonly clonePayloads: boolean }>({
    id: Op.versionsPublish,
    summary: 'publish a version of an object',
    target: 'object',
    authorise: 'writer',
    attributes: withoutDryRun(Joi.object({ versionId: text(), clonePayloads: flag().default(true) })),
    resultSchema: VERSION,

    async handler({ caller, target, requestContext, attributes: { versionId, clonePayloads }, services }) {

        const { policy, versions } = services;
        const record = await versions.publish(target.id, { versionId, withElements: clonePayloads }, {
            caller, requestContext,
            check: (tip) => demand(caller, policy.canWrite(caller, tip))
        });
        const published = result.json(record, objectAttributes({ caller, services }, target));
        return typeof record['id'] === 'string' ? { ...published, createdId: record['id'] } : published;
    }
});
