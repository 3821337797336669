/**
 * The schema of one type (specification: GET `/schemas/<type>`). Public. Tagged with the transaction number of its Schema object.
 */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { tagged } from '../../core/entity-tags.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';
import { TYPE_SCHEMA } from '../../doip/result-schemas.js';

export const getSchema = defineOperation<{ type: string }>({
    id: Op.schemasGet,
    summary: 'read the schema of a type',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    attributes: Joi.object<{ type: string }>({ type: text().required() }),
    resultSchema: TYPE_SCHEMA,

    async handler({ attributes: { type }, services: { catalog } }) {

        const definition = catalog.current.get(type);
        if (!definition) {
            throw notFound(`Unknown type ${type}`);
        }

        const txnId = catalog.txnIdOf(type);
        return tagged(result.json(definition.schema), txnId === null ? null : String(txnId));
    }
});
