/** Calls the function of a program that registers operations of its own, before the service starts. */

import type { Gateway } from './app/gateway.js';
import { endWith, RegistrationError } from './start-errors.js';
import type { Log } from '../db/log.js';
import { readableError } from './util/readable-error.js';

/** Milliseconds after which the log says what the start waits for. */
const SLOW_MS = 10_000;

/**
 * Waits for the function. One that never finishes does not end the process in silence: it is an error as soon as nothing is left that it could
 * wait for.
 *
 * @throws Error that can be read, whatever was thrown
 */
export async function registerWith(register: (gateway: Gateway) => unknown, gateway: Gateway, log: Log): Promise<void> {

    const endUnfinished = (): void => {

        endWith(new RegistrationError('the function that registers operations has not finished, and nothing is left that it could wait for'));
    };

    process.once('beforeExit', endUnfinished);
    const timer = setTimeout(() => {

        log.warn({ event: 'extension.slow-registration', seconds: SLOW_MS / 1000 }, 'start waits for the function that registers operations');
    }, SLOW_MS).unref();
    try {
        await register(gateway);
    }
    catch (error) {
        throw readableError(error);
    }
    finally {
        clearTimeout(timer);
        process.off('beforeExit', endUnfinished);
    }
}
