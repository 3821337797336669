/**
 * Registry of the operations of one gateway: by id and alias, with the list for ListOperations. Errors in declarations are
 * reported at registration, not at the first call.
 */

import Joi from 'joi';
import type { Caller } from '../model/caller.js';
import type { Operation } from './operation.js';
import type { DynamicOperation } from './operation-summary.js';
import { OUTPUT_KINDS } from './operation-summary.js';

/** An operation that depends on the target. */
export interface ResolvedOperation extends Operation {
    /** True for one that only says why it is not known whether there is such an operation: those of other resolvers take precedence. */
    readonly isLastResort?: boolean;
}

/** Provides operations that depend on the target, such as the methods of its type. */
export interface OperationResolver {
    /**
     * Returns an operation on a target; undefined if there is none.
     *
     * @param calledType the type that a request with `isCallForType` names as its target, for a static method; the target is its Schema object then,
     *   or the name itself if the type has none. Null for all other requests
     */
    resolve(operationId: string, targetId: string, calledType: string | null): Promise<ResolvedOperation | undefined>;
    /** Returns the operations on a target that a caller may perform: their ids, or more about them. */
    list(targetId: string, caller: Caller): Promise<readonly (string | DynamicOperation)[]>;
}

const RESERVED_PREFIXES = ['0.DOIP/', '20.DOIP/', 'gateway/'];

const schema = Joi.object({
    id: Joi.string().pattern(/^[^/\s]+\/\S+$/, 'prefix/suffix').max(255).required(),
    aliases: Joi.array().items(Joi.string().min(2).max(255)),
    summary: Joi.string().required(),
    target: Joi.valid('service', 'object', 'any').required(),
    readOnly: Joi.boolean(),
    storesEachItem: Joi.boolean(),
    methods: Joi.array().items(Joi.valid('GET', 'POST')).min(1).unique(),
    authorise: Joi.alternatives(
        Joi.valid('anyone', 'caller', 'admin', 'reader', 'writer', 'in-handler'), Joi.function()
    ).required(),
    attributes: Joi.object().schema('object'),
    input: Joi.valid('none', 'json', 'optional-json', 'segments'),
    inputSchema: Joi.object().schema(),
    resultSchema: Joi.object().unknown(),
    outputs: Joi.array().items(Joi.valid(...OUTPUT_KINDS)).min(1).unique(),
    inputMembers: Joi.array().items(Joi.string()).unique(),
    availableWhenDown: Joi.boolean(),
    targetMayBeGone: Joi.boolean(),
    isLocal: Joi.boolean(),
    missing: Joi.string(),
    unlisted: Joi.boolean(),
    handler: Joi.function().required()
}).custom((operation: Operation, helpers) => {

    if ((operation.authorise === 'reader' || operation.authorise === 'writer') && operation.target !== 'object') {
        return helpers.message({ custom: `authorise '${operation.authorise}' needs target 'object'` });
    }

    if (operation.targetMayBeGone && operation.authorise !== 'in-handler') {
        return helpers.message({ custom: 'targetMayBeGone needs authorise \'in-handler\'' });
    }

    if (operation.availableWhenDown && (operation.authorise !== 'anyone' || operation.target !== 'service')) {
        return helpers.message({ custom: 'availableWhenDown needs authorise \'anyone\' and target \'service\'' });
    }

    if (operation.inputSchema && !operation.input?.endsWith('json')) {
        return helpers.message({ custom: 'inputSchema needs input \'json\' or \'optional-json\'' });
    }

    return operation;
});

/** The operations of one gateway. */
export class OperationRegistry {

    readonly #byId = new Map<string, Operation>();
    readonly #byName = new Map<string, Operation>();
    readonly #resolvers: OperationResolver[] = [];
    #sealed = false;

    /**
     * Registers an operation.
     *
     * @param options `override` allows ids with reserved prefixes, and replaces an existing operation; `check` throws for further faults
     * @throws Error if the declaration is invalid, an id or alias is taken, or the gateway has started
     */
    register<A extends object>(operation: Operation<A>, options: { override?: boolean; check?: (operation: Operation<A>) => void } = {}): void {

        const id = String(operation?.id);
        if (this.#sealed) {
            throw new Error(`operation ${id}: operations must be registered before the gateway starts`);
        }

        const { error } = schema.validate(operation, { convert: false });
        if (error) {
            throw new Error(`operation ${id}: ${error.message}`);
        }

        options.check?.(operation);
        const names = [id, ...(operation.aliases ?? [])];
        const former = options.override ? this.#byId.get(id) : undefined;
        for (const name of names) {
            const shown = name === id ? '' : `alias ${name}: `;
            if (!options.override && RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) {
                throw new Error(`operation ${id}: ${shown}the prefix belongs to the service; register with { override: true }`);
            }

            const holder = this.#byName.get(name);
            if (holder && holder !== former) {
                throw new Error(`operation ${id}: ${name === id ? 'id' : `alias ${name}`} is already registered`);
            }
        }

        if (former) {
            this.#remove(id);
        }

        // safe: attributes are validated by the operation's own schema before its handler sees them.
        const erased = operation as unknown as Operation;
        this.#byId.set(id, erased);
        for (const name of names) {
            this.#byName.set(name, erased);
        }
    }

    /** Adds a source of operations that depend on the target. Registered ids take precedence. */
    addResolver(resolver: OperationResolver): void {

        this.#resolvers.push(resolver);
    }

    /** Ends registration. */
    seal(): void {

        this.#sealed = true;
    }

    /** Returns the registered operation with an id or alias. */
    get(idOrAlias: string): Operation | undefined {

        return this.#byName.get(idOrAlias);
    }

    /** True if an id or alias belongs to a registered operation. */
    has(idOrAlias: string): boolean {

        return this.#byName.has(idOrAlias);
    }

    /** Returns the operation with an id or alias that the resolvers provide on a target, as {@link OperationResolver}. */
    async find(idOrAlias: string, targetId: string, calledType: string | null): Promise<Operation | undefined> {

        let lastResort: Operation | undefined;
        for (const resolver of this.#resolvers) {
            const operation = await resolver.resolve(idOrAlias, targetId, calledType);
            if (operation && operation.isLastResort !== true) {
                return operation;
            }

            lastResort ??= operation;
        }

        return lastResort;
    }

    /** Returns the registered operations, in the order of registration. */
    all(): Operation[] {

        return [...this.#byId.values()];
    }

    /** Returns the operations that the resolvers provide to a caller on a target. Of the same id, the first one counts. */
    async listDynamic(targetId: string, caller: Caller): Promise<DynamicOperation[]> {

        const found = new Map<string, DynamicOperation>();
        for (const resolver of this.#resolvers) {
            for (const listed of await resolver.list(targetId, caller)) {
                const operation = typeof listed === 'string' ? { id: listed } : listed;
                if (!this.#byName.has(operation.id) && !found.has(operation.id)) {
                    found.set(operation.id, operation);
                }
            }
        }

        return [...found.values()];
    }

    #remove(id: string): void {

        const former = this.#byId.get(id);
        if (former) {
            this.#byId.delete(id);
            for (const name of [id, ...(former.aliases ?? [])]) {
                this.#byName.delete(name);
            }
        }
    }
}
