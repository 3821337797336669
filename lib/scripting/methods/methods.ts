/**
 * Methods of types and of the design (interface specification, "POST /call", "GET /listMethods"): lists and calls them. Access
 * is checked by the operation.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { MethodCall, Policy } from '../../identity/access/access-policy.js';
import { toHookObject } from '../../objects/hooks/hook-object.js';
import type { DirectOutput, HookObject } from '../../objects/hooks/lifecycle.js';
import type { ObjectService } from '../../objects/object-service.js';
import type { ObjectReader } from '../../objects/read/object-reader.js';
import type { StoredObject } from '../../model/stored-object.js';
import { NO_SCRIPT } from '../../model/write-context.js';
import type { Catalog } from '../../types/catalog.js';
import { badRequest, missingObject, notFound } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { SERVICE, type Caller } from '../../model/caller.js';
import { DESIGN_TYPE } from '../../types/built-in-types.js';
import { typeNameOf } from '../../types/catalog-participant.js';
import { contextOf, objectContext } from '../invoker/hook-context.js';
import type { ScriptInvoker } from '../invoker/script-invoker.js';
import type { ScriptFailure } from '../protocol/script-error.js';
import type { ScriptResult } from '../protocol/script-result.js';
import type { EntryModule } from '../protocol/program.js';
import type { MethodDescription } from '../program/method-description.js';
import { OWN_KEY, type InvocationContext } from '../protocol/invocation-context.js';
import { outputOf } from '../protocol/script-result.js';

/** A method and where it is defined. */
export interface FoundMethod {
    readonly kind: MethodCall['kind'];
    /** Name of the type whose access rules apply. */
    readonly type: string;
    readonly name: string;
    readonly unit: EntryModule;
    readonly group: 'methods' | 'staticMethods';
    /** True if it may be called by GET. */
    readonly allowGet: boolean;
    /** What its code says about it; null for nothing. */
    readonly description: MethodDescription | null;
}

/** Code that cannot be loaded, so that it is not known which methods it has. */
export interface UnloadableCode extends Pick<FoundMethod, 'kind' | 'type' | 'unit'> {
    readonly failure: ScriptFailure;
}

/** The methods of a target, with the code that may have further ones. */
export interface MethodSet {
    readonly found: readonly FoundMethod[];
    readonly unloadable: readonly UnloadableCode[];
}

/** Input of a method. */
export interface MethodInput {
    readonly params: JsonValue | undefined;
    readonly attributes: JsonObject;
    /** Null if nothing was sent. */
    readonly direct: { readonly bytes: Uint8Array; readonly filename?: string | undefined; readonly mediaType?: string | undefined } | null;
}

/** Context of a method call. */
export interface MethodContext extends Pick<InvocationContext, 'caller' | 'requestContext'> {
    /** True for a GET: changes of the method to its object are not stored. */
    readonly isSafe: boolean;
    /** True if the object was read a while ago, as the input came slowly. */
    readonly mayBeOutdated: boolean;
    /** Repeats the access check while the object is locked, and when the code that runs is chosen. */
    readonly check: (object: StoredObject | null) => void;
}

/**
 * Result of a method: a value, undefined for none, the JSON text of a long one, or output written through `directIo`; and whether the code that ran
 * may change things.
 */
export type MethodAnswer = ({ readonly value: JsonValue | undefined } | { readonly text: string } | { readonly output: DirectOutput }) & {
    readonly mayChange: boolean;
};

/** What a run of a method gave. */
interface MethodRun {
    readonly result: ScriptResult;
    readonly mayChange: boolean;
    /** True if the code gets and returns the content of the object alone. */
    readonly isContentOnly: boolean;
}

const INTERNAL: InvocationContext = { caller: SERVICE, requestContext: {}, chain: NO_SCRIPT, isDryRun: false, callerKey: OWN_KEY };

/** Finds and calls methods. */
export class Methods {

    readonly #invoker: ScriptInvoker;
    readonly #policy: Policy;
    readonly #catalog: Catalog;
    readonly #services: () => { readonly objects: ObjectService; readonly reader: ObjectReader };

    constructor(parts: {
        invoker: ScriptInvoker; policy: Policy; catalog: Catalog; services: () => { readonly objects: ObjectService; readonly reader: ObjectReader };
    }) {

        this.#invoker = parts.invoker;
        this.#policy = parts.policy;
        this.#catalog = parts.catalog;
        this.#services = parts.services;
    }

