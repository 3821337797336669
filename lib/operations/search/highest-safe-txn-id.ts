/**
 * `20.DOIP/Op.HighestSafeTxnIdForSearch`: the transaction number up to which search results are complete and final (specification: DOIP,
 * operations for the service).
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { COUNT, whole } from '../../doip/result-schemas.js';

export const highestSafeTxnId = defineOperation({
    id: Op.highestSafeTxnId,
    summary: 'return the watermark of the search index: the transaction number up to which every change is found',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'caller',
    resultSchema: whole({ txnId: COUNT }),

    async handler({ services: { highestSafeTxn } }) {

        return result.json({ txnId: await highestSafeTxn.highest() });
    }
});
