/**
 * `0.DOIP/Op.Update`: replaces the content of an object or part of it, its access control list, user metadata and elements (specification:
 * PUT `/objects/<id>`, DELETE with `jsonPointer` or `payload`, DOIP "Update").
 */

import Joi from 'joi';
import { flag, text, texts } from '../../core/attributes.js';
import { demand } from '../../model/caller.js';
import { tagged, withPreconditions } from '../../core/entity-tags.js';
import { demandPreconditions, entityTagOf, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT } from '../../doip/result-schemas.js';
import { checkElementName } from '../../objects/input/field-validation.js';
import { mustDeclare, readObjectInput, storing } from '../../objects/input/object-input.js';
import { demandType } from '../../objects/type-change.js';
import { objectAnswer } from '../../objects/read/object-presenter.js';

interface UpdateAttributes extends Preconditions {
    readonly dryRun: boolean;
    readonly jsonPointer?: string;
    readonly deletePointer?: string;
    readonly elementsToDelete: readonly string[];
}

export const update = defineOperation<UpdateAttributes>({
    id: Op.update,
    aliases: ['Update'],
    summary: 'replace the content, rights or elements of an object',
    target: 'object',
    authorise: 'writer',
    input: 'segments',
    attributes: withPreconditions(Joi.object<UpdateAttributes>({
        dryRun: flag().default(false),
        jsonPointer: text(),
        deletePointer: text(),
        elementsToDelete: texts().default([])
    })).oxor('jsonPointer', 'deletePointer'),
    resultSchema: DIGITAL_OBJECT,

    async handler(context) {

        const { services: { objects, elements, limits, policy }, target } = context;
        // Known to fail before any bytes are read
        demandPreconditions(target, context.attributes);
        const input = await readObjectInput(context.input, {
            limits,
            beforeBytes: ({ type }) => demandType(context.caller, policy, { from: target.type, to: type }),
            stage: (body, knownObject) => elements.stage(body, {
                input: { ...knownObject, id: target.id, type: knownObject.type ?? target.type },
                requestContext: context.latest().requestContext, signal: context.signal, caller: context.caller.userId ?? ''
            }),
            mustDeclare: mustDeclare(context.transport)
        });
        const { attributes, requestContext } = context.latest();
        input.elementsToDelete.push(...attributes.elementsToDelete.map((name) => checkElementName(name, limits)));
        const { dryRun } = attributes;
        const stored = await storing(input, dryRun, async () => {

            const caller = await context.currentCaller();
            return objects.update(target.id, { ...attributes, input, allowTypeChange: context.allowTypeChange }, {
                caller, dryRun, requestContext,
                check: (object) => {

                    demand(caller, policy.canWrite(caller, object));
                    demandPreconditions(object, attributes);
                    demandType(caller, policy, { from: object.type, to: input.type });
                    demand(caller, policy.canGrantMethods(caller, { type: input.type ?? object.type, acl: input.acl ?? object.acl, before: object }));
                }
            });
        });
        return tagged(result.json(...objectAnswer(context, stored)), dryRun ? null : entityTagOf(stored));
    }
});
