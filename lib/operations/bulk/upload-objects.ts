/**
 * Replaces the objects with the given ids, or all objects (specification: POST `/uploadObjects`). All or nothing: everything is validated
 * before the first write, and other writers are blocked meanwhile.
 */

import Joi from 'joi';
import { flag, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const uploadObjects = defineOperation<{ readonly deleteCurrentObjects: boolean }>({
    id: Op.uploadObjects,
    summary: 'create or replace many objects, all or none',
    target: 'service',
    authorise: 'admin',
    input: 'segments',
    unlisted: true,
    attributes: withoutDryRun(Joi.object({ deleteCurrentObjects: flag().default(false) })),
    resultSchema: constant({ msg: 'success', message: 'success' }),

    async handler(context) {

        const { attributes: { deleteCurrentObjects }, caller, rawInput, requestContext, services: { uploader }, signal } = context;
        await uploader.upload(rawInput, { deleteCurrentObjects, caller, requestContext, signal, currentCaller: () => context.currentCaller() });
        // Different clients read either member.
        return result.json({ msg: 'success', message: 'success' });
    }
});
