/** Figures about the running service: for administrators alone, on every database, and what happens when they cannot be read. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { ServiceStatus } from '../../../lib/health/service-status.js';
import { implementation } from '../../../lib/util/version.js';
import { account, ACCOUNT, basic, defineAccounts } from '../../support/accounts.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { ADMIN, ADMIN_PASSWORD, startGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';

type Figures = Record<string, JsonObject> & { jobs: JsonObject[] };

forEachDatabase((name, create) => {

    describe(`the status of the service on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            await test.create(ACCOUNT, account('ann'), { id: 'test/ann' });
            const base64Element = Buffer.alloc(1234).toString('base64');
            const item = { id: 'test/file', type: 'Document', attributes: { content: {} }, elements: [{ id: 'a', base64Element }, { id: 'b', base64Element }] };
            expect((await test.asAdmin(Op.batchUpload, { input: [item] })).status).to.equal(OK);
            expect((await test.asAdmin(Op.versionsPublish, { targetId: 'test/file' })).status).to.equal(OK);
            expect((await test.perform(Op.authToken, { input: { username: 'admin', password: ADMIN_PASSWORD } })).status).to.equal(OK);
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        it('has figures of database, index, jobs and process', async () => {

            await test.asAdmin(Op.reindexBatch, { input: ['test/ann', 'test/a secret of the payload'] });
            let answer = await test.asAdmin(Op.status);
            const figures = (): Figures => answer.value as Figures;
            const found = (): JsonObject | undefined => figures().jobs.find(({ type }) => type === 'search.reindex');
            // The job ends in its own time, and what cannot be read in time is left out.
            await until(async () => {

                answer = await test.asAdmin(Op.status);
                const { database, index, payloads, sessions } = figures();
                return found()?.['state'] === 'done' && [database?.['bytes'], index?.['documents'], payloads, sessions].every((figure) => figure !== undefined);
            });
            const { version, database, index, jobs, memory, startedOn, payloads, sessions } = figures();

            expect(answer.status).to.equal(OK);
            expect<unknown>(version).to.equal(implementation.version);
            expect<unknown>(database?.['kind']).to.equal(name.includes('SQLite') ? 'SQLite' : 'MySQL');
            expect(Number(database?.['bytes'])).to.be.above(0);
            expect(Number(index?.['documents'])).to.be.above(0);
            expect<unknown>([payloads, sessions]).to.equal([{ count: 2, bytes: 2468 }, 1]);
            expect<unknown>([found()?.['state'], typeof found()?.['createdOn']]).to.equal(['done', 'number']);
            expect(JSON.stringify(jobs)).to.not.include('a secret of the payload');
            expect(Number(memory?.['rssBytes'])).to.be.above(Number(memory?.['heapBytes']));
            expect(Number(startedOn) <= Date.now()).to.be.true();
        });

        it('is for the administrator alone, also of those with an API key', async () => {

            const { value } = await test.asAdmin(Op.keysCreate, { input: { name: 'narrow', types: ['Document'] } });

            expect((await test.perform(Op.status)).status).to.equal(UNAUTHENTICATED);
            expect((await test.perform(Op.status, { authentication: basic('ann') })).status).to.equal(FORBIDDEN);
            expect((await test.perform(Op.status, { authentication: { token: (value as { key: string }).key } })).status).to.equal(FORBIDDEN);
            expect((await test.perform(Op.status, { authentication: ADMIN, safe: true })).status).to.equal(OK);
        });
    });
});

describe('the status of a service', () => {

    const sources = (size: () => Promise<number>, error = ''): ConstructorParameters<typeof ServiceStatus>[0] => ({
        db: { dialect: 'sqlite', size, usage: () => ({ writers: [], pool: null, disk: null }) },
        index: { usage: () => Promise.reject(new Error('gone')), load: { isUp: false, pending: 3 } },
        reindexKind: 'search.reindex',
        jobStore: { recent: () => Promise.resolve([
            { id: 1, kind: 'a', state: 'failed', progress: 'x'.repeat(1000), attempts: 1, lastError: error, createdOn: 5 },
            { id: 2, kind: 'b', state: 'running', progress: { done: 1 }, attempts: 1, lastError: null, createdOn: 6 }
        ]) },
        blobs: { totals: (limit) => Promise.resolve({ count: limit, bytes: 9 }) },
        tokens: { count: () => Promise.reject(new Error('gone')) },
        outbox: { counts: () => Promise.resolve({ entries: 7, failed: 2 }) }
    });

    it('is there without what cannot be read, or not in time, and with short texts only', async () => {

        const status = new ServiceStatus(sources(() => new Promise(() => {}), 'e'.repeat(5000)));
        const { database, index, jobs, handles, payloads, sessions } = await status.report() as Figures;
        status.close();

        expect<unknown>([database, index, handles]).to.equal([{ kind: 'SQLite' }, { isUp: false, pendingChanges: 3 }, { outbox: 7, errors: 2 }]);
        expect<unknown>([payloads, sessions]).to.equal([{ count: 100_001, bytes: 9, hasMore: true }, undefined]);
        expect<unknown>(jobs).to.equal([
            { id: 1, type: 'a', state: 'failed', createdOn: 5, error: 'e'.repeat(500) }, { id: 2, type: 'b', state: 'running', createdOn: 6, progress: { done: 1 } }
        ]);
    });

    it('has the progress of indexing objects again, of all jobs that tell theirs', async () => {

        const job = { id: 1, kind: 'search.reindex', state: 'running', attempts: 1, lastError: null, createdOn: 5 } as const;
        const recent = [
            { ...job, progress: { after: 'a', done: 20, total: 50 } }, { ...job, progress: { done: 1, total: 7 } }, { ...job, progress: { done: 9 } },
            { ...job, progress: null }, { ...job, state: 'done' as const, progress: { done: 100, total: 100 } }, { ...job, kind: 'other', progress: { done: 5, total: 9 } }
        ];
        const status = new ServiceStatus({ ...sources(() => Promise.resolve(1)), jobStore: { recent: () => Promise.resolve(recent) } });
        const { index } = await status.report() as Record<string, JsonObject>;
        status.close();

        expect<unknown>(index?.['reindexing']).to.equal({ done: 21, total: 57 });
    });

    it('asks for what takes time once in some seconds, however many requests there are', async () => {

        let [asked, now] = [0, 1_000_000];
        const status = new ServiceStatus(sources(() => Promise.resolve(++asked)), () => now);
        const bytes = async () => (await status.report() as Record<string, JsonObject>)['database']?.['bytes'];

        expect<unknown>(await Promise.all([bytes(), bytes(), bytes()])).to.equal([1, 1, 1]);
        now += 4_999;
        expect<unknown>(await bytes()).to.equal(1);
        now += 1;
        expect<unknown>(await bytes()).to.equal(2);
        status.close();
    });
});
