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
    #inFlight: InFlight = { count: 0, isEmpty: null };

    constructor(catalog: Catalog) {

        this.#catalog = catalog;
    }

    /** @throws DoipError 503 while an upload runs */
    async run<T>({ uploadEpoch }: ObjectChange, write: (epoch: number) => Promise<T>): Promise<T> {

        if (uploadEpoch !== undefined) {
            return write(uploadEpoch);
        }

        const inFlight = this.#inFlight;
        inFlight.count += 1;
        try {
            this.#catalog.checkComplete();
            return await write(this.#catalog.storedEpoch);
        }
        finally {
            inFlight.count -= 1;
            if (inFlight.count === 0) {
                inFlight.isEmpty?.();
            }
        }
    }

    /** Drain latch: resolves when all writes that passed on this node so far have ended. The catalog must know of the upload already. */
    async drained(): Promise<void> {

        const inFlight = this.#inFlight;
        this.#inFlight = { count: 0, isEmpty: null };
        if (inFlight.count > 0) {
            await new Promise<void>((resolve) => {

                inFlight.isEmpty = resolve;
            });
        }
    }
}
