/**
 * Worker pool for type code: a few threads with script contexts of their own, behind a fair semaphore. Knows nothing of hooks.
 * A service whose types have no code starts no thread.
 *
 * Nested calls cannot deadlock: a script that runs on behalf of a waiting script, such as a hook of an update that it made,
 * gets a worker of the pool for that depth.
 */

import type { Log } from '../../../db/log.js';
import { tooManyRequests, unavailable } from '../../errors/errors.js';
import type { UnitDescription } from '../program/module-exports.js';
import { describeFailure, EMPTY_DESCRIPTION, readDescription } from '../program/module-exports.js';
import { CpuScheduler } from '../protocol/cpu-scheduler.js';
import type { Run, RunMessage, RunOutcome, RunRequest, ThreadOptions } from '../protocol/messages.js';
import { CallAllowance } from './call-allowance.js';
import { portions, requestTexts } from './call-batching.js';
import type { CallItem, DescribeOptions, DirectIo, ScriptCall, ScriptCalls } from '../protocol/script-call.js';
import { ScriptError } from '../protocol/script-error.js';
import type { HostCallContext } from '../protocol/script-host.js';
import type { ScriptResult } from '../protocol/script-result.js';
import { readLine } from '../protocol/script-result.js';
import { DEFAULT_VALUE_LIMITS, type ValueLimits } from '../protocol/value-limits.js';
import { WorkerSlot } from './worker-slot.js';
import type { RejectionReason } from '../../util/concurrency/semaphore.js';
import { WorkTally } from '../../util/work-tally.js';
import { LengthBudget } from '../../util/concurrency/event-loop-yielder.js';
import { Semaphore } from '../../util/concurrency/semaphore.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import type { ScriptScope } from '../../model/script-scope.js';
import type { EntryModule } from '../protocol/program.js';

/** Limits of scripts. */
export interface ScriptLimits extends ThreadOptions {
    /** Number of scripts that run concurrently, per depth of nested calls. */
    readonly workers: number;
    /** Time limit of a call in ms. */
    readonly timeout: number;
    /** Idle time in ms after which a thread is stopped; default a minute. */
    readonly idleMs?: number;
    /** Limits of the values that code gives; default {@link DEFAULT_VALUE_LIMITS}. */
    readonly values?: ValueLimits;
}

/** Default limits. */
export const DEFAULT_LIMITS: ScriptLimits = {
    workers: 3, timeout: 10_000, memoryBytes: 64 * 1024 * 1024, stackBytes: 512 * 1024, maxMessageBytes: 16 * 1024 * 1024
};

/** Maximum depth of nested calls. */
const MAX_DEPTH = 4;

/** Maximum number of queued calls, per caller and in total. */
const WAITING = { maxWaitingPerKey: 200, maxWaiting: 1000 };

/** Seconds after which a caller that was refused may try again. */
const RETRY_AFTER = 2;

const REFUSALS: Readonly<Record<RejectionReason, () => Error>> = {
    'key full': () => tooManyRequests('too many scripts are waiting to be run for you, try again a little later', RETRY_AFTER),
    full: () => unavailable('too many scripts are waiting to be run, try again a little later', RETRY_AFTER),
    timeout: () => unavailable('all workers for scripts are busy, try again a little later', RETRY_AFTER)
};

/** Extra queue time in ms, so that a caller who arrives while every worker runs an endless script outlasts their timeout. */
const GRACE_MS = 500;

/** Workers for one depth of nested calls. */
interface DepthPool {
    readonly semaphore: Semaphore;
    readonly idle: WorkerSlot[];
    readonly slots: WorkerSlot[];
}

/** Load of the pool. */
export interface ScriptLoad {
    readonly threads: number;
    readonly busy: number;
    readonly waiting: number;
    /** Calls of hooks and methods, several objects at a time where a hook takes them so. */
    readonly runs: WorkTally;
}

type RequestInput = Pick<RunMessage, 'request' | 'original' | 'input' | 'keepsText'>;