    /** Returns the instance or static methods of a type. */
    ofType(type: string, group: FoundMethod['group']): Promise<MethodSet> {

        return this.#of(this.#invoker.scripts.unitOf(type), { kind: group === 'methods' ? 'instance' : 'static', type, group });
    }

    /** Returns the methods of an object, which are those of its type; for the design object also those of the design. */
    async onObject(object: StoredObject): Promise<MethodSet> {

        const methods = await this.#of(this.#invoker.scripts.unitOf(object.type), { kind: 'instance', type: object.type, group: 'methods' });
        return object.id === DESIGN_ID ? union(methods, await this.onService()) : methods;
    }

    /** Returns the methods of the service, which the code of the design exports. */
    async onService(): Promise<MethodSet> {

        const { design } = this.#invoker.scripts;
        const source = { kind: 'service', type: DESIGN_TYPE } as const;
        return union(await this.#of(design, { ...source, group: 'methods' }), await this.#of(design, { ...source, group: 'staticMethods' }));
    }

    /** Returns the static methods of a type. */
    onType(type: string): Promise<MethodSet> {

        return this.#of(this.#invoker.scripts.unitOf(type), { kind: 'static', type, group: 'staticMethods' });
    }

    /** Returns the methods of an object that are offered as operations; for a Schema object also the static methods of the type it defines. */
    async asOperations(object: StoredObject): Promise<MethodSet> {

        const type = typeNameOf(object);
        const methods = await this.onObject(object);
        return type === null ? methods : union(await this.onType(type), methods);
    }

    /**
     * Calls a method.
     *
     * @param object the object of an instance method; the design object for a method of the service
     * @throws DoipError thrown by the method, or 400 for a GET that it does not allow
     */
    async call(method: FoundMethod, object: StoredObject | null, input: MethodInput, invocation: MethodContext): Promise<MethodAnswer> {

        demandAllowed(method, { isSafe: invocation.isSafe, mayChange: !method.allowGet });
        const isStatic = method.group === 'staticMethods';
        if (isStatic || invocation.isSafe) {
            const now = object && invocation.mayBeOutdated ? (await this.#services().reader.view(object.id)).object : object;
            const started = { ...invocation, atStart: () => invocation.check(now), chain: NO_SCRIPT, isDryRun: false };
            return answerOf(isStatic ? await this.#run(method, null, input, started) : await this.#onView({ method, object, now }, input, started));
        }

        if (!object) {
            throw new Error(`method ${method.name} needs an object`);
        }

        const { caller, requestContext, check } = invocation;
        return this.#services().objects.callOn(object.id, { caller, requestContext, check }, async (current, chain) => {

            const currentMethod = current.type === object.type ? method : await this.#ofType(current, method, caller);
            const atStart = (): void => check(current);
            const run = await this.#run(currentMethod, hookObjectOf(current), input, { ...invocation, atStart, chain, isDryRun: false });
            return { answer: answerOf(run), object: edited(run, current) };
        });
    }

    /**
     * Returns a method by name.
     *
     * @throws DoipError 404 if there is none, 500 or what the code has thrown if it cannot be loaded
     */
    require({ found, unloadable: [failed] }: MethodSet, { name, kind, caller }: Pick<FoundMethod, 'name' | 'kind'> & { readonly caller: Caller }): FoundMethod {

        const method = found.find((candidate) => candidate.name === name);
        if (!method) {
            throw failed ? this.#invoker.unloadable(failed.unit, failed.failure, { caller }) : unknown(name, kind);
        }

        return method;
    }

    /** Runs a method on an object that it does not change. */
    async #onView(
        { method, object, now }: { readonly method: FoundMethod; readonly object: StoredObject | null; readonly now: StoredObject | null },
        input: MethodInput, invocation: InvocationContext & Pick<MethodContext, 'isSafe'>
    ): Promise<MethodRun> {

        if (!now) {
            throw object ? missingObject(object.id) : new Error(`method ${method.name} needs an object`);
        }

        return await this.#run(now.type === object?.type ? method : await this.#ofType(now, method, invocation.caller), hookObjectOf(now), input, invocation);
    }

    /** Returns the method of the same name in the current type of an object. */
    async #ofType(object: StoredObject, { name, kind }: FoundMethod, caller: Caller): Promise<FoundMethod> {

