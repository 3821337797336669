/**
 * `20.DOIP/Op.Versions.Publish`: stores a copy of the current object under an id of its own (specification: POST `/versions`, DOIP
 * "Versions.Publish").
 */

import Joi from 'joi';
import { flag, text, texts, withoutDryRun } from '../../core/attributes.js';
import { demand } from '../../model/caller.js';
import { demandPreconditions, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { VERSION } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';

interface PublishAttributes extends Pick<Preconditions, 'ifMatch'> {
    readonly versionId?: string;
    readonly clonePayloads: boolean;
}

export const publishVersion = defineOperation<PublishAttributes>({
    id: Op.versionsPublish,
    summary: 'publish a version of an object',
    target: 'object',
    authorise: 'writer',
    attributes: withoutDryRun(Joi.object({ versionId: text(), clonePayloads: flag().default(true), ifMatch: texts() })),
    resultSchema: VERSION,

    async handler({ caller, target, requestContext, attributes, services }) {

        const { versionId, clonePayloads } = attributes;
        const { policy, versions } = services;
        const record = await versions.publish(target.id, { versionId, withElements: clonePayloads }, {
            caller, requestContext,
            check: (tip) => {

                demand(caller, policy.canWrite(caller, tip));
                demandPreconditions(tip, attributes);
            }
        });
        const published = result.json(record, objectAttributes({ caller, services }, target));
        return typeof record['id'] === 'string' ? { ...published, createdId: record['id'] } : published;
    }
});
