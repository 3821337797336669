/**
 * A bounded queue for costly work. A few tasks run at a time; those that wait take turns by where they come from, the source
 * that had its turn longest ago first, so that a flood from one source delays the others by the task that is running and no
 * more. What does not fit is refused at once. A source can be made to rest.
 */

import { LRUCache } from 'lru-cache';
import { tooManyRequests } from '../../errors/errors.js';

/** How much may run and wait. */
export interface FairQueueLimits {
    /** Tasks that run at a time. */
    readonly parallel: number;
    /** Tasks of one source that may wait. */
    readonly perSource: number;
    /** Tasks that may wait altogether. */
    readonly total: number;
}

interface Waiting {
    start(): void;
    refuse(): void;
}

/** Seconds after which somebody who was refused may try again. */
const RETRY_AFTER = 2;

/** Sources of which it is known when they had their last turn. */
const MAX_ENTRIES = 1_000;

/** Runs tasks by turns. */
export class FairQueue {

    readonly #limits: FairQueueLimits;
    readonly #waiting = new Map<string, Waiting[]>();
    /** Number of the last turn of a source; the source served last is at the end. */
    readonly #served = new LRUCache<string, number>({ max: MAX_ENTRIES });
    /** Until when sources rest, epoch ms. */
    readonly #resting = new Map<string, number>();
    #turns = 0;
    #running = 0;
    #count = 0;
    #alarm: NodeJS.Timeout | undefined;
    #isClosed = false;

    constructor(limits: FairQueueLimits) {

        this.#limits = limits;
    }

    /**
     * Runs a task when its turn has come.
     *
     * @param perSource tasks of this source that may wait, where that is not as many as of any
     * @throws DoipError 429 when too much is waiting already; when others need the room also later, while it waits
     */
    async run<T>(source: string, task: () => Promise<T>, perSource = this.#limits.perSource): Promise<T> {

        await this.#turn(source, perSource);
        try {
            return await task();
        }
        finally {
            --this.#running;
            this.#next();
        }
    }

    /** Tasks that wait. */
    get length(): number {

        return this.#count;
    }

    /** Tasks of a source that wait. */
    lengthOf(source: string): number {

        return this.#waiting.get(source)?.length ?? 0;
    }

    /** Refuses what waits, and what comes from now on. */
    close(): void {

        this.#isClosed = true;
        clearTimeout(this.#alarm);
        for (const tasks of this.#waiting.values()) {
            tasks.forEach((task) => task.refuse());
        }

        this.#waiting.clear();
        this.#count = 0;
    }

    /** Starts no task of a source for some milliseconds, even if nothing else is to be done. */
    rest(source: string, ms: number): void {

        this.#resting.set(source, performance.now() + ms);
        setTimeout(() => {

            if (!this.#isResting(source)) {
                this.#resting.delete(source);
            }
        }, ms + 1).unref();
    }

    #turn(source: string, perSource: number): Promise<void> {

        if (this.#isClosed) {
            return Promise.reject(refusal());
        }

        if (this.#running < this.#limits.parallel && !this.#isResting(source)) {
            this.#serve(source);
            return Promise.resolve();
        }

        const own = this.#waiting.get(source) ?? [];
        if (own.length >= perSource || this.#count >= this.#limits.total && !this.#makeRoom(own.length)) {
            return Promise.reject(refusal());
        }

        return new Promise((resolve, reject) => {

            own.push({ start: resolve, refuse: () => reject(refusal()) });
            this.#waiting.set(source, own);
            ++this.#count;
            this.#next();
        });
    }

    /** Sends the latest task of the busiest source away, if that source has more waiting than the newcomer's. */
    #makeRoom(share: number): boolean {

        let busiest: Waiting[] = [];
        for (const tasks of this.#waiting.values()) {
            busiest = tasks.length > busiest.length ? tasks : busiest;
        }

        if (busiest.length <= share + 1) {
            return false;
        }

        busiest.pop()?.refuse();
        --this.#count;
        return true;
    }

    #next(): void {

        while (this.#running < this.#limits.parallel && this.#count > 0) {
            const source = this.#longestAgo();
            if (source === null) {
                this.#wakeUp();
                return;
            }

            const tasks = this.#waiting.get(source);
            const task = tasks?.shift();
            if (tasks?.length === 0) {
                this.#waiting.delete(source);
            }

            --this.#count;
            this.#serve(source);
            task?.start();
        }
    }

    /** Of the sources that wait and do not rest, the one whose last turn was longest ago; null when all rest. */
    #longestAgo(): string | null {

        let found: string | null = null;
        let earliest = Infinity;
        for (const source of this.#waiting.keys()) {
            const turn = this.#served.peek(source) ?? 0;
            if (turn < earliest && !this.#isResting(source)) {
                found = source;
                earliest = turn;
            }
        }

        return found;
    }

    #serve(source: string): void {

        ++this.#running;
        this.#served.set(source, ++this.#turns);
    }

    #isResting(source: string): boolean {

        return (this.#resting.get(source) ?? 0) > performance.now();
    }

    /** Comes back when the first source that waits has rested. */
    #wakeUp(): void {

        const ends = Array.from(this.#waiting.keys(), (source) => this.#resting.get(source) ?? 0);
        clearTimeout(this.#alarm);
        this.#alarm = setTimeout(() => this.#next(), Math.max(1, Math.min(...ends) - performance.now()));
    }
}

function refusal(): Error {

    return tooManyRequests('too many logins at this moment, try again a little later', RETRY_AFTER);
}
