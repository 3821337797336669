/**
 * Free disk space, as operations see it.
 */

import type { Database } from '../../db/database.js';
import { DatabaseError } from '../../db/errors.js';

/** Disk space for the data of the database. */
export class FreeSpace {

    readonly #db: Pick<Database, 'hasSpaceFor'>;
    readonly #make: () => Promise<unknown>;

    /**
     * @param make removes what is no longer needed
     */
    constructor(db: Pick<Database, 'hasSpaceFor'>, make: () => Promise<unknown>) {

        this.#db = db;
        this.#make = make;
    }

    /**
     * Ensures that there is space; removes what is no longer needed if necessary.
     *
     * @throws DatabaseError when it is known that this number of bytes cannot be stored
     */
    async demand(bytes: number): Promise<void> {

        if (this.#db.hasSpaceFor?.(bytes) !== false) {
            return;
        }

        await this.#make();
        if (!this.#db.hasSpaceFor(bytes)) {
            throw new DatabaseError('full', `there is no room for ${bytes} bytes`);
        }
    }
}
