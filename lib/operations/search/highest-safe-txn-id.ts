/**
 * `20.DOIP/Op.HighestSafeTxnIdForSearch`: tells up to which transaction number searches know everything for good (specification:
 * DOIP, operations for the service).
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
