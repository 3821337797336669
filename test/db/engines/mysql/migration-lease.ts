/** The lease under which one node at a time migrates a cluster, whose servers share no locks and whose clocks may differ. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import { lockCluster, LOST, migrateMysql } from '../../../../db/engines/mysql/migrate.js';
import { parseMysqlUrl } from '../../../../db/engines/mysql/url.js';
import { SILENT } from '../../../../db/log.js';
import type { Migration } from '../../../../db/migration.js';
import { createMysql, type TestDatabase } from '../../../support/database.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const SERVER = process.env['TEST_MYSQL_URL'];

describe('the lease for migrations of a cluster', { skip: SERVER === undefined || SERVER === '' }, () => {

    let place: TestDatabase;
    let url: string;
    let one: Mysql.Connection;
    let other: Mysql.Connection;
    /** Times at which the other node has looked at the lease. */
    let looks: number;
    let clock: number;

    beforeEach(async () => {

        place = await createMysql(SERVER ?? '');
        url = place.options.url ?? '';
        [one, other] = await Promise.all([Mysql.createConnection(url), Mysql.createConnection(url)]);
        looks = 0;
        clock = 0;
    });

    afterEach(async () => {

        await Promise.all([one.end(), other.end()]);
        await place.dispose();
    });

    /** The clock that the other node counts by, which stands still unless it is turned; it looks at it once for each look at the lease, at least. */
    const turned = (): number => {

        looks += 1;
        return clock;
    };

    it('is waited for, whatever the clock of another server says', async () => {

        await other.query('set session timestamp = unix_timestamp() + 60');
        const held = await lockCluster(one);
        let isTaken = false;
        const taking = lockCluster(other, turned).then((lease) => {

            isTaken = true;
            return lease;
        });
        await until(() => looks > 10 || isTaken);
        const wasTaken = isTaken;
        await held.check();
        await held.release();
        await (await taking).release();

        expect([wasTaken, isTaken]).to.equal([false, true]);
    });

    it('is taken over when it was not renewed for its length, and its holder notices', async () => {

        const held = await lockCluster(one);
        const taking = lockCluster(other, turned);
        await until(() => looks > 10);
        await held.check();
        clock = 29_000;
        const before = looks;
        await until(() => looks > before + 10);
        clock += 30_000;
        const lease = await taking;
        const error = await held.check().then(() => null, (reason: unknown) => reason);

        expect(error).to.be.an.error(LOST);
        expect(held.lost.aborted).to.be.true();
        await held.release();
        await lease.check();
        expect(lease.lost.aborted).to.be.false();
        await lease.release();
    });

    it('ends for its holder when it could not be renewed in time', async () => {

        const held = await lockCluster(one, () => clock);
        clock = 30_000;

        await expect(held.check()).to.reject(LOST);
        await held.release();
    });

    it('stops a migration when it is lost between two steps', async () => {

        const steps: string[] = [];
        const migration = (name: string, after: () => Promise<unknown> = async () => {}): Migration => ({
            name,
            async up({ knex }) {

                steps.push(name);
                await knex.schema.createTable(`made_by_${name}`, (table) => void table.integer('id'));
                await after();
            },
            down: async () => {}
        });
        const migrations = [
            migration('first', () => one.query('update migrations_lease set owner = \'another\', held_until = held_until + 100')), migration('second')
        ];

        await expect(migrateMysql(parseMysqlUrl(url), SILENT, { migrations, inCluster: true })).to.reject(LOST);
        const [tables] = await one.query<Mysql.RowDataPacket[]>('show tables like \'made_by_%\'');
        const [[lease]] = await one.query<Mysql.RowDataPacket[]>('select owner from migrations_lease');

        expect(steps).to.equal(['first']);
        expect(tables).to.have.length(1);
        expect(lease?.['owner']).to.equal('another');
    });
});
