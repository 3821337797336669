/**
 * The access rules that types make by code, `exports.getAuthConfig`. Rights are asked for at every turn and never wait, so the
 * rules are made once for each state of the catalog, before it counts; what they are made of can only be what belongs to it.
 *
 * All requests wait for them meanwhile: they have a thread of their own, which nothing that waits for the catalog can hold.
 */

import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ModuleFile } from '../../stores/script-module-store.js';
import type { TypeDefinition } from '../../types/type-definition.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import { badRequest, DoipError } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { ACL_DEFAULTS } from '../../types/built-in-types.js';
import { faultsBySchema } from '../../types/ad-hoc-validation.js';
import { typeUnit, type ProgramCatalog } from '../program/program-catalog.js';
import { ScriptError } from '../protocol/script-error.js';
import type { ScriptHost } from '../protocol/script-host.js';
import { ScriptPool, type ScriptLimits } from '../pool/script-pool.js';
import type { EntryModule, Program } from '../protocol/program.js';

const HOOK = 'getAuthConfig';

/** Milliseconds for the rules of a type, where scripts are allowed more. */
const MAX_TIME = 2000;

/** Rules out of the code of types. */
export class AuthConfigHooks {

    readonly #scripts: ProgramCatalog;
    readonly #pool: ScriptPool;
    readonly #log: Logger;
    #asked = 0;
    #isClosed = false;

    constructor(parts: { scripts: ProgramCatalog; limits: ScriptLimits; log: Logger }) {

        const { scripts, limits, log } = parts;
        this.#scripts = scripts;
        this.#pool = new ScriptPool({ ...limits, workers: 1, timeout: Math.min(limits.timeout, MAX_TIME) }, log);
        this.#log = log;
    }

    /**
     * The rules that types of a state of the catalog make, by their names. Types whose code does not name the hook are not looked
     * into. A type whose code fails, or makes something that is no entry of rules, is left out and told to the log.
     *
     * @throws when code cannot be run at all, through no fault of its own
     */
    async of(registry: TypeRegistry, files: readonly ModuleFile[]): Promise<ReadonlyMap<string, JsonObject>> {

        const rules = new Map<string, JsonObject>();
        let world: Program | null = null;
        for (const name of registry.names()) {
            const type = registry.get(name);
            const code = type?.javascript;
            if (type && code?.includes(HOOK)) {
                // What was begun for a state that was never completed must not be used again: each has a version of its own.
                world ??= this.#scripts.worldOf(String(++this.#asked), registry, files);
                const made = await this.#rulesOf(type, typeUnit(name, code), world);
                if (made) {
                    rules.set(name, made);
                }
            }
        }

        return rules;
    }

    /** Ends what is running. */
    async close(): Promise<void> {

        this.#isClosed = true;
        await this.#pool.close();
    }

    /** Null when the stored rules are to count. */
    async #rulesOf(type: TypeDefinition, unit: EntryModule, world: Program): Promise<JsonObject | null> {

        try {
            const made = await this.#call(type, unit, world);
            return made === undefined || made === null ? null : checked(made, unit);
        }
        catch (error) {
            // What ends because the service ends says nothing about the code.
            if (!(error instanceof ScriptError) || this.#isClosed) {
                throw error;
            }

            const { failure } = error;
            const stack = failure.kind === 'error' ? { stack: failure.stack } : {};
            this.#log.error({ script: unit.label, hook: HOOK, ...stack }, `the stored access rules count, because ${error.message}`);
            return null;
        }
    }

    async #call(type: TypeDefinition, unit: EntryModule, world: Program): Promise<JsonValue | undefined> {

        const at = { unit, world, host: NOTHING_TO_ASK, callerKey: '' };
        const { failure, hooks } = await this.#pool.describe(at);
        if (failure) {
            throw new ScriptError(failure, unit.label);
        }

        if (!hooks.has(HOOK)) {
            return undefined;
        }

        const { name, schemaId, authConfig } = type;
        const context = { type: name, ...schemaId === null ? {} : { objectId: schemaId }, ...authConfig ? { authConfig } : {} };
        return (await this.#pool.call({ ...at, path: [HOOK], args: [], context, takes: 'returned' })).returned;
    }
}

/** Rules have the shape that those of Schema objects must have. */
function checked(made: JsonValue, { label }: EntryModule): JsonObject {

    const [fault] = faultsOf(made);
    if (fault !== undefined || !isJsonObject(made)) {
        throw new ScriptError({ kind: 'error', message: `it returned no access rules: ${fault ?? 'must be an object'}`, stack: '' }, label);
    }

    return made;
}

function faultsOf(made: JsonValue): string[] {

    try {
        return faultsBySchema(ACL_DEFAULTS, made, () => undefined).map(({ pointer, message }) => `${pointer}: ${message}`);
    }
    catch (error) {
        // Nested too deeply, or more than can be looked at.
        if (error instanceof DoipError) {
            return [error.message];
        }

        throw error;
    }
}

/** The service answers nothing while the catalog is being made: most answers would wait for it. */
const NOTHING_TO_ASK: ScriptHost = {
    get: refuse, search: refuse, create: refuse, update: refuse, delete: refuse, payload: refuse, verifySecret: refuse, verifyHashes: refuse,
    validate: refuse, groupsOf: refuse, publicKey: refuse, sign: refuse
};

function refuse(): Promise<never> {

    return Promise.reject(badRequest(`${HOOK} cannot ask the service for anything`));
}
