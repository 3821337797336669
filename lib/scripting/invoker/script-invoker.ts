/**
 * Calls code on behalf of requests: gives it what it may ask the service for, turns its failures into answers, and keeps in mind
 * what each piece of code exports, so that code is never asked for a hook that it does not have.
 */

import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ProgramCatalog } from '../program/program-catalog.js';
import type { UnitDescription } from '../program/module-exports.js';
import type { ResultKind } from '../protocol/messages.js';
import type { DirectIo, ScriptCall } from '../protocol/script-call.js';
import { ScriptError, answerTo } from '../protocol/script-error.js';
import type { ScriptHost } from '../protocol/script-host.js';
import type { ScriptPool } from '../pool/script-pool.js';
import type { ScriptResult } from '../protocol/script-result.js';
import type { EntryModule } from '../protocol/program.js';
import { unavailable } from '../../errors/errors.js';
import type { InvocationContext } from '../protocol/invocation-context.js';

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER = 1;

/** A call of an exported function. */
export interface ScriptInvocation {
    readonly unit: EntryModule;
    readonly path: readonly string[];
    readonly args: readonly JsonValue[];
    readonly context: JsonObject;
    readonly takes: ResultKind;
    readonly directIo?: DirectIo;
    readonly occasion: InvocationContext;
    /** HTTP code for a thrown string. */
    readonly refusal: 400 | 403;
    /** Id of the object that it is about, for the log. */
    readonly about: string | undefined;
}

/** The same call for several objects. */
export type ScriptInvocations = Omit<ScriptInvocation, 'args' | 'context' | 'directIo' | 'about'> & {
    readonly items: readonly { readonly args: readonly JsonValue[]; readonly context: JsonObject; readonly about: string | undefined }[];
};

/** Makes the services that a script may ask for. */
export type HostFactory = (occasion: InvocationContext) => ScriptHost;

/** What a call is started with, of its moment. */
type Start = Pick<ScriptCall, 'unit' | 'world' | 'host' | 'callerKey' | 'within'>;

interface CacheEntry {
    readonly code: string;
    readonly description: UnitDescription;
}

/** Calls code. */
export class ScriptInvoker {

    readonly scripts: ProgramCatalog;
    readonly #pool: ScriptPool;
    readonly #hostFor: HostFactory;
    readonly #log: Logger;
    /** What units of one state of all code export, by their names. */
    #known: { readonly version: string; readonly units: Map<string, CacheEntry> } = { version: '', units: new Map() };

    constructor(parts: { pool: ScriptPool; scripts: ProgramCatalog; hostFor: HostFactory; log: Logger }) {

        this.#pool = parts.pool;
        this.scripts = parts.scripts;
        this.#hostFor = parts.hostFor;
        this.#log = parts.log;
    }

    /** What a unit exports as far as it is known by now. */
    known(unit: EntryModule): UnitDescription | undefined {

        const { version, units } = this.#known;
        const known = version === this.scripts.world.version ? units.get(unit.name) : undefined;
        return known?.code === unit.code ? known.description : undefined;
    }

    /** What a unit exports. */
    async describe(unit: EntryModule, occasion: InvocationContext): Promise<UnitDescription> {

        const known = this.known(unit);
        if (known) {
            return known;
        }

        const { world } = this.scripts;
        const description = await this.#pool.describe({ unit, world, ...this.#calling(occasion) });
        // What failed may work the next time, when another module or object is there.
        if (!description.failure && world.version === this.scripts.world.version) {
            this.#remember(world.version, unit, description);
        }

        return description;
    }

    /**
     * What a unit exports.
     *
     * @throws DoipError 500 when it cannot be loaded
     */
    async exportsOf(unit: EntryModule, occasion: InvocationContext): Promise<UnitDescription> {

        const description = this.known(unit) ?? await this.describe(unit, occasion);
        if (description.failure) {
            throw this.#failed(new ScriptError(description.failure, unit.label), { occasion, refusal: 400, about: undefined });
        }

        return description;
    }

    /**
     * Calls a function that a unit exports; null when its code, as it is by now, has no such function. Throws what the failure of the
     * script means to the caller.
     */
    async call(call: ScriptInvocation): Promise<ScriptResult | null> {

        const { occasion: _occasion, refusal: _refusal, about: _about, ...rest } = call;
        try {
            return await this.#begin(call, (at) => this.#pool.call({ ...rest, ...at }));
        }
        catch (error) {
            throw error instanceof ScriptError ? this.#failed(error, call) : error;
        }
    }

    /** Calls a function for each item in one go; null as in {@link call}. Failures of single items are results. */
    async callEach(calls: ScriptInvocations): Promise<readonly (ScriptResult | Error)[] | null> {

        const { occasion, refusal, items, ...rest } = calls;
        try {
            const stripped = items.map(({ args, context }) => ({ args, context }));
            const results = await this.#begin(calls, (at) => this.#pool.callEach({ ...rest, items: stripped, ...at }));
            return results?.map((result, index) => (
                result instanceof ScriptError ? this.#failed(result, { occasion, refusal, about: items[index]?.about }) : result
            )) ?? null;
        }
        catch (error) {
            throw error instanceof ScriptError ? this.#failed(error, { occasion, refusal, about: undefined }) : error;
        }
    }

    /**
     * Starts a call, in the code of now: a request may hold a unit of an earlier moment. That its type has been removed since, as an
     * upload of all objects does with every type, is no fault of the code, and the next attempt meets the types as they are then.
     */
    async #begin<T>({ unit, path, occasion }: Pick<ScriptInvocation, 'unit' | 'path' | 'occasion'>, start: (at: Start) => Promise<T>): Promise<T | null> {

        let now = this.#current(unit);
        while (now && !this.known(now)) {
            await this.exportsOf(now, occasion);
            now = this.#current(unit);
        }

        // Nothing is waited for between this look and the start: what is known of the code holds for what is called.
        const description = now && this.known(now);
        return now && description && offers(description, path) ?
            await start({ unit: now, world: this.scripts.world, ...this.#calling(occasion) }) : null;
    }

    /** The unit as it is by now; null when it has no code any more. */
    #current(unit: EntryModule): EntryModule | null {

        const now = this.scripts.currentOf(unit);
        if (now === undefined) {
            throw unavailable(`${unit.label} has changed meanwhile, try again`, RETRY_AFTER);
        }

        return now;
    }

    #remember(version: string, { name, code }: EntryModule, description: UnitDescription): void {

        if (this.#known.version !== version) {
            this.#known = { version, units: new Map() };
        }

        this.#known.units.set(name, { code, description });
    }

    #calling(occasion: InvocationContext) {

        const { scope } = occasion.chain;
        return { host: this.#hostFor(occasion), callerKey: occasion.caller.userId ?? '', ...scope ? { within: scope } : {} };
    }

    #failed(error: ScriptError, { occasion, refusal, about }: Pick<ScriptInvocation, 'occasion' | 'refusal' | 'about'>): Error {

        const { failure, label } = error;
        if (failure.kind === 'error' || failure.kind === 'limit') {
            const stack = failure.kind === 'error' ? { stack: failure.stack } : {};
            this.#log.error({ script: label, ...about === undefined ? {} : { object: about }, ...stack }, `script failed: ${failure.message}`);
        }

        return answerTo(error, { refusal, isAdmin: occasion.caller.isAdmin });
    }
}

/** Whether a unit exports a function: a hook, or a method of a group. */
function offers(description: UnitDescription, [first = '', second]: readonly string[]): boolean {

    return second === undefined ? description.hooks.has(first) :
        (first === 'methods' || first === 'staticMethods') && description[first].has(second);
}
