/**
 * Throttling of logins against password guessing: after n consecutive failures the next attempt with a login name is delayed by
 * n² × 100 ms, at most five seconds. Counts are shared by all nodes, stored under hashes, and kept for unknown names too.
 *
 * The source of the failures gets the full delay; attempts with the same name from elsewhere are delayed only briefly, so that
 * attackers cannot lock users out.
 */

import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { tooManyRequests } from '../../errors/errors.js';
import { Semaphore } from '../../util/concurrency/semaphore.js';
import type { Failures, LoginStore } from '../../stores/login-attempt-store.js';
import { loginKey } from '../accounts/login-name.js';

/** Options. */
export interface ThrottleOptions {
    /** False if the design switches throttling off. */
    readonly enabled: () => boolean;
    /** The clock, in epoch milliseconds. */
    readonly now: () => number;
    /** Waits for `ms`; rejects when the signal fires. For tests. */
    readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Delays in ms. */
const STEP = 100;
const MAX_DELAY_MS = 5_000;
const MAX_DELAY_ELSEWHERE_MS = 200;

/** Time in ms after which consecutive failures are forgotten. */
export const FORGOTTEN_AFTER = 3_600_000;

/** Maximum number of queued logins per name and source, and in total. */
const MAX_WAITING_PER_KEY = 4;
const MAX_WAITING = 1_000;

/** Delays logins after failures. */
export class LoginThrottle {

    readonly #store: LoginStore;
    readonly #options: Required<ThrottleOptions>;
    /** One login at a time by name and source. */
    readonly #attempts = new Semaphore({
        permitsPerKey: 1, maxWaitingPerKey: MAX_WAITING_PER_KEY, maxWaiting: MAX_WAITING,
        rejection: () => tooManyRequests('too many logins at this moment, try again a little later', MAX_DELAY_MS / 1000)
    });
    readonly #closing = new AbortController();

    constructor(store: LoginStore, options: ThrottleOptions) {

        this.#store = store;
        this.#options = { sleep: (ms, signal) => pause(ms, undefined, { ref: false, signal }), ...options };
        setMaxListeners(MAX_WAITING, this.#closing.signal);
    }

    /**
     * Runs a login attempt after the delay that previous failures require.
     *
     * @param source origin of the request, see `sourceOf`
     * @param attempt resolves to null if the login failed; a rejection or undefined is not counted
     * @throws DoipError 429 if too many attempts with the name are queued
     */
    async attempt<T>(name: string, source: string, attempt: () => Promise<T | null>): Promise<T | null> {

        if (!this.#options.enabled()) {
            return attempt();
        }

        const sourceKey = keyOf(`${loginKey(name)}\n${source}`);
        return this.#attempts.run(sourceKey, () => this.#attempt(sourceKey, keyOf(loginKey(name)), attempt));
    }

    /** Aborts the delays of all attempts, with 429. */
    close(): void {

        this.#closing.abort();
    }

    async #attempt<T>(sourceKey: string, nameKey: string, attempt: () => Promise<T | null>): Promise<T | null> {

        const keys = [sourceKey, nameKey];
        const failures = await this.#store.failures(keys);
        const wait = Math.max(this.#delay(failures.get(sourceKey), MAX_DELAY_MS), this.#delay(failures.get(nameKey), MAX_DELAY_ELSEWHERE_MS));
        if (wait > 0) {
            await this.#sleep(wait);
        }

        const result = await attempt();
        if (result === null) {
            const now = this.#options.now();
            await this.#store.addFailure(keys, now, now - FORGOTTEN_AFTER);
        }
        else if (result !== undefined && failures.size > 0) {
            await this.#store.forget(keys);
        }

        return result;
    }

    async #sleep(ms: number): Promise<void> {

        try {
            await this.#options.sleep(ms, this.#closing.signal);
        }
        catch {
            throw tooManyRequests('the service is shutting down, try again a little later', MAX_DELAY_MS / 1000);
        }
    }

    #delay(failures: Failures | undefined, maxDelayMs: number): number {

        // The clock of the node that recorded the failure may be ahead.
        const since = failures ? Math.max(0, this.#options.now() - failures.last) : FORGOTTEN_AFTER;
        return !failures || since >= FORGOTTEN_AFTER ? 0 : Math.min(maxDelayMs, failures.count ** 2 * STEP - since);
    }
}

function keyOf(text: string): string {

    return createHash('sha256').update(text).digest('hex');
}
