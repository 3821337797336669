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
import type { RunMessage, RunRequest, ThreadOptions } from '../protocol/messages.js';
import { requestTexts } from './call-batching.js';
import type { DescribeOptions, DirectIo, ScriptCall, ScriptCalls } from '../protocol/script-call.js';
import { ScriptError } from '../protocol/script-error.js';
import type { HostCallContext } from '../protocol/script-host.js';
import type { ScriptResult } from '../protocol/script-result.js';
import { readLine } from '../protocol/script-result.js';
import { WorkerSlot } from './worker-slot.js';
import type { RejectionReason } from '../../util/concurrency/semaphore.js';
import { WorkTally } from '../../util/work-tally.js';
import { Semaphore } from '../../util/concurrency/semaphore.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import type { ScriptScope } from '../../model/script-scope.js';
import { type RunOutcome } from '../protocol/messages.js';

/** Limits of scripts. */
export interface ScriptLimits extends ThreadOptions {
    /** Number of scripts that run concurrently, per depth of nested calls. */
    readonly workers: number;
    /** Time limit of a call in ms. */
    readonly timeout: number;
    /** Idle time in ms after which a thread is stopped; default a minute. */
    readonly idleMs?: number;
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

/** Minimum time in ms for a call that had to queue. */
const MIN_MS = 400;

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

type RequestInput = Pick<RunMessage, 'request' | 'original' | 'input'>;

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
     * Calls a function for each item, in as few messages as possible; results in the order of the items.
     *
     * @throws like {@link call}, if the run as a whole fails
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
        const outcome = await this.#run(options, { request: null, original: null, input: null });
        if (outcome.kind === 'failed') {
            return describeFailure(unit, outcome.failure, false);
        }

        return readDescription(unit, outcome.lines);
    }

    async #callEach(calls: ScriptCalls, io: DirectIo | undefined): Promise<readonly (ScriptResult | ScriptError)[]> {

        const { unit, path, items, takes } = calls;
        const input = io?.input ?? null;
        const facts: Omit<RunRequest, 'items'> = {
            path, takes,
            directIo: io ? { filename: input?.filename ?? null, mediaType: input?.mediaType ?? null } : null
        };
        const results: (ScriptResult | ScriptError)[] = [];
        for (const { text, original, count } of requestTexts(facts, items, this.#limits.maxMessageBytes)) {
            const outcome = await this.#run(calls, { request: text, original, input: input?.bytes ?? null });
            if (outcome.kind === 'failed') {
                throw new ScriptError(outcome.failure, unit.label);
            }

            const lines = count === 1 ? [outcome.lines] : outcome.lines.split('\n');
            for (let i = 0; i < count; ++i) {
                results.push(readLine(lines[i] ?? '{}', unit.label, outcome.output));
            }
        }

        return results;
    }

    async #run(options: DescribeOptions, input: RequestInput): Promise<RunOutcome> {

        const { unit, program, host, scope: callerScope } = options;
        const depth = callerScope ? callerScope.depth + 1 : 0;
        this.#checkOpen();
        if (depth > MAX_DEPTH) {
            return { kind: 'failed', failure: { kind: 'error', message: `scripts are run for each other more than ${MAX_DEPTH} deep`, stack: '' } };
        }

        const { timeout, maxMessageBytes } = this.#limits;
        const { lane: pool, leave, callerKey, latest } = await this.#acquire(options, depth);
        if (this.#isClosed) {
            leave();
            this.#checkOpen();
        }

        const slot = pool.idle.pop() ?? this.#newSlot(pool);
        let controller: AbortController | undefined;
        try {
            const deadline = Math.min(performance.now() + timeout, latest);
            const scope = (): ScriptScope => {

                controller ??= new AbortController();
                return { depth, deadline, signal: controller.signal, callerKey };
            };

            const report = (error: unknown): void => {

                if (controller?.signal.aborted) {
                    return;                                 // The call was ended with the script
                }

                this.#log.error({ event: 'script.host-call-failed', err: error, script: unit.label }, 'host call of a script failed');
            };

            const began = performance.now();
            const outcome = await slot.run({
                message: { unit: unit.name, label: unit.label, version: program.version, ...input },
                context: { program, host, scope, maxMessageBytes, report, explain: this.#explain },
                deadline,
                log: (level, text, about) => {

                    this.#log[level]({ event: 'script.console', script: unit.label, ...about === '' ? {} : { object: about }, text }, 'script');
                }
            });
            this.#runs.add((performance.now() - began) / 1000, outcome.kind === 'failed');
            if (outcome.kind === 'failed') {
                this.#checkOpen();
            }

            return outcome;
        }
        finally {
            controller?.abort();
            pool.idle.push(slot);
            leave();
        }
    }

    /** Throws if the service is shutting down: a failure is not the script's fault then. */
    #checkOpen(): void {

        if (this.#isClosed) {
            throw unavailable('the service is shutting down', 1);
        }
    }

    /** Waits for a permit; `latest` is the deadline of the call. */
    async #acquire({ scope: callerScope, callerKey: ownKey }: { scope?: ScriptScope; callerKey: string }, depth: number) {

        const { timeout } = this.#limits;
        const callerKey = callerScope?.callerKey ?? ownKey;
        const now = performance.now();
        const timeoutMs = callerScope ? Math.max(1, callerScope.deadline - now) : timeout + GRACE_MS;
        const latest = callerScope ? callerScope.deadline : now + timeout + GRACE_MS + MIN_MS;
        const pool = this.#pool(depth);
        const leave = await pool.semaphore.acquire(callerKey, { timeoutMs });
        return { lane: pool, leave, callerKey, latest };
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

/** One caller leaves a permit to the others, where there is more than one. */
function newSemaphore(permits: number): Semaphore {

    return new Semaphore({ permits, spare: permits + 1, permitsPerKey: Math.max(1, permits - 1), ...WAITING, rejection: (why) => REFUSALS[why]() });
}
