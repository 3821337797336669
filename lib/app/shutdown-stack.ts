/** Disposable stack: components in start order, to be stopped in reverse order when the service stops or its start fails. */

import type { Logger } from 'pino';

/** Running components. */
export class ShutdownStack {

    readonly #log: Logger;
    readonly #closers: (() => Promise<void> | void)[] = [];

    constructor(log: Logger) {

        this.#log = log;
    }

    /** Starts a component; `end` stops it. When the start fails, `end` is not called. */
    async use<T>(start: () => Promise<T> | T, end: (started: T) => Promise<void> | void): Promise<T> {

        const started = await start();
        this.#closers.push(() => end(started));
        return started;
    }

    /** Stops all components. Errors are logged and do not prevent the others from being stopped. */
    async dispose(): Promise<void> {

        for (const end of this.#closers.splice(0).reverse()) {
            try {
                await end();
            }
            catch (error) {
                this.#log.error({ event: 'service.component-stop-failed', err: error }, 'component failed to stop');
            }
        }
    }
}
