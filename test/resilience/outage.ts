/** A database server that is away when the service starts, or goes away while it runs: it says so, and recovers by itself. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { PrivateMariadb } from '../support/private-mariadb.js';
import type { ServiceProcess } from '../support/process.js';
import { createSqlite } from '../support/database.js';
import { startMysqlProxy } from '../support/mysql-proxy.js';
import { PATIENCE_MS, ask, create, stateBecomes, status } from '../support/outage.js';
import { startPrivateMariadb } from '../support/private-mariadb.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after, afterEach } = lab;

const TESTS_MYSQL = Boolean(process.env['TEST_MYSQL_URL']);

describe('a service on MariaDB', { timeout: 4 * PATIENCE_MS, skip: !TESTS_MYSQL }, () => {

    let server: PrivateMariadb;
    let database: TestDatabase;
    let service: ServiceProcess | null = null;
    let count = 0;
    let env: NodeJS.ProcessEnv = {};

    before(async () => {

        server = await startPrivateMariadb();
        database = await createSqlite();
    });

    beforeEach(async () => {

        const { createConnection } = await import('mysql2/promise');
        const connection = await createConnection(server.url);
        await connection.query(`create database outage${++count}`);
        await connection.end();
        env = { DATABASE_URL: `${server.url}/outage${count}`, DATA_DIR: join(database.options.dataDir, `node${count}`) };
    });

    afterEach(async () => {

        await service?.stop();
        service = null;
    });

    after(async () => {

        await database.dispose();
        await server.stop();
    });

    it('listens while the database server is away, reports it, and starts when it is there', async () => {

        await server.kill();
        service = await startProcess(database, { ...env, ADMIN_PASSWORD: '' });
        const down = await status(service);
        const others = [
            await ask(service, '/objects/test/1'), await ask(service, '/doip?operationId=0.DOIP/Op.Hello&targetId=service'),
            await ask(service, '/search?query=x'), await ask(service, '/check-credentials')
        ];
        await server.restart();
        await stateBecomes(service, 'UP');
        const up = await status(service);
        const password = /password of admin.*: (\S+)/.exec(service.output())?.[1] ?? '';
        const login = await ask(service, '/check-credentials', { headers: { authorization: `Basic ${btoa(`admin:${password}`)}` } });

        expect([down.status, down.body['state']]).to.equal([500, 'FAILED']);
        for (const { status, body, retryAfter } of others) {
            expect([status, body, retryAfter]).to.equal([503, { message: 'The system is down.' }, '5']);
        }

        expect([up.status, up.body]).to.equal([200, {
            state: 'UP', details: { storage: 'UP', indexer: 'UP' },
            subsystems: { storage: 'UP', indexer: 'UP', identity: 'UP', handles: 'UP', jobs: 'UP' }
        }]);
        expect(login.body).to.include({ active: true, username: 'admin' });
    });

    it('responds with 503 when the database server dies, and continues without a restart when it is back', async () => {

        service = await startProcess(database, env);
        const running = service;
        await stateBecomes(running, 'UP');
        const answers = new Map<string, number>();
        let isOver = false;
        const write = async (name: string): Promise<void> => {

            for (let n = 0; !isOver; ++n) {
                const id = `test/${name}.${n}`;
                answers.set(id, (await create(running, id)).status);
            }
        };

        const writers = Promise.all(['a', 'b', 'c', 'd'].map(write));
        await until(() => answers.size > 20);

        await server.kill();
        await stateBecomes(running, 'FAILED');
        const down = [await status(running), await ask(running, '/objects/test/a.0'), await create(running, 'test/late')];
        await server.restart();
        await stateBecomes(running, 'UP');
        const before = answers.size;
        await until(() => answers.size > before + 20);
        isOver = true;
        await writers;

        expect(down.map(({ status }) => status)).to.equal([500, 503, 503]);
        expect(down[1]).to.include({ body: { message: 'The system is down.' }, retryAfter: '5' });
        const stored = [...answers].filter(([, code]) => code === 200).map(([id]) => id);
        expect([...answers.values()].filter((code) => ![200, 500, 503].includes(code))).to.equal([]);
        const found = await ask(running, '/search?ids&query=type:Document&pageSize=-1');
        expect(found.body['results']).to.include(stored);
        for (const id of stored.slice(0, 5)) {
            expect((await ask(running, `/objects/${id}`)).body).to.include({ name: `name of ${id}` });
        }

        expect(await Promise.race([running.ended(), Promise.resolve('running')])).to.equal('running');
    });

    it('loses no background work', async () => {

        service = await startProcess(database, env);
        const running = service;
        await stateBecomes(running, 'UP');
        const items = Array.from({ length: 3000 }, (_, n) => JSON.stringify({ id: `test/${n}`, type: 'Document', content: { name: `${n}` } }));
        await ask(running, '/batchUpload?format=ndjson', { method: 'POST', body: items.join('\n') });

        const handles = async (): Promise<Readonly<Record<string, unknown>>> => (await ask(running, '/updateHandles')).body;
        await ask(running, '/updateHandles', { method: 'POST' });
        await until(async () => (await handles())['progress'] as number > 0);
        await server.kill();
        await stateBecomes(running, 'FAILED');
        await server.restart();
        await stateBecomes(running, 'UP');
        await until(async () => (await handles())['inProgress'] === false, PATIENCE_MS);

        const { total, progress, exceptionCount } = await handles();
        expect(total as number).to.be.at.least(3000);
        expect([progress, exceptionCount]).to.equal([total, 0]);
    });

    /** True when an object was created, before or now: a busy server takes longer than the service waits, and may have done it nevertheless. */
    const created = async (running: ServiceProcess, id: string): Promise<boolean> => {

        return until(async () => [200, 409].includes((await create(running, id)).status)).then(() => true, () => false);
    };

    it('responds with 503 when the database server freezes, and continues without a restart afterwards', async () => {

        const proxy = await startMysqlProxy(server.url);
        service = await startProcess(database, { ...env, DATABASE_URL: `${proxy.url}/outage${count}?connections=2&timeout=2` });
        const running = service;
        await stateBecomes(running, 'UP');
        const before = await created(running, 'test/1');

        proxy.freeze(true);
        const asked = await Promise.all([
            ...['test/2', 'test/3', 'test/4'].map((id) => create(running, id)), ask(running, '/objects/test/1'), ask(running, '/search?query=*:*')
        ]);
        await stateBecomes(running, 'FAILED');
        proxy.freeze(false);
        await stateBecomes(running, 'UP');
        const later = await created(running, 'test/5');
        let found = await ask(running, '/search?ids&query=type:Document');
        await until(async () => {

            found = found.status === 200 ? found : await ask(running, '/search?ids&query=type:Document');
            return found.status === 200;
        });
        service = null;
        const code = await running.stop();
        await proxy.close();

        expect([before, later], running.log()).to.equal([true, true]);
        expect(asked.map(({ status }) => status)).to.equal(Array.from(asked, () => 503));
        expect(found.body['results'], running.log()).to.equal(['test/1', 'test/5']);
        expect(code).to.equal(0);
    });

    it('reports a frozen database server in /startupStatus, long before it gives up', async () => {

        const proxy = await startMysqlProxy(server.url);
        service = await startProcess(database, { ...env, DATABASE_URL: `${proxy.url}/outage${count}?timeout=1000` });
        const running = service;
        await stateBecomes(running, 'UP');
        proxy.freeze(true);
        const [first, ...others] = await Promise.all(['/startupStatus', '/startupStatus/', '/doip/gateway/Op.StartupStatus?targetId=service']
            .map((path) => ask(running, path)));
        const ofObject = await ask(running, '/doip/gateway/Op.StartupStatus?targetId=design');
        service = null;
        await running.kill();
        await proxy.close();

        const details = { storage: 'FAILED', indexer: 'UP' };
        const subsystems = { ...details, identity: 'UP', handles: 'UP', jobs: 'UP' };
        expect(first?.status).to.equal(500);
        expect(first?.body).to.include({ state: 'FAILED', details, subsystems });
        expect(others.map(({ status, body }) => [status, body['details']])).to.equal([[500, details], [500, details]]);
        expect(ofObject.status).to.equal(400);
    });

    it('stops in time with any state of the database server', async () => {

        const proxy = await startMysqlProxy(server.url);
        service = await startProcess(database, { ...env, DATABASE_URL: `${proxy.url}/outage${count}?timeout=1000`, SHUTDOWN_SECONDS: '1' });
        const running = service;
        await stateBecomes(running, 'UP');
        proxy.freeze(true);
        const unanswered = create(running, 'test/1').catch(() => null);
        await stateBecomes(running, 'FAILED');
        service = null;
        const code = await running.stop();
        await proxy.close();

        expect([await unanswered, code]).to.equal([null, 1]);
        expect(running.log()).to.include('service.stop-timeout');
    });

    it('stops gracefully while the database server is away', async () => {

        service = await startProcess(database, env);
        const running = service;
        await stateBecomes(running, 'UP');
        await create(running, 'test/1');
        await server.kill();
        await stateBecomes(running, 'FAILED');
        service = null;
        const code = await running.stop();
        await server.restart();

        expect(code).to.equal(0);
    });
});
