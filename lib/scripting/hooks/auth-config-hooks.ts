/**
 * Access rules computed by type code (`exports.getAuthConfig`). Access checks are frequent and synchronous, so the rules are
 * computed once per state of the catalog, before it takes effect, and from that state alone.
 *
 * All requests wait meanwhile. The code therefore runs in a worker of its own, which neither a script that waits for the catalog nor code that is
 * tried again can occupy.
 */

import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ModuleFile } from '../../stores/script-module-store.js';
import type { TypeDefinition } from '../../types/type-definition.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import { badRequest, DoipError } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { ACL_DEFAULTS } from '../../types/built-in-types.js';
import { errorsBySchema } from '../../types/ad-hoc-validation.js';
import { typeUnit, type ProgramCatalog } from '../program/program-catalog.js';
import { ScriptError } from '../protocol/script-error.js';
import type { ScriptHost } from '../protocol/script-host.js';
import { ScriptPool, type ScriptLimits } from '../pool/script-pool.js';
import type { EntryModule, Program } from '../protocol/program.js';

const HOOK = 'getAuthConfig';

/** Rules by which nobody has access. */
const CLOSED: JsonObject = { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] };

/** True for code that may compute access rules: it contains the name of the hook. */
export function mayMakeRules(code: string): boolean {

    return code.includes(HOOK);
}

/** Rules for a process that does not run code, until it knows that others perform what depends on them: objects of types with computed ones are hidden. */
export function closedRules(registry: TypeRegistry): RulesByType {

    const names = registry.codedNames().filter((name) => mayMakeRules(registry.get(name)?.javascript ?? ''));
    return new Map(names.map((name) => [name, CLOSED]));
}

/** Maximum time in ms to compute the rules of a type, if scripts are allowed more. */
const MAX_TIME = 2000;

/** Time in ms for the rules of all types of a state, after which the others count as timed out. */
const MAX_TOTAL_TIME = 10_000;

/** Number of attempts at the start of the service, which no request waits for. */
const FIRST_ATTEMPTS = 3;

/** Pauses in ms before attempts in the background: the first, doubled up to the maximum. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 300_000;

/** Rules by type name. */
type RulesByType = ReadonlyMap<string, JsonObject>;

/** A state of the catalog. */
interface CatalogState {
    readonly registry: TypeRegistry;
    readonly files: readonly ModuleFile[];
}

/** Code of a type, and where it is run. */
interface Runnable {
    readonly unit: EntryModule;
    readonly program: Program;
    readonly pool: ScriptPool;
}

/** Computes access rules from type code. */
export class AuthConfigHooks {

    readonly #scripts: Pick<ProgramCatalog, 'programOf'>;
    readonly #pool: ScriptPool;
    /** For attempts in the background, which no request waits for. */
    readonly #retryPool: ScriptPool;
    readonly #log: Logger;
    readonly #timeout: number;
    readonly #totalTime: number;
    /** Time in ms that the rules of each type took last. */
    readonly #took = new Map<string, number>();
    #pending = 0;
    #isFirst = true;
    #retry: NodeJS.Timeout | undefined;
    #isClosed = false;

