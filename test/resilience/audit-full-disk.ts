/** The audit log on a disk that becomes full, and of a service that is killed: what was stored has its entry, what was rejected has none. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, ask, create, PATIENCE_MS, stateBecomes } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { smallDisk, type SmallDisk, withoutDisks } from '../support/small-disk.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const SIZE = 20 * 1024 * 1024;

/** An entry of the audit log. */
interface Entry {
    readonly id: number;
    readonly outcome: string;
    readonly object: string;
    readonly operation: string;
}

const reason = withoutDisks('tmpfs');
describe(`the audit log on a full disk${reason}`, { timeout: 10 * PATIENCE_MS, skip: reason !== '' }, () => {

    let disk: SmallDisk;
    let database: TestDatabase;
    let service: ServiceProcess;

    const start = async (): Promise<void> => {

        service = await startProcess(database, { DATA_DIR: join(disk.path, 'data'), AUDIT_DAYS: '30' });
    };

    before(async () => {

        disk = smallDisk(SIZE, 'tmpfs') as SmallDisk;
        database = await createSqlite();
        await start();
        await stateBecomes(service, 'UP');
    });

    afterEach(() => disk.relieve());

    after(async () => {

        await service.stop();
        await database.dispose();
        disk.remove();
    });

    const entries = async (filter: string): Promise<Entry[]> => {

        const found: Entry[] = [];
        for (let before = ''; ;) {
            const { body } = await ask(service, `/doip?targetId=service&operationId=gateway/Op.Audit.List&pageSize=1000&${filter}${before}`);
            const { entries: page, next } = body as { entries: Entry[]; next?: number };
            found.push(...page);
            if (next === undefined) {
                return found;
            }

            before = `&before=${next}`;
        }
    };

    const verified = async (): Promise<number> => {

        const { status, body } = await ask(service, '/doip?targetId=service&operationId=gateway/Op.Audit.Verify', { method: 'POST' });
        expect([status, body['message']], JSON.stringify(body)).to.equal([200, undefined]);
        return body['entries'] as number;
    };

    const createdIds = async (): Promise<string[]> => (await entries('outcome=created&operation=0.DOIP/Op.Create')).map(({ object }) => object).sort();

    /** Creates objects, several at a time, until one is not stored. */
    const createUntilRefused = async (prefix: string): Promise<string[]> => {

        const stored: string[] = [];
        let isRefused = false;
        await Promise.all(Array.from({ length: 4 }, async (_, client) => {

            for (let n = 0; !isRefused; ++n) {
                const id = `test/${prefix}-${client}-${n}`;
                const answer = await create(service, id).catch(() => ({ status: 0 }));
                isRefused ||= answer.status !== 200;
                stored.push(...answer.status === 200 ? [id] : []);
            }
        }));
        return stored;
    };

    it('has every change that was stored, and no other, and denied requests as soon as there is room', async () => {

        const creating = createUntilRefused('full');
        await until(async () => (await fetch(`${service.url}/objects/test/full-0-20`, { headers: ADMIN })).status === 200, PATIENCE_MS);
        disk.fill();
        const first = await creating;
        const denied = await fetch(`${service.url}/objects/${first[0] ?? ''}`, { method: 'DELETE' });
        expect(denied.status).to.equal(401);
        expect(await createdIds()).to.equal(first.toSorted());
        await verified();

        disk.relieve();
        await until(async () => (await create(service, 'test/later')).status === 200, PATIENCE_MS);
        await until(async () => (await entries('outcome=denied')).some(({ object }) => object === first[0]), PATIENCE_MS);
        expect(await createdIds()).to.equal([...first, 'test/later'].toSorted());
        await verified();
    });

    it('is complete after a kill', async () => {

        await until(async () => (await create(service, 'test/before')).status === 200, PATIENCE_MS);
        const before = await createdIds();
        const creating = createUntilRefused('killed');
        await until(async () => (await fetch(`${service.url}/objects/test/killed-0-20`, { headers: ADMIN })).status === 200, PATIENCE_MS);
        await service.kill();
        const acknowledged = await creating;
        await start();
        await stateBecomes(service, 'UP');

        const logged = await createdIds();
        expect(logged).to.include([...before, ...acknowledged]);
        // What was stored without an answer has an entry as well.
        const stored = await Promise.all(logged.map(async (id) => (await fetch(`${service.url}/objects/${id}`, { headers: ADMIN })).status));
        expect(new Set(stored)).to.equal(new Set([200]));
        await verified();
    });
});
