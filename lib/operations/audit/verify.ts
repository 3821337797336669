/** `gateway/Op.Audit.Verify`: verifies the hash chain of the audit log, some hundred seals at a time. */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { COUNT, record, whole } from '../../doip/result-schemas.js';
import { badRequest } from '../../errors/errors.js';

interface VerifyAttributes {
    readonly from: number;
    readonly expect?: string;
}

export const verifyAudit = defineOperation<VerifyAttributes>({
    id: Op.auditVerify,
    summary: 'verify that the audit log was not changed',
    target: 'service',
    methods: ['POST'],
    readOnly: true,
    authorise: 'admin',
    attributes: Joi.object<VerifyAttributes>({
        from: Joi.number().integer().min(0).default(0).description('`next` of the result before; 0 for the first seal, for which all entries are sealed'),
        expect: text().description('a seal as it was seen before: its number, a colon and its hash')
    }),
    resultSchema: record({
        seals: COUNT, entries: COUNT, next: COUNT, problem: { type: 'string' }, head: whole({ seal: COUNT, hash: { type: 'string' } })
    }, ['seals', 'entries']),

    async handler({ attributes: { from, expect }, services: { auditLog, auditTrail } }) {

        const expected = expect === undefined ? null : readSeal(expect);
        if (from === 0) {
            await auditTrail?.flush();
            await auditLog.seal();
        }

        const { seals, entries, next, head, problem } = await auditLog.verify(from, expected);
        return result.json({
            seals, entries,
            ...next === null ? {} : { next },
            ...head ? { head: { ...head } } : {},
            ...problem === null ? {} : { problem }
        });
    }
});

function readSeal(given: string): { seal: number; hash: string } {

    const [, seal, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(given) ?? [];
    if (seal === undefined || hash === undefined) {
        throw badRequest('expect must be the number of a seal, a colon, and its hash of 64 hexadecimal digits');
    }

    return { seal: Number(seal), hash };
}
