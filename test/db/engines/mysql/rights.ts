/** Users of a server who lack a right. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import { UnusableDatabaseError } from '../../../../db/errors.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { DIALECTS, type TestDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const REMEDY = 'check DATABASE_URL, and the rights of the user';

const ROWS = 'select, insert, update, delete';

const CASES: readonly [rights: string, isMigrated: boolean, missing: string | null][] = [
    ['select', false, 'CREATE'],
    [ROWS, false, 'CREATE'],
    ['select', true, 'INSERT'],
    ['select, insert', true, 'UPDATE'],
    ['select, insert, update', true, 'DELETE'],
    // Rights to change tables are needed for migrations only.
    [ROWS, true, null]
];

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`the rights of the user on ${name}`, () => {

        let places: TestDatabase[];
        let administrator: Mysql.Connection;

        before(async () => {

            places = [await create(), await create()];
            await places[1]?.open();
            administrator = await Mysql.createConnection(places[0]?.options.url ?? '');
        });

        after(async () => {

            await administrator.end();
            await Promise.all(places.map((place) => place.dispose()));
        });

        for (const [rights, isMigrated, missing] of CASES) {
            it(`to ${rights} are ${missing ? `rejected for lack of ${missing}` : 'enough'} on ${isMigrated ? 'an up-to-date' : 'a new'} database`, async () => {

                const { options } = places[isMigrated ? 1 : 0] as TestDatabase;
                const url = new URL(options.url ?? '');
                const schema = url.pathname.slice(1);
                const user = `rights_${schema.slice(-12)}`;
                await administrator.query(`create user ${user} identified by 'pw'`);
                await administrator.query(`grant ${rights} on ${schema}.* to ${user}`);
                [url.username, url.password] = [user, 'pw'];
                const database = await openDatabase({ ...options, url: url.href });
                try {
                    const error = await database.migrate().then(() => null, (reason: unknown) => reason as UnusableDatabaseError);
                    if (missing === null) {
                        expect(error).to.be.null();
                        return;
                    }

                    expect(error).to.be.an.instanceof(UnusableDatabaseError);
                    expect(error?.reason).to.equal('rejected');
                    expect(error?.message).to.contain([`as user ${user}`, REMEDY]);
                    // In the words of MariaDB, or of TiDB.
                    expect(error?.message).to.match(new RegExp(`${missing} command denied|privilege check for '${missing}' fail`, 'i'));
                }
                finally {
                    await database.close();
                    await administrator.query(`drop user ${user}`);
                }
            });
        }
    });
}
