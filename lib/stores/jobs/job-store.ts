/**
 * Table of background jobs. A job is run by the process that holds its lease; when a process dies, its leases expire and other
 * processes take over. Any process on the same database may take part: the times of jobs are those of the clock of the database, while leases do not
 * depend on any clock that processes share (`lease-watch.ts`).
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, SqlValue, Step } from '../../../db/database.js';
import type { JsonValue } from '../../util/json-types.js';
import { DueTimes } from './due-times.js';
import { buildStatements, type JobRow, type JobState, type Statements } from './job-statements.js';
import { LeaseWatch, type StoredLease } from './lease-watch.js';

export type { JobState } from './job-statements.js';

/** A job as stored. */
export interface Job {
    readonly id: number;
    readonly kind: string;
    readonly state: JobState;
    readonly payload: JsonValue;
    /** Last reported progress, or null. */
    readonly progress: JsonValue;
    /** Number of starts, without those that an outage or the end of the service ended. */
    readonly attempts: number;
    /** Message of the last error. */
    readonly lastError: string | null;
}

/** A job without its payload, for administrators. */
export interface JobRecord extends Omit<Job, 'payload'> {
    /** Epoch ms. */
    readonly createdOn: number;
}

/** A job with the lease to run it. */
export interface LeasedJob extends Job {
    readonly lease: string;
}

/** Times of the jobs of a kind, in milliseconds. */
export interface JobTimes {
    /** Length of a lease. */
    readonly leaseMs: number;
    /** No job waits as long as this. One that seems to was stored by a clock that was ahead, or is that of another server: it is due. */
    readonly longestWaitMs: number;
}

/** A job to be added. */
export interface NewJob {
    readonly kind: string;
    readonly payload: JsonValue;
    /** Earliest time to run (epoch ms); by default it is due, whatever the time is. */
    readonly runAt?: number;
    /** While there is a job of this kind and key, no other is added. */
    readonly dedup?: {
        /** Up to 255 bytes. */
        readonly key: string;
        /** `start`: changes while the job runs require another run (bring X up to date). `end`: one at a time (reindex all). */
        readonly until: 'start' | 'end';
    };
}

const LEASE_LOST = 'job:lease';
const MAX_KEY_BYTES = 255;
const MAX_ERROR_LENGTH = 2000;
const MAX_LIST = 1000;

/** Counting more would take long. */
const MAX_COUNT = 10_000;

/** Number of jobs considered for a claim, because other processes may claim the first ones. */
const CANDIDATES = 8;

/** Due by any clock: those of servers of a cluster differ, and any may be set back. */
const DUE_NOW = 0;

/** How often leases are looked at in the time of one, so that it is soon known whether one is renewed. */
const POLLS_PER_LEASE = 4;

/** Jobs in the database. */
export class JobStore {

    readonly #database: Database;
    readonly #now: () => number;
    readonly #sql: Statements;
    readonly #dueTimes: DueTimes;
    readonly #leases: LeaseWatch;
    /** Identifies this process in the table, for administrators. */
    readonly #owner = `${hostname().slice(0, 100)}:${process.pid}`;

    /** @param monotonic milliseconds of the clock by which leases of others expire */
    constructor(database: Database, now: () => number = () => database.now(), monotonic: () => number = () => performance.now()) {

        this.#database = database;
        this.#now = now;
        this.#sql = buildStatements(database);
        this.#dueTimes = new DueTimes(database);
        this.#leases = new LeaseWatch(monotonic);
    }

    /**
     * Returns the step that adds a job, for the unit of the change that requires it. Adds none when `dedup` finds one. One that is found until
     * its start is changed, so that on a cluster, too, it does not start before this change and miss it: servers of a cluster exclude each
     * other by changes alone.
     */
    enqueueStep(job: NewJob): Step {

        return this.#enqueueStep(job, job.dedup?.until === 'start' ? this.#sql.enqueueOrTouch : this.#sql.enqueue);
    }

