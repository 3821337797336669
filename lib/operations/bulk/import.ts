/**
 * Reads what `gateway/Op.Export` has written. Objects that are there already, exactly so, are passed over: an import that was
 * interrupted is repeated. The answer counts objects and lists those that were refused.
 */

import { wholeRecord } from '../../bulk/batch/batch-record.js';
import { defineOperation } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { Status } from '../../errors/status.js';

export const importObjects = defineOperation({
    id: Op.importObjects,
    summary: 'restore objects with their metadata and payloads',
    target: 'service',
    authorise: 'admin',
    input: 'segments',
    storesEachItem: true,
    unlisted: true,

    async handler({ caller, log, rawInput, requestContext, services: { bulk, transfer }, signal }) {

        const counts = { created: 0, updated: 0, unchanged: 0 };
        const outcome = await bulk.run({ parallel: true, failFast: false, log }, (batch) => {

            return bulk.source.read(rawInput, true, (items) => transfer.importer.run(items, batch, { caller, requestContext, signal }, counts));
        });
        const { fault } = outcome;
        return {
            status: fault?.status ?? Status.ok,
            attributes: fault ? { message: fault.message, report: true } : {},
            output: wholeRecord(outcome, { ...counts })
        };
    }
});
