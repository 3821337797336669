/**
 * What the search thread has to know before it answers searches of worker processes, in memory that it shares with the main thread: a search
 * sees every change that was acknowledged before it was sent, without a message to the main thread while there is none.
 */

/** Numbers of changes, which wrap around. */
const GIVEN = 0;
const SENT = 1;
const APPLIED = 2;
/** Flags. */
const OPEN = 3;
const BEHIND = 4;
/** Number of searches, which wraps around. */
const SEARCHES = 5;
const COUNTERS = 6;

/** Milliseconds by a clock that all threads share. */
function now(): bigint {

    return process.hrtime.bigint() / 1_000_000n;
}

/** State of one search thread; written by the main thread, except for what was applied and searched. */
export class IndexProgress {

    readonly memory: SharedArrayBuffer;
    readonly #counters: Int32Array;
    readonly #readOn: BigInt64Array;

    constructor(memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT + COUNTERS * Int32Array.BYTES_PER_ELEMENT)) {

        this.memory = memory;
        this.#readOn = new BigInt64Array(memory, 0, 1);
        this.#counters = new Int32Array(memory, BigInt64Array.BYTES_PER_ELEMENT);
    }

    /** Number of changes that were given to the client of the thread, which is raised before a change is acknowledged. */
    get given(): number {

        return Atomics.load(this.#counters, GIVEN);
    }

    /** Counts changes that are given. */
    give(changes: number): void {

        Atomics.add(this.#counters, GIVEN, changes);
    }

    /** True if the changes up to a number were sent to the thread. */
    wasSent(number: number): boolean {

        return isAtLeast(Atomics.load(this.#counters, SENT), number);
    }

    /** Reports that all given changes are sent; returns their number. */
    send(): number {

        const { given } = this;
        Atomics.store(this.#counters, SENT, given);
        return given;
    }

    /** True if the changes up to a number are applied. */
    wasApplied(number: number): boolean {

        return isAtLeast(Atomics.load(this.#counters, APPLIED), number);
    }

    /** Reports that the changes up to a number are applied. */
    apply(number: number): void {

        Atomics.store(this.#counters, APPLIED, number);
    }

    /** True while the index has everything, and the thread gets all changes. */
    get isOpen(): boolean {

        return Atomics.load(this.#counters, OPEN) === 1;
    }

    set isOpen(isOpen: boolean) {

        Atomics.store(this.#counters, OPEN, Number(isOpen));
    }

    /** True while acknowledged changes are still being read from the log. */
    get isBehind(): boolean {

        return Atomics.load(this.#counters, BEHIND) === 1;
    }

    set isBehind(isBehind: boolean) {

        Atomics.store(this.#counters, BEHIND, Number(isBehind));
    }

    /** Reports that the log was read to its end, by a read that began some milliseconds ago. */
    read(ago: number): void {

        Atomics.store(this.#readOn, 0, Number.isFinite(ago) ? now() - BigInt(Math.ceil(ago)) : 0n);
    }

    /** Milliseconds since the begin of the last read of the log to its end. */
    get age(): number {

        return Number(now() - Atomics.load(this.#readOn, 0));
    }

    /** Number of searches of worker processes; compare it with an earlier one only. */
    get searches(): number {

        return Atomics.load(this.#counters, SEARCHES);
    }

    countSearch(): void {

        Atomics.add(this.#counters, SEARCHES, 1);
    }
}

function isAtLeast(number: number, other: number): boolean {

    return (number - other | 0) >= 0;
}
