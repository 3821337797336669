/**
 * Puts many objects in the place of those with their ids, or of all that there are (specification: POST `/uploadObjects`). All of
 * them or none: everything is looked at before the first is written, and nobody else writes meanwhile.
 */

import Joi from 'joi';
import { flag, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

interface UploadAttributes {
    readonly deleteCurrentObjects: boolean;
}

export const uploadObjects = defineOperation<UploadAttributes>({
    id: Op.uploadObjects,
    summary: 'create or replace many objects, all or none',
    target: 'service',
    authorise: 'admin',
    input: 'segments',
    unlisted: true,
    attributes: withoutDryRun(Joi.object<UploadAttributes>({ deleteCurrentObjects: flag().default(false) })),

    async handler({ attributes: { deleteCurrentObjects }, caller, rawInput, requestContext, services: { uploader }, signal }) {

        await uploader.upload(rawInput, { deleteCurrentObjects, caller, requestContext, signal });
        // Both words are in use among clients.
        return result.json({ msg: 'success', message: 'success' });
    }
});
