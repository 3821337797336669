/**
 * Starts a gateway and does not give up: while its database is away the service listens and says so, and it recovers by
 * itself. Only what no waiting can mend ends the start.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Gateway, GatewayStart } from './gateway.js';

export interface StartupRetryOptions {
    /** Called once, when the gateway has started, at whichever attempt. */
    readonly onStarted: (start: GatewayStart) => void;
    /** True for an error that no further attempt can mend. */
    readonly isFinal: (error: unknown) => boolean;
    readonly log: Logger;
    /** Milliseconds that {@link StartupRetry.start} waits for the first attempt; default 10 s. */
    readonly patienceMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Pauses in milliseconds between two attempts: the first, and the longest. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

/** Starts a gateway as often as it takes. */
export class StartupRetry {

    readonly #gateway: Pick<Gateway, 'start'>;
    readonly #options: Required<StartupRetryOptions>;
    readonly #stop = new AbortController();
    #attempts: Promise<void> = Promise.resolve();

    constructor(gateway: Pick<Gateway, 'start'>, options: StartupRetryOptions) {

        this.#gateway = gateway;
        this.#options = { patienceMs: TIMEOUT_MS, ...options };
    }

    /**
     * Begins to start. Resolves when the gateway has started, when the first attempt has failed and there will be others, or
     * when it takes too long to wait for. Rejects with an error that is final.
     */
    async start(): Promise<void> {

        const patience = new AbortController();
        const first = this.#attempt();
        const isOver = sleep(this.#options.patienceMs, false, { signal: patience.signal, ref: false }).catch(() => false);
        try {
            if (await Promise.race([first, isOver])) {
                return;
            }
        }
        catch (error) {
            if (this.#options.isFinal(error)) {
                throw error;
            }
        }
        finally {
            patience.abort();
        }

        this.#attempts = this.#goOn(first);
    }

    /** Ends the attempts. One that is under way comes to its end first. */
    async stop(): Promise<void> {

        this.#stop.abort();
        await this.#attempts;
    }

    async #attempt(): Promise<true> {

        this.#options.onStarted(await this.#gateway.start());
        return true;
    }

    /** Waits for an attempt and makes others until one succeeds. Never rejects. */
    async #goOn(first: Promise<true>): Promise<void> {

        const { signal } = this.#stop;
        let attempt = first;
        for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
            try {
                await attempt;
                return;
            }
            catch (error) {
                this.#options.log.error({ err: error, againInMs: pause }, 'the gateway could not be started; it is tried again');
            }

            await sleep(pause, undefined, { signal, ref: false }).catch(() => {
                // Stopped.
            });
            if (signal.aborted) {
                return;
            }

            attempt = this.#attempt();
        }
    }
}
