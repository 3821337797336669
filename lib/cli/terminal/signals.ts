/** Signals that end a command, after what it has begun to write is removed. */

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The error of work that a signal has ended. */
export class InterruptedError extends Error {}

/** Listens to signals, until it is closed or one has come: a second one ends the process at once. */
export class Interruption {

    readonly #interrupted: Promise<never>;
    #isInterrupted = false;
    #onSignal = (): void => undefined;

    constructor() {

        this.#interrupted = new Promise<never>((_, reject) => {

            this.#onSignal = () => {

                this.#isInterrupted = true;
                this.close();
                reject(new InterruptedError());
            };
        });
        this.#interrupted.catch(() => {
            // The signal may come when nothing waits.
        });
        SIGNALS.forEach((signal) => process.on(signal, this.#onSignal));
    }

    /** Waits for work. @throws InterruptedError at a signal, while the work goes on */
    async during<T>(work: Promise<T>): Promise<T> {

        return await Promise.race([this.#interrupted, work]);
    }

    /** @throws InterruptedError when a signal has come */
    check(): void {

        if (this.#isInterrupted) {
            throw new InterruptedError();
        }
    }

    close(): void {

        SIGNALS.forEach((signal) => process.off(signal, this.#onSignal));
    }
}
