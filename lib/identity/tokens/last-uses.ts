/**
 * Times of the last use of tokens and keys: recorded in memory and written in batches, so that a request writes nothing.
 */

import type { Logger } from 'pino';
import type { Database, Step } from '../../../db/database.js';

/** Options. */
export interface LastUsesOptions {
    readonly db: Pick<Database, 'commit'>;
    /** Returns the steps that write a use, unless a later one is stored. */
    readonly touchSteps: (hash: string, at: number) => readonly Step[];
    /** Interval of writing in ms. */
    readonly writeEvery: number;
    /** Time in ms after which a written use is no longer needed in memory. */
    readonly forgetAfter: number;
    /** The clock, in epoch milliseconds. */
    readonly now: () => number;
    readonly log: Logger;
}

/** Last use on this node, and the use last written. */
interface Use {
    at: number;
    written: number;
}

const STEPS_PER_UNIT = 100;

/** Records uses. */
export class LastUses {

    readonly #options: LastUsesOptions;
    readonly #uses = new Map<string, Use>();
    #timer: NodeJS.Timeout | undefined;
    #writing: Promise<void> = Promise.resolve();

    constructor(options: LastUsesOptions) {

        this.#options = options;
    }

    /** Starts writing periodically. */
    start(): void {

        this.#timer ??= setInterval(() => {

            this.#writing = this.#writing.then(() => this.#tryToWrite());
        }, this.#options.writeEvery).unref();
    }

    /** Writes pending uses and stops. */
    async close(): Promise<void> {

        clearInterval(this.#timer);
        this.#timer = undefined;
        await this.#writing;
        await this.#tryToWrite();
    }

    /** Returns the last use on this node; 0 if it is not known. */
    of(hash: string): number {

        return this.#uses.get(hash)?.at ?? 0;
    }

    /** Records a use now. @param stored the use that is stored; 0 for none */
    touch(hash: string, stored: number): void {

        const at = this.#options.now();
        const use = this.#uses.get(hash);
        if (use) {
            use.at = at;
        }
        else {
            this.#uses.set(hash, { at, written: stored });
        }
    }

    /** Writes uses; errors are only logged, since the next round makes up for them. */
    async #tryToWrite(): Promise<void> {

        try {
            await this.#write();
        }
        catch (error) {
            this.#options.log.error({ event: 'identity.token-use-failed', err: error }, 'failed to store access token use');
        }
    }

    async #write(): Promise<void> {

        const { db, forgetAfter, now, touchSteps } = this.#options;
        const ended = now() - forgetAfter;
        const recent: [hash: string, use: Use, at: number][] = [];
        for (const [hash, use] of this.#uses) {
            if (use.at > use.written) {
                recent.push([hash, use, use.at]);
            }
            else if (use.at < ended) {
                this.#uses.delete(hash);
            }
        }

        // In the same order on all nodes, to avoid deadlocks.
        recent.sort(([one], [two]) => (one < two ? -1 : 1));
        for (let i = 0; i < recent.length; i += STEPS_PER_UNIT) {
            const part = recent.slice(i, i + STEPS_PER_UNIT);
            await db.commit({ steps: part.flatMap(([hash, , at]) => touchSteps(hash, at)), essential: true });
            for (const [, use, at] of part) {
                use.written = at;
            }
        }
    }
}
