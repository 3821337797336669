/** The audit log in the database: what is found, how tampering shows, and what is removed because of its age. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { Database } from '../../../db/database.js';
import type { AuditFacts } from '../../../lib/audit/audit-entry.js';
import { AUDIT_OUTCOMES, toAuditRow } from '../../../lib/audit/audit-entry.js';
import { AuditLog, type AuditFilter } from '../../../lib/audit/audit-log.js';
import { ANONYMOUS, type Caller } from '../../../lib/model/caller.js';
import { AuditStore, type AuditSeal } from '../../../lib/stores/audit-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import { seeded } from '../../support/random.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const log = pino({ level: 'silent' });
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

const user = (userId: string): Caller => ({ ...ANONYMOUS, userId, isAuthenticated: true, method: 'token' });
const origin = (operationId: string) => ({ operationId, address: '192.0.2.1', protocol: 'rest', requestId: null, changes: 0 });

forEachDatabase((name, create, dialect) => {

    describe(`the audit log on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let store: AuditStore;
        let now: number;
        let audit: AuditLog;

        beforeEach(async () => {

            place = await create();
            db = await place.open();
            store = new AuditStore(db);
            now = START;
            audit = new AuditLog({ store, log, now: () => now, ownNow: () => now });
        });

        afterEach(() => place.dispose());

        const append = (facts: readonly AuditFacts[]): Promise<void> => store.append(facts.map(toAuditRow));

        const fill = async (entries: number): Promise<void> => {

            const facts = Array.from({ length: entries }, (_, i): AuditFacts => ({
                at: START + i, outcome: 'changed', objectId: `test/${i}`, caller: user('test/ann'), origin: origin('0.DOIP/Op.Update'), rule: 'writers has public'
            }));
            for (let i = 0; i < entries; i += 200) {
                await append(facts.slice(i, i + 200));
            }
        };

        const run = async (sql: string, ...bindings: (string | number)[]): Promise<void> => {

            const outcome = await db.commit({ steps: [{ sql, bindings }] });
            expect(outcome.ok).to.be.true();
        };

        it('finds what a naive model finds, page by page', async () => {

            const random = seeded(26);
            const [users, objects, operations] = [['test/ann', 'test/bob', 'test/üñ'], ['test/1', 'test/2', `test/${'ö'.repeat(300)}`], ['a/Op.1', 'b/Op.2']];
            const facts = Array.from({ length: 1700 }, (_, i): AuditFacts => ({
                at: START + i * 1000 + random.integer(-3000, 3000), outcome: random.pick(AUDIT_OUTCOMES),
                objectId: random.chance(0.1) ? null : random.pick(objects),
                caller: random.chance(0.1) ? null : user(random.pick(users)), origin: origin(random.pick(operations))
            }));
            for (let i = 0; i < facts.length; i += 100) {
                await append(facts.slice(i, i + 100));
                if (random.chance(0.6)) {
                    await audit.seal();
                }
            }

            for (let round = 0; round < 40; ++round) {
                const one = <T>(chance: number, items: readonly T[]): T | undefined => (random.chance(chance) ? random.pick(items) : undefined);
                const filter: Omit<AuditFilter, 'limit'> = {
                    userId: one(0.5, users), objectId: one(0.5, objects), operationId: one(0.3, operations), outcome: one(0.3, AUDIT_OUTCOMES),
                    from: one(0.4, facts)?.at, to: one(0.4, facts)?.at
                };
                const limit = random.pick([1, 7, 100, 1000]);
                const expected = facts.map((fact, i) => ({ ...fact, i })).filter(({ at, outcome, objectId, caller, origin: from }) =>
                    (filter.userId ?? caller?.userId) === caller?.userId && (filter.objectId ?? objectId) === objectId &&
                    (filter.operationId ?? from?.operationId) === from?.operationId && (filter.outcome ?? outcome) === outcome &&
                    at >= (filter.from ?? 0) && at <= (filter.to ?? Infinity)).map(({ at, i }) => ({ at, i })).reverse();

                const found: number[] = [];
                for (let before: number | null | undefined; before !== null;) {
                    const pageSize = limit === 1 && expected.length > 50 ? 100 : limit;
                    const page = await audit.find({ ...filter, limit: pageSize, ...before === undefined ? {} : { before } });
                    found.push(...page.entries.map(({ at }) => Number(at)));
                    before = page.next;
                }

                expect(found, JSON.stringify(filter)).to.equal(expected.map(({ at }) => at));
            }
        });

        it('is intact when nothing was changed, whatever the number of entries', async () => {

            expect(await audit.verify()).to.equal({ seals: 0, entries: 0, next: null, head: null, problem: null });
            for (const [entries, seals] of [[1, 1], [500, 2], [1200, 5]] as const) {
                await fill(entries);
                const last = await audit.seal();
                const verified = await audit.verify();

                expect<unknown>([last?.seal, verified.seals, verified.problem]).to.equal([seals, seals, null]);
                expect(verified.head).to.equal({ seal: seals, hash: last?.hash ?? '' });
            }

            expect((await audit.verify()).entries).to.equal(1701);
            expect((await audit.verify(3)).seals).to.equal(3);
            expect(await audit.seal()).to.include({ seal: 5 });
        });

        it('is sealed once by several nodes at a time', async () => {

            await fill(2600);
            const nodes = [1, 2, 3].map(() => new AuditLog({ store: new AuditStore(db), log, now: () => now, ownNow: () => now }));
            await Promise.all(nodes.map((node) => node.seal()));

            const { entries, problem } = await audit.verify();
            expect<unknown>([entries, problem]).to.equal([2600, null]);
        });

        const CHANGES: (readonly [name: string, change: (seen: { hash: string }) => Promise<void>, problem: RegExp])[] = [
            ['an entry is changed', () => run(`update audit_entries set entry = replace(entry, 'test/ann', 'test/bob') where id = 3`), /an entry of seal 1, or the seal, was changed/],
            ['the time of an entry is changed', () => run('update audit_entries set at = 5 where id = 3'), /the time of entry 3 was changed/],
            ['the terms of a seal are changed', () => run(`update audit_seals set terms = '' where seal = 2`), /an entry of seal 2, or the seal, was changed/],
            ['an entry is removed', () => run('delete from audit_entries where id = 501'), /seal 2 has 499 entries instead of 500/],
            ['an entry is added in a gap', async () => {

                now += HOUR;
                await run('delete from audit_seals where seal > 1');
                await run('delete from audit_entries where id in (700, 900)');
                await audit.seal();
                await run(`insert into audit_entries (id, at, entry) values (900, 1, '{"at":1}')`);
            }, /entry 900 was added after seal 2|seal 3 is not the expected one|seal 2 has/],
            ['an entry is replaced', async () => {

                await run('delete from audit_entries where id = 900');
                await run(`insert into audit_entries (id, at, entry) values (900, 1, '{"at":1}')`);
            }, /an entry of seal 2, or the seal, was changed/],
            ['an id is left out of a seal', () => run(`update audit_seals set ids = '[1,2]', entries = 2 where seal = 1`), /seal 1|entry 3 was added/],
            ['a seal is changed', () => run('update audit_seals set sealed_on = 5 where seal = 2'), /an entry of seal 2, or the seal, was changed/],
            ['a seal is removed with its entries', async () => {

                await run('delete from audit_seals where seal = 2');
                await run('delete from audit_entries where id between 501 and 1000');
            }, /seals before 3 are missing/],
            ['the first seal is removed with its entries', async () => {

                await run('delete from audit_seals where seal = 1');
                await run('delete from audit_entries where id between 1 and 500');
            }, /seals before 2 are missing/],
            ['the end is removed', async () => {

                await run('delete from audit_seals where seal = 3');
                await run('delete from audit_entries where id between 1001 and 1200');
            }, /seal 3 is missing: the end of the log was removed/],
            ['the end is written anew', async () => {

                await run('delete from audit_seals where seal = 3');
                await run(`update audit_entries set entry = replace(entry, 'test/ann', 'test/bob') where id > 1000`);
                await audit.seal();
            }, /seal 3 is not the expected one/]
        ];
        if (dialect === 'sqlite') {
            CHANGES.push(
                ['an entry is added before the first', () => run(`insert into audit_entries (id, at, entry) values (-7, 1, '{"at":1}')`), /entry -7 was added before seal 1/],
                ['a seal is added before the first, which hides entries from searches', () => run(`insert into audit_seals
                    (seal, first_id, last_id, ids, terms, entries, sealed_on, previous, hash) values (-1, 1, 99999, null, '', 0, 1, '', '')`), /seal -1 was added/]
            );
        }

        for (const [change, make, problem] of CHANGES) {
            it(`shows that ${change}`, async () => {

                await fill(1200);
                const last = await audit.seal();
                const expected = { seal: 3, hash: last?.hash ?? '' };
                expect((await audit.verify(0, expected)).problem).to.be.null();

                await make(expected);
                const verified = await audit.verify(0, expected);
                expect(verified.problem ?? 'nothing').to.match(problem);
            });
        }

        it('covers entries that become visible after later ones, in gaps', async () => {

            await fill(300);
            await run('update audit_entries set id = id + 1000 where id > 250');
            await run('delete from audit_entries where id in (7, 9)');
            now += HOUR;
            await audit.seal();
            await run(`insert into audit_entries (id, at, entry) values (9, 5, '{"at":5}')`);
            await run(`insert into audit_entries (id, at, entry) values (900, 6, '{"at":6}')`);
            const before = await audit.verify();
            await audit.seal();
            await fill(2);
            await audit.seal();
            const { seals, entries, problem } = await audit.verify();

            expect(before.problem).to.equal(dialect === 'mysql' ? null : 'entry 9 was added after seal 1');
            expect([seals, entries, problem]).to.equal(dialect === 'mysql' ? [3, 302, null] : [0, 0, 'entry 9 was added after seal 1']);
            now = START + 1000 * HOUR;
            await fill(1);
            await audit.seal();
            await audit.purge(now);
            await audit.seal();
            expect((await audit.verify()).problem).to.equal(dialect === 'mysql' ? null : 'entry 900 was added before seal 3');
        });

        if (dialect === 'mysql') {
            it('is not sealed beyond a gap that an entry may still fill', async () => {

                await fill(20);
                await run('delete from audit_entries where id = 10');
                const first = await audit.seal();
                await run(`insert into audit_entries (id, at, entry) values (10, ${START}, '{"at":${START}}')`);
                const second = await audit.seal();

                expect<unknown>([first?.lastId, second?.firstId, second?.lastId, second?.ids]).to.equal([9, 10, 20, null]);
                await run('update audit_entries set id = id + 5 where id = 20');
                now += HOUR;
                await fill(1);
                await run('delete from audit_entries where id = 21');
                expect((await audit.verify()).problem ?? '').to.match(/seal 2 has 10 entries/);
            });
        }

        it('is intact while old entries are removed', async () => {

            for (let hour = 0; hour < 6; ++hour) {
                now = START + hour * HOUR;
                await fill(3);
                await audit.seal();
            }

            let isPurged = false;
            const racing = new Proxy(store, {
                get: (target, name) => (name !== 'entriesOf' || isPurged ? (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target) :
                    async (seal: AuditSeal) => {

                        isPurged = true;
                        await audit.purge(START + 3 * HOUR);
                        return target.entriesOf(seal);
                    })
            });

            expect((await new AuditLog({ store: racing, log, now: () => now, ownNow: () => now }).verify()).problem).to.be.null();
            expect(isPurged).to.be.true();
        });

        it('is removed from its beginning only, whatever the clock was', async () => {

            for (const hour of [40, 1, 2, 41]) {
                now = START + hour * HOUR;
                await fill(3);
                await audit.seal();
            }

            await audit.purge(START + 20 * HOUR);
            await audit.seal();
            expect((await audit.verify()).problem).to.be.null();
            await audit.purge(START + 41 * HOUR);
            await audit.seal();
            expect((await audit.verify()).problem).to.be.null();
            expect((await store.seals(0))[0]?.seal).to.equal(4);
        });

        it('shows that an expected seal was removed, or is another one than that before the first', async () => {

            const seals: AuditSeal[] = [];
            for (let hour = 0; hour < 6; ++hour) {
                now = START + hour * HOUR;
                await fill(3);
                seals.push((await audit.seal())!);
            }

            await audit.purge(START + 3 * HOUR);
            await audit.seal();
            const problems = [];
            for (const expected of [seals[0]!, seals[2]!, { seal: 3, hash: 'f'.repeat(64) }, seals[3]!]) {
                problems.push((await audit.verify(0, expected)).problem);
            }

            expect(problems).to.equal([
                'seal 1 was removed, because of its age or otherwise: expect one from 3 on', null,
                'seal 3 is not the expected one: the log was written anew', null
            ]);
        });

        it('removes old entries, says so in an entry, and stays intact', async () => {

            for (let hour = 0; hour < 12; ++hour) {
                now = START + hour * HOUR;
                await fill(3);
                await audit.seal();
            }

            await audit.purge(START + 8 * HOUR);
            await audit.seal();
            const kept = await audit.find({ limit: 100 });
            const [first] = await store.seals(0);

            expect((await audit.verify()).problem).to.be.null();
            expect(first?.seal).to.equal(9);
            expect<unknown>(kept.entries.filter(({ outcome }) => outcome === 'purged').map(({ upToSeal, user: by }) => [upToSeal, by])).to.equal([[8, 'admin'], [4, 'admin']]);
            expect<unknown>(kept.entries.length).to.equal(4 * 3 + 2);

            now = START + 1000 * HOUR;
            await audit.purge(now);
            await audit.seal();
            expect((await audit.verify()).problem).to.be.null();

            // Entries that are removed by others are not excused by an older removal.
            const [oldest] = await store.seals(0);
            await run('delete from audit_seals where seal = ?', oldest?.seal ?? 0);
            await run('delete from audit_entries where id <= ?', oldest?.lastId ?? 0);
            expect((await audit.verify()).problem ?? '').to.match(/are missing/);
        });

        it('shows that an entry was added among those that were removed because of their age', async () => {

            for (let hour = 0; hour < 6; ++hour) {
                now = START + hour * HOUR;
                await fill(3);
                await audit.seal();
            }

            await audit.purge(START + 3 * HOUR);
            await audit.seal();
            expect((await audit.verify()).problem).to.be.null();
            await run(`insert into audit_entries (id, at, entry) values (5, 1, '{"at":1}')`);

            expect((await audit.verify()).problem).to.equal('entry 5 was added before seal 4');
        });

        it('finds entries around those that were written while the clock was wrong', async () => {

            for (const [hour, name] of [[40, 'a'], [1, 'b'], [41, 'c'], [900, 'd'], [42, 'e']] as const) {
                await append([{ at: START + hour * HOUR, outcome: 'changed', objectId: name, caller: null }]);
            }

            const names = async (from: number, to: number): Promise<unknown[]> =>
                (await audit.find({ from: START + from * HOUR, to: START + to * HOUR, limit: 10 })).entries.map(({ object }) => object);

            expect(await names(30, 50)).to.equal(['e', 'c', 'a']);
            expect(await names(0, 2)).to.equal(['b']);
            expect(await names(899, 901)).to.equal(['d']);
        });

        it('leaves nothing of a unit that fails', async () => {

            const row = toAuditRow({ at: 1, outcome: 'created', caller: null });
            const { ok } = await db.commit({ steps: [
                store.appendStep(row), { sql: 'update epochs set types = types where id = 77', bindings: [], expect: { rows: 1, otherwise: 'x' } }
            ] });

            expect<unknown>([ok, await store.lastId()]).to.equal([false, 0]);
        });
    });
});