        return this.require(await this.onObject(object), { name, kind, caller });
    }

    async #of(unit: EntryModule | null, source: Pick<FoundMethod, 'kind' | 'type' | 'group'>): Promise<MethodSet> {

        if (!unit) {
            return { found: [], unloadable: [] };
        }

        const description = await this.#invoker.describe(unit, INTERNAL);
        const { kind, type, group } = source;
        return {
            found: [...description[group]].map(([name, facts]) => ({ ...source, ...facts, name, unit })),
            unloadable: description.failure ? [{ kind, type, unit, failure: description.failure }] : []
        };
    }

    async #run(
        method: FoundMethod, object: HookObject | null, input: MethodInput, given: InvocationContext & Pick<MethodContext, 'isSafe'>
    ): Promise<MethodRun> {

        const { params, attributes, direct } = input;
        const { caller, requestContext } = given;
        const isContentOnly = object !== null && this.#catalog.current.design.useLegacyContentOnlyJavaScriptHooks;
        const source = {
            caller, requestContext,
            members: {
                method: method.name,
                isNew: false,
                ...params === undefined ? {} : { params },
                attributes,
                hasUserObject: await this.#hasUserObject(caller),
                ...isContentOnly ? { useLegacyContentOnlyJavaScriptHooks: true } : {}
            }
        };
        let mayChange = true;
        const invocation = {
            ...given,
            atStart: () => {

                given.atStart?.();
                const allowsGet = this.#allowsGet(method);
                mayChange = allowsGet !== true;
                demandAllowed(method, { isSafe: given.isSafe, mayChange: allowsGet === false });
            }
        };
        const result = await this.#invoker.call({
            unit: method.unit, path: [method.group, method.name],
            args: object === null ? [] : [isContentOnly ? object.content : object as unknown as JsonObject],
            context: object === null ? contextOf(source) : objectContext(source, object, this.#policy),
            takes: object === null ? 'returned' : 'both', keepsText: true,
            directIo: { input: direct }, invocation, rejectionStatus: 400, about: object?.id
        });
        if (!result) {
            throw unknown(method.name, method.kind);
        }

        return { result, mayChange, isContentOnly };
    }

    /** True if the method of the current code, which may be a later one than the method was found in, may be called by GET; null if there is none. */
    #allowsGet({ unit, group, name }: FoundMethod): boolean | null {

        const now = this.#invoker.scripts.currentOf(unit);
        return (now && this.#invoker.cached(now)?.[group].get(name)?.allowGet) ?? null;
    }

    /** True if the caller has a user object; callers authenticated by a hook, or impersonated by an administrator, may have none. */
    async #hasUserObject({ userId, isAuthenticated }: Caller): Promise<boolean> {

        return userId !== null && isAuthenticated && (await this.#services().reader.view(userId)).object !== null;
    }
}

/** Returns the object as the method left it. */
function edited({ result: { object: value }, isContentOnly }: MethodRun, before: StoredObject): JsonValue | undefined {

    return value !== undefined && isContentOnly ? { ...hookObjectOf(before) as unknown as JsonObject, content: value } : value;
}

/** Throws for a GET of a method that may change things. @throws DoipError 400 */
function demandAllowed({ name }: FoundMethod, { isSafe, mayChange }: { readonly isSafe: boolean; readonly mayChange: boolean }): void {

    if (isSafe && mayChange) {
        throw badRequest(`method ${name} may change things: use POST instead of GET`);
    }
}

function unknown(name: string, kind: FoundMethod['kind']): Error {

    return notFound(`Schema does not have a ${kind === 'static' ? 'static ' : ''}method called ${name}`);
}

function hookObjectOf(object: StoredObject): HookObject {

    return toHookObject(object, object.metadata);
}

/** Returns the methods of both without duplicates; of the same name, the first one counts. */
function union(one: MethodSet, other: MethodSet): MethodSet {

    const byName = new Map<string, FoundMethod>();
    for (const method of [...one.found, ...other.found]) {
        if (!byName.has(method.name)) {
            byName.set(method.name, method);
        }
    }

    return { found: [...byName.values()], unloadable: [...one.unloadable, ...other.unloadable] };
}

/** Returns the result of a method. Written output takes precedence over the return value. */
function answerOf({ result: { returned, text, output }, mayChange }: MethodRun): MethodAnswer {

    return { mayChange, ...output && output.bytes.length > 0 ? { output: outputOf(output) } : text === null ? { value: returned } : { text } };
}

