/** Searches by worker processes: they answer like the primary process, which has nothing to do for them. */

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { mainThreadTime } from '../support/processor-time.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';
import { childrenOf, connectInTurns, type Answer, type Sent, type WorkerConnection } from '../support/worker-connections.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TIMEOUT = { timeout: roundsMs(600_000) };
const WORKERS = 3;
const OBJECTS = 120;
const ROUNDS = rounds(60, 2000);
const JSON_TYPE = { 'content-type': 'application/json' };
const PASSWORD = 'a password of a test';

/** How often a search is sent that takes too long, as any does at times on a busy machine: the slow ones of a test are to end soon. */
const SENDS = 20;

/** Parameters of searches, as members of a JSON body. */
const SEARCHES: readonly Readonly<Record<string, unknown>>[] = [
    { query: '*:*', pageSize: 5 }, { query: '*:*', pageSize: 5, pageNum: 3 }, { query: '*:*', pageSize: 0 }, { query: '*:*', pageSize: 500, ids: true },
    { query: '/tag:t3', pageSize: 10, sortFields: '/n DESC' }, { query: '/n:[20 TO 50]', pageSize: 7, pageNum: 1, sortFields: '/tag,/n' },
    { query: 'word', pageSize: 10, facets: [{ field: '/tag', maxBuckets: 3 }, { field: 'type' }], sortFields: '/n' },
    { query: 'word -/tag:t1', pageSize: 4, filterQueries: ['/n:[10 TO *]', 'type:Thing'], sortFields: '/n' }, { query: 'wo*', pageSize: 3, includeScore: true },
    { query: 'wrod~', pageSize: 3, sortFields: '/n' }, { query: '"a word"', pageSize: 3, sortFields: '/n DESC' }, { queryJson: { tag: 't2' }, pageSize: 3, sortFields: '/n' },
    { query: 'type:Thing', pageSize: 3, filter: ['/content/n'], sortFields: '/n' }, { query: 'type:Shown', pageSize: 3 }, { query: 'type:Shown', pageSize: 3, ids: true },
    { query: '/tag:t3 type:Shown', pageSize: 50, sortFields: '/n' }, { query: 'word', sortFields: '/n' }, { query: '*:*', pageSize: 501, sortFields: 'id' },
    { query: '*:*', pageNum: 1000, pageSize: 100 },
    { query: '(', pageSize: 5 }, { query: '/n:[1 TO', pageSize: 5 }, { query: 'x', pageSize: 'ten' }, { pageSize: 5 }, { query: '', pageSize: 5 },
    { query: 'x', pageSize: 5, sortFields: 'a:b' }, { query: '?*', pageSize: 5 }, { query: 'x'.repeat(3000), pageSize: 5 }
];