    /** @param parts `totalTime`: time in ms for the rules of all types */
    constructor(parts: { scripts: Pick<ProgramCatalog, 'programOf'>; limits: ScriptLimits; log: Logger; totalTime?: number }) {

        const { scripts, limits, log, totalTime = MAX_TOTAL_TIME } = parts;
        this.#scripts = scripts;
        this.#timeout = Math.min(limits.timeout, MAX_TIME);
        this.#totalTime = totalTime;
        const own = { ...limits, workers: 1, timeout: this.#timeout };
        this.#pool = new ScriptPool(own, log);
        this.#retryPool = new ScriptPool(own, log);
        this.#log = log;
    }

    /**
     * Returns the rules that types of a state of the catalog compute, by type name. Types whose code does not contain the name
     * of the hook are skipped. A type whose code fails or returns invalid rules is logged and left out. One that exceeds the time
     * limit may be the victim of a busy machine: it is tried again in the background until the next call.
     *
     * @param onRevised called with all rules when such a type succeeded
     * @throws if code could not be run for a reason that is not its own fault
     */
    async of(registry: TypeRegistry, files: readonly ModuleFile[], onRevised: (rules: RulesByType) => void): Promise<RulesByType> {

        clearTimeout(this.#retry);
        this.#retry = undefined;
        const attempts = this.#isFirst ? FIRST_ATTEMPTS : 1;
        this.#isFirst = false;
        const state = { registry, files };
        let { rules, timeouts } = await this.#compute(state);
        for (let attempt = 1; attempt < attempts && timeouts > 0; ++attempt) {
            ({ rules, timeouts } = await this.#compute(state, { isRetry: true }));
        }

        if (timeouts > 0) {
            this.#retryIn(FIRST_PAUSE_MS, state, { timeouts, onRevised });
        }

        return rules;
    }

    #retryIn(pause: number, state: CatalogState, { timeouts, onRevised }: { timeouts: number; onRevised: (rules: RulesByType) => void }): void {

        const timer = setTimeout(() => {

            // False when a newer state of the catalog took effect.
            const isCurrent = (): boolean => this.#retry === timer && !this.#isClosed;
            const again = (left: number): void => this.#retryIn(Math.min(pause * 2, MAX_PAUSE_MS), state, { timeouts: left, onRevised });
            this.#compute(state, { isRetry: true, pool: this.#retryPool, isCurrent }).then((made) => {

                if (!isCurrent()) {
                    return;
                }

                if (made.timeouts < timeouts) {
                    this.#log.warn({ event: 'script.access-rules-recovered', hook: HOOK, types: timeouts - made.timeouts }, 'access rule hook succeeded');
                    onRevised(made.rules);
                }

                if (made.timeouts > 0) {
                    again(Math.min(timeouts, made.timeouts));
                }
            }, (error: unknown) => {

                if (isCurrent()) {
                    this.#log.error({ event: 'script.access-rules-failed', hook: HOOK, err: error }, 'access rule hook failed, stored rules used');
                    again(timeouts);
                }
            });
        }, pause).unref();
        this.#retry = timer;
    }

    /** Computes the rules of all types while their state is current, and the number of types that exceeded the time limit. */
    async #compute(
        state: CatalogState, { isRetry = false, pool = this.#pool, isCurrent = (): boolean => true } = {}
    ): Promise<{ rules: RulesByType; timeouts: number }> {

        const rules = new Map<string, JsonObject>();
        let timeouts = 0;
        const latest = pool === this.#pool ? performance.now() + this.#totalTime : Infinity;
        for (const { name, type, unit, program } of this.#runnables(state)) {
            if (!isCurrent()) {
                break;
            }

            const began = performance.now();
            const made = began > latest ? this.#leftOut(unit, isRetry) : await this.#rulesOf(type, { unit, program, pool }, isRetry);
            if (began <= latest) {
                this.#took.set(name, performance.now() - began);
            }

            if (made === 'timeout') {
                ++timeouts;
            }
            else if (made) {
                rules.set(name, made);
            }
        }

        return { rules, timeouts };
    }

    /** Returns the types whose code may compute rules. Those that took long are last, so that they take no time from the others. */
    #runnables({ registry, files }: CatalogState): (Omit<Runnable, 'pool'> & { readonly name: string; readonly type: TypeDefinition })[] {

        const coded = registry.codedNames().flatMap((name) => {

            const type = registry.get(name);
            const code = type?.javascript;
            return type && code !== undefined && mayMakeRules(code) ? [{ name, type, unit: typeUnit(name, code) }] : [];
        });
        const names = new Set(coded.map(({ name }) => name));
        [...this.#took.keys()].filter((name) => !names.has(name)).forEach((name) => this.#took.delete(name));
        if (coded.length === 0) {
            return [];
        }

        // A unique version for each attempt, so that contexts of a state that never took effect are not reused.
        const program = this.#scripts.programOf(String(++this.#pending), registry, files);
        const tookLast = ({ name }: { name: string }): number => this.#took.get(name) ?? this.#timeout;
        return coded.map((each) => ({ ...each, program })).sort((a, b) => tookLast(a) - tookLast(b));
    }

