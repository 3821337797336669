/**
 * Methods of types and of the design: `gateway/Op.Call` (specification: GET and POST `/call`), and each method as an operation under its
 * own name.
 */

import Joi from 'joi';
import type { Operation, OperationResult } from '../../core/operation.js';
import type { DynamicOperation } from '../../core/operation-summary.js';
import type { OperationResolver, ResolvedOperation } from '../../core/registry.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { MethodCall } from '../../identity/access/access-policy.js';
import type { Decision } from '../../model/caller.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { FoundMethod, MethodAnswer, MethodSet } from '../../scripting/methods/methods.js';
import type { Services } from '../../core/services.js';
import { NULLABLE, text } from '../../core/attributes.js';
import { missingTarget } from '../../core/authorise.js';
import { demand } from '../../model/caller.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest, forbidden, notFound } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { Op } from '../../doip/operation-ids.js';
import { bytesSegment, sequence } from '../../doip/segments.js';
import { readMethodInput } from '../../scripting/methods/method-input.js';
import { DESIGN_TYPE } from '../../types/built-in-types.js';
import type { OperationContext } from '../../core/operation-context.js';
import type { Catalog } from '../../types/catalog.js';

interface CallAttributes {
    readonly type?: string;
    readonly method: string;
    readonly params?: JsonValue;
    readonly attributes: JsonObject;
}

/** Target of a call: its methods, and the object whose rights apply. */
interface Callee extends Omit<MethodCall, 'method'> {
    readonly object?: StoredObject | null;
    readonly methods: MethodSet;
    readonly since: Since;
}

/** When the object was read, and the rules then: its methods may take long to be found, as code is loaded for that. */
interface Since {
    readonly at: number;
    readonly rules: Catalog['current'];
}

/** The requested method and its arguments. */
interface MethodName {
    readonly name: string;
    readonly params: JsonValue | undefined;
    readonly attributes: JsonObject;
}

/** Time in ms after which the object is read again for its rights, as the code was loaded or the input came slowly. */
const OUTDATED_MS = 100;

/** Maximum size in bytes of the input of a method. */
const MAX_INPUT = 16 * 1024 * 1024;

export const call = defineOperation<CallAttributes>({
    id: Op.call,
    summary: 'call a method of an object, a type or the service',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    input: 'segments',
    unlisted: true,
    attributes: Joi.object<CallAttributes>({
        type: text(), method: text().required(), params: Joi.any().meta(NULLABLE), attributes: Joi.object().default({})
    }),
    outputs: ['json', 'bytes', 'none'],

    async handler(context) {

        const { attributes: { type, method, params, attributes }, targetId, services } = context;
        const callee = targetId !== services.serviceId ? await onObject(context) :
            type === undefined ? await onService(services) : await onType(services, type);
        return perform(context, callee, { name: method, params, attributes });
    }
});

/** Resolves the methods of a target as dynamic operations. */
export function methodResolver(services: () => Services): OperationResolver {

    const find = async (targetId: string): Promise<Callee | null> => {

        const offered = services();
        if (targetId === offered.serviceId) {
            return onService(offered);
        }

        const since = now(offered);
        const { object } = await offered.reader.view(targetId);
        return object && { kind: 'instance', type: object.type, object, methods: await offered.scripts.methods.asOperations(object), since };
    };

    const ofType = async (type: string): Promise<Callee | null> => {

        const offered = services();
        return offered.catalog.current.get(type) ? onType(offered, type) : null;
    };

    return {
        async resolve(operationId, targetId, calledType) {

            const callee = calledType === null ? await find(targetId) : await ofType(calledType);
            return callee ? operationIn(callee, operationId) : undefined;
        },
        async list(targetId, caller) {

            const { policy } = services();
            const { methods, object = null } = await find(targetId) ?? {};
            return (methods?.found ?? []).filter(({ kind, type, name }) => policy.canCall(caller, { kind, type, method: name, object }).allowed).map(dynamic);
        }
    };
}

function dynamic({ name, allowGet, description }: FoundMethod): DynamicOperation {

    const { params, ...more } = description ?? {};
    return { id: name, methods: allowGet ? ['GET', 'POST'] : ['POST'], ...more, ...params === undefined ? {} : { input: params } };
}

