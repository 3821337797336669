/**
 * Closed while an upload of all objects runs, here or on another node: then only its own writes pass. Whether it is closed is a row of
 * the database, which is read when the epoch of types has changed; whoever closes or opens it raises that epoch.
 */

import type { WriteGate } from '../objects/object-writer.js';
import type { ObjectChange } from '../objects/write-participant.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { Catalog } from '../types/catalog.js';
import { unavailable } from '../doip/error.js';

/** The setting that is there while an upload runs. */
export const UPLOAD_SETTING = 'upload.running';

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER = 5;

/** Those who passed since the last time somebody waited for all of them. */
interface Crowd {
    count: number;
    /** Called when the last one has left. */
    isEmpty: (() => void) | null;
}

export class UploadGate implements WriteGate {

    readonly #settings: SettingStore;
    readonly #catalog: Catalog;
    #seen = -1;
    #isClosed = false;
    #crowd: Crowd = { count: 0, isEmpty: null };

    constructor(settings: SettingStore, catalog: Catalog) {

        this.#settings = settings;
        this.#catalog = catalog;
    }

    /** @throws DoipError 503 while an upload runs */
    async pass<T>({ isBulk }: ObjectChange, write: () => Promise<T>): Promise<T> {

        if (isBulk) {
            return write();
        }

        const crowd = this.#crowd;
        crowd.count += 1;
        try {
            if (this.#seen !== this.#catalog.epoch || this.#isClosed) {
                await this.#look();
            }

            return await write();
        }
        finally {
            crowd.count -= 1;
            if (crowd.count === 0) {
                crowd.isEmpty?.();
            }
        }
    }

    /** Resolves when all who have passed on this node so far have written. The catalog must know of the upload already. */
    async drained(): Promise<void> {

        const crowd = this.#crowd;
        this.#crowd = { count: 0, isEmpty: null };
        if (crowd.count > 0) {
            await new Promise<void>((resolve) => {

                crowd.isEmpty = resolve;
            });
        }
    }

    async #look(): Promise<void> {

        const { epoch } = this.#catalog;
        this.#isClosed = await this.#settings.get(UPLOAD_SETTING) !== null;
        this.#seen = epoch;
        if (this.#isClosed) {
            throw unavailable('an upload of objects is in progress, try again later', RETRY_AFTER);
        }
    }
}