    #enqueueStep(job: NewJob, statement: Statements['enqueue']): Step {

        const now = this.#now();
        for (const key of [job.kind, job.dedup?.key ?? '']) {
            if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
                throw new Error(`a job's kind and key must have at most ${MAX_KEY_BYTES} bytes, got ${JSON.stringify(key)}`);
            }
        }

        return statement.step({
            kind: job.kind, payload: JSON.stringify(job.payload), run_at: job.runAt ?? DUE_NOW, now,
            dedup_key: job.dedup?.key ?? null, dedup_until: job.dedup?.until ?? 'end'
        });
    }

    /** Adds a job; false when `dedup` found one. */
    async enqueue(job: NewJob): Promise<boolean> {

        const result = await this.#database.commit({ steps: [this.#enqueueStep(job, this.#sql.enqueue)], essential: true });
        return result.ok && result.steps[0]?.rows === 1;
    }

    /** Adds a job that is alone of its kind and key until it ends, or finds the one that there is. */
    async join(job: NewJob & Required<Pick<NewJob, 'dedup'>>): Promise<Job> {

        for (;;) {
            const result = await this.#database.commit({ steps: [this.#enqueueStep(job, this.#sql.enqueue)], essential: true });
            const added = result.ok && result.steps[0]?.rows === 1 ? result.steps[0] : null;
            const found = added ? await this.get(added.insertId) : await this.current(job.kind, job.dedup.key);
            if (found) {
                return found;
            }

            // The other one has ended meanwhile.
        }
    }

    /** Returns the job of a kind and key that has not ended, which need not be the one with the highest id; null if there is none. */
    async current(kind: string, key: string): Promise<Job | null> {

        const found = await this.#sql.current.first<JobRow>({ kind, key });
        return found ? toJob(found) : null;
    }

    /** Adds a job without a key. Returns its id, for {@link outcome}. */
    async add(job: Omit<NewJob, 'dedup'>): Promise<number> {

        const result = await this.#database.commit({ steps: [this.enqueueStep(job)] });
        return result.ok ? result.steps[0]?.insertId ?? 0 : 0;
    }

    /** Returns the state of a job without its payload; `failed` when it was purged. */
    async outcome(id: number): Promise<Pick<Job, 'state' | 'lastError'>> {

        const row = await this.#sql.outcome.first<Pick<JobRow, 'state' | 'last_error'>>({ id });
        return row ? { state: row.state, lastError: row.last_error } : { state: 'failed', lastError: 'it is not there any more' };
    }

    /** Claims a job of a kind whose lease has expired, or one that is due, new ones before those that are repeated; null when there is none. */
    async claim(kind: string, { leaseMs, longestWaitMs }: JobTimes): Promise<LeasedJob | null> {

        const now = this.#now();
        const far = now + longestWaitMs;
        this.#leases.saw(kind, await this.#sql.leases.read<StoredLease>({ kind }));
        // First, as there may always be others that are due.
        for (const { id, owner, until } of this.#leases.expired(kind, leaseMs)) {
            const lease = this.#newLease();
            if (await this.#change(this.#sql.takeOver.step({ id, owner, seen: until, now, lease, until: now + leaseMs }))) {
                // Read now, as the former holder may have reported until then.
                const row = await this.#sql.get.first<JobRow>({ id });
                return row ? { ...toJob(row), lease } : null;
            }
        }

        const due = await this.#sql.due.read<JobRow>({ kind, now, limit: CANDIDATES });
        const waiting = due.length > 0 ? due : await this.#sql.early.read<JobRow>({ kind, far, limit: CANDIDATES });
        for (const row of waiting) {
            const lease = this.#newLease();
            if (await this.#change(this.#sql.claim.step({ id: row.id, now, far, lease, until: now + leaseMs }))) {
                return { ...toJob(row), state: 'running', attempts: row.attempts + 1, lease };
            }
        }

        return null;
    }

    #newLease(): string {

        return `${this.#owner}:${randomBytes(9).toString('base64url')}`;
    }

    /** Returns whether a process runs a job of one of some kinds: it takes or renews a lease within the length of one, which is waited for. Throws on abort. */
    async isRun(kinds: readonly string[], leaseMs: number, signal: AbortSignal): Promise<boolean> {

        const read = async (): Promise<string[]> => (await Promise.all(kinds.map((kind) => this.#sql.leases.read<StoredLease>({ kind })))).flat()
            .map(({ id, owner, until }) => JSON.stringify([id, owner, until]));
        const first = new Set(await read());
        for (let polls = 0; polls < POLLS_PER_LEASE; ++polls) {
            await sleep(leaseMs / POLLS_PER_LEASE, undefined, { signal });
            if ((await read()).some((lease) => !first.has(lease))) {
                return true;
            }
        }

        return false;
    }

    /** Extends a lease to `leaseMs` from now; false when it is lost, in which case the job must be stopped. */
    renew(job: LeasedJob, leaseMs: number): Promise<boolean> {

        return this.#change(this.#sql.renew.step({ ...this.#leaseValues(job), until: this.#now() + leaseMs }));
    }

    /** Stores the progress of a job, in one unit with further steps; false, with nothing written, when its lease is lost. */
    async report(job: LeasedJob, progress: JsonValue, steps: readonly Step[] = []): Promise<boolean> {

        const values = { ...this.#leaseValues(job), progress: JSON.stringify(progress) };
        const reported = this.#sql.report.step(values, { expect: { rows: 1, otherwise: LEASE_LOST } });
        const result = await this.#database.commit({ steps: [reported, ...steps] });
        if (!result.ok && result.failed !== LEASE_LOST) {
            throw new Error(`a unit failed at ${result.failed}`);
        }

        return result.ok;
    }

    /** Completes a job; false when its lease is lost. */
    complete(job: LeasedJob): Promise<boolean> {

        return this.#change(this.#sql.complete.step(this.#leaseValues(job)));
    }

    /** Completes a job and deletes it; false when its lease is lost. */
    forget({ id, lease }: LeasedJob): Promise<boolean> {

        return this.#change(this.#sql.forget.step({ id, lease }));
    }

    /** Ends an attempt with an error: the job runs again at `retryAt` (epoch ms), or has failed permanently when that is null. */
    fail(job: LeasedJob, error: string, retryAt: number | null): Promise<boolean> {

        const values = { ...this.#leaseValues(job), error: error.slice(0, MAX_ERROR_LENGTH) };
        return this.#change(retryAt === null ? this.#sql.fail.step(values) : this.#sql.retry.step({ ...values, run_at: retryAt }));
    }

    /** Ends an attempt that does not count, as an error that is no fault of the job ended it: the job runs again at `retryAt` (epoch ms). */
    defer(job: LeasedJob, error: string, retryAt: number): Promise<boolean> {

        const values = { ...this.#leaseValues(job), error: error.slice(0, MAX_ERROR_LENGTH) };
        return this.#change(this.#sql.defer.step({ ...values, run_at: retryAt, attempts: job.attempts - 1 }));
    }

    /** Returns a job as if it had not been started: another process may claim it at once. */
    release(job: LeasedJob): Promise<boolean> {

        return this.#change(this.#sql.again.step({ ...this.#leaseValues(job), run_at: DUE_NOW, attempts: job.attempts - 1 }));
    }

    /** Ends a run of a periodic job: it runs again at `runAt` (epoch ms), with attempts and error reset. */
    repeat(job: LeasedJob, runAt: number): Promise<boolean> {

        return this.#change(this.#sql.again.step({ ...this.#leaseValues(job), run_at: runAt, attempts: 0 }));
    }

    /** Returns a job by id. */
    async get(id: number): Promise<Job | null> {

        const row = await this.#sql.get.first<JobRow>({ id });
        return row ? toJob(row) : null;
    }

    /** Returns jobs of a kind, in general newest first, at most 1000. */
    async list({ kind, state, limit }: { kind: string; state?: JobState; limit: number }): Promise<Job[]> {

        const bounded = Math.min(limit, MAX_LIST);
        const rows = state === undefined ?
            await this.#sql.list.read<JobRow>({ kind, limit: bounded }) :
            await this.#sql.listState.read<JobRow>({ kind, state, limit: bounded });
        return rows.map(toJob);
    }

    /** Returns the newest jobs of all kinds, without their payloads. */
    async recent(limit: number): Promise<JobRecord[]> {

        const rows = await this.#sql.recent.read<Omit<JobRow, 'payload'> & { readonly created_on: number }>({ limit: Math.min(limit, MAX_LIST) });
        return rows.map(({ created_on: createdOn, ...found }) => {

            const { payload: _, ...job } = toJob({ ...found, payload: 'null' });
            return { ...job, createdOn };
        });
    }

    /** True when other processes may do the jobs as well. */
    get isShared(): boolean {

        return this.#database.revision === null;
    }

    /** The time by which jobs are due (epoch ms). */
    now(): number {

        return this.#now();
    }

    /**
     * Returns in how many milliseconds a job of each kind may be claimed, because it is due or a lease expires, or leases should be looked at again;
     * Infinity where there is none. One statement for all kinds, as every node asks again and again.
     *
     * @param kinds with their times
     */
    async waits(kinds: ReadonlyMap<string, JobTimes>): Promise<Map<string, number>> {

        const now = this.#now();
        const found = await this.#dueTimes.read(new Map([...kinds].map(([kind, { longestWaitMs }]) => [kind, now + longestWaitMs])));
        return new Map([...kinds].map(([kind, { leaseMs }]) => {

            const { due = Infinity, leases = [] } = found.get(kind) ?? {};
            this.#leases.saw(kind, leases);
            const wait = this.#leases.wait(kind, leaseMs);
            return [kind, Math.min(due - now, Number.isFinite(wait) ? Math.min(wait, leaseMs / POLLS_PER_LEASE) : Infinity)];
        }));
    }

    /** Counts the jobs of all nodes that are due or have failed, each up to {@link MAX_COUNT}. */
    async counts(): Promise<{ readonly due: number; readonly failed: number }> {

        const [due, failed] = await Promise.all([
            this.#sql.countDue.first<{ count: number }>({ now: this.#now(), limit: MAX_COUNT }),
            this.#sql.countFailed.first<{ count: number }>({ limit: MAX_COUNT })
        ]);
        return { due: Number(due?.count ?? 0), failed: Number(failed?.count ?? 0) };
    }

    /** Deletes up to `limit` jobs that ended before a time (epoch ms); resolves to their number. */
    async purge(before: number, limit: number): Promise<number> {

        const rows = await this.#sql.ended.read<{ id: number }>({ before, limit: Math.min(limit, MAX_LIST) });
        const result = await this.#database.commit({ steps: rows.map(({ id }) => this.#sql.remove.step({ id })), essential: true });
        return result.ok ? rows.length : 0;
    }

    #leaseValues({ id, lease }: LeasedJob): { id: SqlValue; lease: SqlValue; now: SqlValue } {

        return { id, lease, now: this.#now() };
    }

    async #change(step: Step): Promise<boolean> {

        const result = await this.#database.commit({ steps: [step], essential: true });
        return result.ok && result.steps[0]?.rows === 1;
    }
}

function toJob(found: JobRow): Job {

    return {
        id: found.id,
        kind: found.kind,
        state: found.state,
        payload: JSON.parse(found.payload) as JsonValue,
        progress: found.progress === null ? null : JSON.parse(found.progress) as JsonValue,
        attempts: found.attempts,
        lastError: found.last_error
    };
}
