import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { SILENT } from '../../../db/log.js';
import { HandleRegistration, type RegistrationParts } from '../../../lib/handles/handle-registration.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import type { HandleRequest } from '../../support/handle-server.js';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { TestHandleServer } from '../../support/handle-server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const UPDATE = '0.DOIP/Op.Update';
const BASE_URI = 'https://repo.example/';
/** For how long a server that hangs is waited for: longer than one that does not takes on a busy machine. */
const HANG_MS = 1500;

forEachDatabase((name, create) => {

    describe(`handle registration on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let server: TestHandleServer;
        let gateway: TestGateway;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            server = new TestHandleServer();
            await server.start();
            gateway = await start();
            await put('test/service');
            await until(async () => (await outbox()).length === 0);
        });

        afterEach(async () => {

            await gateway.stop();
            await server.stop();
            await place.dispose();
        });

        /** A gateway with a quick temper. */
        function start(timeoutMs = 60_000): Promise<TestGateway> {

            return startGateway(place, {
                baseUri: BASE_URI,
                handles: {
                    uiBase: null, pace: { firstPauseMs: 4, pollMs: 20 },
                    server: { url: `${server.url}/`, identity: '300:test/ADMIN', secret: 'se cret/1', cert: null, key: null, ca: null, timeoutMs }
                }
            });
        }

        async function put(handle: string): Promise<void> {

            await until(() => server.records.has(handle));
        }

        function locationsAt(handle: string): string {

            return String(server.records.get(handle)?.find(({ index }) => index === 1)?.data.value);
        }

        async function outbox(): Promise<unknown[]> {

            const rows = await database.read<{ handle: string }>({ sql: 'select handle from handle_outbox order by handle' }, []);
            return rows.map(({ handle }) => handle);
        }

        async function design(handleMintingConfig: JsonObject): Promise<void> {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'design' });
            const { content } = (value as { attributes: { content: JsonObject } }).attributes;
            const input = { attributes: { content: { ...content, handleMintingConfig: { prefix: 'test', ...handleMintingConfig } } } };
            expect((await gateway.asAdmin(UPDATE, { targetId: 'design', input })).status).to.equal('0.DOIP/Status.001');
        }

        async function update(id: string, content: JsonObject): Promise<void> {

            expect((await gateway.asAdmin(UPDATE, { targetId: id, input: { attributes: { content } } })).status).to.equal('0.DOIP/Status.001');
        }

        async function status(): Promise<Record<string, unknown>> {

            return (await gateway.asAdmin('gateway/Op.Handles.Status')).value as Record<string, unknown>;
        }

        it('sends the record of a new object, with the credentials of the service', async () => {

            await gateway.create('Document', { name: 'x' }, { id: 'test/ü 1' });
            await put('test/ü 1');

            const { values } = server.requests.find(({ handle }) => handle === 'test/ü 1')!;
            expect(values.map(({ index, type }) => [index, type])).to.equal([[100, 'HS_ADMIN'], [1, '10320/loc'], [2, '0.TYPE/DOIPService']]);
            expect<unknown>(values[0]?.data).to.equal({ format: 'admin', value: { handle: 'test/ADMIN', index: 300, permissions: '111111111111' } });
            expect(locationsAt('test/ü 1')).to.contain(`href="${BASE_URI}objects/test/%C3%BC%201"`);
            expect(server.requests.map(({ authorization }) => authorization)).to.only.include(
                [`Basic ${Buffer.from('300%3Atest/ADMIN:se%20cret/1').toString('base64')}`]);
        });

        it('sends the record of the service', async () => {

            expect(server.records.get('test/service')?.map(({ type }) => type)).to.equal(['HS_ADMIN', '0.TYPE/DOIPServiceInfo']);
        });

        it('sends changed records only', async () => {

            await design({ baseUri: BASE_URI, defaultLinks: [{ type: 'url', specific: '/name' }] });
            await gateway.create('Document', { name: 'https://a.example/', description: 'a' }, { id: 'test/1' });
            await put('test/1');

            await update('test/1', { name: 'https://a.example/', description: 'b' });
            await update('test/1', { name: 'https://b.example/', description: 'b' });
            await until(() => locationsAt('test/1').includes('b.example'));
            await until(async () => (await outbox()).length === 0);

            expect(server.requests.filter(({ handle }) => handle === 'test/1').map(({ method }) => method)).to.equal(['PUT', 'PUT']);
        });

        it('deletes the handles of deleted objects, even if the server does not know them', async () => {

            await gateway.create('Document', { name: 'x' }, { id: 'test/1' });
            await gateway.create('Document', { name: 'x' }, { id: 'test/2' });
            await put('test/1');
            await put('test/2');
            server.records.delete('test/2');

            await gateway.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/1' });
            await gateway.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/2' });
            await until(async () => (await outbox()).length === 0);
            expect([server.records.has('test/1'), server.records.has('test/2')]).to.equal([false, false]);
        });

        it('keeps the content of private objects out of records', async () => {

            await design({ baseUri: BASE_URI, defaultLinks: [{ type: 'json' }, { type: 'url', specific: '/name' }, { type: 'payload', all: true }] });
            await gateway.create('Document', { name: 'https://secret.example/' }, { id: 'test/1', attributes: { acl: { readers: [] } } });
            await put('test/1');
            const before = locationsAt('test/1');

            await gateway.asAdmin('gateway/Op.Acls.Update', { targetId: 'test/1', input: { readers: ['public'] } });
            await until(() => locationsAt('test/1').includes('secret.example'));

            expect(before).to.contain('objects/test/1').and.to.not.contain('secret.example');
        });

        it('does nothing when the design defines no records', async () => {

            await design({});
            const asked = server.requests.length;

            await gateway.create('Document', { name: 'x' }, { id: 'test/1' });
            await until(async () => (await outbox()).length === 0);

            expect(server.requests.slice(asked).filter(({ handle }) => handle === 'test/1')).to.equal([]);
        });

        it('delays no write, and waits for an unavailable server', async () => {

            await server.stop();
            for (const id of ['test/1', 'test/2', 'test/3']) {
                await gateway.create('Document', { name: 'x' }, { id });
            }

            await gateway.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/3' });
            expect(await outbox()).to.equal(['test/1', 'test/2', 'test/3']);
            await server.start();
            await until(async () => (await outbox()).length === 0);

            expect(server.records.has('test/1') && server.records.has('test/2')).to.be.true();
            expect(server.records.has('test/3')).to.be.false();
        });

        for (const trouble of [401, 503, 429, 'hang'] as const) {
            it(`waits for a server that answers everything with ${trouble}`, async () => {

                await gateway.stop();
                gateway = await start(trouble === 'hang' ? HANG_MS : undefined);
                server.trouble = () => trouble;
                for (let n = 0; n < 20; ++n) {
                    await gateway.create('Document', { name: 'x' }, { id: `test/${n}` });
                }

                await until(() => server.requests.length > 3);
                server.trouble = () => null;
                await until(async () => (await outbox()).length === 0);

                expect(Array.from({ length: 20 }, (_, n) => server.records.has(`test/${n}`))).to.only.include([true]);
            });
        }

        for (const trouble of [500, 403, 400, 'hang'] as const) {
            it(`continues with other handles when one of them gets ${trouble}`, async () => {

                await gateway.stop();
                gateway = await start(trouble === 'hang' ? HANG_MS : undefined);
                server.trouble = ({ handle }) => (handle === 'test/poison' ? trouble : null);
                await gateway.create('Document', { name: 'x' }, { id: 'test/poison' });
                for (let n = 0; n < 20; ++n) {
                    await gateway.create('Document', { name: 'x' }, { id: `test/${n}` });
                }

                await until(async () => (await outbox()).length === 1);

                expect(await outbox()).to.equal(['test/poison']);
                expect(server.records.has('test/poison')).to.be.false();
                server.trouble = () => null;
                await gateway.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/poison' });
                await until(async () => (await outbox()).length === 0);
            });
        }

        it('retries a handle after an error of the server, not after a rejection', async () => {

            const refused: HandleRequest[] = [];
            server.trouble = (request) => {

                refused.push(request);
                return request.handle === 'test/refused' ? 400 : refused.length < 4 ? 500 : null;
            };

            await gateway.create('Document', { name: 'x' }, { id: 'test/refused' });
            await gateway.create('Document', { name: 'x' }, { id: 'test/failing' });

            await put('test/failing');
            expect(server.requests.filter(({ handle }) => handle === 'test/refused').length).to.be.within(1, 3);
            // What was put is taken out of the outbox a moment later.
            await until(async () => !(await outbox()).includes('test/failing'));
            expect(await outbox()).to.equal(['test/refused']);
        });

        it('sends the latest state of a handle last, one at a time', async () => {

            await design({ baseUri: BASE_URI, defaultLinks: [{ type: 'url', specific: '/name' }] });
            server.delay = 5;
            await gateway.create('Document', { name: 'https://a.example/0' }, { id: 'test/1' });
            for (let n = 1; n <= 30; ++n) {
                await update('test/1', { name: `https://a.example/${n}` });
            }

            await until(async () => (await outbox()).length === 0);

            expect(locationsAt('test/1')).to.contain('https://a.example/30');
            expect(server.mostAtOnce).to.equal(1);
        });

        it('continues after a restart', async () => {

            server.trouble = () => 503;
            await gateway.create('Document', { name: 'x' }, { id: 'test/1' });
            await gateway.stop();
            server.trouble = () => null;
            expect(await outbox()).to.equal(['test/1']);

            gateway = await start();
            await put('test/1');
        });

        it('updates all records, and counts the failed handles', async () => {

            for (let n = 0; n < 30; ++n) {
                await gateway.create('Document', { name: 'x' }, { id: `test/${n}` });
            }

            await until(async () => (await outbox()).length === 0);
            const objects = server.records.size - 1;        // Without the service, perhaps with those of the first start
            server.records.clear();
            server.trouble = ({ handle }) => (['test/3', 'test/4'].includes(handle) ? 500 : null);
            await gateway.asAdmin('gateway/Op.Handles.Update');
            await until(async () => (await status())['inProgress'] === false);

            const { total, progress, exceptionCount } = await status();
            expect(exceptionCount).to.equal(2);
            expect(progress).to.equal(total);
            expect(Number(total)).to.be.at.least(objects);
            expect(server.records.size).to.equal(Number(total) - 2);
            server.trouble = () => null;
            await until(async () => (await outbox()).length === 0);
            expect(server.records.has('test/3')).to.be.true();
        });

        it('catches up when the server is available again', async () => {

            await gateway.create('Document', { name: 'x' }, { id: 'test/1' });
            await until(async () => (await outbox()).length === 0);
            server.records.clear();
            await server.stop();
            await gateway.asAdmin('gateway/Op.Handles.Update');
            expect(await status()).to.include({ inProgress: true });
            await server.start();
            await until(async () => (await status())['inProgress'] === false);

            expect(server.records.has('test/1')).to.be.true();
            expect(await status()).to.include({ exceptionCount: 0 });
        });
    });
});

describe('an update of handles', () => {

    it('asks less and less often whether they are registered, as the handle server may be away', async () => {

        const end = performance.now() + 1500;
        let asked = 0;
        const outbox = {
            now: () => 0, markFor: () => Promise.resolve(), release: () => Promise.resolve(0),
            isAwaited: () => {

                asked += 1;
                return Promise.resolve(asked < 2 || performance.now() < end);
            }
        };
        const registration = new HandleRegistration({
            outbox, records: { config: { isActive: true } }, objects: {}, server: {}, refresh: () => Promise.resolve(), log: SILENT, pace: {}
        } as unknown as RegistrationParts);

        expect(await registration.update(['test/1'], new AbortController().signal)).to.equal(0);
        expect(asked).to.be.between(2, 25);
    });
});
