/**
 * The feeding of OpenSearch goes on at another node within 15 seconds when the node that does it is killed or stopped (SIGSTOP), and what a stopped one
 * writes later replaces nothing. Only with `LONG_TESTS`, as it waits for leases.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createSqlite, DIALECTS, type TestDatabase } from '../support/database.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { ADMIN, ask } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const ROUNDS = rounds(0, 6);
const TAKEN_OVER_MS = 15_000;
/** Writers that keep the feeder busy when it is stopped. */
const WRITERS = 4;

for (const { name, create: make } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`searches in OpenSearch of several nodes on ${name}`, { skip: ROUNDS === 0 || !HAS_OPENSEARCH, timeout: roundsMs(120_000) }, () => {

        let engine: TestOpenSearch;
        let databases: TestDatabase[] = [];
        const processes: ServiceProcess[] = [];
        let url: string;

        before({ timeout: 120_000 }, async () => {

            engine = await startOpenSearch();
        });

        after(() => engine?.stop());

        afterEach(async () => {

            processes.forEach((each) => each.signal('SIGCONT'));
            await Promise.all(processes.splice(0).map((each) => each.kill()));
            await Promise.all(databases.splice(0).map((each) => each.dispose()));
        });

        async function start(): Promise<ServiceProcess> {

            const folder = await createSqlite();
            databases.push(folder);
            const service = await startProcess(databases[0] as TestDatabase, { DATA_DIR: folder.options.dataDir, SEARCH_URL: url });
            processes.push(service);
            await until(async () => (await ask(service, '/health/ready')).status === 200);
            return service;
        }

        async function change(service: ServiceProcess, method: string, id: string): Promise<void> {

            const path = method === 'POST' ? `/objects?type=Document&handle=${id}` : `/objects/${id}`;
            const response = await fetch(service.url + path, { method, headers: ADMIN, ...method === 'DELETE' ? {} : { body: '{"n":1}' } });
            await response.arrayBuffer();
            expect(response.status).to.equal(200);
        }

        async function found(service: ServiceProcess): Promise<string[] | null> {

            const { status, body } = await ask(service, '/search?ids&pageSize=-1&query=type:Document');
            return status === 200 ? (body['results'] as string[]).toSorted() : null;
        }

        const signals: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];
        for (const signal of signals) {
            it(`go on after ${signal} of the one that feeds it, and have no ghosts`, async () => {

                databases = [await make()];
                url = engine.newUrl();
                let feeding = await start();
                let other = await start();
                const stored = new Set<string>();
                for (let round = 0; round < ROUNDS; ++round) {
                    let isOver = false;
                    const writing = Array.from({ length: WRITERS }, async (_, writer) => {

                        for (let n = 0; !isOver; ++n) {
                            const id = `test/r${round}-${writer}-${n}`;
                            await change(other, 'POST', id);
                            stored.add(id);
                            if (n % 3 === 2) {
                                await change(other, 'DELETE', id);
                                stored.delete(id);
                            }
                        }
                    });
                    await sleep(500 + Math.random() * 300);
                    feeding.signal(signal);
                    const stoppedOn = performance.now();
                    await sleep(200);
                    isOver = true;
                    await Promise.all(writing);
                    // What the stopped node may have read is gone when it goes on.
                    for (const id of [...stored].slice(-10)) {
                        await change(other, 'DELETE', id);
                        stored.delete(id);
                    }

                    const expected = JSON.stringify([...stored].sort());
                    await until(async () => await found(other) !== null);
                    expect(performance.now() - stoppedOn).to.be.below(TAKEN_OVER_MS);
                    expect(JSON.stringify(await found(other))).to.equal(expected);

                    feeding.signal('SIGCONT');
                    await sleep(2000);
                    await engine.refresh();
                    expect(JSON.stringify(await found(other))).to.equal(expected);
                    // The other one feeds now.
                    [feeding, other] = [other, signal === 'SIGKILL' ? await start() : feeding];
                    await until(async () => JSON.stringify(await found(other)) === expected);
                }
            });
        }
    });
}