    /** A type whose rules are not computed, as those of others have taken all the time. */
    #leftOut({ label }: EntryModule, isRetry: boolean): 'timeout' {

        if (!isRetry) {
            this.#log.error({ event: 'script.access-rules-failed', script: label, hook: HOOK, reason: 'the rules of other types took too long' },
                'access rule hook not run, stored rules used');
        }

        return 'timeout';
    }

    /** Stops the worker; running code fails. */
    async close(): Promise<void> {

        this.#isClosed = true;
        clearTimeout(this.#retry);
        await Promise.all([this.#pool.close(), this.#retryPool.close()]);
    }

    /** Returns the rules of a type; null if the stored rules apply, `timeout` if they do because the code exceeded the time limit. */
    async #rulesOf(type: TypeDefinition, runnable: Runnable, isRetry: boolean): Promise<JsonObject | 'timeout' | null> {

        const { unit } = runnable;
        try {
            const made = await this.#call(type, runnable);
            return made === undefined || made === null ? null : checked(made, unit);
        }
        catch (error) {
            // A failure during shutdown is not the fault of the code.
            if (!(error instanceof ScriptError) || this.#isClosed) {
                throw error;
            }

            const { failure } = error;
            const isTimeout = failure.kind === 'limit' && failure.limit === 'time';
            if (isTimeout && isRetry) {
                return 'timeout';                              // Logged before
            }

            const stack = failure.kind === 'error' ? { stack: failure.stack } : {};
            this.#log.error({ event: 'script.access-rules-failed', script: unit.label, hook: HOOK, reason: error.message, ...stack },
                'access rule hook failed, stored rules used');
            return isTimeout ? 'timeout' : null;
        }
    }

    async #call(type: TypeDefinition, { unit, program, pool }: Runnable): Promise<JsonValue | undefined> {

        const at = { unit, program, host: NO_HOST_CALLS, callerKey: '' };
        const { failure, hooks } = await pool.describe(at);
        if (failure) {
            throw new ScriptError(failure, unit.label);
        }

        if (!hooks.has(HOOK)) {
            return undefined;
        }

        const { name, schemaId, authConfig } = type;
        const context = { type: name, ...schemaId === null ? {} : { objectId: schemaId }, ...authConfig ? { authConfig } : {} };
        return (await pool.call({ ...at, path: [HOOK], args: [], context, takes: 'returned' })).returned;
    }
}

/** Checks that rules have the shape required in Schema objects. */
function checked(made: JsonValue, { label }: EntryModule): JsonObject {

    const [error] = errorsOf(made);
    if (error !== undefined || !isJsonObject(made)) {
        throw new ScriptError({ kind: 'error', message: `it returned no access rules: ${error ?? 'must be an object'}`, stack: '' }, label);
    }

    return made;
}

function errorsOf(made: JsonValue): string[] {

    try {
        return errorsBySchema(ACL_DEFAULTS, made, () => undefined).map(({ pointer, message }) => `${pointer}: ${message}`);
    }
    catch (error) {
        // Nested too deeply, or too large.
        if (error instanceof DoipError) {
            return [error.message];
        }

        throw error;
    }
}

/** Rejects all host calls: most of them would wait for the catalog that is being built. */
const NO_HOST_CALLS: ScriptHost = {
    get: reject, search: reject, create: reject, update: reject, delete: reject, payload: reject, verifySecret: reject, verifyHashes: reject,
    validate: reject, groupsOf: reject, publicKey: reject, sign: reject
};

function reject(): Promise<never> {

    return Promise.reject(badRequest(`${HOOK} cannot ask the service for anything`));
}
