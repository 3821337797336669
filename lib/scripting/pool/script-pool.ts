/**
 * Worker pool for type code: a few threads with script contexts of their own, behind a fair semaphore. Knows nothing of hooks.
 * A service whose types have no code starts no thread.
 *
 * Nested calls cannot deadlock: a script that runs on behalf of a waiting script, such as a hook of an update that it made,
 * gets a worker of the pool for that depth.
 */

import type { Log } from '../../../db/log.js';
import { tooManyRequests, unavailable } from '../../errors/errors.js';
import { parseJson } from '../../json/strict-parser.js';
import type { UnitDescription } from '../program/module-exports.js';
import { describeFailure, EMPTY_DESCRIPTION, readDescription } from '../program/module-exports.js';
import { CpuScheduler } from '../protocol/cpu-scheduler.js';
import type { RunMessage, RunRequest, ThreadOptions } from '../protocol/messages.js';
import { requestTexts } from './call-batching.js';
import type { DescribeOptions, DirectIo, ScriptCall, ScriptCalls } from '../protocol/script-call.js';
import { ScriptError } from '../protocol/script-error.js';
import type { ScriptResult } from '../protocol/script-result.js';
import { readLine } from '../protocol/script-result.js';
import { WorkerSlot } from './worker-slot.js';
import type { Refusal } from '../../util/concurrency/semaphore.js';
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
    workers: 3, timeout: 10_000, memoryBytes: 64 * 1024 * 1024, stackBytes: 512 * 1024, crossingBytes: 16 * 1024 * 1024
};

/** Maximum depth of nested calls. */
const MAX_DEPTH = 4;

/** Maximum number of queued calls, per caller and in total. */
const WAITING = { maxWaitingPerKey: 200, maxWaiting: 1000 };

/** Seconds after which a caller that was refused may try again. */
const RETRY_AFTER = 2;

const REFUSALS: Readonly<Record<Refusal, () => Error>> = {
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
    readonly seats: WorkerSlot[];
}

type RequestInput = Pick<RunMessage, 'request' | 'original' | 'input'>;

/** The worker pool. */
export class ScriptPool {

    readonly #limits: ScriptLimits;
    readonly #log: Log;
    readonly #longRuns = new CpuScheduler();
    readonly #lanes: DepthPool[] = [];
    readonly #describing = new SingleFlight<UnitDescription>();
    #isClosed = false;

    constructor(limits: ScriptLimits, log: Log) {

        this.#limits = limits;
        this.#log = log;
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
     * Returns the exports of a unit; equal questions of the same time are asked once. Throws like {@link call} if the failure is not the
     * script's.
     */
    async describe({ unit, world, host, callerKey, within }: DescribeOptions): Promise<UnitDescription> {

        if (unit.code.trim() === '') {
            return EMPTY_DESCRIPTION;
        }

        if (within) {
            // Not shared: a pending description may itself wait for the worker of a script that waits for this one.
            return await this.#describe({ unit, world, host, callerKey, within });
        }

        const key = `${world.version}\n${unit.name}\n${unit.code}`;
        return await this.#describing.run(() => this.#describe({ unit, world, host, callerKey }), key);
    }

    /** Stops all workers; running calls fail. */
    async close(): Promise<void> {

        this.#isClosed = true;
        await Promise.all(this.#lanes.flatMap(({ seats }) => seats.map((seat) => seat.close())));
    }

    /** Number of running threads. */
    get threads(): number {

        return this.#lanes.reduce((sum, { seats }) => sum + seats.filter(({ isOpen }) => isOpen).length, 0);
    }

    async #describe(options: DescribeOptions): Promise<UnitDescription> {

        const { unit } = options;
        const outcome = await this.#run(options, { request: null, original: null, input: null });
        if (outcome.kind === 'failed') {
            return describeFailure(unit, outcome.failure, false);
        }

        return readDescription(unit, parseJson(outcome.lines, { name: `the description of ${unit.label}` }));
    }

    async #callEach(calls: ScriptCalls, io: DirectIo | undefined): Promise<readonly (ScriptResult | ScriptError)[]> {

        const { unit, path, items, takes } = calls;
        const input = io?.input ?? null;
        const facts: Omit<RunRequest, 'items'> = {
            path, takes,
            directIo: io ? { filename: input?.filename ?? null, mediaType: input?.mediaType ?? null } : null
        };
        const results: (ScriptResult | ScriptError)[] = [];
        for (const { text, original, count } of requestTexts(facts, items, this.#limits.crossingBytes)) {
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

    async #run(options: DescribeOptions, asked: RequestInput): Promise<RunOutcome> {

        const { unit, world, host, within } = options;
        const depth = within ? within.depth + 1 : 0;
        this.#checkOpen();
        if (depth > MAX_DEPTH) {
            return { kind: 'failed', failure: { kind: 'error', message: `scripts are run for each other more than ${MAX_DEPTH} deep`, stack: '' } };
        }

        const { timeout, crossingBytes } = this.#limits;
        const { lane, leave, callerKey, latest } = await this.#enter(options, depth);
        if (this.#isClosed) {
            leave();
            this.#checkOpen();
        }

        const seat = lane.idle.pop() ?? this.#newSeat(lane);
        let controller: AbortController | undefined;
        try {
            const deadline = Math.min(performance.now() + timeout, latest);
            const scope = (): ScriptScope => {

                controller ??= new AbortController();
                return { depth, deadline, signal: controller.signal, callerKey };
            };

            const report = (error: unknown): void => {

                this.#log.error({ event: 'script.host-call-failed', err: error, script: unit.label }, 'host call of a script failed');
            };

            const outcome = await seat.run({
                message: { unit: unit.name, label: unit.label, version: world.version, ...asked },
                desk: { world, host, scope, crossingBytes, report },
                deadline,
                log: (level, text, about) => {

                    this.#log[level]({ event: 'script.console', script: unit.label, ...about === '' ? {} : { object: about }, text }, 'script');
                }
            });
            if (outcome.kind === 'failed') {
                this.#checkOpen();
            }

            return outcome;
        }
        finally {
            controller?.abort();
            lane.idle.push(seat);
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
    async #enter({ within, callerKey: ownKey }: { within?: ScriptScope; callerKey: string }, depth: number) {

        const { timeout } = this.#limits;
        const callerKey = within?.callerKey ?? ownKey;
        const now = performance.now();
        const patience = within ? Math.max(1, within.deadline - now) : timeout + GRACE_MS;
        const latest = within ? within.deadline : now + timeout + GRACE_MS + MIN_MS;
        const lane = this.#lane(depth);
        const leave = await lane.semaphore.acquire(callerKey, { timeoutMs: patience });
        return { lane, leave, callerKey, latest };
    }

    #lane(depth: number): DepthPool {

        const lane = this.#lanes[depth] ?? { semaphore: newSemaphore(this.#limits.workers), idle: [], seats: [] };
        this.#lanes[depth] = lane;
        return lane;
    }

    #newSeat(lane: DepthPool): WorkerSlot {

        const { memoryBytes, stackBytes, crossingBytes, idleMs } = this.#limits;
        const seat = new WorkerSlot({ memoryBytes, stackBytes, crossingBytes }, this.#longRuns, idleMs);
        lane.seats.push(seat);
        return seat;
    }
}

/** One caller leaves a permit to the others, where there is more than one. */
function newSemaphore(permits: number): Semaphore {

    return new Semaphore({ permits, spare: permits + 1, permitsPerKey: Math.max(1, permits - 1), ...WAITING, refusal: (why) => REFUSALS[why]() });
}
