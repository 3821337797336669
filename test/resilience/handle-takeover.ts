/**
 * Registration and update of handles go on at another node within 15 seconds when the one that does them is killed or stopped (SIGSTOP), and a stopped one
 * does no harm when it goes on later. Only with `LONG_TESTS`, as it waits for leases.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createSqlite, DIALECTS, type TestDatabase } from '../support/database.js';
import { TestHandleServer } from '../support/handle-server.js';
import { ADMIN, ask } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const ROUNDS = rounds(0, 4);
const OBJECTS = 1500;
const TAKEN_OVER_MS = 15_000;

for (const { name, create: make } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`handles of several nodes on ${name}`, { skip: ROUNDS === 0 }, () => {

        let databases: TestDatabase[];
        let processes: ServiceProcess[];
        let server: TestHandleServer;

        beforeEach(async () => {

            [databases, processes, server] = [[await make()], [], new TestHandleServer()];
            await server.start();
        });

        afterEach(async () => {

            processes.forEach((each) => each.signal('SIGCONT'));
            await Promise.all(processes.map((each) => each.kill()));
            await server.stop();
            await Promise.all(databases.map((each) => each.dispose()));
        });

        async function start(): Promise<ServiceProcess> {

            const folder = await createSqlite();
            databases.push(folder);
            const service = await startProcess(databases[0] as TestDatabase, {
                DATA_DIR: folder.options.dataDir, BASE_URI: 'https://repo.example/', HANDLE_SERVER_URL: server.url,
                HANDLE_SERVER_IDENTITY: '300:test/ADMIN', HANDLE_SERVER_SECRET: 'key'
            });
            processes.push(service);
            return service;
        }

        async function upload(service: ServiceProcess): Promise<void> {

            const objects = Array.from({ length: OBJECTS }, (_, n) => ({ id: `test/o${n}`, type: 'Document', content: { n } }));
            const { status, body } = await ask(service, '/batchUpload', { method: 'POST', body: JSON.stringify(objects) });
            expect([status, body['success']]).to.equal([200, true]);
        }

        async function change(service: ServiceProcess, method: string, id: string): Promise<void> {

            const path = method === 'POST' ? `/objects?type=Document&handle=${id}` : `/objects/${id}`;
            const response = await fetch(service.url + path, { method, headers: ADMIN, ...method === 'DELETE' ? {} : { body: '{"n":-1}' } });
            await response.arrayBuffer();
            expect(response.status).to.equal(200);
        }

        /** All records are those of the objects that there are. */
        async function recordsAreCurrent(service: ServiceProcess): Promise<void> {

            const { body } = await ask(service, '/search?ids&pageSize=-1&query=type:Document');
            const expected = JSON.stringify((body['results'] as string[]).toSorted());
            await until(() => JSON.stringify([...server.records.keys()].filter((id) => /^test\/[on]\d/.test(id)).sort()) === expected);
        }

        const events: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];
        for (const signal of events) {
            it(`are registered and updated by another node after ${signal}`, { timeout: roundsMs(60_000) }, async () => {

                let first = await start();
                const other = await start();
                await upload(first);
                await until(() => server.records.size > OBJECTS);
                server.delay = 20;
                for (let round = 0; round < ROUNDS; ++round) {
                    server.requests.length = 0;
                    expect((await ask(first, '/updateHandles', { method: 'POST' })).status).to.equal(200);
                    await until(() => server.requests.length > OBJECTS / 4);
                    first.signal(signal);
                    const stoppedOn = performance.now();
                    // While nobody delivers, objects go on changing.
                    await change(other, 'DELETE', `test/o${round}`);
                    await change(other, 'POST', `test/n${round}`);
                    await sleep(500);
                    const sent = server.requests.length;
                    await until(() => server.requests.length > sent + 10);
                    expect(performance.now() - stoppedOn).to.be.below(TAKEN_OVER_MS);
                    await until(async () => (await ask(other, '/updateHandles')).body['inProgress'] === false);

                    const { body } = await ask(other, '/updateHandles');
                    expect(body['exceptionCount']).to.equal(0);
                    expect(new Set(server.requests.filter(({ handle }) => handle.startsWith('test/o')).map(({ handle }) => handle)).size)
                        .to.be.at.least(OBJECTS - round - 1);
                    await recordsAreCurrent(other);
                    first.signal('SIGCONT');
                    await sleep(1000);
                    await recordsAreCurrent(other);
                    if (signal === 'SIGKILL') {
                        first = await start();
                    }
                }
            });
        }
    });
}
