/**
 * Epochs as this process counts them. Those of the database only increase, unless it loses its last commits: when it fails over to a replica
 * that lacks them, or crashes without having written them to its disk. What is cached by a number would be valid again then, or stay valid
 * although it was changed. So a number that was returned stands for one state only: after a loss, all numbers are higher than before.
 */

import type { Log } from '../../../db/log.js';
import { SILENT } from '../../../db/log.js';

/** Counters that validate caches; they only increase, but differ between processes. */
export interface Epochs {
    /** Types and the design object. */
    readonly types: number;
    /** Users, groups, credentials and tokens. */
    readonly identity: number;
    /** The epoch of types as the database has it. */
    readonly storedTypes: number;
}

/** The epochs in a row as the database has them. */
export interface EpochRow {
    readonly epoch_types: number;
    readonly epoch_identity: number;
}

type Counters = Pick<Epochs, 'types' | 'identity'>;

const NONE: Counters = { types: 0, identity: 0 };

/** Translates the epochs of a database; all readers of a process share one. */
export class EpochHistory {

    readonly #log: Log;
    /** The highest that were read since the last loss, as the database has them. */
    #highest = NONE;
    /** What is added to those of the database. */
    #ahead = NONE;
    /** Number of losses so far. */
    #losses = 0;
    readonly #listeners: (() => void)[] = [];

    constructor(log: Log = SILENT) {

        this.#log = log;
    }

    /** Has a function called whenever the database may have lost commits: for what is cached without an epoch. */
    onLoss(listener: () => void): void {

        this.#listeners.push(listener);
    }

    /** Reads a row with the epochs, and translates them. */
    async read<R extends EpochRow>(work: () => Promise<R>): Promise<{ readonly found: R; readonly epochs: Epochs }> {

        for (;;) {
            const { types, identity } = this.#highest;
            const losses = this.#losses;
            const found = await work();
            // Of a reading during which a loss was noticed nobody knows whether it shows the state before.
            if (losses === this.#losses) {
                if (found.epoch_types < types || found.epoch_identity < identity) {
                    this.#log.warn({ event: 'database.went-back', types: types - found.epoch_types, identity: identity - found.epoch_identity },
                        'the database has lost its last commits: everything in memory is read again');
                    this.#restart({ types: found.epoch_types, identity: found.epoch_identity });
                }

                return { found, epochs: this.#translate(found) };
            }
        }
    }

    /** Invalidates everything that was cached: the database may have lost commits. */
    renew(): void {

        this.#restart(this.#highest);
    }

    /** Like {@link renew}, when something else than the epochs shows that commits were lost. */
    wentBack(): void {

        this.#log.warn({ event: 'database.went-back' }, 'the database has lost its last commits: everything in memory is read again');
        this.renew();
    }

    #restart({ types, identity }: Counters): void {

        const { types: highestTypes, identity: highestIdentity } = this.#highest;
        this.#ahead = {
            types: this.#ahead.types + Math.max(0, highestTypes - types) + 1,
            identity: this.#ahead.identity + Math.max(0, highestIdentity - identity) + 1
        };
        this.#highest = { types, identity };
        this.#losses += 1;
        this.#listeners.forEach((listener) => listener());
    }

    #translate({ epoch_types: types, epoch_identity: identity }: EpochRow): Epochs {

        if (types > this.#highest.types || identity > this.#highest.identity) {
            this.#highest = { types: Math.max(types, this.#highest.types), identity: Math.max(identity, this.#highest.identity) };
        }

        return { types: types + this.#ahead.types, identity: identity + this.#ahead.identity, storedTypes: types };
    }
}
