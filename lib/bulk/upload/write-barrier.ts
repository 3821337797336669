/** Write barrier: while an upload runs on any node, only its own writes pass. The catalog of types knows whether one runs. */

import type { WriteAdmission } from '../../objects/object-writer.js';
import type { ObjectChange } from '../../model/write-participant.js';
import type { Catalog } from '../../types/catalog.js';

/** Writes in flight since the last drain. */
interface InFlight {
    count: number;
    /** Called when the last one has ended. */
    isEmpty: (() => void) | null;
}

export class WriteBarrier implements WriteAdmission {

    readonly #catalog: Catalog;
    #crowd: InFlight = { count: 0, isEmpty: null };

    constructor(catalog: Catalog) {

        this.#catalog = catalog;
    }

    /** @throws DoipError 503 while an upload runs */
    async run<T>({ isBulk }: ObjectChange, write: () => Promise<T>): Promise<T> {

        if (isBulk) {
            return write();
        }

        const crowd = this.#crowd;
        crowd.count += 1;
        try {
            this.#catalog.checkComplete();
            return await write();
        }
        finally {
            crowd.count -= 1;
            if (crowd.count === 0) {
                crowd.isEmpty?.();
            }
        }
    }

    /** Drain latch: resolves when all writes that passed on this node so far have ended. The catalog must know of the upload already. */
    async drained(): Promise<void> {

        const crowd = this.#crowd;
        this.#crowd = { count: 0, isEmpty: null };
        if (crowd.count > 0) {
            await new Promise<void>((resolve) => {

                crowd.isEmpty = resolve;
            });
        }
    }
}
