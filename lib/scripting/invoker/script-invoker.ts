/**
 * Invokes type code on behalf of requests: provides host calls, maps failures to errors for the caller, and caches the exports
 * of each unit, so that code without a hook is not called for it.
 */

import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ProgramCatalog } from '../program/program-catalog.js';
import { EMPTY_DESCRIPTION, type UnitDescription } from '../program/module-exports.js';
import type { DescribeOptions, ScriptCall } from '../protocol/script-call.js';
import { answerTo, isOfCode, ScriptError, wasStopped, type ScriptFailure } from '../protocol/script-error.js';
import type { ScriptHost } from '../protocol/script-host.js';
import type { ScriptPool } from '../pool/script-pool.js';
import type { ScriptResult } from '../protocol/script-result.js';
import type { EntryModule } from '../protocol/program.js';
import { unavailable } from '../../errors/errors.js';
import { isUnrestrictedAdmin } from '../../model/caller.js';
import { keyOf, type InvocationContext } from '../protocol/invocation-context.js';

/** Retry-After in seconds. */
const RETRY_AFTER = 1;

/** A call of an exported function. */
export interface ScriptInvocation extends Omit<ScriptCall, 'program' | 'host' | 'callerKey' | 'scope'> {
    readonly invocation: InvocationContext;
    /** HTTP code for a thrown string. */
    readonly rejectionStatus: 400 | 403;
    /** Id of the object concerned, for the log. */
    readonly about: string | undefined;
}

/** Calls of one function for several objects. */
export type ScriptInvocations = Omit<ScriptInvocation, 'args' | 'context' | 'directIo' | 'about'> & {
    readonly items: readonly { readonly args: readonly JsonValue[]; readonly context: JsonObject; readonly about: string | undefined }[];
};

/** Creates the host calls for a script. */
export type HostFactory = (invocation: InvocationContext) => ScriptHost;

/** What the error of a failed call depends on. */
type FailedCall = Pick<ScriptInvocation, 'rejectionStatus' | 'about'> & { readonly invocation: Pick<InvocationContext, 'caller'> };

interface CacheEntry {
    readonly code: string;
    readonly description: UnitDescription;
}

/** Invokes type code. */
export class ScriptInvoker {

    readonly scripts: ProgramCatalog;
    readonly #pool: ScriptPool;
    readonly #hostFor: HostFactory;
    readonly #log: Logger;
    readonly #isInert: boolean;
    readonly #reportsFailures: boolean;
    /** Exports by unit name, of one version of the program. */
    #cache: { readonly version: string; readonly units: Map<string, CacheEntry> } = { version: '', units: new Map() };

    /** @param parts `isInert`: all code counts as empty, so that nothing is called; `reportsFailures`: every caller gets the details of failures */
    constructor(parts: { pool: ScriptPool; scripts: ProgramCatalog; hostFor: HostFactory; log: Logger; isInert?: boolean; reportsFailures?: boolean }) {

        this.#pool = parts.pool;
        this.scripts = parts.scripts;
        this.#hostFor = parts.hostFor;
        this.#log = parts.log;
        this.#isInert = parts.isInert ?? false;
        this.#reportsFailures = parts.reportsFailures ?? false;
    }

    /** Returns the cached exports of a unit; undefined if they are not known for the current program. */
    cached(unit: EntryModule): UnitDescription | undefined {

        if (this.#isInert) {
            return EMPTY_DESCRIPTION;
        }

        const { version, units } = this.#cache;
        const cached = version === this.scripts.program.version ? units.get(unit.name) : undefined;
        return cached?.code === unit.code ? cached.description : undefined;
    }

    /** Returns the exports of a unit. */
    async describe(unit: EntryModule, invocation: InvocationContext): Promise<UnitDescription> {

        const cached = this.cached(unit);
        if (cached) {
            return cached;
        }

        const { program } = this.scripts;
        const description = await this.#pool.describe({ unit, program, ...this.#calling(invocation) });
        // A failure may be temporary: another module or object may be needed.
        if (!description.failure && program.version === this.scripts.program.version) {
            this.#remember(program.version, unit, description);
        }

        return description;
    }

    /**
     * Returns the exports of a unit.
     *
     * @throws DoipError 500 if it cannot be loaded
     */
    async exportsOf(unit: EntryModule, invocation: InvocationContext): Promise<UnitDescription> {

        const description = this.cached(unit) ?? await this.describe(unit, invocation);
        if (description.failure) {
            throw this.unloadable(unit, description.failure, invocation);
        }

        return description;
    }

