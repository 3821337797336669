/**
 * CPU scheduler for long-running scripts: round-robin time slices, so that the rest of the process keeps a processor however many
 * scripts run. A low thread priority alone does not suffice: a thread that wakes up may wait several milliseconds for the slice of
 * the running one to end.
 *
 * There are fewer slots than processors. A script runs freely for a moment; then it needs a slot, and passes it to the longest
 * waiting script after each time slice. Within a slice it pauses briefly and often. Time limits go on meanwhile.
 */

import { availableParallelism } from 'node:os';

/** Milliseconds that a script may run without a place; nearly all have ended by then. */
const FREE_MS = 30;

/** Milliseconds of a turn. */
const TURN_MS = 20;

/** Milliseconds between two pauses within a turn, and of a pause. */
const QUANTUM_MS = 1;
const PAUSE_MS = 0.05;

/** Longest wait before a place is looked for again, though nobody told of one. */
const LOOK_MS = 2 * TURN_MS;

/** Counts the places that were given back; the places come behind it, each with the number of the thread that holds it. */
const RETURNED = 0;
const SLOTS = 1;

const FREE = 0;

/** The places of a pool. */
export class CpuScheduler {

    /** For the threads. */
    readonly memory: SharedArrayBuffer;

    /** @param places how many scripts may run for long at the same time */
    constructor(places = Math.max(availableParallelism() - 1, 1)) {

        this.memory = new SharedArrayBuffer((SLOTS + places) * Int32Array.BYTES_PER_ELEMENT);
    }

    /** To be called when a thread has ended: takes back what it held. */
    ended(thread: number): void {

        const memory = new Int32Array(this.memory);
        for (let place = SLOTS; place < memory.length; ++place) {
            giveBack(memory, place, thread);
        }
    }
}

/** A thread that takes part. */
export class CpuSlice {

    readonly #memory: Int32Array;
    readonly #thread: number;
    #place = FREE;
    /** When the turn is over; milliseconds, as `performance.now()` counts. */
    #until = 0;
    /** When there is something to be done next: a pause, or the end of the turn. */
    #next = 0;
    /** Nobody rings it. */
    readonly #pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

    /** @param thread its number, from 1 */
    constructor(memory: SharedArrayBuffer, thread: number) {

        this.#memory = new Int32Array(memory);
        this.#thread = thread;
    }

    /** A script begins. */
    begin(): void {

        this.end();
        this.#until = performance.now() + FREE_MS;
        this.#next = this.#until;
    }

    /** To be called again and again while it runs. Waits for the next turn, until the deadline at most. */
    goOn(now: number, deadline: number): void {

        if (now < this.#next) {
            return;
        }

        if (now < this.#until) {
            Atomics.wait(this.#pause, 0, 0, PAUSE_MS);
            this.#next = Math.min(performance.now() + QUANTUM_MS, this.#until);
            return;
        }

        let seen = Atomics.load(this.#memory, RETURNED);
        // Whoever was woken has to get there first.
        let mustWait = this.end();
        for (let left = deadline - now; left > 0; left = deadline - performance.now()) {
            if (!mustWait && this.#take()) {
                this.#next = performance.now() + QUANTUM_MS;
                this.#until = this.#next + TURN_MS - QUANTUM_MS;
                return;
            }

            Atomics.wait(this.#memory, RETURNED, mustWait ? seen + 1 : seen, Math.min(left, LOOK_MS));
            seen = Atomics.load(this.#memory, RETURNED);
            mustWait = false;
        }
    }

    /** The script has ended, or waits for something. True when another one was waiting for its place. */
    end(): boolean {

        const place = this.#place;
        this.#place = FREE;
        return place !== FREE && giveBack(this.#memory, place, this.#thread);
    }

    #take(): boolean {

        for (let place = SLOTS; place < this.#memory.length; ++place) {
            if (Atomics.compareExchange(this.#memory, place, FREE, this.#thread) === FREE) {
                this.#place = place;
                return true;
            }
        }

        return false;
    }
}

/** True when that woke somebody. */
function giveBack(memory: Int32Array, place: number, thread: number): boolean {

    if (Atomics.compareExchange(memory, place, thread, FREE) !== thread) {
        return false;
    }

    Atomics.add(memory, RETURNED, 1);
    return Atomics.notify(memory, RETURNED, 1) > 0;
}
