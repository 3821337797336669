/** Units that share transactions: few of those, and yet each unit is written or refused by itself. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { CommitResult, Database, Step } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { DIALECTS } from '../../../support/database.js';
import { openProxied, type MysqlProxy, type ProxiedDatabase } from '../../../support/mysql-proxy.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`group commit on ${name}`, () => {

        let opened: ProxiedDatabase;
        let direct: Database;
        let proxy: MysqlProxy;
        let database: Database;

        before(async () => {

            opened = await openProxied(create);
            ({ direct, proxy, database } = opened);
        });

        after(() => opened.stop());

        const put = (key: string, value = '0'): Step => ({ sql: 'insert into `settings` (`name`, `value`) values (?, ?)', bindings: [key, value], duplicate: `taken ${key}` });
        const add = (key: string): Step => ({
            sql: 'update settings set value = value + 1 where name = ?', bindings: [key], expect: { rows: 1, otherwise: `no ${key}` }
        });
        const commit = (...steps: Step[]): Promise<CommitResult> => database.commit({ steps, shared: true });
        const keys = async (prefix: string): Promise<string[]> => {

            const rows = await direct.read<{ name: string }>({ sql: 'select name from settings where name like ? order by name' }, [`${prefix}%`]);
            return rows.map((row) => row.name);
        };

        const outcome = (result: PromiseSettledResult<CommitResult>): string => {

            if (result.status === 'rejected') {
                return result.reason instanceof DatabaseError ? result.reason.fault : String(result.reason);
            }

            return result.value.ok ? 'written' : result.value.failed;
        };

        it('writes units with few transactions and statements', async () => {

            const transactions = proxy.sent('commit');

            const results = await Promise.all(Array.from({ length: 200 }, (_, i) => commit(put(`few-${i}`), put(`few-more-${i}`))));

            expect(results.every(({ ok }) => ok)).to.be.true();
            expect(await keys('few-')).to.have.length(400);
            expect(proxy.sent('commit') - transactions).to.be.within(1, 8);
        });

        it('rejects units individually', async () => {

            await direct.commit({ steps: [put('known')] });
            const long = 'x'.repeat(256);

            const results = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => {

                const more: Step[] = i === 20 ? [put('known')] : i === 30 ? [add('unknown')] : i === 40 ? [put(long)] : [];
                return commit(put(`each-${i}`), ...more);
            }));

            expect(results.map(outcome)).to.equal(Array.from({ length: 60 }, (_, i) => ({ 20: 'taken known', 30: 'no unknown', 40: 'failed' }[i] ?? 'written')));
            expect(await keys('each-')).to.have.length(57);
        });

        it('lets one of several units have a contended row, and rolls back the others completely', async () => {

            const random = seeded(11);
            const wishes = Array.from({ length: 300 }, (_, i) => ({ i, key: `wish-${random.integer(0, 80)}` }));

            const results = await Promise.allSettled(wishes.map(({ i, key }) => commit(put(`mine-${i}`), put(key, `${i}`), put(`mine-too-${i}`))));

            const written = wishes.filter((_, i) => outcome(results[i] as PromiseSettledResult<CommitResult>) === 'written');
            const wanted = [...new Set(wishes.map(({ key }) => key))];
            expect(written.map(({ key }) => key).toSorted()).to.equal(wanted.toSorted());
            expect(results.filter((_, i) => !written.some((wish) => wish.i === i)).map(outcome)).to.equal(
                wishes.filter((wish) => !written.includes(wish)).map(({ key }) => `taken ${key}`));
            expect(await keys('mine-')).to.equal(written.flatMap(({ i }) => [`mine-${i}`, `mine-too-${i}`]).toSorted());
        });

        it('writes units despite deadlocks with other transactions', async () => {

            await direct.commit({ steps: ['row-a', 'row-b'].map((key) => put(key)) });

            const results = await Promise.all(Array.from({ length: 80 }, (_, i) => {

                const steps = (i % 2 === 0 ? ['row-a', 'row-b'] : ['row-b', 'row-a']).map(add);
                return i % 4 < 2 ? commit(...steps, put(`dead-${i}`)) : direct.commit({ steps });
            }));

            expect(results.every(({ ok }) => ok)).to.be.true();
            const rows = await direct.read<{ value: string }>({ sql: 'select value from settings where name like ?' }, ['row-_']);
            expect(rows.map(({ value }) => value)).to.equal(['80', '80']);
            expect(await keys('dead-')).to.have.length(40);
        });

        it('writes units once when the connection is lost before the commit', async () => {

            proxy.cutNext({ command: 'begin', when: 'after' });

            const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => commit(put(`once-${i}`))));

            expect(new Set(results.map(outcome))).to.equal(new Set(['written']));
            expect(await keys('once-')).to.have.length(20);
        });

        it('reports an unknown outcome when the connection is lost at the commit, without a retry', async () => {

            proxy.cutNext({ command: 'commit', when: 'after' });

            const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => commit(put(`lost-${i}`))));

            expect(new Set(results.map(outcome))).to.equal(new Set(['unknown-outcome']));
            expect(await keys('lost-')).to.have.length(20);
        });

        it('fills packets, and sends a larger unit alone', async () => {

            const transactions = proxy.sent('commit');

            const results = await Promise.all(Array.from({ length: 20 }, (_, i) => commit(put(`big-${i}`, 'ü'.repeat(i === 7 ? 400_000 : 60_000)))));

            expect(results.every(({ ok }) => ok)).to.be.true();
            expect(await keys('big-')).to.have.length(20);
            expect(proxy.sent('commit') - transactions).to.be.within(5, 12);
        });

        it('writes units before the database is closed', async () => {

            const other = await opened.place.open();
            const writing = Array.from({ length: 150 }, (_, i) => other.commit({ steps: [put(`close-${i}`)], shared: true }));
            await other.close();

            expect((await Promise.all(writing)).every(({ ok }) => ok)).to.be.true();
            expect(await keys('close-')).to.have.length(150);
        });
    });
}
