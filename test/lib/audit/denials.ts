/** Denied requests: each is counted, and no number of them fills the disk. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { Database, Unit } from '../../../db/database.js';
import { AuditTrail } from '../../../lib/audit/audit-trail.js';
import { Denials, MAX_IN_WINDOW, MAX_OF_ADDRESS } from '../../../lib/audit/denials.js';
import { unauthenticated } from '../../../lib/errors/errors.js';
import { ANONYMOUS } from '../../../lib/model/caller.js';
import { AuditStore } from '../../../lib/stores/audit-store.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const START = Date.UTC(2026, 0, 1);

describe('denied requests', () => {

    let place: TestDatabase;
    let db: Database;
    let store: AuditStore;
    let denials: Denials;
    let now: number;
    let lines: string[];

    beforeEach(async () => {

        place = await createSqlite();
        db = await place.open();
        store = new AuditStore(db);
        now = START;
        lines = [];
        denials = new Denials({ store, log: pino({}, { write: (line) => void lines.push(line) }), now: () => now });
    });

    afterEach(async () => {

        await denials.close();
        await place.dispose();
    });

    const deny = (objectId: string, address = '192.0.2.1'): void => denials.add({
        at: now, outcome: 'denied', objectId, caller: ANONYMOUS, rule: 'readers does not admit an anonymous caller',
        origin: { operationId: '0.DOIP/Op.Retrieve', address, protocol: 'rest', requestId: null, changes: 0 }
    });

    const entries = async (): Promise<JsonObject[]> =>
        (await store.before(Number.MAX_SAFE_INTEGER)).reverse().map(({ entry }) => JSON.parse(entry) as JsonObject);

    const counts = async (): Promise<number> => (await entries()).reduce((sum, { count = 1 }) => sum + Number(count), 0);

    it('are written soon, and repetitions as a number at the end of a minute', async () => {

        deny('test/1');
        await denials.flush();
        for (let i = 0; i < 9; ++i) {
            deny('test/1');
        }

        deny('test/2');
        await denials.flush();
        expect<unknown>((await entries()).map(({ object, count }) => [object, count ?? null])).to.equal([['test/1', null], ['test/2', null]]);

        now += 60_000;
        await denials.flush();
        expect<unknown>((await entries()).map(({ object, count }) => [object, count ?? null])).to.equal([['test/1', null], ['test/2', null], ['test/1', 9]]);

        deny('test/1');
        await denials.flush();
        expect(await counts()).to.equal(12);
    });

    it('are written by themselves', async () => {

        deny('test/1');
        await until(async () => (await entries()).length > 0);

        expect(await counts()).to.equal(1);
    });

    it('that are new are written by themselves soon after others of the same minute', async () => {

        for (const id of ['test/1', 'test/2']) {
            deny(id);
            await until(async () => JSON.stringify(await entries()).includes(id));
        }

        expect<unknown>((await entries()).map(({ object }) => object)).to.equal(['test/1', 'test/2']);
    });

    it('that repeat others while these are written at the end of their minute are written by themselves soon', async () => {

        let meanwhile = (): void => {};
        const slow: Pick<AuditStore, 'append'> = {
            append: async (rows, options) => {

                meanwhile();
                await store.append(rows, options);
            }
        };
        denials = new Denials({ store: slow, log: pino({ level: 'silent' }), now: () => now });
        const written = async (count: number): Promise<void> => {

            await until(async () => await counts() >= count);

            expect(await counts()).to.equal(count);
        };

        deny('test/1');
        await written(1);
        deny('test/1');
        now += 60_000;
        meanwhile = () => {

            meanwhile = () => {};
            deny('test/1');
        };

        await denials.flush();
        expect(await counts()).to.equal(2);

        await written(3);
    });

    it('end their minute when the clock is set back', async () => {

        deny('test/1');
        await denials.flush();
        deny('test/1');
        now -= 3_600_000;
        await denials.flush();

        expect(await counts()).to.equal(2);
    });

    it('hold no more of long ids than their entries', async () => {

        setFlagsFromString('--expose-gc');
        const collect = runInNewContext('gc') as () => void;
        collect();
        const before = process.memoryUsage().heapUsed;
        for (let i = 0; i < 90; ++i) {
            deny(`${i} ${Buffer.alloc(1024 ** 2, 97).toString('latin1')}`);
        }

        collect();
        expect(process.memoryUsage().heapUsed - before).to.be.below(20 * 1024 ** 2);
        await denials.flush();
        expect((await entries()).length).to.equal(90);
    });

    it('of one address and of many have a limited number of entries, and none is lost from the count', async () => {

        for (let i = 0; i < 1000; ++i) {
            deny(`test/${i}`);
        }

        await denials.flush();
        const ofOne = await entries();
        expect(ofOne.length).to.equal(MAX_OF_ADDRESS + 1);
        expect(ofOne.at(-1) as object).to.include({ address: '192.0.2.1', operation: '*', count: 1000 - MAX_OF_ADDRESS });

        for (let i = 0; i < 5000; ++i) {
            deny(`test/${i % 50}`, `192.0.2.${i % 250}`);
        }

        now += 60_000;
        await denials.flush();
        expect(await counts()).to.equal(6000);
        // Each entry of a window may be written twice: at once, and with its repetitions.
        expect((await entries()).length).to.be.at.most(2 * (MAX_IN_WINDOW + 2));
    });

    it('are written later when the database fails, with one line in the log', async () => {

        await db.commit({ steps: [{ sql: 'alter table audit_entries rename to away', bindings: [] }] });
        for (let i = 0; i < 3; ++i) {
            deny('test/1');
            await denials.flush();
        }

        await db.commit({ steps: [{ sql: 'alter table away rename to audit_entries', bindings: [] }] });
        await denials.flush();

        expect<unknown>(lines.map((line) => (JSON.parse(line) as JsonObject)['event'])).to.equal(['audit.write-failed']);
        expect(await counts()).to.equal(3);
    });

    it('are not written without free space, unlike operations that were performed by a user, or with a credential', async () => {

        const units: Unit[] = [];
        const commit: Database['commit'] = (unit) => {

            units.push(unit);
            return db.commit(unit);
        };

        const observed = new Proxy(db, { get: (target, name) => (name === 'commit' ? commit : Reflect.get(target, name) as unknown) });
        const policy = { canCreate: () => ({ allowed: true, reason: '' }), canWrite: () => ({ allowed: true, reason: '' }) };
        const trail = new AuditTrail({ store: new AuditStore(observed), policy, log: pino({ level: 'silent' }), now: () => now });
        const origin = { operationId: '20.DOIP/Op.Auth.Token', address: '192.0.2.1', protocol: 'rest', requestId: null, changes: 0 };
        const caller = { ...ANONYMOUS, userId: 'test/ann' };
        await trail.performed({ caller, origin, targetId: 'test/service' }, 'anyone');
        await trail.performed({ caller: ANONYMOUS, origin, targetId: 'test/service', more: {} }, 'anyone');
        await trail.performed({ caller: ANONYMOUS, origin, targetId: 'test/service' }, 'anyone');
        trail.denied({ caller: ANONYMOUS, origin, targetId: 'test/service' }, unauthenticated('Authentication failed'));
        await trail.close();

        expect(units.map(({ essential }) => essential)).to.equal([true, true, false, false]);
    });

    it('are written when the service stops', async () => {

        deny('test/1');
        deny('test/1');
        await denials.flush();
        deny('test/1');
        await denials.close();

        expect(await counts()).to.equal(3);
    });
});
