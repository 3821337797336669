/**
 * Units that depend on a row change it, which is what servers of a Galera cluster exclude each other by: an update to the value that a row has
 * already is not told to the others.
 */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database, Step } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import { AccountStore } from '../../../lib/stores/account-store.js';
import { CredentialStore } from '../../../lib/stores/credential-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const USER = 'test/ann';
const RECORD = 'record of a password';

forEachDatabase((name, create) => {

    describe(`rows that units depend on, on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;

        before(async () => {

            place = await create();
            db = await place.open();
            const account = { userId: USER, username: 'ann', active: true, mustChangePassword: false, publicKey: null };
            await db.commit({ steps: [...new AccountStore(db).putSteps(account), ...new CredentialStore(db).putSteps(USER, RECORD)] });
        });

        after(() => place.dispose());

        const checks = async (table: string): Promise<number | undefined> =>
            (await statements(db)((knex) => knex(table).where('user_id', USER).select('checks')).first<{ checks: number }>({}))?.checks;

        const guards: [title: string, table: string, steps: (user: string, record: string) => Step[], otherwise: string][] = [
            ['the record of a password', 'credentials', (user, record) => new CredentialStore(db).expectSteps(user, record, 'changed'), 'changed'],
            ['an account', 'accounts', (user) => new AccountStore(db).expectSteps(user, 'gone'), 'gone']
        ];

        for (const [title, table, steps, otherwise] of guards) {
            it(`are changed by each unit: ${title}`, async () => {

                const begun = await checks(table) ?? 0;
                expect(await db.commit({ steps: steps(USER, RECORD) })).to.include({ ok: true });
                expect(await db.commit({ steps: steps(USER, RECORD) })).to.include({ ok: true });
                expect(await checks(table)).to.equal(begun + 2);
            });

            it(`let no unit pass without them: ${title}`, async () => {

                const begun = await checks(table);
                expect(await db.commit({ steps: steps('test/nobody', 'another record') })).to.equal({ ok: false, failed: otherwise });
                expect(await checks(table)).to.equal(begun);
            });
        }
    });
});
