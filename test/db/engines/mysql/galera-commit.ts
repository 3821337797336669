/** Commits on a server of Galera that answers with a deadlock: what was committed all the same is not repeated, what was not is. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { createMysql, type TestDatabase } from '../../../support/database.js';
import { type Galera, HAS_GALERA, startGalera } from '../../../support/galera.js';
import { type MysqlProxy, startMysqlProxy } from '../../../support/mysql-proxy.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a commit on Galera that is answered with a deadlock', { skip: !HAS_GALERA, timeout: 600_000 }, () => {

    let cluster: Galera;
    let place: TestDatabase;
    let direct: Database;
    let database: Database;
    let proxy: MysqlProxy;
    let names = 0;

    before({ timeout: 600_000 }, async () => {

        cluster = await startGalera(1);
        place = await createMysql(cluster.urls[0] ?? '');
        direct = await place.open();
        proxy = await startMysqlProxy(place.options.url ?? '');
        database = await openDatabase({ ...place.options, url: `${proxy.url}?connections=4` });
    });

    after(async () => {

        await database?.close();
        await proxy?.close();
        await place?.dispose();
        await cluster?.stop();
    });

    /** A unit that must not be written twice. */
    async function counting(more: Partial<Unit> = {}): Promise<{ readonly unit: Unit; readonly count: () => Promise<number> }> {

        const name = `count-${++names}`;
        await direct.commit({ steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: [name, '0'] }] });
        return {
            unit: { steps: [{ sql: 'update settings set value = value + 1 where name = ?', bindings: [name], expect: { rows: 1, otherwise: 'missing' } }], ...more },
            count: async () => Number((await direct.read<{ value: string }>({ sql: 'select value from settings where name = ?' }, [name]))[0]?.value)
        };
    }

    for (const [title, more] of [['a unit', {}], ['a shared unit', { shared: true }]] as const) {
        it(`is not repeated for ${title} that was committed`, async () => {

            const { unit, count } = await counting(more);
            proxy.cutNext({ command: 'commit', when: 'deadlock' });

            const { ok } = await database.commit(unit);

            expect([ok, await count()]).to.equal([true, 1]);
        });

        it(`is repeated for ${title} that was rolled back`, async () => {

            const { unit, count } = await counting(more);
            const before = proxy.sent('commit');
            proxy.cutNext({ command: 'commit', when: 'rollback' });

            const { ok } = await database.commit(unit);

            expect([ok, await count(), proxy.sent('commit') - before]).to.equal([true, 1, 2]);
        });
    }

    it('is not repeated for several units in one transaction that was committed', async () => {

        const units = await Promise.all(Array.from({ length: 5 }, () => counting({ shared: true })));
        // Those of one turn share a transaction.
        proxy.cutNext({ command: 'commit', when: 'deadlock' });

        const results = await Promise.all(units.map(({ unit }) => database.commit(unit)));

        expect(results.map(({ ok }) => ok)).to.equal([true, true, true, true, true]);
        expect(await Promise.all(units.map(({ count }) => count()))).to.equal([1, 1, 1, 1, 1]);
    });

    it('has an unknown outcome when the server does not say whether it was committed', async () => {

        const { unit, count } = await counting();
        const impatient = await openDatabase({ ...place.options, url: `${proxy.url}?connections=1&timeout=3` });
        await impatient.commit({ steps: [] });
        proxy.cutNext({ command: 'commit', when: 'deadlock' });
        // Prepared statements are no text.
        const hold = proxy.hold('', 'commit');

        const error: unknown = await impatient.commit(unit).then(() => null, (reason: unknown) => reason);
        hold.release();
        await impatient.close();

        expect(error).to.be.an.instanceof(DatabaseError);
        expect([(error as DatabaseError).fault, await count()]).to.equal(['unknown-outcome', 1]);
    });
});