type ItemOutcome = ScriptResult | ScriptError;

/** What the runs of a call have in common. */
interface Batch {
    readonly facts: Omit<RunRequest, 'items'>;
    readonly label: string;
    readonly run: (request: Pick<RequestInput, 'request' | 'original'>) => Promise<RunOutcome>;
}

/** The worker pool. */
export class ScriptPool {

    readonly #limits: ScriptLimits;
    readonly #log: Log;
    readonly #explain: HostCallContext['explain'];
    readonly #scheduler = new CpuScheduler();
    readonly #pools: DepthPool[] = [];
    readonly #describing = new SingleFlight<UnitDescription>();
    readonly #runs = new WorkTally();
    #isClosed = false;

    /** @param explain returns what the service answers to errors of its storage; null for other errors */
    constructor(limits: ScriptLimits, log: Log, explain: HostCallContext['explain'] = () => null) {

        this.#limits = limits;
        this.#log = log;
        this.#explain = explain;
    }

    /**
     * Calls a function.
     *
     * @throws ScriptError if the script fails or exceeds a limit
     * @throws DoipError 429 or 503 if too many calls are queued
     */
    async call(call: ScriptCall): Promise<ScriptResult> {

        const { args, context, directIo, ...rest } = call;
        const [result] = await this.#callEach({ ...rest, items: [{ args, context }] }, directIo);
        if (!result || result instanceof ScriptError) {
            throw result ?? new Error('a script gave no result');
        }

        return result;
    }

    /**
     * Calls a function for each item, in as few runs as possible; results in the order of the items. A run of several items that fails is repeated
     * with fewer of them, down to single ones: the limits are those of one call, and only items that reach one by themselves fail.
     *
     * @throws DoipError 429 or 503 if too many calls are queued; 500 for more repetitions, or longer results, than are allowed
     */
    async callEach(calls: ScriptCalls): Promise<readonly (ScriptResult | ScriptError)[]> {

        return await this.#callEach(calls, undefined);
    }

    /**
     * Returns the exports of a unit; equal questions of a caller at the same time are asked once. Throws like {@link call} if the failure is not
     * the script's.
     */
    async describe({ unit, program, host, callerKey, scope: callerScope }: DescribeOptions): Promise<UnitDescription> {

        if (unit.code.trim() === '') {
            return EMPTY_DESCRIPTION;
        }

        if (callerScope) {
            // Not shared: a pending description may itself wait for the worker of a script that waits for this one.
            return await this.#describe({ unit, program, host, callerKey, scope: callerScope });
        }

        // Not shared with other callers: the question waits behind the calls of the one who asked it.
        const key = JSON.stringify([callerKey, program.version, unit.name, unit.code]);
        return await this.#describing.run(() => this.#describe({ unit, program, host, callerKey }), key);
    }

    /** Stops all workers; running calls fail. */
    async close(): Promise<void> {

        this.#isClosed = true;
        await Promise.all(this.#pools.flatMap(({ slots }) => slots.map((slot) => slot.close())));
    }

    /** Current load; reads counters only. */
    get load(): ScriptLoad {

        const sum = (of: (pool: DepthPool) => number): number => this.#pools.reduce((total, pool) => total + of(pool), 0);
        return { threads: this.threads, busy: sum(({ semaphore }) => semaphore.inUse), waiting: sum(({ semaphore }) => semaphore.waiting), runs: this.#runs };
    }

    /** Number of running threads. */
    get threads(): number {

        return this.#pools.reduce((sum, { slots }) => sum + slots.filter(({ isOpen }) => isOpen).length, 0);
    }

    async #describe(options: DescribeOptions): Promise<UnitDescription> {

        const { unit } = options;
        const outcome = await this.#run(options, { request: null, original: null, input: null, keepsText: false }, this.#allowance(unit));
        if (outcome.kind === 'failed') {
            return describeFailure(unit, outcome.failure, false);
        }

        return readDescription(unit, outcome.lines);
    }

    async #callEach(calls: ScriptCalls, io: DirectIo | undefined): Promise<readonly ItemOutcome[]> {

        const { unit, path, takes, keepsText = false } = calls;
        const input = io?.input ?? null;
        const facts: Omit<RunRequest, 'items'> = {
            path, takes,
            directIo: io ? { filename: input?.filename ?? null, mediaType: input?.mediaType ?? null } : null
        };
        const allowance = this.#allowance(unit);
        const given = { input: input?.bytes ?? null, keepsText };
        const run: Batch['run'] = (request) => this.#run(calls, { ...request, ...given }, allowance);
        return await this.#outcomes({ facts, label: unit.label, run }, calls.items);
    }

