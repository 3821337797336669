/**
 * Starts a gateway with retries: while its database is unavailable the service listens and reports that, and recovers by itself. Only a
 * permanent error ends the start.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { implementation } from '../util/version.js';
import type { Gateway, GatewayStart } from './gateway.js';

export interface StartupRetryOptions {
    /** Called once, after the successful attempt. */
    readonly onStarted: (start: GatewayStart) => void;
    /** True for a permanent error of the first attempt. */
    readonly isFinal: (error: unknown) => boolean;
    /** True for a permanent error of a later one; default: as of the first. */
    readonly isFinalLater?: (error: unknown) => boolean;
    /** Called with a permanent error of a later attempt, such as of wrong settings that were not looked at while the database was away; default: it is retried. */
    readonly onFinal?: ((error: unknown) => void) | undefined;
    readonly log: Logger;
    /** Milliseconds that {@link StartupRetry.start} waits for the first attempt; default 10 s. */
    readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Pauses between attempts in milliseconds: the first, doubled up to the maximum. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

/** Starts a gateway, with retries. */
export class StartupRetry {

    readonly #gateway: Pick<Gateway, 'start'>;
    readonly #options: StartupRetryOptions & { readonly timeoutMs: number };
    readonly #stop = new AbortController();
    #attempts: Promise<void> = Promise.resolve();

    constructor(gateway: Pick<Gateway, 'start'>, options: StartupRetryOptions) {

        this.#gateway = gateway;
        this.#options = { timeoutMs: TIMEOUT_MS, ...options };
    }

    /**
     * Starts the gateway. Resolves when it has started, when the first attempt failed and is retried, or after a timeout. Rejects with a
     * permanent error.
     */
    async start(): Promise<void> {

        const timeout = new AbortController();
        const first = this.#attempt();
        const isTimedOut = sleep(this.#options.timeoutMs, false, { signal: timeout.signal, ref: false }).catch(() => false);
        try {
            if (await Promise.race([first, isTimedOut])) {
                return;
            }
        }
        catch (error) {
            if (this.#options.isFinal(error)) {
                throw error;
            }
        }
        finally {
            timeout.abort();
        }

        this.#attempts = this.#retry(first);
    }

    /** Stops retrying, after the attempt in progress. */
    async stop(): Promise<void> {

        this.#stop.abort();
        await this.#attempts;
    }

    async #attempt(): Promise<true> {

        this.#options.onStarted(await this.#gateway.start());
        return true;
    }

    /** Logs an error, with its stack unless the last one was the same; returns what to compare the next one with. */
    #report(error: unknown, logged: string | null, againInMs: number): string {

        const reason = error instanceof Error ? error.message : String(error);
        const details = reason === logged ? { reason } : { err: error, version: implementation.version };
        this.#options.log.error({ event: 'service.start-failed', ...details, againInMs }, 'start failed, retrying');
        return reason;
    }

    /** Awaits an attempt and retries until one succeeds. Never rejects. */
    async #retry(first: Promise<true>): Promise<void> {

        const { signal } = this.#stop;
        let attempt = first;
        let logged: string | null = null;
        for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
            try {
                await attempt;
                return;
            }
            catch (error) {
                const { isFinal, isFinalLater = isFinal, onFinal } = this.#options;
                if (onFinal && isFinalLater(error) && !signal.aborted) {
                    onFinal(error);
                    return;
                }

                logged = this.#report(error, logged, pause);
            }

            await sleep(pause, undefined, { signal, ref: false }).catch(() => {
                // Stopped
            });
            if (signal.aborted) {
                return;
            }

            attempt = this.#attempt();
        }
    }
}
