/** PROVISIONAL */
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.js';
import type { SettingStore } from '../stores/setting-store.js';

const NAME = 'admin.password';

export class AdminAccount {

    readonly #db: Database;
    readonly #settings: SettingStore;

    constructor({ db, settings }: { db: Database; settings: SettingStore; log: Logger }) {

        this.#db = db;
        this.#settings = settings;
    }

    /** Sets the password at first start. Returns the password when one was made up. */
    async ensure(given: string | null | undefined): Promise<string | null> {

        if (await this.#settings.get(NAME)) {
            return null;
        }

        const password = given ?? randomBytes(12).toString('base64url');
        await this.#db.commit({ steps: this.#settings.setSteps(NAME, scryptSync(password, 'x', 32, { N: 1024 }).toString('hex')) });
        return given ? null : password;
    }

    async verify(password: string): Promise<boolean> {

        const record = Buffer.from(await this.#settings.get(NAME) ?? '', 'hex');
        const actual = scryptSync(password, 'x', 32, { N: 1024 });
        return record.length === actual.length && timingSafeEqual(record, actual);
    }
}
