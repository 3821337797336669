/**
 * Charges the items of an input to the memory for bodies. Where it is short, reading waits for items in work to give some of it back, or else
 * a moment for other requests; then the input ends with the error of a body that finds no room.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryAccount } from '../../doip/envelope.js';
import type { ItemMemory } from '../../json/stream/item-splitter.js';
import { type DoipError, isTemporary } from '../../errors/errors.js';

/** Milliseconds to the first attempt after one without room; each further pause is twice as long, the last one at most. All take 1.3 s. */
const FIRST_PAUSE_MS = 20;
const LAST_PAUSE_MS = 640;

/** Resolves when an item in work has ended; to false at once if there is none. */
export type ItemEnded = () => Promise<boolean>;

/** The memory of one input. */
export class BatchMemory implements ItemMemory {

    readonly #account: MemoryAccount;
    readonly #itemEnded: ItemEnded;

    constructor(account: MemoryAccount, itemEnded: ItemEnded) {

        this.#account = account;
        this.#itemEnded = itemEnded;
    }

    reserve(bytes: number): Promise<void> | undefined {

        const error = this.#attempt(bytes);
        return error === null ? undefined : this.#wait(bytes, error);
    }

    release(bytes: number): void {

        this.#account.release(bytes);
    }

    async #wait(bytes: number, first: DoipError): Promise<void> {

        let pause = FIRST_PAUSE_MS;
        for (let error: DoipError | null = first; error; error = this.#attempt(bytes)) {
            if (await this.#itemEnded()) {
                continue;
            }

            if (pause > LAST_PAUSE_MS) {
                throw error;
            }

            await sleep(pause);
            pause *= 2;
        }
    }

    /** Returns the error if there is no room at present, otherwise null. */
    #attempt(bytes: number): DoipError | null {

        try {
            this.#account.reserve(bytes);
            return null;
        }
        catch (error) {
            if (isTemporary(error)) {
                return error;
            }

            throw error;
        }
    }
}
