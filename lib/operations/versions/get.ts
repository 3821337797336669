/**
 * `20.DOIP/Op.Versions.Get`: the versions of an object (specification: GET `/versions`, DOIP "Versions.Get"). For a version it lists the
 * whole family; versions that the caller may not read are left out.
 */

import { missingTarget } from '../../core/authorise.js';
import { demand } from '../../model/caller.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { RecordOutput } from '../../doip/record-output.js';
import { arrayOf, VERSION } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';
import { startingWith } from '../../util/streams/starting-with.js';
import type { IsVisible } from '../../versions/version-service.js';

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

        const { caller, hasTarget, targetId, services: { policy, versions }, signal } = context;
        if (hasTarget) {
            demand(caller, policy.canRead(caller, context.target));
        }

        const member = hasTarget ? context.target : { id: targetId };
        const visibility = async (): Promise<IsVisible> => {

            const current = await context.currentCaller();
            return (entry) => policy.canRead(current, entry).allowed;
        };

        const records = versions.list(member, { visibility, signal });
        const first = await records.next();
        if (!hasTarget && first.done === true) {
            throw missingTarget(context);
        }

        const output = await RecordOutput.open({ isList: true, after: {}, blocks: startingWith(first, records) });
        return result.segments(output, hasTarget ? objectAttributes(context, context.target) : {});
    }
});