    /** Calls a function for some items of a call. */
    async #outcomes(batch: Batch, items: readonly CallItem[]): Promise<ItemOutcome[]> {

        const results: ItemOutcome[] = [];
        for (const { text, original, count } of requestTexts(batch.facts, items, this.#limits.maxMessageBytes)) {
            const part = items.slice(results.length, results.length + count);
            const outcome = await batch.run({ request: text, original });
            if (outcome.kind === 'done') {
                results.push(...await this.#withoutSharedMemory(batch, part, await this.#read(outcome, count, batch)));
            }
            else if (count === 1) {
                results.push(new ScriptError(outcome.failure, batch.label));
            }
            else {
                results.push(...await this.#repeated(batch, portions(part, outcome.failure)));
            }
        }

        return results;
    }

    /** Reads the results of a run, some in each turn of the event loop. */
    async #read(outcome: Extract<RunOutcome, { kind: 'done' }>, count: number, { label, facts: { takes } }: Batch): Promise<ItemOutcome[]> {

        const { values = DEFAULT_VALUE_LIMITS } = this.#limits;
        const lines = count === 1 ? [outcome.lines] : outcome.lines.split('\n');
        const budget = new LengthBudget();
        const results: ItemOutcome[] = [];
        for (let i = 0; i < count; ++i) {
            const line = lines[i] ?? '{}';
            await budget.spend(line.length);
            results.push(await readLine(line, { label, takes, output: outcome.output, text: outcome.text, limits: values }));
        }

        return results;
    }

    async #repeated(batch: Batch, parts: readonly (readonly CallItem[])[]): Promise<ItemOutcome[]> {

        const results: ItemOutcome[] = [];
        for (const part of parts) {
            results.push(...await this.#outcomes(batch, part));
        }

        return results;
    }

    /** Repeats the calls that failed in a run of several whose memory was used up: it may have been used by the others. */
    async #withoutSharedMemory(batch: Batch, items: readonly CallItem[], results: readonly ItemOutcome[]): Promise<readonly ItemOutcome[]> {

        const exhausted = items.length === 1 ? undefined : results.find((result) => (
            result instanceof ScriptError && result.failure.kind === 'limit' && result.failure.limit === 'memory'
        ));
        if (!(exhausted instanceof ScriptError)) {
            return results;
        }

        const failed = items.filter((_, i) => results[i] instanceof ScriptError);
        const repeated = await this.#repeated(batch, portions(failed, exhausted.failure));
        return results.map((result) => (result instanceof ScriptError ? repeated.shift() ?? result : result));
    }

    #allowance({ label }: Pick<EntryModule, 'label'>): CallAllowance {

