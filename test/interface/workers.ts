/** Worker processes: they read what was acknowledged, obey every change of rights at once, and can be killed. */

import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createConnection } from 'mysql2/promise';
import type { TestDatabase } from '../support/database.js';
import { createSqlite, forEachDatabase } from '../support/database.js';
import { ADMIN } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { tlsSettings } from '../support/server.js';
import { until } from '../support/until.js';
import { childrenOf, connectInTurns, connectOverHttp2, exists, type Answer, type WorkerConnection } from '../support/worker-connections.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const WORKERS = 3;
const ROUNDS = rounds(100, 3000);
const TIMEOUT = { timeout: 600_000 };

/** Default of the option `connections` of a database address. */
const CONNECTIONS = 10;

const PASSWORD = 'a password of a test';

const json = ({ text }: Answer): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

forEachDatabase((name, createDatabase) => {

    describe(`a service with worker processes on ${name}`, TIMEOUT, () => {

        let database: TestDatabase;
        let service: ServiceProcess;
        let connections: WorkerConnection[];
        let bearer: { authorization: string };

        const pick = (): WorkerConnection => connections[Math.floor(Math.random() * connections.length)] as WorkerConnection;

        /** Asks on each connection. */
        const onEach = (path: string, headers = {}): Promise<Answer[]> => Promise.all(connections.map((connection) => connection.send(path, { headers })));

        const statuses = async (path: string, headers = {}): Promise<number[]> => [...new Set((await onEach(path, headers)).map(({ status }) => status))];

        const write = async (method: string, path: string, content: unknown, headers: object = bearer): Promise<Answer> => {

            const answer = await pick().send(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(content) });
            expect(answer.status, answer.text).to.equal(200);
            return answer;
        };

        const create = (type: string, id: string, content: object): Promise<Answer> => write('POST', `/objects?type=${type}&handle=${id}`, content);

        const tokenFor = async (username: string, password: string): Promise<{ authorization: string }> => {

            const { access_token: token } = json(await write('POST', '/auth/token', { grant_type: 'password', username, password }, {}));
            return { authorization: `Bearer ${String(token)}` };
        };

        before(TIMEOUT, async () => {

            database = await createDatabase();
            service = await startProcess(database, { WORKERS: String(WORKERS), LOG_LEVEL: 'error' });
            connections = await connectInTurns(service, 2 * WORKERS);
            const { access_token: token } = json(await connections[0]?.send('/auth/token', {
                method: 'POST', headers: { 'content-type': 'application/json' },
                body: JSON.stringify({ grant_type: 'password', username: 'admin', password: Buffer.from(ADMIN.authorization.slice(6), 'base64').toString().slice(6) })
            }) as Answer);
            bearer = { authorization: `Bearer ${String(token)}` };
            const properties = {
                username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password' } },
                active: { type: 'boolean', cordra: { auth: 'accountActive' } }
            };
            await create('Schema', 'test/person', { name: 'Person', schema: { type: 'object', properties } });
            await create('Person', 'test/user', { username: 'user', password: PASSWORD, active: true });
        });

        after(async () => {

            connections.forEach((connection) => connection.close());
            await service.kill();
            await database.dispose();
        });

        it('has as many processes', () => {

            expect(childrenOf(service.pid)).to.have.length(WORKERS);
        });

        it('has no more connections to a server than its address allows', async () => {

            const { options: { url = '' } } = database;
            if (url !== '') {
                const counting = await createConnection(url);
                const [rows] = await counting.query('select count(*) as sum from information_schema.processlist where db = database()');
                await counting.end();
                expect(Number((rows as { sum: number }[])[0]?.sum)).to.be.within(WORKERS + 3, CONNECTIONS + 1);
            }
        });

        it('answers reads the same on every connection', async () => {

            await create('Document', 'test/read', { name: 'one' });
            for (const headers of [bearer, ADMIN, {}]) {
                const answers = await onEach('/objects/test/read', headers);
                expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).to.have.length(1);
                expect(answers[0]?.status).to.equal(200);
            }

            expect(await statuses('/objects/test/none', bearer)).to.equal([404]);
            expect(await statuses('/objects/test/read?payload=none', bearer)).to.equal([404]);
            expect(await statuses('/objects/test/read', { authorization: 'Bearer unknown' })).to.equal([401]);
            expect(await statuses('/objects/test/read?jsonPointer=x', bearer)).to.equal([400]);
            expect(await statuses('/doip?operationId=0.DOIP/Op.Retrieve&targetId=test/read', bearer)).to.equal([200]);
            expect(await statuses('/search?query=type:Document&pageSize=1', bearer)).to.equal([200]);
            const [{ headers: { etag } = {} } = {}] = await onEach('/objects/test/read', bearer);
            expect(await statuses('/objects/test/read', { ...bearer, 'if-none-match': String(etag) })).to.equal([304]);
            for (const connection of connections) {
                const { status, text, headers } = await connection.send('/objects/test/read', { method: 'HEAD', headers: bearer });
                expect([status, text, headers['content-length']]).to.equal([200, '', '31']);
            }
        });

        it('sends payloads and ranges of them', async () => {

            const bytes = Array.from({ length: 700_000 }, (_, i) => String.fromCharCode(97 + i % 23)).join('');
            const boundary = 'of-a-test';
            const part = (disposition: string, content: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
            const body = `${part('name="content"', '{"name":"with a file"}')}${part('name="file"; filename="file.txt"', bytes)}--${boundary}--\r\n`;
            const stored = await pick().send('/objects?type=Document&handle=test/file', {
                method: 'POST', headers: { ...bearer, 'content-type': `multipart/form-data; boundary=${boundary}` }, body
            });
            expect(stored.status, stored.text).to.equal(200);
            for (const { status, text } of await onEach('/objects/test/file?payload=file', bearer)) {
                expect(status).to.equal(200);
                expect(text === bytes).to.be.true();
            }

            for (const { status, text, headers } of await onEach('/objects/test/file?payload=file', { ...bearer, range: 'bytes=262140-262150' })) {
                expect([status, text, headers['content-range']]).to.equal([206, bytes.slice(262_140, 262_151), 'bytes 262140-262150/700000']);
            }

            expect(await statuses('/objects/test/file?payload=file', { ...bearer, range: 'bytes=800000-' })).to.equal([416]);
        });

        it('reads on every connection what was acknowledged on another one', { timeout: roundsMs(600_000) }, async () => {

            await create('Document', 'test/counter', { name: '0' });
            let acknowledged = 0;
            let isOver = false;
            const readers = connections.map(async (connection) => {

                let reads = 0;
                for (; !isOver; ++reads) {
                    const before = acknowledged;
                    const found = Number(json(await connection.send('/objects/test/counter', { headers: bearer }))['name']);
                    expect(found).to.be.at.least(before);
                }

                return reads;
            });
            const writer = await connectInTurns(service, 1);
            for (let n = 1; n <= ROUNDS; ++n) {
                const { status } = await (writer[0] as WorkerConnection).send('/objects/test/counter', {
                    method: 'PUT', headers: { ...bearer, 'content-type': 'application/json' }, body: JSON.stringify({ name: String(n) })
                });
                expect(status).to.equal(200);
                acknowledged = n;
            }

            isOver = true;
            writer[0]?.close();
            expect(Math.min(...await Promise.all(readers))).to.be.above(0);
        });

        it('rejects a revoked token and a blocked user at once on every connection', async () => {

            await create('Document', 'test/guarded', { name: 'x' });
            await write('PUT', '/acls/test/guarded', { readers: ['test/user'], writers: [] });
            for (let round = 0; round < 3; ++round) {
                const user = await tokenFor('user', PASSWORD);
                expect(await statuses('/objects/test/guarded', user)).to.equal([200]);
                await write('POST', '/auth/revoke', { token: user.authorization.slice(7) }, {});
                expect(await statuses('/objects/test/guarded', user)).to.equal([401]);
            }

            const user = await tokenFor('user', PASSWORD);
            expect(await statuses('/objects/test/guarded', user)).to.equal([200]);
            await write('PUT', '/objects/test/user', { username: 'user', active: false });
            expect(await statuses('/objects/test/guarded', user)).to.equal([401]);
            await write('PUT', '/objects/test/user', { username: 'user', password: PASSWORD, active: true });
        });

        it('follows a change of rights at once on every connection', async () => {

            const user = await tokenFor('user', PASSWORD);
            await create('Document', 'test/rights', { name: 'x' });
            for (let round = 0; round < 5; ++round) {
                await write('PUT', '/acls/test/rights', { readers: [], writers: [] });
                expect([await statuses('/objects/test/rights', user), await statuses('/objects/test/rights')]).to.equal([[403], [401]]);
                await write('PUT', '/acls/test/rights', { readers: ['test/user'], writers: [] });
                expect([await statuses('/objects/test/rights', user), await statuses('/objects/test/rights')]).to.equal([[200], [401]]);
                await write('PUT', '/acls/test/rights', { readers: ['public'], writers: [] });
                expect([await statuses('/objects/test/rights', user), await statuses('/objects/test/rights')]).to.equal([[200], [200]]);
            }
        });

        it('follows a change of types and of their code at once on every connection', async () => {

            const schema = { type: 'object' };
            const type = (content: object): Promise<Answer> => write('PUT', '/objects/test/schema', { name: 'Coded', schema, ...content });
            await create('Schema', 'test/schema', { name: 'Coded', schema });
            await create('Coded', 'test/coded', { name: 'as stored' });
            const names = async (): Promise<unknown[]> => [...new Set((await onEach('/objects/test/coded', bearer)).map((answer) => json(answer)['name']))];
            for (let round = 0; round < 3; ++round) {
                expect(await names()).to.equal(['as stored']);
                await type({ javascript: `exports.onObjectResolution = (object) => { object.content.name = 'shown ${round}'; return object; };` });
                expect(await names()).to.equal([`shown ${round}`]);
                await type({ javascript: 'exports.getAuthConfig = () => ({ defaultAclRead: [], defaultAclWrite: [], aclCreate: [] });' });
                expect(await statuses('/objects/test/coded')).to.equal([401]);
                await type({ authConfig: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] } });
                expect(await statuses('/objects/test/coded')).to.equal([200]);
                await type({ authConfig: { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] } });
                expect(await statuses('/objects/test/coded')).to.equal([401]);
                await type({
                    authConfig: { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] },
                    javascript: 'exports.getAuthConfig = () => ({ defaultAclRead: ["public"], defaultAclWrite: [], aclCreate: [] });'
                });
                expect(await statuses('/objects/test/coded')).to.equal([200]);
                await type({});
            }
        });

        it('loses the connections of a worker that is killed, and nothing else', async () => {

            await create('Document', 'test/killed', { name: 'x' });
            const [killed = 0] = childrenOf(service.pid);
            const outcomes = connections.map(async (connection) => {

                for (const end = Date.now() + 1500; Date.now() < end;) {
                    const { status } = await connection.send('/objects/test/killed', { headers: bearer });
                    expect(status).to.equal(200);
                }
            });
            process.kill(killed, 'SIGKILL');
            const results = await Promise.allSettled(outcomes);
            expect(results.filter(({ status }) => status === 'rejected')).to.have.length(connections.length / WORKERS);
            await until(() => childrenOf(service.pid).length === WORKERS);
            connections.forEach((connection) => connection.close());
            connections = await connectInTurns(service, 2 * WORKERS);
            expect(await statuses('/objects/test/killed', bearer)).to.equal([200]);
            expect(service.log()).to.contain('worker.ended');
        });
    });
});

