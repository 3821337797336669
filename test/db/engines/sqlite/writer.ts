import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { COMPLETIONS_PER_TURN } from '../../../../db/commit-callbacks.js';
import type { Database, Unit } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { SILENT } from '../../../../db/log.js';
import { sqliteFiles } from '../../../../db/engines/sqlite/file.js';
import { SqliteWriter } from '../../../../db/engines/sqlite/writer.js';
import { createSqlite } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const CRASHING_WRITER = join(__dirname, '../../../support/crashing-writer.js');

describe('the SQLite writer', () => {

    let place: TestDatabase;
    let database: Database;
    let writer: SqliteWriter;

    before(async () => {

        place = await createSqlite();
        database = await place.open();
    });

    afterEach(() => writer.close());
    after(() => place.dispose());

    function start(script?: string): SqliteWriter {

        writer = new SqliteWriter({ file: sqliteFiles(place.options.dataDir).rows }, SILENT, script === undefined ? {} : { script });
        return writer;
    }

    function put(key: string, extra?: string): Unit {

        const step = { sql: 'insert into settings (name, value) values (?, ?)', bindings: [key, 'x'] };
        return { steps: extra === undefined ? [step] : [step, { sql: extra, bindings: [] }] };
    }

    async function fault(work: Promise<unknown>): Promise<string> {

        try {
            await work;
            return 'none';
        }
        catch (error) {
            expect(error).to.be.an.instanceof(DatabaseError);
            return (error as DatabaseError).fault;
        }
    }

    async function written(prefix: string): Promise<string[]> {

        const rows = await database.read<{ name: string }>({ sql: 'select name from settings where name like ? order by name' }, [`${prefix}%`]);
        return rows.map(({ name }) => name);
    }

    it('fails all units of a batch when it crashes, and writes later ones in a new thread', async () => {

        start(CRASHING_WRITER);
        const batch = [put('early-1'), put('early-2', 'crash')].map((unit) => fault(writer.commit(unit)));
        await nextTurn();
        const later = writer.commit(put('early-3'));

        expect(await Promise.all(batch)).to.equal(['unknown-outcome', 'unknown-outcome']);
        expect((await later).ok).to.be.true();
        expect(await written('early')).to.equal(['early-3']);
    });

    it('reports an unknown outcome when it crashes between commit and answer', async () => {

        start(CRASHING_WRITER);
        expect((await writer.commit(put('late-0'))).ok).to.be.true();

        const outcomes = [put('late-1'), put('late-2', '/* crash late */ select 1')].map((unit) => fault(writer.commit(unit)));

        expect(await Promise.all(outcomes)).to.equal(['unknown-outcome', 'unknown-outcome']);
        expect(await written('late')).to.equal(['late-0', 'late-1', 'late-2']);
    });

    it('continues after any number of crashes', async () => {

        start(CRASHING_WRITER);
        for (const key of ['again-1', 'again-2', 'again-3']) {
            expect(await fault(writer.commit({ steps: [{ sql: 'crash', bindings: [] }] }))).to.equal('unknown-outcome');
            expect((await writer.commit(put(key))).ok).to.be.true();
        }

        expect(await written('again')).to.have.length(3);
    });

    it('is unavailable when its thread cannot be started', async () => {

        start('/nowhere/sqlite-writer-worker.js');

        expect(await fault(writer.commit(put('never')))).to.equal('unavailable');
        expect(await fault(writer.commit(put('never')))).to.equal('unavailable');
    });

    it('writes queued units before it closes, and nothing afterwards', async () => {

        start();
        const results = Array.from({ length: 200 }, (_, i) => writer.commit(put(`close-${i}`)));
        const closed = writer.close();

        expect(await fault(writer.commit(put('close-late')))).to.equal('unavailable');
        await closed;
        expect((await Promise.all(results)).every(({ ok }) => ok)).to.be.true();
        expect(await written('close')).to.have.length(200);
    });

    it('keeps the order of units', async () => {

        start();
        const sql = 'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value';
        await Promise.all(Array.from({ length: 300 }, (_, i) => writer.commit({ steps: [{ sql, bindings: ['order', String(i)] }] })));

        expect(await database.read({ sql: 'select value from settings where name = ?' }, ['order'])).to.equal([{ value: '299' }]);
    });

    it('answers the units of a batch in order, a few per turn of the event loop', async () => {

        start();
        await writer.commit(put('turns-first'));
        const answers: { readonly unit: number; readonly turn: number }[] = [];
        let turn = 0;
        const count = (): void => {

            turn += 1;
            if (answers.length < 64) {
                setImmediate(count);
            }
        };

        setImmediate(count);
        await Promise.all(Array.from({ length: 64 }, (_, unit) => writer.commit(put(`turns-${unit}`)).then(() => answers.push({ unit, turn }))));

        expect(answers.map(({ unit }) => unit)).to.equal(Array.from({ length: 64 }, (_, unit) => unit));
        const perTurn = new Map<number, number>();
        answers.forEach((answer) => perTurn.set(answer.turn, (perTurn.get(answer.turn) ?? 0) + 1));
        // A turn as counted here can have the end of one and the beginning of another.
        expect(Math.max(...perTurn.values())).to.be.at.most(2 * COMPLETIONS_PER_TURN);
    });
});
