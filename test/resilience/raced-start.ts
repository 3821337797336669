/**
 * Nodes that start at the same time on one database: a new one, one of a former version, and with nodes of a later version among them. One of them is
 * killed meanwhile. All others serve the same repository, in which nothing is there twice.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql, { type RowDataPacket } from 'mysql2/promise';
import { migrateDatabase } from '../../db/engines/open.js';
import { MIGRATIONS } from '../../db/migrations/index.js';
import { createSqlite, DIALECTS, type TestDatabase } from '../support/database.js';
import { COMPATIBLE, INCOMPATIBLE } from '../support/next-version.js';
import { ADMIN, ask, create } from '../support/outage.js';
import { CLI, serviceEnvironment, startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const NODES = 5;
const ROUNDS = rounds(1, 10);
/** A start is over within this time on a quiet machine, in milliseconds. */
const START_MS = 3000;
const TIMEOUT_MS = roundsMs(900_000);
const NEXT_VERSION = join(__dirname, '../support/next-version.js');

/** What a former version has migrated. */
const FORMER = MIGRATIONS.slice(0, -2);

for (const { name, create: make } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`nodes that start at once on ${name}`, () => {

        let databases: TestDatabase[];
        let processes: ServiceProcess[];
        let killed: ChildProcess[];

        beforeEach(() => {

            [databases, processes, killed] = [[], [], []];
        });

        afterEach(() => clean());

        async function clean(): Promise<void> {

            killed.forEach((child) => child.kill('SIGKILL'));
            await Promise.all(processes.splice(0).map((each) => each.kill()));
            await Promise.all(databases.splice(0).map((each) => each.dispose()));
        }

        async function newDatabase(): Promise<TestDatabase> {

            const database = await make();
            databases.push(database);
            return database;
        }

        /** Settings of a node, with a folder of its own. */
        async function settings(more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {

            const folder = await createSqlite();
            databases.push(folder);
            return { DATA_DIR: folder.options.dataDir, LOG_LEVEL: 'info', ...more };
        }

        /** Starts nodes at once, and one more that is killed during its start; resolves with the results when all have started or failed. */
        async function race(
            database: TestDatabase, programs: readonly (readonly string[] | undefined)[],
            { killAfterMs, env = {} }: { killAfterMs: number; env?: NodeJS.ProcessEnv }
        ): Promise<PromiseSettledResult<ServiceProcess>[]> {

            const own = await Promise.all([...programs, undefined].map(() => settings(env)));
            const victim = spawn(process.execPath, [CLI, 'serve'], { env: serviceEnvironment(database, own.at(-1)), stdio: 'ignore' });
            killed.push(victim);
            const started = Promise.allSettled(programs.map(async (program, n) => {

                const service = await startProcess(database, own[n], program);
                processes.push(service);
                return service;
            }));
            await sleep(killAfterMs);
            const ended = once(victim, 'exit');
            victim.kill('SIGKILL');
            await ended;
            return started;
        }

        function allStarted(results: readonly PromiseSettledResult<ServiceProcess>[]): ServiceProcess[] {

            expect(results.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))).to.equal([]);
            return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        }

        async function rows(database: TestDatabase, sql: string): Promise<unknown[]> {

            const connection = await Mysql.createConnection(database.options.url ?? '');
            const [found] = await connection.query<RowDataPacket[]>(sql);
            await connection.end();
            return found.map((row) => Object.values(row)[0] as unknown);
        }

        const OBJECTS = 'select concat(type, case when id like \'%/%\' then \'\' else id end) as what from objects order by what';

        /** Each node is up, has the types of a first start once, and reads what any other has just created. */
        async function expectOneRepository(nodes: readonly ServiceProcess[]): Promise<void> {

            await until(async () => (await Promise.all(nodes.map((node) => ask(node, '/health/ready')))).every(({ status }) => status === 200));
            for (const [n, node] of nodes.entries()) {
                const { status, body } = await create(node, `test/of-${n}`);
                expect(status, JSON.stringify(body)).to.equal(200);
                const read = await Promise.all(nodes.map((other) => ask(other, `/objects/test/of-${n}`)));
                expect(read.map((each) => each.status)).to.equal(nodes.map(() => 200));
            }

            const schemas = await Promise.all(nodes.map(async (node) => Object.keys((await ask(node, '/schemas')).body).sort()));
            expect(new Set(schemas.map((each) => each.join())).size).to.equal(1);
            const errors = nodes.flatMap((node) => node.log().split('\n').filter((line) => /"level":"(error|fatal)"/.test(line)));
            expect(errors).to.equal([]);
        }

        /** What a single node makes of a new database. */
        async function objectsOfOne(): Promise<unknown[]> {

            const database = await newDatabase();
            const one = await startProcess(database, await settings());
            processes.push(one);
            return await rows(database, OBJECTS);
        }

        it('make one repository on a new database, with one generated password', { timeout: TIMEOUT_MS }, async () => {

            for (let round = 0; round < ROUNDS; ++round) {
                const expected = await objectsOfOne();
                const database = await newDatabase();
                const killAfterMs = randomInt(START_MS);
                const nodes = allStarted(await race(database, Array.from({ length: NODES }, () => undefined), { killAfterMs, env: { ADMIN_PASSWORD: '' } }));

                expect(await rows(database, OBJECTS), `killed after ${killAfterMs} ms`).to.equal(expected);
                expect(await rows(database, 'select name from migrations order by name')).to.equal(MIGRATIONS.map((each) => each.name));
                // At most one: the node that was killed may have made it.
                const passwords = new Set(nodes.flatMap((node) => (/password of admin[^:]*: (\S+)/.exec(node.log()) ?? []).slice(1)));
                expect(passwords.size).to.be.at.most(1);
                for (const password of passwords) {
                    const headers = { ...ADMIN, authorization: `Basic ${btoa(`admin:${password}`)}` };
                    const logins = await Promise.all(nodes.map((node) => ask(node, '/objects/design', { headers })));
                    expect(logins.map(({ status }) => status)).to.equal(nodes.map(() => 200));
                }

                await clean();
            }
        });

        it('make one repository of that of a former version', { timeout: TIMEOUT_MS }, async () => {

            for (let round = 0; round < ROUNDS; ++round) {
                const database = await newDatabase();
                await migrateDatabase(database.options, { migrations: FORMER });
                const killAfterMs = randomInt(START_MS);
                const nodes = allStarted(await race(database, Array.from({ length: NODES }, () => undefined), { killAfterMs }));

                expect(await rows(database, 'select name from migrations order by name')).to.equal(MIGRATIONS.map((each) => each.name));
                await expectOneRepository(nodes);
                const migrated = nodes.flatMap((node) => node.log().split('\n').filter((line) => line.includes('"event":"database.migrated"')));
                // At most one: the node that was killed may have done it.
                expect(migrated.length).to.be.at.most(1);
                await clean();
            }
        });

        it('serve together with nodes of a later version whose migrations are compatible', { timeout: TIMEOUT_MS }, async () => {

            const database = await newDatabase();
            const later = [NEXT_VERSION, 'compatible'];
            const nodes = allStarted(await race(database, [undefined, later, undefined, later], { killAfterMs: randomInt(START_MS) }));

            expect(await rows(database, 'select name from migrations order by name')).to.equal([...MIGRATIONS, COMPATIBLE].map((each) => each.name));
            await expectOneRepository(nodes);
        });

        it('leave the database to those of a later version whose migrations are not compatible', { timeout: TIMEOUT_MS }, async () => {

            const database = await newDatabase();
            const later = [NEXT_VERSION, 'incompatible'];
            const results = await race(database, [undefined, later, undefined, later], { killAfterMs: randomInt(START_MS) });
            const [former, next] = [[0, 2], [1, 3]].map((places) => places.map((n) => results[n] as PromiseSettledResult<ServiceProcess>)) as [
                PromiseSettledResult<ServiceProcess>[], PromiseSettledResult<ServiceProcess>[]
            ];

            expect(await rows(database, 'select name from migrations order by name'))
                .to.equal([...MIGRATIONS, COMPATIBLE, INCOMPATIBLE].map((each) => each.name));
            await expectOneRepository(allStarted(next));
            for (const each of former) {
                // Those that were first serve nothing any more, the others have ended.
                if (each.status === 'rejected') {
                    expect(String(each.reason)).to.contain('ended with 78');
                    continue;
                }

                await until(async () => [503, 0].includes(await ask(each.value, '/objects/design').then(({ status }) => status, () => 0)));
            }
        });
    });
}
