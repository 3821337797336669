/** A gateway whose database server goes away, and comes back without its last commits. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import { pino } from 'pino';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { DIALECTS, type TestDatabase } from '../../support/database.js';
import { ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway.js';
import { startMysqlProxy, type MysqlProxy } from '../../support/mysql-proxy.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const mysql = DIALECTS.find(({ dialect }) => dialect === 'mysql');

describe('a gateway beside a database server that goes away', { skip: !mysql }, () => {

    let place: TestDatabase;
    let proxy: MysqlProxy;
    let direct: Mysql.Connection;
    let gateway: TestGateway;
    let events: string[] = [];

    before(async () => {

        if (mysql) {
            place = await mysql.create();
            const url = place.options.url ?? '';
            proxy = await startMysqlProxy(url);
            direct = await Mysql.createConnection(url);
            const log = pino({ level: 'info', base: null }, { write: (line: string) => void events.push((JSON.parse(line) as { event: string }).event) });
            gateway = await startGateway(place, { databaseUrl: proxy.url, log });
        }
    });

    after(async () => {

        await gateway.stop();
        await direct.end();
        await proxy.close();
        await place.dispose();
    });

    /** Ends all connections until the gateway has noticed and `meanwhile` has been done. */
    async function outage(meanwhile: () => Promise<unknown>): Promise<void> {

        events = [];
        proxy.accept(false);
        proxy.cutAll();
        await until(async () => {

            await gateway.asAdmin(Op.getDesign);
            return events.includes('database.unreachable');
        });
        await meanwhile();
        proxy.accept(true);
        await until(() => events.includes('database.recovered'));
    }

    it('takes a token no more that is gone, though the counters are the same', async () => {

        const { value } = await gateway.perform(Op.authToken, { input: { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD } });
        const { access_token: token } = value as { access_token: string };
        const use = async (): Promise<string> => (await gateway.perform(Op.getDesign, { authentication: { token } })).status;
        const used = await use();
        await outage(() => direct.query('delete from tokens'));

        expect([used, await use()]).to.equal(['0.DOIP/Status.001', '0.DOIP/Status.102']);
    });

    it('has the types that are left, though the counters are the same', async () => {

        const { id } = await gateway.create('Schema', { identifier: '', name: 'Lost', schema: {} });
        const known = async (): Promise<string> => (await gateway.asAdmin(Op.create, { input: { type: 'Lost', attributes: { content: {} } }, attributes: { dryRun: true } })).status;
        const before = await known();
        await outage(async () => {

            await direct.query('delete from objects where id = ?', [id]);
            await direct.query('delete from type_names where schema_id = ?', [id]);
        });

        expect([before, await known()]).to.equal(['0.DOIP/Status.001', '0.DOIP/Status.101']);
    });

    it('answers an upload that was begun when it is stored, however often the database goes away', async () => {

        const items = Array.from({ length: 3000 }, (_, n): JsonObject => ({ id: `test/many${n}`, type: 'Document', content: { n } }));
        const uploading = gateway.asAdmin(Op.uploadObjects, { input: items });
        const isRunning = async (): Promise<boolean> => {

            const [rows] = await direct.query<Mysql.RowDataPacket[]>('select id from jobs where kind = \'objects.upload\' and state = \'running\'');
            return rows.length > 0;
        };

        await until(isRunning);
        await outage(async () => {});
        const { status, value } = await uploading;
        const [[counted]] = await direct.query<Mysql.RowDataPacket[]>('select count(*) as n from objects where id like \'test/many%\'');

        expect(value).to.include({ msg: 'success' });
        expect([status, Number(counted?.['n'])]).to.equal(['0.DOIP/Status.001', 3000]);
    });
});