forEachDatabase((name, createDatabase) => {

    describe(`searches by worker processes on ${name}`, TIMEOUT, () => {

        let database: TestDatabase;
        let service: ServiceProcess;
        let connections: WorkerConnection[];
        let bearer: { authorization: string };
        let user: { authorization: string };

        const write = async (method: string, path: string, content: unknown, headers: object = ADMIN): Promise<Record<string, unknown>> => {

            const connection = connections[Math.floor(Math.random() * connections.length)] as WorkerConnection;
            const { status, text } = await connection.send(path, { method, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(content) });
            expect(status, text).to.equal(200);
            return JSON.parse(text) as Record<string, unknown>;
        };

        const login = async (username: string, password: string): Promise<{ authorization: string }> => {

            const { access_token: token } = await write('POST', '/auth/token', { grant_type: 'password', username, password }, {});
            return { authorization: `Bearer ${String(token)}` };
        };

        const pathOf = (parameters: Readonly<Record<string, unknown>>): string => {

            const texts = Object.entries(parameters).map(([member, value]) => [member, typeof value === 'string' ? value : JSON.stringify(value)]);
            return `/search?${new URLSearchParams(texts as [string, string][]).toString()}`;
        };

        const sizeOf = async (connection: WorkerConnection, query: string): Promise<number> => {

            const { status, text } = await answered(connection, pathOf({ query, pageSize: 0 }), { headers: bearer });
            expect(status, text).to.equal(200);
            return (JSON.parse(text) as { size: number }).size;
        };

        before(TIMEOUT, async () => {

            database = await createDatabase();
            service = await startProcess(database, { WORKERS: String(WORKERS), LOG_LEVEL: 'error', SEARCH_TIMEOUT_SECONDS: '2' });
            connections = await connectInTurns(service, 2 * WORKERS);
            const account = { username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password' } } };
            const types = {
                Person: { properties: account }, Thing: {}, Secret: {},
                Shown: { javascript: 'exports.onObjectResolution = (object) => { object.content.n += 1000; return object; };' }
            };
            for (const [type, { javascript, ...schema }] of Object.entries(types) as [string, { javascript?: string }][]) {
                const authConfig = { defaultAclRead: type === 'Secret' ? ['test/user'] : ['public'], defaultAclWrite: [], aclCreate: [] };
                await write('POST', '/objects?type=Schema', { name: type, schema: { type: 'object', ...schema }, authConfig, ...javascript ? { javascript } : {} });
            }

            await write('POST', '/objects?type=Person&handle=test/user', { username: 'user', password: PASSWORD });
            await write('POST', '/batchUpload', Array.from({ length: OBJECTS }, (_, n) => ({
                id: `test/${n}`, type: n % 40 === 39 ? 'Shown' : n % 10 === 9 ? 'Secret' : 'Thing', content: { n, tag: `t${n % 7}`, text: n % 3 === 0 ? 'a word' : 'none' }
            })));
            bearer = await login('admin', Buffer.from(ADMIN.authorization.slice(6), 'base64').toString().slice(6));
            user = await login('user', PASSWORD);
        });

        after(async () => {

            connections.forEach((connection) => connection.close());
            await service.kill();
            await database.dispose();
        });

        it('answer like the primary process, which performs those by POST', async () => {

            for (const parameters of SEARCHES) {
                for (const headers of [{}, user, bearer]) {
                    const { ids, ...rest } = parameters;
                    const body = JSON.stringify(ids === true ? { ...rest, type: 'id' } : rest);
                    const expected = await answered(connections[0] as WorkerConnection, '/search', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
                    const path = pathOf(ids === true ? { ...rest, type: 'id' } : rest);
                    const answers = await Promise.all(connections.map((connection) => answered(connection, path, { headers })));
                    expect([...new Set(answers.map(textOf))], path).to.equal([textOf(expected)]);
                }
            }
        });

        it('take no time of the main thread of the primary process', async () => {

            const searchAll = (count: number): Promise<void[]> => Promise.all(connections.map(async (connection, i) => {

                for (let n = 0; n < count; ++n) {
                    const path = pathOf({ query: `/n:[${n} TO *] /tag:t${i}`, pageSize: 10, sortFields: '/n' });
                    expect((await answered(connection, path, { headers: bearer })).status).to.equal(200);
                }
            }));
            await searchAll(10);
            const [begun, time] = [performance.now(), mainThreadTime(service.pid)];
            const searches = 100;
            // Without objects of the type with code
            await Promise.all(connections.map(async (connection) => {

                for (let n = 0; n < searches; ++n) {
                    await sizeOf(connection, `/n:${n} type:Thing`);
                }
            }));

            // The thread has work without them too, which is more where they take longer.
            const [used, atRest] = [time(), mainThreadTime(service.pid)];
            await delay(performance.now() - begun);
            expect((used - atRest()) / searches / connections.length).to.be.below(0.1);
        });

        it('find on every connection what was acknowledged on another one', { timeout: roundsMs(600_000) }, async () => {

            let acknowledged = 0;
            let created = 0;
            let isOver = false;
            await write('POST', '/objects?type=Thing&handle=test/counter', { count: 0 });
            const searching = Promise.all(connections.map(async (connection) => {

                let count = 0;
                for (; !isOver; ++count) {
                    const [least, some] = [acknowledged, created];
                    expect(await sizeOf(connection, `id:"test/counter" AND /count:[${least} TO *]`), String(least)).to.equal(1);
                    expect(await sizeOf(connection, '/burst:yes')).to.be.at.least(some);
                }

                return count;
            }));
            const writers = await connectInTurns(service, 2);
            const put = (n: number): Promise<Answer> => (writers[0] as WorkerConnection).send('/objects/test/counter', {
                method: 'PUT', headers: { ...JSON_TYPE, ...bearer }, body: JSON.stringify({ count: n })
            });
            const post = (): Promise<Answer> => (writers[1] as WorkerConnection).send('/objects?type=Thing', {
                method: 'POST', headers: { ...JSON_TYPE, ...bearer }, body: JSON.stringify({ burst: 'yes' })
            });
            const writing = Promise.all([(async () => {

                for (let n = 1; n <= ROUNDS; ++n) {
                    expect((await put(n)).status).to.equal(200);
                    acknowledged = n;
                }
            })(), (async () => {

                for (let n = 1; n <= ROUNDS; ++n) {
                    expect((await post()).status).to.equal(200);
                    created = n;
                }
            })()]);
            try {
                await Promise.race([writing, searching]);
            }
            finally {
                isOver = true;
            }

            await writing;
            writers.forEach((writer) => writer.close());
            expect(Math.min(...await searching)).to.be.above(0);
        });

        it('go on while clients send slow ones to every worker, which end in time', async () => {

            const hostile = await connectInTurns(service, 2 * WORKERS);
            const slow = pathOf({ query: Array.from({ length: 400 }, (_, i) => `*${String.fromCharCode(97 + i % 26)}*${i % 10}* /text:a${i}~2`).join(' '), pageSize: 5 });
            const attack = Promise.all(hostile.flatMap((connection) => Array.from({ length: 3 }, () => connection.send(slow, { headers: user }))));
            for (let n = 0; n < 20; ++n) {
                for (const connection of connections) {
                    expect(await sizeOf(connection, `/n:${n}`)).to.equal(1);
                }
            }

            const statuses = (await attack).map(({ status }) => status);
            expect(statuses.filter((status) => ![200, 400, 503].includes(status))).to.equal([]);
            hostile.forEach((connection) => connection.close());
        });

        it('go on when a worker is killed', async () => {

            const [killed = 0] = childrenOf(service.pid);
            process.kill(killed, 'SIGKILL');
            await until(() => childrenOf(service.pid).length === WORKERS && !childrenOf(service.pid).includes(killed));
            connections.forEach((connection) => connection.close());
            connections = await connectInTurns(service, 2 * WORKERS);
            await write('POST', '/objects?type=Thing', { later: 'yes' });
            for (const connection of connections) {
                expect(await sizeOf(connection, '/later:yes')).to.equal(1);
            }
        });
    });
});

/** The answer to a search, which is sent again while it is not answered in time. */
async function answered(connection: WorkerConnection, path: string, sent: Sent): Promise<Answer> {

    let answer = await connection.send(path, sent);
    for (let n = 1; n < SENDS && answer.status === 503; ++n) {
        answer = await connection.send(path, sent);
    }

    return answer;
}

function textOf({ status, text }: Answer): string {

    return `${status} ${text}`;
}
