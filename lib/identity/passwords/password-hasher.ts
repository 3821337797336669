/**
 * Hashing and checking of passwords and other secrets. The work is done by node's own threads, a few at a time, and never on
 * the event loop; what is checked against nothing takes as long as what is checked against a hash.
 */

import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { badRequest } from '../../errors/errors.js';
import { FairQueue } from '../../util/concurrency/fair-queue.js';
import type { FairQueueLimits } from '../../util/concurrency/fair-queue.js';
import { DEFAULT_COST, hasCost, makeRecord, matchesRecord, parseRecord } from './password-hash.js';
import type { ScryptCost } from './password-hash.js';

/** Settings; tests choose a low cost. */
export interface PasswordOptions {
    readonly cost?: ScryptCost;
    readonly limits?: Partial<FairQueueLimits>;
    /** Longest password in bytes of UTF-8. */
    readonly maxBytes?: number;
}

/** What became of a check. */
export interface PasswordCheck {
    readonly matches: boolean;
    /** True when the password is right and its record should be made again, at the cost of today. */
    readonly outdated: boolean;
}

/** Half of the processors, and never all four of node's threads. */
const PARALLEL = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));

const LIMITS: FairQueueLimits = { parallel: PARALLEL, perSource: 16, total: 64 };

/** Hashes for what is about to be stored wait longer: an upload of many users is no attack. They take turns with logins as one. */
const WRITE_LIMITS: FairQueueLimits = { parallel: 1, perSource: 1_000, total: 5_000 };
const WRITES = 'writes';

/** Wrong passwords that one source may send before it has to rest; one is forgotten every so many milliseconds. */
const WRONG_FREELY = 5;
const WRONG_FORGOTTEN = 2_000;

/**
 * How long it rests, in times that the attempt took, for every wrong one beyond these, and at most. In the long run a source
 * gets one attempt in two seconds, whatever hashing costs.
 */
const PENALTY_FACTOR = 3;
const MAX_PENALTY_FACTOR = 15;

/** Checks that may wait for a source that has to rest: it is slow, so that more would wait for long. */
const PENALISED_QUEUE = 4;
const MAX_SOURCES = 1_000;

/** Hashes and checks secrets. */
export class PasswordHasher {

    readonly #cost: ScryptCost;
    readonly #queue: FairQueue;
    readonly #writes = new FairQueue(WRITE_LIMITS);
    readonly #maxBytes: number;
    readonly #perSource: number;
    /** Wrong passwords by source, less those that are forgotten since. */
    readonly #wrong = new LRUCache<string, { readonly level: number; readonly at: number }>({ max: MAX_SOURCES });

    constructor({ cost = DEFAULT_COST, limits = {}, maxBytes = 1024 }: PasswordOptions = {}) {

        this.#cost = cost;
        this.#queue = new FairQueue({ ...LIMITS, ...limits });
        this.#perSource = limits.perSource ?? LIMITS.perSource;
        this.#maxBytes = maxBytes;
    }

    /**
     * Hashes a secret that is about to be stored; resolves to the text of its record.
     *
     * @param source who causes the work, for taking turns
     * @throws DoipError 400 for a secret that is too long or has the character NUL in it, 429 when too much is waiting
     */
    async hash(secret: string, source: string): Promise<string> {

        if (this.#isTooLong(secret)) {
            throw badRequest(`a password or secret may have at most ${this.#maxBytes} bytes`);
        }

        // A hash treats them like the same secret without them at its end.
        if (secret.includes('\0')) {
            throw badRequest('a password or secret must not contain the character NUL');
        }

        return JSON.stringify(await this.#writes.run(source, () => this.#queue.run(WRITES, () => makeRecord(secret, this.#cost))));
    }

    /**
     * Checks a secret against the text of a record. Without a record, as for users who do not exist, the answer is no after
     * the same work.
     *
     * @throws DoipError 429 when too much is waiting
     */
    async check(secret: string, recordText: string | null, source: string): Promise<PasswordCheck> {

        const record = recordText === null ? null : parseRecord(recordText);
        const password = this.#isTooLong(secret) || secret.includes('\0') ? '' : secret;
        return this.#queue.run(source, async () => {

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
        }, this.#roomOf(source));
    }

    /** True when so much waits that there may be a source that has too much; cheaper than asking for each. */
    get isBusy(): boolean {

        return this.#queue.length >= PENALISED_QUEUE;
    }

    /** True when a check for this source would be refused at this moment. */
    isFull(source: string): boolean {

        return this.#queue.lengthOf(source) >= this.#roomOf(source);
    }

    /** Refuses what waits, and what comes from now on. */
    close(): void {

        this.#queue.close();
    }

    #roomOf(source: string): number {

        return this.#levelOf(source, performance.now()) > WRONG_FREELY ? Math.min(PENALISED_QUEUE, this.#perSource) : this.#perSource;
    }

    #levelOf(source: string, now: number): number {

        const { level, at } = this.#wrong.peek(source) ?? { level: 0, at: now };
        return Math.max(0, level - (now - at) / WRONG_FORGOTTEN);
    }

    /** Who is wrong all the time rests between attempts, so that guessing cannot take a whole processor. */
    #slowDown(source: string, elapsed: number): void {

        const now = performance.now();
        const level = this.#levelOf(source, now) + 1;
        this.#wrong.set(source, { level, at: now });
        if (level > WRONG_FREELY) {
            this.#queue.rest(source, Math.min(MAX_PENALTY_FACTOR, PENALTY_FACTOR * (level - WRONG_FREELY)) * elapsed);
        }
    }

    #isTooLong(secret: string): boolean {

        return secret.length > this.#maxBytes || Buffer.byteLength(secret) > this.#maxBytes;
    }
}