        const { timeout, maxMessageBytes } = this.#limits;
        return new CallAllowance({ label, timeout, maxLength: maxMessageBytes, maxWait: timeout + GRACE_MS });
    }

    /** Runs something in its turn. */
    async #run(options: DescribeOptions, input: RequestInput, allowance: CallAllowance): Promise<RunOutcome> {

        const { scope: callerScope } = options;
        const depth = callerScope ? callerScope.depth + 1 : 0;
        this.#checkOpen();
        if (depth > MAX_DEPTH) {
            return { kind: 'failed', failure: { kind: 'error', message: `scripts are run for each other more than ${MAX_DEPTH} deep`, stack: '' } };
        }

        allowance.check();
        const pool = this.#pool(depth);
        const callerKey = callerScope?.callerKey ?? options.callerKey;
        const timeoutMs = callerScope ? Math.max(1, callerScope.deadline - performance.now()) : allowance.waitLeft;
        const leave = await allowance.waiting(pool.semaphore.acquire(callerKey, { timeoutMs }));
        if (this.#isClosed) {
            leave();
            this.#checkOpen();
        }

        const slot = pool.idle.pop() ?? this.#newSlot(pool);
        const began = performance.now();
        // The time limit is that of the code: the wait before it does not count.
        const deadline = Math.min(began + this.#limits.timeout, callerScope?.deadline ?? Infinity);
        const scope = new RunScope({ depth, deadline, callerKey });
        try {
            const outcome = await slot.run(this.#runOf(options, input, scope));
            const seconds = (performance.now() - began) / 1000;
            this.#runs.add(seconds, outcome.kind === 'failed');
            if (outcome.kind === 'failed') {
                this.#checkOpen();
            }

            allowance.ran(seconds * 1000, outcome.kind === 'failed' ? 0 : outcome.lines.length + (outcome.text?.length ?? 0));
            return outcome;
        }
        finally {
            scope.end();
            pool.idle.push(slot);
            leave();
        }
    }

    #runOf({ unit, program, host }: DescribeOptions, input: RequestInput, scope: RunScope): Run {

        const { maxMessageBytes, values = DEFAULT_VALUE_LIMITS } = this.#limits;
        const report = (error: unknown): void => {

            if (scope.hasEnded) {
                return;                                 // The call was ended with the script
            }

            this.#log.error({ event: 'script.host-call-failed', err: error, script: unit.label }, 'host call of a script failed');
        };

        return {
            message: { unit: unit.name, label: unit.label, version: program.version, ...input },
            context: { program, host, scope: () => scope.ofHostCalls(), maxMessageBytes, values, report, explain: this.#explain },
            deadline: scope.facts.deadline,
            log: (level, text, about) => {

                this.#log[level]({ event: 'script.console', script: unit.label, ...about === '' ? {} : { object: about }, text }, 'script');
            }
        };
    }

    /** Throws if the service is shutting down: a failure is not the script's fault then. */
    #checkOpen(): void {

        if (this.#isClosed) {
            throw unavailable('the service is shutting down', 1);
        }
    }

    #pool(depth: number): DepthPool {

        const pool = this.#pools[depth] ?? { semaphore: newSemaphore(this.#limits.workers), idle: [], slots: [] };
        this.#pools[depth] = pool;
        return pool;
    }

    #newSlot(pool: DepthPool): WorkerSlot {

        const { memoryBytes, stackBytes, maxMessageBytes, idleMs } = this.#limits;
        const slot = new WorkerSlot({ memoryBytes, stackBytes, maxMessageBytes }, this.#scheduler, idleMs);
        pool.slots.push(slot);
        return slot;
    }
}

/** Scope of a run; most runs make no host calls, and need no signal. */
class RunScope {

    readonly facts: Omit<ScriptScope, 'signal'>;
    #controller: AbortController | undefined;

    constructor(facts: Omit<ScriptScope, 'signal'>) {

        this.facts = facts;
    }

    /** True if the run has ended, and had made host calls. */
    get hasEnded(): boolean {

        return this.#controller?.signal.aborted === true;
    }

    ofHostCalls(): ScriptScope {

        this.#controller ??= new AbortController();
        return { ...this.facts, signal: this.#controller.signal };
    }

    end(): void {

        this.#controller?.abort();
    }
}

/** One caller leaves a permit to the others, where there is more than one. */
function newSemaphore(permits: number): Semaphore {

    return new Semaphore({ permits, spare: permits + 1, permitsPerKey: Math.max(1, permits - 1), ...WAITING, rejection: (why) => REFUSALS[why]() });
}
