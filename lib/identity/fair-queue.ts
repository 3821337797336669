/**
 * A bounded queue for costly work. A few tasks run at a time; those that wait take turns by where they come from, so that
 * a flood from one source delays the others by one task each, and what does not fit is refused at once.
 */

import { tooManyRequests } from '../doip/error.js';

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

/** Runs tasks by turns. */
export class FairQueue {

    readonly #limits: FairQueueLimits;
    /** By source; the source that was served last is at the end. */
    readonly #waiting = new Map<string, Waiting[]>();
    #running = 0;
    #count = 0;

    constructor(limits: FairQueueLimits) {

        this.#limits = limits;
    }

    /**
     * Runs a task when its turn has come.
     *
     * @throws DoipError 429 when too much is waiting already; when others need the room also later, while it waits
     */
    async run<T>(source: string, task: () => Promise<T>): Promise<T> {

        await this.#turn(source);
        try {
            return await task();
        }
        finally {
            --this.#running;
            this.#next();
        }
    }

    #turn(source: string): Promise<void> {

        if (this.#running < this.#limits.parallel) {
            ++this.#running;
            return Promise.resolve();
        }

        const own = this.#waiting.get(source) ?? [];
        if (own.length >= this.#limits.perSource || this.#count >= this.#limits.total && !this.#makeRoom(own.length)) {
            return Promise.reject(refusal());
        }

        return new Promise((resolve, reject) => {

            own.push({ start: resolve, refuse: () => reject(refusal()) });
            this.#waiting.set(source, own);
            ++this.#count;
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

        const [first] = this.#waiting;
        if (!first) {
            return;
        }

        const [source, tasks] = first;
        const task = tasks.shift();
        this.#waiting.delete(source);
        if (tasks.length > 0) {
            this.#waiting.set(source, tasks);
        }

        --this.#count;
        ++this.#running;
        task?.start();
    }
}

function refusal(): Error {

    return tooManyRequests('too many logins at this moment, try again a little later', RETRY_AFTER);
}
