/**
 * CPU scheduler for long-running scripts: round-robin time slices, so that the rest of the process keeps a processor however
 * many scripts run. A low thread priority alone does not suffice: a thread that wakes up may wait several milliseconds for the
 * slice of the running one to end.
 *
 * There are fewer slots than processors. A script runs freely for a moment; then it needs a slot, and passes it to the longest
 * waiting script after each time slice. Within a slice it pauses briefly and often. Time limits keep running meanwhile.
 */

import { availableParallelism } from 'node:os';

/** Time in ms that a script may run without a slot; nearly all scripts end within it. */
const FREE_MS = 30;

/** Length of a time slice in ms. */
const SLICE_MS = 20;

/** Interval between two pauses within a time slice, and length of a pause, in ms. */
const QUANTUM_MS = 1;
const PAUSE_MS = 0.05;

/** Maximum wait in ms before looking for a free slot without having been notified. */
const POLL_MS = 2 * SLICE_MS;

/** Index of the counter of released slots; the slots follow, each with the id of the thread that holds it. */
const RETURNED = 0;
const SLOTS = 1;

const FREE = 0;

/** The slots of a worker pool. */
export class CpuScheduler {

    /** Shared with the threads. */
    readonly memory: SharedArrayBuffer;

    /** @param slots maximum number of scripts that run for long at the same time */
    constructor(slots = Math.max(availableParallelism() - 1, 1)) {

        this.memory = new SharedArrayBuffer((SLOTS + slots) * Int32Array.BYTES_PER_ELEMENT);
    }

    /** Releases the slot of a thread that has exited. */
    releaseThread(thread: number): void {

        const memory = new Int32Array(this.memory);
        for (let slot = SLOTS; slot < memory.length; ++slot) {
            release(memory, slot, thread);
        }
    }
}

/** The time slices of one thread. */
export class CpuSlice {

    readonly #memory: Int32Array;
    readonly #thread: number;
    #slot = FREE;
    /** End of the time slice, on the clock of `performance.now()`. */
    #until = 0;
    /** Time of the next action: a pause, or the end of the time slice. */
    #next = 0;
    /** Never notified. */
    readonly #pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

    /** @param thread thread id, from 1 */
    constructor(memory: SharedArrayBuffer, thread: number) {

        this.#memory = new Int32Array(memory);
        this.#thread = thread;
    }

    /** Starts the free time of a script. */
    start(): void {

        this.end();
        this.#until = performance.now() + FREE_MS;
        this.#next = this.#until;
    }

    /** To be called frequently while a script runs. Pauses, or waits for the next time slice, at most until the deadline. */
    yieldIfDue(now: number, deadline: number): void {

        if (now < this.#next) {
            return;
        }

        if (now < this.#until) {
            Atomics.wait(this.#pause, 0, 0, PAUSE_MS);
            this.#next = Math.min(performance.now() + QUANTUM_MS, this.#until);
            return;
        }

        let released = Atomics.load(this.#memory, RETURNED);
        // The thread that was woken comes first.
        let mustWait = this.end();
        for (let left = deadline - now; left > 0; left = deadline - performance.now()) {
            if (!mustWait && this.#acquire()) {
                this.#next = performance.now() + QUANTUM_MS;
                this.#until = this.#next + SLICE_MS - QUANTUM_MS;
                return;
            }

            Atomics.wait(this.#memory, RETURNED, mustWait ? released + 1 : released, Math.min(left, POLL_MS));
            released = Atomics.load(this.#memory, RETURNED);
            mustWait = false;
        }
    }

    /** Releases the slot when the script has ended or waits. Returns true if this woke another script. */
    end(): boolean {

        const slot = this.#slot;
        this.#slot = FREE;
        return slot !== FREE && release(this.#memory, slot, this.#thread);
    }

    #acquire(): boolean {

        for (let slot = SLOTS; slot < this.#memory.length; ++slot) {
            if (Atomics.compareExchange(this.#memory, slot, FREE, this.#thread) === FREE) {
                this.#slot = slot;
                return true;
            }
        }

        return false;
    }
}

/** Releases a slot if the thread holds it. Returns true if this woke another thread. */
function release(memory: Int32Array, slot: number, thread: number): boolean {

    if (Atomics.compareExchange(memory, slot, thread, FREE) !== thread) {
        return false;
    }

    Atomics.add(memory, RETURNED, 1);
    return Atomics.notify(memory, RETURNED, 1) > 0;
}
