/**
 * An upload of all objects on one of several nodes: what a node was about to write when it began, or what an earlier run of it was about to write when
 * another node took it over, is not written any more, however long it was under way.
 */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../db/database.js';
import { Op } from '../../lib/doip/operation-ids.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { startGateway, type Answer, type TestGateway } from '../support/gateway.js';
import { startMysqlProxy, type Hold, type MysqlProxy } from '../support/mysql-proxy.js';
import { until } from '../support/until.js';
import { contestName, newestUpload, type ContestedName } from '../support/uploads.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

/** More than two transactions store. */
const OBJECTS = 140;

/** Bytes that only the first object of an upload has. */
const FIRST = 'the first object that is stored';

const type = (name: string): JsonObject => ({ id: `test/type-${name.toLowerCase()}`, type: 'Schema', content: { identifier: '', name, schema: { type: 'object' } } });
const item = (id: string, content: JsonObject): JsonObject => ({ id, type: 'Kept', content });

forEachDatabase((name, create, dialect) => {

    if (dialect !== 'mysql') {
        // Only there several nodes share a database.
        return;
    }

    describe(`an upload of all objects beside other nodes, on ${name},`, () => {

        let place: TestDatabase;
        let folder: TestDatabase;
        let database: Database;
        let proxy: MysqlProxy;
        let direct: TestGateway;
        /** A node whose connections lead through the proxy. */
        let held: TestGateway | null;
        let contested: ContestedName | null;
        let hold: Hold | null;

        beforeEach(async () => {

            place = await create();
            folder = await createSqlite();
            database = await place.open();
            proxy = await startMysqlProxy(place.options.url ?? '');
            [held, contested, hold] = [null, null, null];
            direct = await startGateway(place);
            await upload(direct, [type('Kept'), item('test/x', { n: 1 })]);
        });

        afterEach(async () => {

            contested?.close();
            hold?.release();
            await Promise.all([held?.stop(), direct.stop()]);
            await proxy.close();
            await Promise.all([place.dispose(), folder.dispose()]);
        });

        const upload = (on: TestGateway, items: JsonObject[], attributes: JsonObject = {}): Promise<Answer> =>
            on.asAdmin(Op.uploadObjects, { input: items as JsonValue, attributes });

        /** A second node may wait for long. */
        async function startHeld(): Promise<TestGateway> {

            held = await startGateway(place, { dataDir: folder.options.dataDir, databaseUrl: `${proxy.url}?timeout=120` });
            return held;
        }

        async function stored(): Promise<string[]> {

            const rows = await database.read<{ id: string; content: string }>({ sql: 'select id, content from objects where type = \'Kept\' order by id' }, []);
            return rows.map(({ id, content }) => `${id} ${content}`);
        }

        it('goes on at a node that others have forgotten, as it has not written for long', async () => {

            for (const [n, attributes] of [{}, { deleteCurrentObjects: true }].entries()) {
                await database.commit({ steps: [{ sql: 'delete from node_floors', bindings: [] }] });
                expect((await upload(direct, [type('Kept'), item('test/x', { n })], attributes)).status).to.equal('0.DOIP/Status.001');
                expect(await stored()).to.equal([`test/x {"n":${n}}`]);
            }
        });

        const changes: [string, (held: TestGateway) => Promise<Answer>][] = [
            ['an update', (held) => held.asAdmin(Op.update, { targetId: 'test/x', input: { type: 'Kept', attributes: { content: { n: 2 } } } })],
            ['a deletion', (held) => held.asAdmin(Op.delete, { targetId: 'test/x' })],
            ['a creation', (held) => held.asAdmin(Op.create, { input: { id: 'test/y', type: 'Kept', attributes: { content: { n: 2 } } } })]
        ];
        for (const [title, change] of changes) {
            it(`does not undo ${title} that another node has acknowledged`, async () => {

                const other = await startHeld();
                const contest = contested = await contestName(place);
                const before = await stored();
                const holding = hold = proxy.hold('begin');
                const changing = change(other);
                await until(() => holding.count() > 0);
                const uploading = upload(direct, [type('Ghost'), item('test/x', { n: 3 }), item('test/y', { n: 3 })]);
                await until(async () => (await newestUpload(database)).phase === 'types');

                holding.release();
                const { value } = await changing;
                await contest.take();

                expect(value).to.equal({ message: 'an upload of objects is in progress, try again later' });
                expect((await uploading).value).to.equal({ message: 'nothing was uploaded, because of position 0: Schema name Ghost is not unique.' });
                expect(await stored()).to.equal(before);
            });
        }

        it('stores nothing of a run that another node has taken over, not even with numbers that are far ahead', { timeout: 600_000 }, async () => {

            // As a node has stored it whose clock was ahead: all later numbers are above it.
            await database.commit({ steps: [{ sql: 'update objects set txn_id = txn_id + ? where id = ?', bindings: [3_600_000_000, 'test/x'] }] });
            await direct.stop();
            const other = await startHeld();
            const contest = contested = await contestName(place);
            const ids = Array.from({ length: OBJECTS }, (_, n) => `test/o${n}`);
            const uploading = upload(other, [type('Ghost'), ...ids.map((id, n) => item(id, { text: n === 0 ? FIRST : 'another' }))]);
            await until(async () => (await newestUpload(database)).phase === 'types');
            const holding = hold = proxy.hold('begin', FIRST);
            await contest.leave();
            await until(() => holding.count() > 0);

            direct = await startGateway(place);
            await until(async () => (await newestUpload(database)).state === 'done', 240_000);
            expect((await newestUpload(database)).attempts).to.equal(2);
            for (const targetId of ids) {
                expect((await direct.asAdmin(Op.delete, { targetId })).status).to.equal('0.DOIP/Status.001');
            }

            const expected = await stored();
            holding.release();
            expect((await uploading).status).to.equal('0.DOIP/Status.001');
            await other.stop();

            expect(await stored()).to.equal(expected);
            expect(expected).to.have.length(1);
        });
    });
});
