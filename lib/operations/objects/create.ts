/**
 * `0.DOIP/Op.Create`: stores a new object (specification: POST `/objects`, DOIP "Create").
 */

import Joi from 'joi';
import { flag, text } from '../../core/attributes.js';
import { demand, denied } from '../../model/caller.js';
import { tagged } from '../../core/entity-tags.js';
import { entityTagOf } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT } from '../../doip/result-schemas.js';
import { mustDeclare, readObjectInput, storing } from '../../objects/input/object-input.js';
import { createdAnswer } from '../../objects/read/object-presenter.js';
import { type ObjectInput } from '../../model/object-input.js';
import type { OperationContext } from '../../core/operation-context.js';

interface CreateAttributes {
    readonly dryRun: boolean;
    readonly suffix?: string;
}

export const create = defineOperation<CreateAttributes>({
    id: Op.create,
    aliases: ['Create'],
    summary: 'create an object',
    target: 'service',
    authorise: 'in-handler',
    input: 'segments',
    attributes: Joi.object<CreateAttributes>({ dryRun: flag().default(false), suffix: text() }),
    resultSchema: DIGITAL_OBJECT,

    async handler(context) {

        const { services: { creation, elements, limits, policy } } = context;
        const input = await readObjectInput(context.input, {
            limits,
            beforeBytes: (knownObject) => admit(context, knownObject),
            beforeType: () => admitAny(context),
            stage: (body, knownObject) => elements.stage(body, {
                input: knownObject, requestContext: context.latest().requestContext, signal: context.signal, caller: context.caller.userId ?? ''
            }),
            mustDeclare: mustDeclare(context.transport)
        });
        const { attributes: { dryRun, suffix }, requestContext } = context.latest();
        const stored = await storing(input, dryRun, async () => {

            const caller = await context.currentCaller();
            demand(caller, policy.canCreate(caller, input.type ?? ''));
            demand(caller, policy.canGrantMethods(caller, { type: input.type ?? '', acl: input.acl ?? null, before: null }));
            return creation.create(input, { caller, dryRun, requestContext }, { suffix: suffix || undefined });
        });
        const written = result.json(...createdAnswer(context, stored, dryRun));
        return dryRun ? written : { ...tagged(written, entityTagOf(stored)), createdId: stored.id };
    }
});

/** Rejects callers who may not create objects of any type. */
function admitAny({ caller, services: { catalog, policy } }: OperationContext<CreateAttributes>): void {

    catalog.checkComplete();
    if (policy.typesPermittedToCreate(caller).length === 0) {
        throw denied(caller, 'no type is open to the caller');
    }
}

/** Authorises as soon as the type is known, on which the right depends, and before any bytes are stored. */
function admit({ caller, services: { catalog, policy } }: OperationContext<CreateAttributes>, { type }: ObjectInput): void {

    if (type === undefined) {
        throw badRequest('Missing object type');
    }

    // Rights depend on types as well.
    catalog.checkComplete();
    demand(caller, policy.canCreate(caller, type));
    catalog.require(type);
}
