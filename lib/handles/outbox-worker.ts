/**
 * Outbox worker: a singleton job (one node at a time, by lease) that registers the handles in the outbox with the handle
 * server. A failing handle backs off by itself; an outage of the server pauses all of them, with single probes.
 */

import { setMaxListeners } from 'node:events';
import type { Log } from '../../db/log.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import type { HandleOutboxStore, OutboxEntry } from '../stores/handle-outbox-store.js';
import { HandleServerError } from './handle-server-client.js';

/** Updates the record of one handle at the handle server. */
export type Notify = (handle: string, signal: AbortSignal) => Promise<void>;

/** Timing of the delivery. */
export interface DeliveryPace {
    /** Delay before the first retry in ms, doubled for each further one. Default 1000. */
    readonly firstPauseMs?: number;
    /** Interval in ms at which the outbox is polled for entries of other nodes. Default 500. */
    readonly pollMs?: number;
}

/** Dependencies of the delivery. */
export interface DeliveryParts {
    readonly outbox: HandleOutboxStore;
    readonly notify: Notify;
    readonly log: Log;
    readonly pace: DeliveryPace;
}

/** Lease in ms: another node takes over within this time after a crash. */
const LEASE_MS = 10_000;
/** Delay in ms before the job is repeated; matters only until it starts, since a run does not end by itself. */
const REPEAT_MS = 100;
/** Delay in ms after an error: constant, since each node that takes over, and each outage of the database, adds an attempt to a run that does not end. */
const RETRY_MS = 1000;
const POLL_MS = 500;

/** Maximum number of concurrent requests. A server that writes each record to disk may handle several at once. */
const BATCH_SIZE = 32;

/** Number of entries read at once. */
const READ_PER_BATCH = 4 * BATCH_SIZE;

const FIRST_PAUSE_MS = 1000;
/** Maximum pause in ms during an outage of the server. */
const MAX_OUTAGE_PAUSE_MS = 60_000;
/** Maximum pause in ms for a failing handle. */
const MAX_PAUSE_MS = 60 * 60_000;
/** Attempts after which a handle counts as failed although the error concerned the server: other handles succeed meanwhile. */
const MAX_ATTEMPTS_PER_RUN = 10;

/** Empties the outbox. */
export class HandleDelivery {

    readonly kind: JobKind = {
        kind: 'handles.deliver', run: (job) => this.#work(job), leaseMs: LEASE_MS, repeatMs: REPEAT_MS, backOff: () => RETRY_MS
    };
    readonly #parts: DeliveryParts;
    readonly #running = new Map<string, Promise<void>>();
    /** Due entries that were read but do not fit into the batch yet. */
    #due: OutboxEntry[] = [];
    /** Consecutive failures of the server. */
    #outages = 0;
    #pausedUntil = 0;
    #isWakeRequested = false;
    #wakeUp: (() => void) | null = null;

    constructor(parts: DeliveryParts) {

        this.#parts = parts;
    }

    /** Signals that the outbox has a new entry. */
    wake(): void {

        this.#isWakeRequested = true;
        this.#wakeUp?.();
    }

    async #work(job: RunningJob): Promise<void> {

        const { signal } = job;
        this.#due = [];
        // Every request adds a listener.
        setMaxListeners(2 * BATCH_SIZE, signal);
        try {
            while (!signal.aborted) {
                this.#isWakeRequested = false;
                await this.#idle(await this.#start(job), signal);
            }
        }
        finally {
            await Promise.all(this.#running.values());
        }
    }

    /** Starts deliveries of due entries, up to the concurrency limit. Resolves to the ms until there may be more to do. */
    async #start(job: RunningJob): Promise<number> {

