/**
 * Runs object hooks in the code of types.
 */

import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isTemporary } from '../../errors/errors.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { Design } from '../../types/design.js';
import type { DirectOutput, HookFacts, HookObject, HookOutcome, IdGenerator, Lifecycle, ObjectHook } from '../../objects/hooks/lifecycle.js';
import { OBJECT_HOOKS } from '../../objects/hooks/lifecycle.js';
import { objectContext } from '../invoker/hook-context.js';
import type { ScriptInvoker } from '../invoker/script-invoker.js';
import type { EntryModule } from '../protocol/program.js';
import { isOfCode } from '../protocol/script-error.js';
import { outputOf } from '../protocol/script-result.js';

const GENERATE = 'generateId';

/** Pauses in ms before further attempts of a hook that could not be run, as too many scripts wait for example. */
const PAUSES_MS = [500, 1000, 2000, 4000];

/** Object lifecycle implemented by type code. */
export class TypeHooks implements Lifecycle {

    readonly #invoker: ScriptInvoker;
    readonly #policy: Policy;
    readonly #design: () => Design;
    readonly #log: Logger;

    constructor(parts: { invoker: ScriptInvoker; policy: Policy; design: () => Design; log: Logger }) {

        this.#invoker = parts.invoker;
        this.#policy = parts.policy;
        this.#design = parts.design;
        this.#log = parts.log;
    }

    has(type: string, hook?: ObjectHook): boolean {

        const unit = this.#invoker.scripts.unitOf(type);
        return unit !== null && (hook === undefined || this.#mayHave(unit, hook));
    }

    mayGenerateIds(type: string): boolean {

        const { design } = this.#invoker.scripts;
        return this.has(type) || design !== null && this.#mayHave(design, GENERATE);
    }

    async run(hook: ObjectHook, type: string, object: HookObject, facts: HookFacts): Promise<JsonValue | undefined> {

        if (!OBJECT_HOOKS[hook].isAfterWrite) {
            return this.#run(hook, type, object, facts);
        }

        await this.#runAfter(hook, type, object, facts);
        return undefined;
    }

    /** Runs a hook of a stored change, which nobody can repeat: it is tried again while it cannot be run. A failure is logged. */
    async #runAfter(hook: ObjectHook, type: string, object: HookObject, facts: HookFacts): Promise<void> {

        for (let attempt = 0; ; ++attempt) {
            try {
                await this.#run(hook, type, object, facts);
                return;
            }
            catch (error) {
                const pause = PAUSES_MS[attempt];
                if (pause === undefined || isOfCode(error) || !isTemporary(error)) {
                    this.#log.warn({ event: 'script.after-hook-failed', err: error, script: `type ${type}`, object: object.id, hook }, 'hook failed after commit');
                    return;
                }

                await setTimeout(pause, undefined, { ref: false });
            }
        }
    }

    async runAll(hook: ObjectHook, type: string, objects: readonly HookObject[], facts: HookFacts): Promise<readonly HookOutcome[]> {

        try {
            const isContentOnly = this.#isContentOnly();
            const unit = this.#invoker.scripts.unitOf(type);
            const results = unit && await this.#invoker.callEach({
                unit, path: [hook], takes: 'object', invocation: facts, rejectionStatus: OBJECT_HOOKS[hook].rejectionStatus,
                items: objects.map((object) => ({ args: [this.#argument(object)], context: this.#context(hook, object, facts), about: object.id }))
            });
            if (!results) {
                return objects.map(() => ({ value: undefined }));
            }

            return objects.map((object, index): HookOutcome => {

                const result = results[index];
                return result && !(result instanceof Error) ? { value: returned(result.object, object, isContentOnly) } :
                    { error: result ?? new Error(`no result of ${hook}`) };
            });
        }
        catch (error) {
            if (!isOfCode(error)) {
                throw error;
            }

            // The code cannot be loaded.
            return objects.map(() => ({ error }));
        }
    }

    async resolvePayload(type: string, object: HookObject, facts: HookFacts): Promise<DirectOutput | null> {

        const hook = 'onPayloadResolution';
        const unit = this.#invoker.scripts.unitOf(type);
        const answer = unit && await this.#invoker.call({
            unit, path: [hook], args: [this.#argument(object)], context: this.#context(hook, object, facts), takes: 'nothing',
            directIo: { input: null }, invocation: facts, rejectionStatus: OBJECT_HOOKS[hook].rejectionStatus, about: object.id
        });
        return answer?.output && answer.output.bytes.length > 0 ? outputOf(answer.output) : null;
    }

    async generator(type: string, facts: HookFacts): Promise<IdGenerator | null> {

        const { scripts } = this.#invoker;
        return await this.#generatorIn(scripts.unitOf(type), facts) ?? await this.#generatorIn(scripts.design, facts);
    }

    async #generatorIn(unit: EntryModule | null, facts: HookFacts): Promise<IdGenerator | null> {

        const { hooks, flags } = unit ? await this.#invoker.exportsOf(unit, facts) : { hooks: NONE, flags: NONE };
        if (!unit || !hooks.has(GENERATE)) {
            return null;
        }

        return {
            isLoopable: flags.has('isGenerateIdLoopable'),
            next: async (object) => {

                const answer = await this.#invoker.call({
                    unit, path: [GENERATE], args: [this.#argument(object)], context: this.#flagged(objectContext(facts, object, this.#policy)),
                    takes: 'returned', invocation: facts, rejectionStatus: 400, about: undefined
                });
                return typeof answer?.returned === 'string' && answer.returned !== '' ? answer.returned : null;
            }
        };
    }

    async #run(hook: ObjectHook, type: string, object: HookObject, facts: HookFacts): Promise<JsonValue | undefined> {

        const { result, rejectionStatus } = OBJECT_HOOKS[hook];
        const isContentOnly = this.#isContentOnly();
        const unit = this.#invoker.scripts.unitOf(type);
        const answer = unit && await this.#invoker.call({
            unit, path: [hook], args: [this.#argument(object)], context: this.#context(hook, object, facts),
            takes: result, invocation: facts, rejectionStatus, about: object.id
        });
        return answer && result === 'object' ? returned(answer.object, object, isContentOnly) : undefined;
    }

    /** True if code has a hook, or may have it: code that cannot be loaded fails when it is called. */
    #mayHave(unit: EntryModule, hook: string): boolean {

        const description = this.#invoker.cached(unit);
        return !description || description.failure !== null || description.hooks.has(hook);
    }

    #context(hook: ObjectHook, object: HookObject, facts: HookFacts): JsonObject {

        return this.#flagged(hook === 'objectForIndexing' && object.id !== undefined ?
            { objectId: object.id } : objectContext(facts, object, this.#policy));
    }

    /** Returns the object argument of a hook; legacy code gets the content alone. */
    #argument(object: HookObject): JsonValue {

        return this.#isContentOnly() ? object.content : object as unknown as JsonObject;
    }

    #flagged(context: JsonObject): JsonObject {

        return this.#isContentOnly() ? { ...context, useLegacyContentOnlyJavaScriptHooks: true } : context;
    }

    /** True if code gets and returns the content of objects alone; to be asked before a call, as the design may change meanwhile. */
    #isContentOnly(): boolean {

        return this.#design().useLegacyContentOnlyJavaScriptHooks;
    }
}

function returned(value: JsonValue | undefined, object: HookObject, isContentOnly: boolean): JsonValue | undefined {

    return value !== undefined && isContentOnly ? { ...object as unknown as JsonObject, content: value } : value;
}

const NONE: ReadonlySet<string> = new Set();
