/** Cooperative yielding to the event loop for long work on the main thread: of all tasks that yielded, one is resumed per turn of the loop. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../json-types.js';

type Go = () => void;

export class EventLoopYielder {

    readonly #waiting: Go[] = [];
    #isScheduled = false;

    /** Resolves in a later turn of the event loop, in FIFO order, one call per turn. */
    async yield(): Promise<void> {

        await new Promise<void>((resolve) => {

            this.#waiting.push(resolve);
            this.#schedule();
        });
    }

    #schedule(): void {

        if (this.#isScheduled || this.#waiting.length === 0) {
            return;
        }

        this.#isScheduled = true;
        setImmediate(() => {

            this.#isScheduled = false;
            this.#waiting.shift()?.();
            this.#schedule();
        });
    }
}

/** Lets the event loop turn after a number of short calls, which may otherwise follow each other as microtasks without end. */
export class CallCounter {

    readonly #callsPerTurn: number;
    #calls = 0;

    constructor(callsPerTurn: number) {

        this.#callsPerTurn = callsPerTurn;
    }

    /** To be awaited before a call. Returns undefined, or a promise of the next turn of the event loop if it is due. */
    count(): Promise<void> | undefined {

        this.#calls = (this.#calls + 1) % this.#callsPerTurn;
        return this.#calls === 0 ? nextTurn() : undefined;
    }
}

/** Limits short calls to a number per turn of the event loop, of all tasks together; further ones follow in later turns, a task in each. */
export class TurnBudget {

    readonly #callsPerTurn: number;
    readonly #yielder = new EventLoopYielder();
    #calls = 0;
    #isResetScheduled = false;

    constructor(callsPerTurn: number) {

        this.#callsPerTurn = callsPerTurn;
    }

    /** To be awaited before a call. Returns undefined, or a promise of a later turn of the event loop if the budget of this one is spent. */
    spend(): Promise<void> | undefined {

        if (!this.#isResetScheduled) {
            this.#isResetScheduled = true;
            setImmediate(() => {

                this.#isResetScheduled = false;
                this.#calls = 0;
            });
        }

        return ++this.#calls > this.#callsPerTurn ? this.#wait() : undefined;
    }

    async #wait(): Promise<void> {

        await this.#yielder.yield();
        this.#calls = 0;
    }
}

/** Length in characters from which work on a text yields to the event loop. */
const LONG_TEXT = 32 * 1024;

/** Approximate length in characters of a value that is not a string. */
const VALUE_LENGTH = 4;

const longTexts = new EventLoopYielder();

/**
 * Yields to the event loop between two steps of work on a text, such as parsing and validation. Short texts do not yield; of all long texts
 * of the process, one is worked on per turn.
 */
export function turnFor(length: number): Promise<void> | undefined {

    return length < LONG_TEXT ? undefined : longTexts.yield();
}

/** Yields to the event loop between steps of work on many texts, by their length together. */
export class LengthBudget {

    #length = 0;

    /** To be awaited before a step. Returns undefined, or a promise of a later turn of the event loop if it is due. */
    spend(length: number): Promise<void> | undefined {

        this.#length += length;
        const turn = turnFor(this.#length);
        this.#length = turn ? 0 : this.#length;
        return turn;
    }
}

/** Approximate length of the text of a value, for {@link turnFor}; counted only up to that of a long text. */
export function approximateLength(value: JsonValue): number {

    return LONG_TEXT - remainder(value, LONG_TEXT);
}

/** Subtracts the approximate text length of a value; stops early at zero or below. */
function remainder(value: JsonValue, length: number): number {

    if (typeof value === 'string') {
        return length - value.length;
    }

    let left = length - VALUE_LENGTH;
    if (Array.isArray(value)) {
        for (let i = 0; i < value.length && left > 0; ++i) {
            left = remainder(value[i] ?? null, left);
        }
    }
    else if (typeof value === 'object') {
        for (const name in value) {
            if (left <= 0) {
                break;
            }

            left = remainder(value[name] ?? null, left - name.length);
        }
    }

    return left;
}