        const { outbox, pace: { pollMs = POLL_MS } } = this.#parts;
        const now = outbox.now();
        const capacity = (this.#outages > 0 ? 1 : BATCH_SIZE) - this.#running.size;
        const paused = this.#pausedUntil - performance.now();
        if (paused > 0 || capacity <= 0) {
            return Math.max(1, paused, capacity <= 0 ? pollMs : 0);
        }

        let isEmpty = false;
        if (this.#due.length === 0) {
            const due = await outbox.due(now, READ_PER_BATCH);
            isEmpty = due.length === 0;
            this.#due = due.filter(({ handle }) => !this.#running.has(handle));
        }

        for (const entry of this.#due.splice(0, capacity)) {
            this.#running.set(entry.handle, this.#deliver(entry, job).finally(() => {

                this.#running.delete(entry.handle);
                this.wake();
            }));
        }

        // A finished delivery wakes the loop, so that due entries under way do not shorten the pause.
        const next = isEmpty ? await outbox.nextDue() : null;
        return Math.min(pollMs, Math.max(1, (next ?? Infinity) - now));
    }

    async #deliver(entry: OutboxEntry, job: RunningJob): Promise<void> {

        const { outbox, notify, log } = this.#parts;
        try {
            const failure = await notify(entry.handle, job.signal).then(() => null, (error: unknown) => ({ error }));
            if (!isLeaseHeld(job)) {
                // A process that was stopped in between may have replaced a record that another one has sent since. That one sends it again.
                await outbox.mark(entry.handle, outbox.now());
            }
            else if (failure) {
                await this.#failed(entry, failure.error);
            }
            else {
                this.#answered();
                await outbox.remove(entry);
            }
        }
        catch (error) {
            this.#pausedUntil = performance.now() + this.#pause(1, MAX_OUTAGE_PAUSE_MS);
            log.error({ event: 'handle.outbox-failed', err: error, handle: entry.handle }, 'failed to store the outcome of a handle registration');
        }
    }

    /** Ends an outage: deliveries go on without a pause. */
    #answered(): void {

        if (this.#outages > 0) {
            this.#outages = 0;
            this.#pausedUntil = 0;
            this.#parts.log.info({ event: 'handle.server-recovered' }, 'handle server reachable again');
        }
    }

    /** Begins or prolongs an outage. Requests that were under way fail as well, which is not counted again. */
    #outage(): void {

        const now = performance.now();
        if (now >= this.#pausedUntil) {
            this.#due = [];
            this.#outages += 1;
            this.#pausedUntil = now + this.#pause(this.#outages, MAX_OUTAGE_PAUSE_MS);
        }
    }

    async #failed(entry: OutboxEntry, error: unknown): Promise<void> {

        const { outbox, log } = this.#parts;
        const blame = error instanceof HandleServerError ? error.blame : 'handle';
        const now = outbox.now();
        const attempts = entry.attempts + 1;
        if (blame !== 'server' || this.#outages === 0) {
            log.warn({ event: 'handle.registration-failed', err: error, handle: entry.handle, attempts }, 'handle registration failed');
        }

        if (blame === 'server') {
            this.#outage();
        }
        else if (error instanceof HandleServerError) {
            this.#answered();
        }

        const pause = this.#pause(attempts, blame === 'server' ? MAX_OUTAGE_PAUSE_MS : MAX_PAUSE_MS);
        await outbox.postpone(entry, {
            error: error instanceof Error ? error.message : String(error),
            runAt: blame === 'request' ? null : now + pause,
            hasFailed: blame !== 'server' || attempts >= MAX_ATTEMPTS_PER_RUN
        }, now);
    }

    /** Exponential back-off with jitter, so that entries that failed together are spread. */
    #pause(attempts: number, longest: number): number {

        const full = Math.min(longest, (this.#parts.pace.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (attempts - 1));
        return full / 2 + Math.random() * full / 2;
    }

    /** Waits until woken or until `pause` ms have passed. */
    async #idle(pause: number, signal: AbortSignal): Promise<void> {

        if (this.#isWakeRequested || signal.aborted) {
            return;
        }

        await new Promise<void>((resolve) => {

            const wakeUp = (): void => {

                clearTimeout(timer);
                signal.removeEventListener('abort', wakeUp);
                resolve();
            };

            const timer = setTimeout(wakeUp, pause);
            signal.addEventListener('abort', wakeUp);
            this.#wakeUp = wakeUp;
        });
        this.#wakeUp = null;
    }
}

/** False when the job is to stop, as another process may have taken it over. */
function isLeaseHeld(job: RunningJob): boolean {

    try {
        job.checkLease();
        return true;
    }
    catch {
        return false;
    }
}
