/**
 * Tells a handle server what became of handles: one job, held by one node at a time, that empties the outbox for as long as it
 * runs. A handle that makes trouble waits by itself; when the server is away everything waits, and it is asked once in a while.
 */

import { setMaxListeners } from 'node:events';
import type { Log } from '../../db/log.js';
import type { JobKind } from '../jobs/job-kind.js';
import type { HandleOutboxStore, OutboxEntry } from '../stores/handle-outbox-store.js';
import { HandleServerError } from './handle-server-client.js';

/** Brings the record of one handle up to date at the server. */
export type Notify = (handle: string, signal: AbortSignal) => Promise<void>;

/** How fast it goes. */
export interface DeliveryPace {
    /** Milliseconds before the second attempt; it doubles from then on. Default a second. */
    readonly firstPauseMs?: number;
    /** Milliseconds between two looks at what others may have put into the outbox. Default half a second. */
    readonly pollMs?: number;
}

/** What a delivery works with. */
export interface DeliveryParts {
    readonly outbox: HandleOutboxStore;
    readonly tell: Notify;
    readonly log: Log;
    readonly pace: DeliveryPace;
}

/** After a crash another one takes over within this time. */
const LEASE_MS = 15_000;
/** Only until it begins: a run never ends by itself. */
const REPEAT_MS = 100;
const POLL_MS = 500;

/** Requests at the same time. A server that writes each record to disk may do several of them at once. */
const BATCH_SIZE = 32;

/** Entries that are read at once. */
const READ_PER_BATCH = 4 * BATCH_SIZE;

const FIRST_PAUSE_MS = 1000;
/** Longest time that a server that is away is left alone. */
const MAX_OUTAGE_PAUSE_MS = 60_000;
/** Longest time that a handle that makes trouble is left alone. */
const MAX_PAUSE_MS = 60 * 60_000;
/** A handle at which the server fails so often is to blame itself, while others get through. */
const MAX_ATTEMPTS_PER_RUN = 10;

/** Empties the outbox. */
export class HandleDelivery {

    readonly kind: JobKind = { kind: 'handles.deliver', run: ({ signal }) => this.#work(signal), leaseMs: LEASE_MS, repeatMs: REPEAT_MS };
    readonly #parts: DeliveryParts;
    readonly #running = new Map<string, Promise<void>>();
    /** Entries that were due when they were read, and wait for room. */
    #due: OutboxEntry[] = [];
    /** Failures of the server since it last did what it was asked. */
    #outages = 0;
    #pausedUntil = 0;
    #isWanted = false;
    #wakeUp: (() => void) | null = null;

    constructor(parts: DeliveryParts) {

        this.#parts = parts;
    }

    /** Says that there is something new in the outbox. */
    wake(): void {

        this.#isWanted = true;
        this.#wakeUp?.();
    }

    async #work(signal: AbortSignal): Promise<void> {

        this.#due = [];
        // Each request listens to it.
        setMaxListeners(2 * BATCH_SIZE, signal);
        try {
            while (!signal.aborted) {
                this.#isWanted = false;
                await this.#idle(await this.#start(signal), signal);
            }
        }
        finally {
            await Promise.all(this.#running.values());
        }
    }

    /** Starts what is due and there is room for; resolves to the milliseconds until there may be more. */
    async #start(signal: AbortSignal): Promise<number> {

        const { outbox, pace: { pollMs = POLL_MS } } = this.#parts;
        const now = Date.now();
        const room = (this.#outages > 0 ? 1 : BATCH_SIZE) - this.#running.size;
        const paused = this.#pausedUntil - performance.now();
        if (paused > 0 || room <= 0) {
            return Math.max(1, paused, room <= 0 ? pollMs : 0);
        }

        let isEmpty = false;
        if (this.#due.length === 0) {
            const due = await outbox.due(now, READ_PER_BATCH);
            isEmpty = due.length === 0;
            this.#due = due.filter(({ handle }) => !this.#running.has(handle));
        }

        for (const entry of this.#due.splice(0, room)) {
            this.#running.set(entry.handle, this.#deliver(entry, signal).finally(() => {

                this.#running.delete(entry.handle);
                this.wake();
            }));
        }

        // Whoever has ended wakes this up; until then what is due and under way is nothing to hurry for.
        const next = isEmpty ? await outbox.nextDue() : null;
        return Math.min(pollMs, Math.max(1, (next ?? Infinity) - now));
    }

    async #deliver(entry: OutboxEntry, signal: AbortSignal): Promise<void> {

        const { outbox, tell, log } = this.#parts;
        try {
            await tell(entry.handle, signal);
            this.#answered();
            await outbox.remove(entry);
        }
        catch (error) {
            if (!signal.aborted) {
                await this.#failed(entry, error).catch((fault: unknown) => {

                    this.#pausedUntil = performance.now() + this.#pause(1, MAX_OUTAGE_PAUSE_MS);
                    log.error({ err: fault, handle: entry.handle }, 'it could not be written down that a handle was not registered');
                });
            }
        }
    }

    /** The server answers, and has to be asked about everything that waits. */
    #answered(): void {

        if (this.#outages > 0) {
            this.#outages = 0;
            this.#pausedUntil = 0;
            this.#parts.log.info({}, 'the handle server answers again');
        }
    }

    /** The server is away. What was under way at that moment fails as well, and says nothing new. */
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
        const now = Date.now();
        const attempts = entry.attempts + 1;
        if (blame !== 'server' || this.#outages === 0) {
            log.warn({ err: error, handle: entry.handle, attempts }, 'a handle could not be registered');
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

    /** Doubles with each attempt; a random part keeps what failed together apart. */
    #pause(attempts: number, longest: number): number {

        const full = Math.min(longest, (this.#parts.pace.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (attempts - 1));
        return full / 2 + Math.random() * full / 2;
    }

    /** Waits until it is woken or a time (milliseconds) is over. */
    async #idle(pause: number, signal: AbortSignal): Promise<void> {

        if (this.#isWanted || signal.aborted) {
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
