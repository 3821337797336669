/** Moves all payloads between the database and the bucket of `PAYLOAD_STORE`, in the background. */

import Joi from 'joi';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { COUNT, record, TEXT } from '../../doip/result-schemas.js';

interface MoveAttributes {
    readonly job?: number;
}

export const movePayloads = defineOperation<MoveAttributes>({
    id: Op.payloadsMove,
    summary: 'move payloads to the store where new ones are stored, and tell how far that is',
    target: 'service',
    authorise: 'admin',
    attributes: Joi.object<MoveAttributes>({ job: Joi.number().integer().min(1).description('number of a move, to tell only how far it is') }),
    resultSchema: record(
        { job: COUNT, state: { enum: ['running', 'done', 'failed'] }, moved: COUNT, bytes: COUNT, damaged: COUNT, error: TEXT },
        ['job', 'state', 'moved', 'bytes', 'damaged']
    ),

    async handler({ attributes: { job }, services: { moves } }) {

        return result.json(await moves.report(job ?? await moves.begin()));
    }
});
