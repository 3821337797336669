/**
 * Throttling of logins (rate limit against password guessing): after n failures in a row a login name waits n² tenths of a second,
 * at most five seconds. Counts are shared by all nodes, stored under hashes, and kept for unknown names as well.
 *
 * The source of the failures is delayed most; a login with the same name from elsewhere waits only a moment, so that nobody can
 * lock others out.
 */

import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { tooManyRequests } from '../../errors/errors.js';
import { withoutMapping } from '../../util/net/ip-address.js';
import type { Failures, LoginStore } from '../../stores/login-attempt-store.js';
import { loginKey } from '../accounts/login-name.js';

/** Settings. */
export interface BackOffOptions {
    /** False where the design switches it off. */
    readonly enabled: () => boolean;
    /** The clock, epoch milliseconds. */
    readonly now: () => number;
    /** Waits until the time is over or the signal fires, which rejects; tests look at it. */
    readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Milliseconds. */
const STEP = 100;
const MAX_DELAY_MS = 5_000;
const MAX_DELAY_ELSEWHERE_MS = 200;

/** How long failures in a row are remembered. */
export const FORGOTTEN_AFTER = 3_600_000;

/** Logins with one name from one place that may wait for each other, and that may wait altogether. */
const MAX_WAITING_PER_KEY = 4;
const WAITING = 1_000;

/** Slows logins down after failures. */
export class LoginThrottle {

    readonly #store: LoginStore;
    readonly #options: Required<BackOffOptions>;
    /** One login at a time per name and place; what waits for what. */
    readonly #lanes = new Map<string, { tail: Promise<unknown>; length: number }>();
    readonly #closing = new AbortController();
    #waiting = 0;

    constructor(store: LoginStore, options: BackOffOptions) {

        this.#store = store;
        this.#options = { sleep: (ms, signal) => pause(ms, undefined, { ref: false, signal }), ...options };
        setMaxListeners(WAITING, this.#closing.signal);
    }

    /**
     * Makes an attempt at logging in, after the delay that earlier ones brought about.
     *
     * @param source where it comes from, see {@link sourceOf}
     * @param attempt resolves to null when the login failed; when it rejects or resolves to undefined, nothing is counted
     * @throws DoipError 429 when too many attempts with the name are waiting
     */
    async attempt<T>(name: string, source: string, attempt: () => Promise<T | null>): Promise<T | null> {

        if (!this.#options.enabled()) {
            return attempt();
        }

        const here = keyOf(`${loginKey(name)}\n${source}`);
        return this.#inLane(here, () => this.#attempt(here, keyOf(loginKey(name)), attempt));
    }

    /** Ends the waiting of all attempts, with 429. */
    close(): void {

        this.#closing.abort();
    }

    async #attempt<T>(here: string, anywhere: string, attempt: () => Promise<T | null>): Promise<T | null> {

        const keys = [here, anywhere];
        const failures = await this.#store.failures(keys);
        const wait = Math.max(this.#delay(failures.get(here), MAX_DELAY_MS), this.#delay(failures.get(anywhere), MAX_DELAY_ELSEWHERE_MS));
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

    #delay(failures: Failures | undefined, longest: number): number {

        // The failure may have been noted by a node whose clock is ahead.
        const since = failures ? Math.max(0, this.#options.now() - failures.last) : FORGOTTEN_AFTER;
        return !failures || since >= FORGOTTEN_AFTER ? 0 : Math.min(longest, failures.count ** 2 * STEP - since);
    }

    async #inLane<T>(key: string, run: () => Promise<T>): Promise<T> {

        const lane = this.#lanes.get(key) ?? { tail: Promise.resolve(), length: 0 };
        if (lane.length > MAX_WAITING_PER_KEY || lane.length > 0 && this.#waiting >= WAITING) {
            throw tooManyRequests('too many logins at this moment, try again a little later', MAX_DELAY_MS / 1000);
        }

        this.#lanes.set(key, lane);
        ++lane.length;
        ++this.#waiting;
        const turn = lane.tail.then(run, run);
        lane.tail = turn;
        try {
            return await turn;
        }
        finally {
            --this.#waiting;
            if (--lane.length === 0) {
                this.#lanes.delete(key);
            }
        }
    }
}

/** Where a request comes from, as far as one source is told from another: an address, or the network of an IPv6 address. */
export function sourceOf(remoteAddress: string): string {

    const address = withoutMapping(remoteAddress.toLowerCase());
    if (!isIPv6(address)) {
        return address === '' ? 'internal' : address;
    }

    const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
    const start = head === '' ? [] : head.split(':');
    const end = tail === undefined || tail === '' ? [] : tail.split(':');
    const groups = tail === undefined ? start : [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end];
    return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

function keyOf(text: string): string {

    return createHash('sha256').update(text).digest('hex');
}
