/** A database that goes away in the middle of a batch: what was answered is stored, and the log stays short. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { BatchGateway } from '../../../support/batch.js';
import type { TestDatabase } from '../../../support/database.js';
import type { MysqlProxy } from '../../../support/mysql-proxy.js';
import { codes, startBatchGateway } from '../../../support/batch.js';
import { DIALECTS } from '../../../support/database.js';
import { startMysqlProxy } from '../../../support/mysql-proxy.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const mysql = DIALECTS.find(({ dialect }) => dialect === 'mysql');
const FIRST = 40;
const ITEMS = 400;

/** What is said of an item that was not stored, and of one that nobody knows about. */
const MESSAGES = new Map([
    [503, 'The system is down.'],
    [500, 'the database was lost while it stored the change: look whether it was stored before you try again']
]);

describe('a batch during an outage of the database', { skip: !mysql }, () => {

    let database: TestDatabase;
    let proxy: MysqlProxy;
    let gateway: BatchGateway;
    const lines: Record<string, unknown>[] = [];

    before(async () => {

        if (mysql) {
            database = await mysql.create();
            proxy = await startMysqlProxy(database.options.url ?? '');
            const log = pino({ level: 'error', base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
            gateway = await startBatchGateway(database, { databaseUrl: proxy.url, log });
        }
    });

    after(async () => {

        await gateway.stop();
        await proxy.close();
        await database.dispose();
    });

    it('stores the items with a success, and logs how many items failed', async () => {

        const record = await gateway.batch([{ kind: 'bytes', mediaType: 'application/x-ndjson', body: body() }]);
        proxy.accept(true);
        await until(async () => await gateway.content('test/gone0') !== undefined, 60_000);

        expect(record.success).to.be.false();
        expect(codes(record).slice(0, FIRST)).to.equal(Array.from({ length: FIRST }, () => 200));
        const failed = record.results.filter(({ responseCode }) => responseCode !== 200);
        expect(failed.length).to.be.at.least(100);
        for (const { position, responseCode } of record.results) {
            if (responseCode === 200) {
                expect(await gateway.content(`test/gone${position}`), `item ${position}`).to.equal({ position });
            }
        }

        for (const { responseCode, response: { message } } of failed) {
            expect(MESSAGES.get(responseCode), String(message)).to.equal(message);
        }

        expect(lines.filter(({ event }) => String(event).startsWith('batch.item')).length).to.be.between(0, 23);
        expect(lines.length, JSON.stringify(lines.slice(0, 3))).to.be.below(60);
    });

    async function *body(): AsyncGenerator<Uint8Array> {

        const line = (position: number): Buffer => Buffer.from(`{"id":"test/gone${position}","type":"Plain","content":{"position":${position}}}\n`);
        yield Buffer.concat(Array.from({ length: FIRST }, (_, n) => line(n)));
        for (let n = 0; n < FIRST; ++n) {
            await until(async () => await gateway.content(`test/gone${n}`) !== undefined);      // They are stored in any order
        }

        proxy.accept(false);
        proxy.cutAll();
        for (let n = FIRST; n < ITEMS; ++n) {
            yield line(n);
        }
    }
});
