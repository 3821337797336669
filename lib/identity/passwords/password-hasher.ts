/**
 * Hashes and verifies passwords and other secrets, on a few threads of the libuv thread pool and never on the event loop. A
 * check without a stored hash takes as long as one with a hash.
 */

import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { badRequest, tooManyRequests } from '../../errors/errors.js';
import { Semaphore } from '../../util/concurrency/semaphore.js';
import { DEFAULT_COST, hasCost, makeRecord, matchesRecord, parseRecord } from './password-hash.js';
import type { ScryptCost } from './password-hash.js';

/** Options; tests choose a low cost. */
export interface PasswordOptions {
    readonly cost?: ScryptCost;
    /** Maximum number of concurrent checks. */
    readonly parallel?: number;
    /** Maximum length of a password in bytes of UTF-8. */
    readonly maxBytes?: number;
}

/** Concurrent hashes: half of the processors, and never all four threads of libuv's pool. */
const PARALLEL = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));

/** Maximum number of waiting checks, of one source and in total. */
const MAX_WAITING_PER_SOURCE = 16;
const MAX_WAITING = 64;

/** Retry-After of a rejected check, in seconds. */
const RETRY_AFTER = 2;

/**
 * Limits for hashes that are about to be stored; they may wait longer, since an upload of many users is not an attack. To
 * logins, all of them count as one source.
 */
const WRITE_LIMITS = { permits: 1, maxWaitingPerKey: 1_000, maxWaiting: 5_000 };
const WRITES = 'writes';

/** Failures per source without penalty, and the interval in ms after which one failure is forgotten. */
const FREE_FAILURES = 5;
const FAILURE_DECAY_MS = 2_000;

/**
 * Penalty per failure beyond the free ones, as a multiple of the hashing time, and its cap. Converges to one attempt per two
 * seconds and source, whatever hashing costs.
 */
const PENALTY_FACTOR = 3;
const MAX_PENALTY_FACTOR = 15;

/** Maximum queue length of a penalised source: it is slow, so that more checks would wait for long. */
const PENALISED_QUEUE = 4;
const MAX_SOURCES = 1_000;

/** Hashes and verifies secrets. */
export class PasswordHasher {

    readonly #cost: ScryptCost;
    readonly #checks: Semaphore;
    readonly #writes = newSemaphore(WRITE_LIMITS);
    readonly #maxBytes: number;
    /** Failures by source, less those forgotten since. */
    readonly #failures = new LRUCache<string, { readonly level: number; readonly at: number }>({ max: MAX_SOURCES });

    constructor({ cost = DEFAULT_COST, parallel = PARALLEL, maxBytes = 1024 }: PasswordOptions = {}) {

        this.#cost = cost;
        this.#checks = newSemaphore({ permits: parallel, maxWaitingPerKey: MAX_WAITING_PER_SOURCE, maxWaiting: MAX_WAITING });
        this.#maxBytes = maxBytes;
    }

    /** Number of hashes that are being computed, and of calls that wait for one. */
    get usage(): { readonly busy: number; readonly waiting: number } {

        return { busy: this.#checks.inUse, waiting: this.#checks.waiting + this.#writes.waiting };
    }

    /**
     * Hashes a secret that is about to be stored; resolves to the text of its record.
     *
     * @param source key for fair scheduling
     * @throws DoipError 400 if the secret is too long or contains NUL, 429 if too many hashes are queued
     */
    async hash(secret: string, source: string): Promise<string> {

        if (this.#isTooLong(secret)) {
            throw badRequest(`a password or secret may have at most ${this.#maxBytes} bytes`);
        }

        // A hash ignores trailing NULs.
        if (secret.includes('\0')) {
            throw badRequest('a password or secret must not contain the character NUL');
        }

        return JSON.stringify(await this.#writes.run(source, () => this.#checks.run(WRITES, () => makeRecord(secret, this.#cost))));
    }

    /**
     * Compares a secret with the text of a record. Without a record, as for users that do not exist, it does the same work and
     * fails.
     *
     * @returns `outdated`: the password is right, and its record should be renewed at the current cost
     * @throws DoipError 429 if too many checks are queued
     */
    async check(secret: string, recordText: string | null, source: string): Promise<{ matches: boolean; outdated: boolean }> {

        const record = recordText === null ? null : parseRecord(recordText);
        const password = this.#isTooLong(secret) || secret.includes('\0') ? '' : secret;
        return this.#checks.run(source, async () => {

            const start = performance.now();
            const matches = record !== null && password !== '' && await matchesRecord(password, record);
            const outdated = record !== null && !hasCost(record, this.#cost);
            if (!matches && (outdated || record === null || password === '')) {
                await makeRecord(password, this.#cost);
            }

            if (!matches) {
                this.#slowDown(source, performance.now() - start);
            }

            return { matches, outdated: matches && outdated };
        }, { maxWaitingPerKey: this.#queueLimit(source) });
    }

    /** True if the queue is long enough for some source to have reached its limit; cheaper than checking each. */
    get isBusy(): boolean {

        return this.#checks.waiting >= PENALISED_QUEUE;
    }

    /** True if a check for this source would be rejected now. */
    isFull(source: string): boolean {

        return this.#checks.waitingOf(source) >= this.#queueLimit(source);
    }

    /** Rejects queued and future checks. */
    close(): void {

        this.#checks.close();
    }

    #queueLimit(source: string): number {

        return this.#levelOf(source, performance.now()) > FREE_FAILURES ? PENALISED_QUEUE : MAX_WAITING_PER_SOURCE;
    }

    #levelOf(source: string, now: number): number {

        const { level, at } = this.#failures.peek(source) ?? { level: 0, at: now };
        return Math.max(0, level - (now - at) / FAILURE_DECAY_MS);
    }

    /** Penalises a source after a failure, so that guessing cannot occupy a whole processor. */
    #slowDown(source: string, elapsed: number): void {

        const now = performance.now();
        const level = this.#levelOf(source, now) + 1;
        this.#failures.set(source, { level, at: now });
        if (level > FREE_FAILURES) {
            this.#checks.suspend(source, Math.min(MAX_PENALTY_FACTOR, PENALTY_FACTOR * (level - FREE_FAILURES)) * elapsed);
        }
    }

    #isTooLong(secret: string): boolean {

        return secret.length > this.#maxBytes || Buffer.byteLength(secret) > this.#maxBytes;
    }
}

function newSemaphore(limits: { permits: number; maxWaitingPerKey: number; maxWaiting: number }): Semaphore {

    return new Semaphore({
        ...limits, newcomersFirst: true, rejection: () => tooManyRequests('too many logins at this moment, try again a little later', RETRY_AFTER)
    });
}
