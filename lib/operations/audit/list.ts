/** `gateway/Op.Audit.List`: entries of the audit log, newest first. */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { SERVICE_ALIAS } from '../../doip/ids.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, COUNT, IDS, record, TEXT } from '../../doip/result-schemas.js';
import { AUDIT_OUTCOMES, type AuditOutcome } from '../../audit/audit-entry.js';

interface ListAttributes {
    readonly userId?: string;
    readonly objectId?: string;
    readonly operation?: string;
    readonly outcome?: AuditOutcome;
    readonly from?: number;
    readonly to?: number;
    readonly before?: number;
    readonly pageSize: number;
}

const MAX_PAGE = 1000;

const time = (): Joi.NumberSchema => Joi.number().integer().min(0);

export const listAudit = defineOperation<ListAttributes>({
    id: Op.auditList,
    summary: 'list entries of the audit log',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'admin',
    attributes: Joi.object<ListAttributes>({
        userId: text().description('id of the user who acted, also as another one; admin for the administrator'),
        objectId: text().description('id of the object, or of the service'),
        operation: text().description('operation id'),
        outcome: Joi.string().valid(...AUDIT_OUTCOMES),
        from: time().description('time of the first entry, in epoch ms'),
        to: time().description('time of the last entry, in epoch ms'),
        before: Joi.number().integer().min(1).description('`next` of the page before'),
        pageSize: Joi.number().integer().min(1).max(MAX_PAGE).default(100)
    }),
    resultSchema: record({
        entries: arrayOf(record({
            id: COUNT, at: COUNT, outcome: { enum: [...AUDIT_OUTCOMES] }, operation: TEXT, object: TEXT, type: TEXT, txnId: COUNT,
            formerTxnId: { type: ['integer', 'null'] }, parts: IDS, versionOf: TEXT, user: { type: ['string', 'null'] }, actor: { type: ['string', 'null'] },
            subject: TEXT, key: TEXT, token: TEXT, method: TEXT, apiKey: TEXT, rule: TEXT, address: TEXT, protocol: TEXT, request: TEXT, count: COUNT
        }, ['id', 'at', 'outcome', 'user'])),
        next: COUNT
    }, ['entries']),

    async handler({ attributes: { operation: operationId, pageSize: limit, objectId, ...filter }, services }) {

        const { auditLog, auditTrail, serviceId } = services;
        await auditTrail?.flush();
        const { entries, next } = await auditLog.find({ ...filter, objectId: objectId === SERVICE_ALIAS ? serviceId : objectId, operationId, limit });
        return result.json({ entries, ...next === null ? {} : { next } });
    }
});
