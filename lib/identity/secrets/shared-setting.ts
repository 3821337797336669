/** Secrets that the service generates on first use and stores as settings in the database, so that all nodes share them. */

import type { Database } from '../../../db/database.js';
import type { SettingStore } from '../../stores/setting-store.js';

/** Where they are stored. */
export interface SharedSettingParts {
    readonly db: Database;
    readonly settings: SettingStore;
}

const CREATED = 'identity:setting';

/** Returns the value of a setting, generated on first use; if several nodes do so concurrently, the first one wins. */
export async function sharedSetting({ db, settings }: SharedSettingParts, name: string, generate: () => Promise<string>): Promise<string> {

    const stored = await settings.get(name);
    if (stored !== null) {
        return stored;
    }

    const text = await generate();
    const { ok } = await db.commit({ steps: settings.insertSteps(name, text, CREATED) });
    return ok ? text : await settings.get(name) ?? text;
}
