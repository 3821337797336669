/**
 * `20.DOIP/Op.HighestSafeTxnIdForSearch`: the transaction number up to which search results are complete and final (specification: DOIP,
 * operations for the service).
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const highestSafeTxnId = defineOperation({
    id: Op.highestSafeTxnId,
    summary: 'tell up to which transaction number everything is found',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'caller',

    async handler({ services: { safeNumber } }) {

        return result.json({ txnId: await safeNumber.highest() });
    }
});
