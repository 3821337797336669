import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { CommitResult, Database, Step } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { DIALECTS } from '../../../support/database.js';
import { openProxied, type MysqlProxy, type ProxiedDatabase } from '../../../support/mysql-proxy.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`${name} with failures`, () => {

        let opened: ProxiedDatabase;
        let direct: Database;
        let proxy: MysqlProxy;
        let database: Database;

        before(async () => {

            opened = await openProxied(create);
            ({ direct, proxy, database } = opened);
        });

        after(() => opened.stop());

        function put(key: string): Step {

            return { sql: 'insert into settings (name, value) values (?, ?)', bindings: [key, '0'], duplicate: 'taken' };
        }

        function add(key: string): Step {

            return { sql: 'update settings set value = value + 1 where name = ?', bindings: [key], expect: { rows: 1, otherwise: 'gone' } };
        }

        async function value(key: string): Promise<unknown> {

            return (await direct.read<{ value: string }>({ sql: 'select value from settings where name = ?' }, [key]))[0]?.value;
        }

        async function fault(work: Promise<unknown>): Promise<string> {

            const error: unknown = await work.then(() => 'none', (reason: unknown) => reason);
            return error instanceof DatabaseError ? error.fault : String(error);
        }

        it('writes every unit although they deadlock', async () => {

            await direct.commit({ steps: ['lock-a', 'lock-b'].map(put) });
            const units: Promise<CommitResult>[] = [];
            for (let i = 0; i < 40; ++i) {
                const keys = i % 2 === 0 ? ['lock-a', 'lock-b'] : ['lock-b', 'lock-a'];
                units.push((i % 4 < 2 ? database : direct).commit({ steps: keys.map(add) }));
            }

            expect((await Promise.all(units)).every(({ ok }) => ok)).to.be.true();
            expect([await value('lock-a'), await value('lock-b')]).to.equal(['40', '40']);
        });

        it('writes a unit although the server hands out numbers that are taken, as one of a cluster does while others join', async () => {

            const server = await Mysql.createConnection(opened.place.options.url ?? '');
            try {
                // A table without transactions counts the attempts, of which every other one gets the number of the first row.
                await server.query('create table numbered (id bigint not null auto_increment primary key, text varchar(20)) engine = InnoDB');
                await server.query('create table attempts (n int not null) engine = MyISAM');
                await server.query('insert into attempts values (1)');
                await server.query(`create trigger numbers before insert on numbered for each row begin
                    update attempts set n = n + 1; set new.id = case when (select n from attempts) % 2 = 0 then 1 else new.id end; end`);
                const insert = (text: string): Step => ({ sql: 'insert into numbered (text) values (?)', bindings: [text] });
                for (const unit of [
                    { steps: [insert('first')] }, { steps: [insert('odd')] }, { steps: [put('numbered'), insert('second')] }, { steps: [insert('third')], isRepeatable: true }
                ]) {
                    expect(await database.commit(unit)).to.include({ ok: true });
                }

                expect(await direct.read<{ text: string }>({ sql: 'select text from numbered order by id' }, []))
                    .to.equal(['first', 'odd', 'second', 'third'].map((text) => ({ text })));
                expect(await direct.read({ sql: 'select n from attempts' }, [])).to.equal([{ n: 7 }]);
            }
            finally {
                await server.end();
            }
        });

        it('does not repeat what will always be a duplicate for long', async () => {

            await direct.commit({ steps: [put('always')] });
            const { duplicate: _, ...step } = put('always');
            expect(await fault(database.commit({ steps: [step] }))).to.equal('failed');
        });

        for (const command of ['begin', 'rollback'] as const) {
            it(`writes a unit once when the connection is lost at ${command}`, async () => {

                // A duplicate makes the unit roll back; then the same question is asked again and has the same answer.
                const key = `lost-at-${command}`;
                const steps = command === 'begin' ? [put(key), add(key)] : [put(key), put(key)];
                proxy.cutNext({ command, when: 'after' });

                const result = await database.commit({ steps });

                expect(result.ok).to.equal(command === 'begin');
                expect(await value(key)).to.equal(command === 'begin' ? '1' : undefined);
            });
        }

        it('does not retry when the connection is lost at the commit, written', async () => {

            proxy.cutNext({ command: 'commit', when: 'after' });

            expect(await fault(database.commit({ steps: [put('written'), add('written')] }))).to.equal('unknown-outcome');
            expect(await value('written')).to.equal('1');
        });

        it('does not retry when the connection is lost at the commit, not written', async () => {

            proxy.cutNext({ command: 'commit', when: 'before' });

            expect(await fault(database.commit({ steps: [put('unwritten')] }))).to.equal('unknown-outcome');
            expect(await value('unwritten')).to.be.undefined();
        });

        it('continues after idle connections were closed', async () => {

            await Promise.all(Array.from({ length: 8 }, () => database.ping()));
            const before = proxy.connections();
            proxy.cutAll();

            expect(await database.read({ sql: 'select 1 as one' }, [])).to.have.length(1);
            proxy.cutAll();
            expect((await database.commit({ steps: [put('after-cut')] })).ok).to.be.true();
            expect(proxy.connections()).to.be.above(before);
        });

        it('is unavailable during an outage of the server, and recovers by itself', async () => {

            proxy.accept(false);
            proxy.cutAll();

            expect(await fault(database.ping())).to.equal('unavailable');
            expect(await fault(database.read({ sql: 'select 1' }, []))).to.equal('unavailable');
            expect(await fault(database.commit({ steps: [put('away')] }))).to.equal('unavailable');

            proxy.accept(true);
            await database.ping();
            expect((await database.commit({ steps: [put('away')] })).ok).to.be.true();
        });

        it('waits during a short outage', async () => {

            proxy.accept(false);
            proxy.cutAll();
            const write = database.commit({ steps: [put('patience')] });
            const tried = proxy.connections();
            await until(() => proxy.connections() > tried);
            proxy.accept(true);

            expect((await write).ok).to.be.true();
        });

        it('waits for a silent server up to the timeout, and continues when it responds', async () => {

            const impatient = await openDatabase({ dataDir: '', url: `${proxy.url}?connections=2&timeout=4` });
            await Promise.all([impatient.ping(), impatient.ping()]);
            proxy.freeze(true);
            const work = [
                impatient.read({ sql: 'select 1' }, []), impatient.commit({ steps: [put('silence-a')] }),
                impatient.commit({ steps: [put('silence-b')], shared: true }), impatient.ping(), impatient.blobs.readChunk(1, 1)
            ];

            // More than there are connections: those that wait for one get no better.
            expect(await Promise.all(work.map(fault))).to.equal(Array.from(work, () => 'unavailable'));
            proxy.freeze(false);
            await until(() => impatient.ping().then(() => true, () => false));
            expect((await impatient.commit({ steps: [put('silence-c')] })).ok).to.be.true();
            const beforeEnd = impatient.read({ sql: 'select sleep(0.01)' }, []);
            proxy.freeze(true);
            await Promise.all([beforeEnd.catch(() => null), impatient.close()]);
            proxy.freeze(false);
        });

        it('closes in time while connections are made to a silent server', async () => {

            const delays = Array.from({ length: 8 }, (_, i) => i * 600);
            const url = `${proxy.url}?connections=2&timeout=4`;
            const opened = await Promise.all(delays.map(async (delay) => ({ delay, impatient: await openDatabase({ dataDir: '', url }) })));
            await until(() => Promise.all(opened.map(({ impatient }) => impatient.ping())).then(() => true, () => false));
            proxy.freeze(true);
            try {
                await Promise.all(opened.map(async ({ delay, impatient }) => {

                    const work = Array.from({ length: 4 }, () => fault(impatient.read({ sql: 'select 1' }, [])));
                    await sleep(delay);
                    const started = performance.now();
                    await impatient.close();
                    expect(performance.now() - started).to.be.below(60_000);
                    await Promise.all(work);
                }));
            }
            finally {
                proxy.freeze(false);
            }
        });

        it('reports an invalid statement without its text', async () => {

            const error: unknown = await database.read({ sql: 'select secret from nowhere' }, []).catch((reason: unknown) => reason);

            expect(error).to.be.an.error(DatabaseError, 'the database refused the statement (error 1146)');
            expect((error as DatabaseError).fault).to.equal('failed');
        });

        it('says that a value is too large for a packet, and goes on', async () => {

            const [limit] = await direct.read<{ bytes: number }>({ sql: 'select @@max_allowed_packet as bytes' }, []);
            const large: Step = { sql: 'insert into settings (name, value) values (?, ?)', bindings: ['large', 'x'.repeat((limit?.bytes ?? 0) + 1)] };
            expect(await fault(direct.commit({ steps: [large] }))).to.equal('too-large');
            expect((await direct.commit({ steps: [put('after-large')] })).ok).to.be.true();
        });

        it('uses strict sessions in UTC that see committed changes', async () => {

            const [settings] = await database.read({
                sql: 'select @@time_zone as zone, @@sql_mode as mode, @@tx_isolation as isolation, @@character_set_client as charset'
            }, []);

            expect(settings).to.include({ zone: '+00:00', isolation: 'READ-COMMITTED', charset: 'utf8mb4' });
            expect(settings?.['mode']).to.match(/STRICT_ALL_TABLES/);
            const long = 'x'.repeat(256);
            expect(await fault(database.commit({ steps: [put(long)] }))).to.equal('failed');
        });

        it('reads all types of values as they were written', async () => {

            const bytes = Buffer.from([0, 255, 128, 10]);
            await database.blobs.writeChunk(2 ** 40, 0, bytes);
            const sql = 'select blob_id, bytes, ? as text, ? as nothing, ? as fraction from blob_chunks where blob_id = ?';

            const [row] = await database.read({ sql }, ['😀', null, 1.5, 2 ** 40]);

            expect({ ...row }).to.equal({ blob_id: 2 ** 40, bytes, text: '😀', nothing: null, fraction: 1.5 });
        });
    });
}