    /** Logs that a unit is needed that cannot be loaded, and returns the error for the caller. */
    unloadable({ label }: EntryModule, failure: ScriptFailure, invocation: Pick<InvocationContext, 'caller'>): Error {

        return this.#failed(new ScriptError(failure, label), { invocation, rejectionStatus: 400, about: undefined });
    }

    /**
     * Calls an exported function; returns null if the current code has no such function.
     *
     * @throws DoipError for the caller if the script fails
     */
    async call(call: ScriptInvocation): Promise<ScriptResult | null> {

        const { invocation: _invocation, rejectionStatus: _status, about: _about, ...rest } = call;
        try {
            return await this.#begin(call, (at) => this.#pool.call({ ...rest, ...at }));
        }
        catch (error) {
            throw error instanceof ScriptError ? this.#failed(error, call) : error;
        }
    }

    /**
     * Calls a function for each item in as few runs as possible; null as in {@link call}. Failures of single items are results.
     *
     * @throws DoipError for the caller if the code cannot be loaded, or not be run for all items: see {@link isOfCode}
     */
    async callEach(calls: ScriptInvocations): Promise<readonly (ScriptResult | Error)[] | null> {

        const { invocation, rejectionStatus, items, ...rest } = calls;
        try {
            const stripped = items.map(({ args, context }) => ({ args, context }));
            const results = await this.#begin(calls, (at) => this.#pool.callEach({ ...rest, items: stripped, ...at }));
            return results?.map((result, index) => (
                result instanceof ScriptError ? this.#failed(result, { invocation, rejectionStatus, about: items[index]?.about }) : result
            )) ?? null;
        }
        catch (error) {
            if (!isOfCode(error) && wasStopped(error)) {
                this.#log.error({ event: 'script.failed', script: calls.unit.label, reason: error.message }, 'script failed');
            }

            throw error;
        }
    }

    /**
     * Starts a call with the current code, since a request may hold a unit of an earlier moment. If its type has been removed
     * meanwhile, as an upload of all objects does with every type, the caller should retry: the next attempt uses the types of
     * that time. Rights are checked by `atStart` with the rules of the same moment.
     */
    async #begin<T>({ unit, path, invocation }: Pick<ScriptInvocation, 'unit' | 'path' | 'invocation'>, start: (at: DescribeOptions) => Promise<T>): Promise<T | null> {

        let now = this.#current(unit);
        while (now && !this.cached(now)) {
            await this.exportsOf(now, invocation);
            now = this.#current(unit);
        }

        // No await between these checks and the start, so that the exports and the rights are those of the code that is called.
        invocation.atStart?.();
        const description = now && this.cached(now);
        return now && description && offers(description, path) ?
            await start({ unit: now, program: this.scripts.program, ...this.#calling(invocation) }) : null;
    }

    /** Returns the current code of a unit; null if it no longer has any. @throws DoipError 503 if its type no longer exists */
    #current(unit: EntryModule): EntryModule | null {

        const now = this.scripts.currentOf(unit);
        if (now === undefined) {
            throw unavailable(`${unit.label} has changed meanwhile, try again`, RETRY_AFTER);
        }

        return now;
    }

    #remember(version: string, { name, code }: EntryModule, description: UnitDescription): void {

        if (this.#cache.version !== version) {
            this.#cache = { version, units: new Map() };
        }

        this.#cache.units.set(name, { code, description });
    }

    #calling(invocation: InvocationContext) {

        const { caller, callerKey = keyOf(caller), chain: { scope } } = invocation;
        return { host: this.#hostFor(invocation), callerKey, ...scope ? { scope } : {} };
    }

    #failed(error: ScriptError, { invocation, rejectionStatus, about }: FailedCall): Error {

        const { failure, label } = error;
        if (failure.kind === 'error' || failure.kind === 'limit' || failure.kind === 'large') {
            const stack = failure.kind === 'error' ? { stack: failure.stack } : {};
            const object = about === undefined ? {} : { object: about };
            this.#log.error({ event: 'script.failed', script: label, ...object, reason: failure.message, ...stack }, 'script failed');
        }

        return answerTo(error, { rejectionStatus, isAdmin: this.#reportsFailures || isUnrestrictedAdmin(invocation.caller) });
    }
}

/** True if a unit exports a function: a hook, or a method of a group. */
function offers(description: UnitDescription, [first = '', second]: readonly string[]): boolean {

    return second === undefined ? description.hooks.has(first) :
        (first === 'methods' || first === 'staticMethods') && description[first].has(second);
}