describe('processes of a service with workers', TIMEOUT, () => {

    let database: TestDatabase;

    before(async () => {

        database = await createSqlite();
    });

    after(() => database.dispose());

    it('all end by a signal to the primary process, whose code is 0, and when it is killed', async () => {

        for (const end of ['stop', 'kill'] as const) {
            const service = await startProcess(database, { WORKERS: '2' });
            const workers = childrenOf(service.pid);
            expect(workers).to.have.length(2);
            // As a terminal and a supervisor do, which signal all processes.
            workers.forEach((pid) => process.kill(pid, 'SIGTERM'));
            expect((await fetch(`${service.url}/health/live`)).status).to.equal(200);
            const code = await service[end]();
            expect(code ?? 0).to.equal(0);
            await until(() => !workers.some(exists));
        }
    });

    it('leave no folder behind, also when the primary process was killed', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-workers-'));
        const settings = { WORKERS: '1', TMPDIR: folder };
        const killed = await startProcess(database, settings);
        const [left = ''] = await readdir(folder);
        await killed.kill();
        await utimes(join(folder, left), 1, 1);

        const service = await startProcess(database, settings);
        const own = await readdir(folder);
        expect(own).to.have.length(1).and.not.include(left);

        const other = await createSqlite();
        await utimes(join(folder, own[0] ?? ''), 1, 1);
        await expect(startProcess(other, { ...settings, PORT: new URL(service.url).port })).to.reject(/is in use/);
        expect(await readdir(folder)).to.equal(own);
        await service.stop();
        expect(await readdir(folder)).to.equal([]);
        await other.dispose();
        await rm(folder, { recursive: true });
    });

    it('are counted together by the metrics', async () => {

        const service = await startProcess(database, { WORKERS: '2', METRICS_PORT: '0', LOG_LEVEL: 'info' });
        const connections = await connectInTurns(service, 4);
        for (let i = 0; i < 20; ++i) {
            await (connections[i % 4] as WorkerConnection).send('/objects/test/none');
            expect((await (connections[i % 4] as WorkerConnection).send('/search?query=none&pageSize=5')).status).to.equal(200);
            await delay(20);
        }

        const port = /"metrics.listening","host":"[\d.]+","port":(\d+)/.exec(service.log())?.[1];
        const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        await until(async () => /_requests_total\{operation="0.DOIP\/Op.Retrieve",protocol="rest",status="0.DOIP\/Status.104"\} 20\n/.test(await metrics()));
        await until(async () => /_searches_total\{result="ok"\} 20\n/.test(await metrics()));
        expect(await metrics()).to.match(/_requests_total\{operation="0.DOIP\/Op.Search",protocol="rest",status="0.DOIP\/Status.001"\} 20\n/);
        expect(await metrics()).to.match(/_connections\{protocol="http"\} 4\n/);
        expect(await metrics()).to.match(/_request_duration_seconds_count\{operation="0.DOIP\/Op.Retrieve",protocol="rest"\} 20\n/);
        connections.forEach((connection) => connection.close());
        await service.kill();
    });

    it('speak TLS and HTTP/2, and forward requests with bodies of any kind', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-workers-'));
        const service = await startProcess(database, { WORKERS: '2', ...await tlsSettings(folder) });
        const connection = connectOverHttp2(service);
        const ask = async (method: string, path: string, body?: string): Promise<[status: number, text: string]> => {

            const { status, text } = await connection.send(path, { method, headers: ADMIN, ...body === undefined ? {} : { body } });
            return [status, text];
        };

        expect(await ask('POST', '/objects?type=Document&handle=test/by-http2', '{"name":"x"}')).to.equal([200, '{"id":"test/by-http2","name":"x"}']);
        expect(await ask('GET', '/objects/test/by-http2')).to.equal([200, '{"id":"test/by-http2","name":"x"}']);
        expect((await ask('POST', '/objects?type=Document', ' '.repeat(5_000_000)))[0]).to.equal(413);
        expect(await ask('DELETE', '/objects/test/by-http2')).to.equal([200, '{}']);
        expect((await ask('GET', '/objects/test/by-http2'))[0]).to.equal(404);
        connection.close();
        await service.kill();
        await rm(folder, { recursive: true });
    });

    it('share the limit of connections', async () => {

        const service = await startProcess(database, { WORKERS: '2', MAX_CONNECTIONS: '7', MAX_CONNECTIONS_PER_ADDRESS: '100' });
        const connections = await connectInTurns(service, 6);
        for (let i = 0; i < 4; ++i) {
            await expect(connectInTurns(service, 1)).to.reject();
        }

        expect((await (connections[0] as WorkerConnection).send('/health/live')).status).to.equal(200);
        connections.forEach((connection) => connection.close());
        await until(() => connectInTurns(service, 1).then(([connection]) => connection?.close() === undefined, () => false));
        await service.kill();
    });

    it('share the limit of requests', async () => {

        const service = await startProcess(database, { WORKERS: '2', RATE_LIMIT_ADDRESS_REQUESTS: '10', RATE_LIMIT_SECONDS: '3600' });
        const connections = await connectInTurns(service, 4);
        const answers: number[] = [];
        for (let i = 0; i < 16; ++i) {
            answers.push((await (connections[i % 4] as WorkerConnection).send('/objects/test/none')).status);
        }

        expect(answers.filter((status) => status === 429)).to.have.length(6);
        connections.forEach((connection) => connection.close());
        await service.kill();
    });

    it('report an address that is in use in one sentence', async () => {

        const service = await startProcess(database, { WORKERS: '2' });
        const other = await createSqlite();
        const { port } = new URL(service.url);
        await expect(startProcess(other, { WORKERS: '2', PORT: port })).to.reject(/ended with 69:[^]*doip-gateway: port \d+ of 127\.0\.0\.1 is in use: stop what listens there/);
        await service.kill();
        await other.dispose();
    });
});
