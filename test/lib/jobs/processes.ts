import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { JobStore } from '../../../lib/stores/jobs/job-store.js';
import Mysql from 'mysql2/promise';
import { createMysql, DIALECTS } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { startPrivateMariadb, type PrivateMariadb } from '../../support/private-mariadb.js';
import { until } from '../../support/until.js';
import { wrongClock } from '../../support/wrong-clock.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const HOUR_MS = 3_600_000;
/** As in the program: more than a busy machine makes a process wait. */
const LEASE_MS = 8000;

const WORKER = join(__dirname, '../../support/job-worker.js');

interface WorkerProcess {
    readonly child: ChildProcess;
    readonly lines: string[];
}

/** Only MySQL is for several processes; a SQLite folder belongs to one. */
const WAYS = DIALECTS.some(({ dialect }) => dialect === 'mysql') ? ['processes', 'database servers'] as const : [];

for (const clocks of WAYS) {
    describe(`job runners of two processes, while the clocks of the ${clocks} differ by an hour,`, () => {

        let server: PrivateMariadb;
        let place: TestDatabase;
        let store: JobStore;
        let workers: WorkerProcess[];

        before(async () => {

            server = await startPrivateMariadb();
            place = await createMysql(server.url);
            store = new JobStore(await place.open());
            workers = await Promise.all([
                startWorker(), clocks === 'processes' ? startWorker(wrongClock(HOUR_MS)) : startWorker({}, await otherServer())
            ]);
        });

        /** The address of the server for a user who gets another time, as of another server of a cluster. */
        async function otherServer(): Promise<string> {

            const url = new URL(place.options.url ?? '');
            const administrator = await Mysql.createConnection(server.url);
            await administrator.query('create user ahead identified by \'pw\'');
            await administrator.query(`grant all on ${url.pathname.slice(1)}.* to ahead`);
            await administrator.query('set global init_connect = \'set timestamp = unix_timestamp(sysdate()) + 3600\'');
            await administrator.end();
            [url.username, url.password] = ['ahead', 'pw'];
            return url.href;
        }

        after(async () => {

            await Promise.all(workers.filter(({ child }) => child.exitCode === null && child.signalCode === null).map(({ child }) => {

                const ended = once(child, 'exit');
                child.stdin?.end();
                return ended;
            }));
            await place.dispose();
            await server.stop();
        });

        async function startWorker(env: NodeJS.ProcessEnv = {}, url = place.options.url): Promise<WorkerProcess> {

            const child = spawn(process.execPath, [WORKER, JSON.stringify({ ...place.options, url })], {
                stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env }
            });
            const lines: string[] = [];
            createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
            await until(() => lines[0] === 'ready');
            lines.shift();
            return { child, lines };
        }

        it('run every job exactly once', async () => {

            // On a busy machine one of them may do all of a batch before the other has begun.
            let count = 0;
            do {
                await Promise.all(Array.from({ length: 120 }, () => store.enqueue({ kind: 'shared', payload: count++ })));
                await until(async () => (await store.list({ kind: 'shared', state: 'done', limit: 10_000 })).length === count);
            } while (workers.some(({ lines }) => lines.length === 0));

            const done = workers.flatMap(({ lines }) => lines).map(Number).sort((a, b) => a - b);
            expect(done).to.equal(Array.from({ length: count }, (_, payload) => payload));
            workers.forEach(({ lines }) => lines.splice(0));
        });

        it('take over the job of a killed process, and of no other', async () => {

            await store.enqueue({ kind: 'shared', payload: 'hang' });
            await until(() => workers.some(({ lines }) => lines.includes('"hang"')));
            const first = workers.find(({ lines }) => lines.includes('"hang"'));
            const second = workers.find((worker) => worker !== first);

            // Longer than the lease
            await sleep(1.5 * LEASE_MS);
            expect(second?.lines).to.equal([]);
            first?.child.kill('SIGKILL');

            await until(() => second?.lines.includes('"hang"') === true);
            second?.child.kill('SIGKILL');
        });
    });
}
