/**
 * `20.DOIP/Op.BatchUpload`: creates or updates many objects independently (specification: POST `/batchUpload`, DOIP "BatchUpload"). The
 * response has a result for each item, and is a success even when items were rejected.
 */

import Joi from 'joi';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { StoredObject } from '../../model/stored-object.js';
import { flag, text, withoutDryRun } from '../../core/attributes.js';
import { demandNoVersion, demandPreconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { badRequest, DoipError } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';
import { batchResults, DIGITAL_OBJECT, ERROR } from '../../doip/result-schemas.js';
import { Status } from '../../errors/status.js';
import { demand, denied } from '../../model/caller.js';
import { idOf, itemSegments, preconditionsOf } from '../../bulk/batch/batch-item.js';
import { bulkRecord } from '../../bulk/batch/batch-record.js';
import { mayRunCode } from '../../bulk/code-gate.js';
import { objectAnswer } from '../../objects/read/object-presenter.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';
import type { WriteContext } from '../../model/write-context.js';
import { demandType } from '../../objects/type-change.js';
import { readObjectInput, storing } from '../../objects/input/object-input.js';
import { type ObjectInput } from '../../model/object-input.js';
import type { OperationContext } from '../../core/operation-context.js';

interface BatchAttributes {
    readonly format?: string;
    readonly failFast: boolean;
    readonly parallel: boolean;
}

type BatchContext = OperationContext<BatchAttributes>;

/** Context for storing one item. */
type ItemContext = Pick<BatchContext, 'caller' | 'requestContext' | 'services' | 'signal'> & Pick<WriteContext, 'beforeWrite'>;

/** Maximum number of attempts when the object is created or deleted concurrently. */
const ATTEMPTS = 3;

export const batchUpload = defineOperation<BatchAttributes>({
    id: Op.batchUpload,
    summary: 'create or change many objects',
    target: 'service',
    authorise: admit,
    input: 'segments',
    storesEachItem: true,
    attributes: withoutDryRun(Joi.object<BatchAttributes>({
        format: text(), failFast: flag().default(false), parallel: flag().default(true)
    })),
    resultSchema: batchResults({ anyOf: [DIGITAL_OBJECT, ERROR] }),

    async handler(context) {

        const { attributes: { format, failFast, parallel }, log, services: { bulk } } = context;
        if (format !== undefined && format !== 'ndjson' && format !== 'json') {
            throw badRequest(`format must be ndjson or json, got ${format.slice(0, 40)}`);
        }

        const options = {
            ndjson: format === 'ndjson', failFast, parallel, log,
            isFoundation: (item: JsonObject) => isFoundation(context, item), runsCode: (item: JsonObject) => runsCode(context, item)
        };
        const outcome = await bulk.storeAll(context.rawInput, options, (item, beforeWrite) => storeAudited(context, item, beforeWrite));
        return { ...result.report(await bulkRecord(outcome), outcome.error), unaudited: true };
    }
});

/** Rejects anonymous callers who may not create objects of any type. */
function admit({ caller, services: { policy } }: BatchContext): void {

    if (caller.userId === null && policy.typesPermittedToCreate(caller).length === 0) {
        throw denied(caller, 'no type is open to anonymous callers');
    }
}

/** True for types and the design, which later items may depend on. */
function isFoundation({ services: { catalog } }: Pick<BatchContext, 'services'>, item: JsonObject): boolean {

    const { type } = item;
    const id = idOf(item) ?? '';
    return type === SCHEMA_TYPE || id === DESIGN_ID || type === undefined && catalog.current.schemaIds()[id] !== undefined;
}

/** True for an item for which type code may run. Without a type it is that of the stored object. */
async function runsCode({ services: { catalog, loader, scripts } }: BatchContext, item: JsonObject): Promise<boolean> {

    const id = idOf(item);
    const isUpdate = item['type'] === undefined && id !== undefined && catalog.current.codedNames().length > 0;
    // What fails here fails again when the item is stored.
    const type = isUpdate ? (await loader.find(id).catch(() => null))?.type : item['type'];
    return typeof type === 'string' && mayRunCode(scripts.lifecycle, type, { needsId: id === undefined });
}

/** Stores an item; one that is denied is recorded like a request. */
async function storeAudited(context: BatchContext, item: JsonObject, beforeWrite: ItemContext['beforeWrite']): Promise<JsonValue> {

    const { caller, targetId, requestContext, services, signal } = context;
    try {
        return await store({ caller: await context.currentCaller(), requestContext, services, signal, beforeWrite }, item);
    }
    catch (error) {
        if (caller.origin) {
            services.auditTrail?.denied({ caller, origin: caller.origin, targetId: idOf(item) ?? targetId }, error);
        }

        throw error;
    }
}

/** Creates the object of an item, or updates an existing one. */
async function store(context: ItemContext, item: JsonObject): Promise<JsonValue> {

    const id = idOf(item);
    for (let attempt = 1; ; ++attempt) {
        const stored = id === undefined ? null : await context.services.loader.find(id);
        try {
            const [answer] = objectAnswer(context, stored ? await change(context, stored, item) : await add(context, item));
            if (isFoundation(context, item)) {
                // Reads the epochs, which updates the catalog: the next items may not read anything that does.
                await context.services.reader.epochs();
            }

            return answer;
        }
        catch (error) {
            if (id === undefined || attempt === ATTEMPTS || !isConflict(error, stored)) {
                throw error;
            }
        }
    }
}

/** True when the object was created or deleted concurrently. */
function isConflict(error: unknown, stored: StoredObject | null): boolean {

    return error instanceof DoipError && error.status === (stored ? Status.notFound : Status.conflict);
}

async function add(context: ItemContext, item: JsonObject): Promise<StoredObject> {

    const { caller, beforeWrite, requestContext, services: { catalog, creation, policy, reader } } = context;
    if (idOf(item) !== undefined) {
        demandVisibleType(context, item);
    }

    const preconditions = preconditionsOf(item);
    const input = await read(context, item, async ({ type }) => {

        if (type === undefined) {
            throw badRequest('Missing object type');
        }

        catalog.checkComplete();
        demand(caller, policy.canCreate(caller, type));
        demandNoVersion(`object ${idOf(item) ?? 'without an id'}`, preconditions);
        if (!catalog.current.get(type)) {
            await reader.epochs();
        }

        catalog.require(type);
    });
    return storing(input, false, () => {

        // The type may have become known after the first check.
        demand(caller, policy.canCreate(caller, input.type ?? ''));
        demand(caller, policy.canGrantMethods(caller, { type: input.type ?? '', acl: input.acl ?? null, before: null }));
        return creation.create(input, { caller, beforeWrite, requestContext }, { isFree: true });
    });
}

/** Callers who may not create the object get the same error as for an existing object that they may not write. */
function demandVisibleType({ caller, services: { catalog, policy } }: ItemContext, { type }: JsonObject): void {

    catalog.checkComplete();
    demand(caller, typeof type === 'string' ? policy.canCreate(caller, type) : policy.canReadUnknown(caller));
}

async function change(context: ItemContext, stored: StoredObject, item: JsonObject): Promise<StoredObject> {

    const { caller, beforeWrite, requestContext, services: { objects, policy } } = context;
    demand(caller, policy.canWrite(caller, stored));
    const preconditions = preconditionsOf(item);
    demandPreconditions(stored, preconditions);
    const input = await read(context, item, ({ type }) => demandType(caller, policy, { from: stored.type, to: type }));
    return storing(input, false, () => objects.update(stored.id, { input }, {
        caller, beforeWrite, requestContext,
        check: (object) => {

            demand(caller, policy.canWrite(caller, object));
            demandPreconditions(object, preconditions);
            demandType(caller, policy, { from: object.type, to: input.type });
            demand(caller, policy.canGrantMethods(caller, { type: input.type ?? object.type, acl: input.acl ?? object.acl, before: object }));
        }
    }));
}

function read(context: ItemContext, item: JsonObject, beforeBytes: (input: ObjectInput) => Promise<void> | void): Promise<ObjectInput> {

    const { requestContext, services: { elements, limits }, signal } = context;
    return readObjectInput(itemSegments(item), {
        limits, beforeBytes,
        stage: (body, input) => elements.stage(body, { input, requestContext, signal, caller: context.caller.userId ?? '' })
    });
}
