/**
 * What is done about the log of changes in the background: they are put in order soon after they were written, so that few are ever
 * without, and read though nobody searches.
 */

import { LOG_ROWS } from '../../stores/search/change-log-store.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';

/** The log is read so often for changes whose outcome was not learnt; and so often while there are changes of others. */
const READ_MS = 10_000;
const READ_BUSY_MS = 1000;

export interface OrdererParts {
    /** Makes the next batch of changes; false when little is left to be done. */
    readonly log: { order(): Promise<boolean> };
    /** Reads the log to its end; true when something had to be looked up. */
    readonly read: () => Promise<boolean>;
    /** Told why something did not work; it is tried again. */
    readonly failed: (error: unknown) => void;
}

export class LogOrderer {

    readonly #parts: OrdererParts;
    readonly #ordering = new SingleFlight<void>();
    #timer: NodeJS.Timeout | undefined;
    /** Changes of this process since it last looked. */
    #written = 0;
    #isStopped = false;

    constructor(parts: OrdererParts) {

        this.#parts = parts;
    }

    /** Reads from time to time. */
    start(): void {

        this.#readLater(READ_MS);
    }

    /** Notes a change that was committed. */
    wrote(): void {

        this.#written += 1;
        if (this.#written >= LOG_ROWS && !this.#ordering.isRunning()) {
            this.order().catch((error: unknown) => this.#failed(error));
        }
    }

    /** Puts in order what was committed before. */
    order(): Promise<void> {

        return this.#ordering.runFresh(() => this.#orderAll());
    }

    /** Resolves when nothing is put in order any more. */
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

    /** Others may write much and nobody search here: the first search is not to wait for all of it. */
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
