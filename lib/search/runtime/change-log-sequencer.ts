/**
 * Background work on the change log: puts committed rows into ordered batches soon after they were written, so that few are ever
 * unordered, and reads the log at intervals even without searches.
 */

import { LOG_ROWS } from '../../stores/search/change-log-store.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';

/** Intervals for reading the log: for changes with an unknown outcome, and while other nodes make changes. */
const READ_MS = 10_000;
const READ_BUSY_MS = 1000;

export interface OrdererParts {
    /** Makes the next batch; false when little is left to do. */
    readonly log: { order(): Promise<boolean> };
    /** Reads the log to its end; true when changes had to be replayed. */
    readonly read: () => Promise<boolean>;
    /** Receives errors; the work is retried. */
    readonly failed: (error: unknown) => void;
}

/** Orders and reads the change log; concurrent calls share a run. */
export class LogOrderer {

    readonly #parts: OrdererParts;
    readonly #ordering = new SingleFlight<void>();
    #timer: NodeJS.Timeout | undefined;
    /** Changes of this process since ordering last started. */
    #written = 0;
    #isStopped = false;

    constructor(parts: OrdererParts) {

        this.#parts = parts;
    }

    /** Starts reading at intervals. */
    start(): void {

        this.#readLater(READ_MS);
    }

    /** Counts a committed change. */
    wrote(): void {

        this.#written += 1;
        if (this.#written >= LOG_ROWS && !this.#ordering.isRunning()) {
            this.order().catch((error: unknown) => this.#failed(error));
        }
    }

    /** Puts into batches what was committed before the call. */
    order(): Promise<void> {

        return this.#ordering.runFresh(() => this.#orderAll());
    }

    /** Resolves when no ordering is running or will start. */
    async stop(): Promise<void> {

        this.#isStopped = true;
        clearTimeout(this.#timer);
        await this.#ordering.whenIdle();
    }

    async #orderAll(): Promise<void> {

        do {
            this.#written = 0;
        }
        while (!this.#isStopped && await this.#parts.log.order());
    }

    /** Other nodes may write a lot while there are no searches here: the first search should not have to read all of it. */
    #readLater(milliseconds: number): void {

        if (!this.#isStopped) {
            this.#timer = setTimeout(() => void this.#read().then((pause) => this.#readLater(pause)), milliseconds).unref();
        }
    }

    async #read(): Promise<number> {

        try {
            await this.order();
            return await this.#parts.read() ? READ_BUSY_MS : READ_MS;
        }
        catch (error) {
            this.#failed(error);
            return READ_MS;
        }
    }

    #failed(error: unknown): void {

        if (!this.#isStopped) {
            this.#parts.failed(error);
        }
    }
}
