/** Health monitor of the database. During an outage requests fail at once instead of waiting; after it the service resumes without a restart. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SingleFlight } from '../util/concurrency/single-flight.js';

export interface DatabaseMonitorOptions {
    /** Rejects when the database does not respond, within `timeoutMs` milliseconds if given. */
    readonly ping: (timeoutMs?: number) => Promise<void>;
    /** Called after several failed pings in a row. */
    readonly onOutage: () => void;
    /** Called when the database responds again. */
    readonly onReturn: () => void;
    readonly log: Logger;
    /** Interval between pings in milliseconds; default 5 s. */
    readonly intervalMs?: number;
}

const INTERVAL_MS = 5000;

/** Number of failed pings that make an outage, since one lost connection does not, and the pause between them. */
const ATTEMPTS = 3;
const ATTEMPT_PAUSE_MS = 100;

/** Timeout of an on-demand ping in milliseconds. */
const CHECK_MS = 1000;

/** Pauses between pings during an outage in milliseconds: the first, doubled up to the maximum. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;

/** Monitors a database. */
export class DatabaseMonitor {

    readonly #options: Required<DatabaseMonitorOptions>;
    readonly #stop = new AbortController();
    #wake: (() => void) | null = null;
    #isSuspected = false;
    readonly #checks = new SingleFlight<boolean>();
    #watching: Promise<void> = Promise.resolve();

    constructor(options: DatabaseMonitorOptions) {

        this.#options = { intervalMs: INTERVAL_MS, ...options };
    }

    start(): void {

        this.#watching = this.#watch();
    }

    /** Pings at once, because a request failed. */
    reportFailure(): void {

        this.#isSuspected = true;
        this.#wake?.();
    }

    /** Returns whether the database responds now; never rejects. Concurrent calls share one ping. */
    ping(): Promise<boolean> {

        return this.#checks.run(() => this.#answersWithin(CHECK_MS));
    }

    async stop(): Promise<void> {

        this.#stop.abort();
        this.#wake?.();
        await this.#watching;
    }

    async #watch(): Promise<void> {

        const { signal } = this.#stop;
        while (!signal.aborted) {
            await this.#pause();
            if (!signal.aborted && !await this.#answers(ATTEMPTS)) {
                await this.#outage();
            }
        }
    }

    async #outage(): Promise<void> {

        const { signal } = this.#stop;
        const { log, onOutage, onReturn } = this.#options;
        const since = performance.now();
        log.error({ event: 'database.unreachable' }, 'database unreachable');
        onOutage();
        for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
            if (await this.#answers(1)) {
                log.info({ event: 'database.recovered', seconds: Math.round((performance.now() - since) / 1000) }, 'database reachable again');
                onReturn();
                return;
            }

            await sleep(pause, undefined, { signal, ref: false }).catch(() => {
                // Stopped
            });
        }
    }

    async #answers(attempts: number): Promise<boolean> {

        this.#isSuspected = false;
        for (let attempt = 1; ; ++attempt) {
            try {
                await this.#options.ping();
                return true;
            }
            catch (error) {
                if (attempt >= attempts || this.#stop.signal.aborted) {
                    this.#options.log.debug({ event: 'database.ping-failed', err: error }, 'database ping failed');
                    return false;
                }
            }

            await sleep(ATTEMPT_PAUSE_MS, undefined, { ref: false });
        }
    }

    async #answersWithin(ms: number): Promise<boolean> {

        const deadline = performance.now() + ms;
        for (let attempt = 1; attempt <= ATTEMPTS && performance.now() < deadline; ++attempt) {
            try {
                await this.#options.ping(deadline - performance.now());
                return true;
            }
            catch {
                await sleep(ATTEMPT_PAUSE_MS, undefined, { ref: false });
            }
        }

        this.reportFailure();
        return false;
    }

    /** Waits for the interval, or until a failure is reported. */
    async #pause(): Promise<void> {

        if (this.#isSuspected) {
            return;
        }

        await new Promise<void>((resolve) => {

            const timer = setTimeout(resolve, this.#options.intervalMs).unref();
            this.#wake = () => {

                clearTimeout(timer);
                resolve();
            };
        });
        this.#wake = null;
    }
}
