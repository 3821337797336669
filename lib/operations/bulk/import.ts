/**
 * Imports the output of `gateway/Op.Export`. Objects that already exist unchanged are skipped, so that an interrupted import can be
 * repeated, and those that were changed here later are rejected. The response has counts and the rejected objects.
 */

import Joi from 'joi';
import { bulkRecord } from '../../bulk/batch/batch-record.js';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { batchResults, COUNT, ERROR } from '../../doip/result-schemas.js';

interface ImportAttributes {
    readonly replace: boolean;
}

export const importObjects = defineOperation<ImportAttributes>({
    id: Op.importObjects,
    summary: 'restore objects with their metadata and payloads',
    target: 'service',
    authorise: 'admin',
    attributes: Joi.object<ImportAttributes>({
        // Stores also what is older than what is here.
        replace: flag().default(false)
    }),
    input: 'segments',
    storesEachItem: true,
    unlisted: true,
    resultSchema: batchResults(ERROR, { created: COUNT, updated: COUNT, unchanged: COUNT }),

    async handler(context) {

        const { attributes: { replace }, caller, log, rawInput, requestContext, services: { bulk, transfer }, signal } = context;
        const importing = { caller, replacesNewer: replace, requestContext, signal, currentCaller: () => context.currentCaller() };
        const counts = { created: 0, updated: 0, unchanged: 0 };
        const outcome = await bulk.run({ parallel: true, failFast: false, log }, (batch) => {

            const options = { ndjson: true, itemEnded: () => batch.itemEnded() };
            return bulk.source.read(rawInput, options, (items) => transfer.importer.run(items, batch, importing, counts));
        });
        return result.report(await bulkRecord(outcome, { ...counts }), outcome.error);
    }
});
