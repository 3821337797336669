/**
 * What operations may know of the room on the disk.
 */

import type { Database } from '../../db/database.js';
import { DatabaseError } from '../../db/errors.js';
import { SingleFlight } from '../util/concurrency/single-flight.js';

/** Room for what is stored. */
export class Room {

    readonly #db: Pick<Database, 'hasRoomFor'>;
    readonly #make: () => Promise<unknown>;
    readonly #making = new SingleFlight<unknown>();

    /** @param make removes what nobody needs */
    constructor(db: Pick<Database, 'hasRoomFor'>, make: () => Promise<unknown>) {

        this.#db = db;
        this.#make = make;
    }

    /**
     * Makes room when there is too little.
     *
     * @throws DatabaseError when it is known that so many bytes cannot be stored
     */
    async demand(bytes: number): Promise<void> {

        if (this.#db.hasRoomFor?.(bytes) !== false) {
            return;
        }

        await this.#making.run(this.#make);
        if (!this.#db.hasRoomFor(bytes)) {
            throw new DatabaseError('full', `there is no room for ${bytes} bytes`);
        }
    }
}
