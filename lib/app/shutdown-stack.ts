/**
 * What was started, in order, so that all of it is ended in the opposite order: when the service stops, and when its start
 * fails half-way.
 */

import type { Logger } from 'pino';

/** Parts that are running. */
export class ShutdownStack {

    readonly #log: Logger;
    readonly #ends: (() => Promise<void> | void)[] = [];

    constructor(log: Logger) {

        this.#log = log;
    }

    /** Starts a part; `end` ends it again. A part whose start fails ends by itself. */
    async use<T>(start: () => Promise<T> | T, end: (started: T) => Promise<void> | void): Promise<T> {

        const started = await start();
        this.#ends.push(() => end(started));
        return started;
    }

    /** Ends all parts. What goes wrong with one is logged and keeps none of the others from ending. */
    async dispose(): Promise<void> {

        for (const end of this.#ends.splice(0).reverse()) {
            try {
                await end();
            }
            catch (error) {
                this.#log.error({ err: error }, 'a part of the service could not be ended in order');
            }
        }
    }
}
