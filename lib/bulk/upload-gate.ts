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

export class UploadGate implements WriteGate {

    readonly #settings: SettingStore;
    readonly #catalog: Catalog;
    #seen = -1;
    #isClosed = false;

    constructor(settings: SettingStore, catalog: Catalog) {

        this.#settings = settings;
        this.#catalog = catalog;
    }

    /** @throws DoipError 503 while an upload runs */
    check({ isBulk }: ObjectChange): Promise<void> | void {

        if (this.#seen === this.#catalog.epoch && !this.#isClosed || isBulk) {
            return;
        }

        return this.#look();
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
