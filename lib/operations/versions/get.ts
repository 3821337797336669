/**
 * `20.DOIP/Op.Versions.Get`: the versions of an object (specification: GET `/versions`, DOIP "Versions.Get"). For a version it lists the
 * whole family; versions that the caller may not read are left out.
 */

import { missingTarget } from '../../core/authorise.js';
import { demand } from '../../model/caller.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, VERSION } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';

export const getVersions = defineOperation({
    id: Op.versionsGet,
    summary: 'list the versions of an object',
    target: 'object',
    readOnly: true,
    authorise: 'in-handler',
    // Versions outlive their object.
    targetMayBeGone: true,
    resultSchema: arrayOf(VERSION),

    async handler(context) {

        const { caller, hasTarget, targetId, services: { policy, versions } } = context;
        if (hasTarget) {
            demand(caller, policy.canRead(caller, context.target));
        }

        const member = hasTarget ? context.target : { id: targetId };
        const records = await versions.list(member, (entry) => policy.canRead(caller, entry).allowed);
        if (!hasTarget && records.length === 0) {
            throw missingTarget(context);
        }

        return result.json(records, hasTarget ? objectAttributes(context, context.target) : {});
    }
});