/** Returns the method of a name as an operation; while code cannot be loaded that may have it, one that says so to those who may call it. */
function operationIn(callee: Callee, name: string): ResolvedOperation | undefined {

    const { found, unloadable: [failed] } = callee.methods;
    const method = found.find((candidate) => candidate.name === name);
    return method ? operationOf(method, callee) : failed && { ...operationOf({ ...failed, name }, callee), isLastResort: true };
}

function operationOf({ name, kind, type, unit }: Pick<FoundMethod, 'name' | 'kind' | 'type' | 'unit'>, callee: Callee): Operation {

    return {
        id: name,
        summary: `call a method of ${unit.label}`,
        target: 'any',
        // Whether GET is allowed is decided after the caller was authorised.
        methods: ['GET', 'POST'],
        authorise: 'in-handler',
        input: 'segments',

        handler(context) {

            const { attributes } = context;
            const isInput = context.isSafe && context.services.catalog.current.design.useLegacyAttributesAsInputForDoipGet;
            return perform(context, { ...callee, kind, type }, { name, params: attributes['params'] ?? (isInput ? attributes : undefined), attributes });
        }
    };
}

async function perform(context: OperationContext<object>, callee: Callee, { name, params, attributes }: MethodName): Promise<OperationResult> {

    const { requestContext, isSafe, services: { catalog, policy, scripts } } = context;
    let { caller } = context;
    const { kind, type, methods, since } = callee;
    const object = callee.object ?? null;
    // The type of the object may change before the call starts.
    const ruling = (current: StoredObject | null): string => (kind === 'instance' && current ? current.type : type);
    const decide = (current: StoredObject | null): Decision => policy.canCall(caller, { kind, type: ruling(current), method: name, object: current });
    let decision = decide(object);
    demand(caller, decision);
    const method = scripts.methods.require(methods, { name, kind, caller });
    const isReadOnly = caller.apiKey?.readOnly === true;
    if (isReadOnly && !method.allowGet) {
        throw forbidden(`the API key is read-only: method ${name} may change things`);
    }

    const input = await readMethodInput(context.input, { attributes, params, limit: MAX_INPUT });
    caller = await context.currentCaller();
    const mayBeOutdated = performance.now() - since.at >= OUTDATED_MS || catalog.current !== since.rules;
    const check = (current: StoredObject | null): void => {

        decision = decide(current);
        demand(caller, decision);
    };

    const answered = await scripts.methods.call(method, object, input, { caller, requestContext, isSafe: isSafe || isReadOnly, mayBeOutdated, check });
    return method.allowGet && !answered.mayChange ? answer(answered) : { ...answer(answered), changedBy: `method ${name}: ${decision.reason}` };
}

function answer(returned: MethodAnswer): OperationResult {

    if ('value' in returned) {
        return returned.value === undefined ? result.empty() : result.json(returned.value);
    }

    if ('text' in returned) {
        return result.jsonText(returned.text);
    }

    const { bytes, mediaType = 'application/octet-stream', filename } = returned.output;
    const output = sequence({ ...bytesSegment(bytes), isWhole: true });
    return result.segments(output, { mediaType, ...filename === undefined ? {} : { filename }, size: bytes.byteLength });
}

async function onObject(context: OperationContext<CallAttributes>): Promise<Callee> {

    const { attributes, services } = context;
    const since = now(services);
    if (attributes.type !== undefined) {
        throw badRequest('attribute type names the type of a static method, which is called on the service');
    }

    if (!context.hasTarget) {
        throw missingTarget(context);
    }

    const { target } = context;
    return { kind: 'instance', type: target.type, object: target, methods: await services.scripts.methods.onObject(target), since };
}

async function onService(services: Services): Promise<Callee> {

    const { reader, scripts } = services;
    const since = now(services);
    const { object } = await reader.view(DESIGN_ID);
    return { kind: 'service', type: DESIGN_TYPE, object, methods: await scripts.methods.onService(), since };
}

async function onType(services: Services, type: string): Promise<Callee> {

    const { catalog, reader, scripts } = services;
    const since = now(services);
    const definition = catalog.current.get(type);
    if (!definition) {
        throw notFound(`Unknown type ${type}`);
    }

    const object = definition.schemaId === null ? null : (await reader.view(definition.schemaId)).object;
    return { kind: 'static', type, object, methods: await scripts.methods.onType(type), since };
}

function now({ catalog }: Services): Since {

    return { at: performance.now(), rules: catalog.current };
}
