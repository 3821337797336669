/** A node that is stopped in the middle of its writes, and goes on later, keeps nobody from writing and leaves no search incomplete. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createSqlite, forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { ask, create } from '../support/outage.js';
import { startProcess } from '../support/process.js';
import type { ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ROUNDS = rounds(2, 20);
const WRITERS = 8;
/** Objects that the other node writes while the first one is stopped. */
const WRITTEN = 10;
/** Milliseconds that they may take together: some 200. One that waited for a lock of the first node would take ten seconds, as its locks last. */
const UNBLOCKED_MS = 9_000;
/** Milliseconds that these writes and a search may take on a busy machine: the server ends the transactions of the first node after some seconds. */
const MOST_MS = 120_000;

forEachDatabase((name, make, dialect) => {

    if (dialect !== 'mysql') {
        // Only there a database is shared.
        return;
    }

    describe(`a node that is paused, on ${name},`, () => {

        let database: TestDatabase;
        let folder: TestDatabase;
        let stopped: ServiceProcess;
        let other: ServiceProcess;

        before(async () => {

            database = await make();
            folder = await createSqlite();
            stopped = await startProcess(database);
            other = await startProcess(database, { DATA_DIR: folder.options.dataDir });
        });

        after(async () => {

            stopped.signal('SIGCONT');
            await Promise.all([stopped.kill(), other.kill()]);
            await database.dispose();
            await folder.dispose();
        });

        async function write(service: ServiceProcess, id: string): Promise<string> {

            const { status, body } = await create(service, id);
            expect(status, JSON.stringify(body)).to.equal(200);
            return id;
        }

        async function found(service: ServiceProcess): Promise<string[]> {

            const { body } = await ask(service, '/search?ids&pageSize=-1&query=type:Document');
            return (body['results'] as string[]).toSorted();
        }

        it('keeps all objects searchable, and does not delay others', { timeout: roundsMs(300_000) }, async () => {

            const written: string[] = [];
            let isOver = false;
            const writing = Array.from({ length: WRITERS }, async (_, writer) => {

                for (let n = 0; !isOver; ++n) {
                    written.push(await write(stopped, `test/stopped-${writer}-${n}`));
                }
            });
            for (let round = 0; round < ROUNDS; ++round) {
                const before = written.length;
                await until(() => written.length >= before + WRITERS);
                await sleep(Math.random() * 20);
                stopped.signal('SIGSTOP');
                const begun = performance.now();
                const highest = ask(other, '/doip?operationId=20.DOIP/Op.HighestSafeTxnIdForSearch&targetId=service');
                const meanwhile = await Promise.all(Array.from({ length: WRITTEN }, (_, n) => write(other, `test/other-${round}-${n}`)));
                expect(performance.now() - begun, `writes of round ${round}`).to.be.below(UNBLOCKED_MS);
                expect((await highest).status).to.equal(200);
                expect(await found(other)).to.include(meanwhile);
                expect(performance.now() - begun, `round ${round}`).to.be.below(MOST_MS);
                written.push(...meanwhile);
                stopped.signal('SIGCONT');
            }

            isOver = true;
            await Promise.all(writing);
            const all = JSON.stringify(written.toSorted());
            for (const service of [stopped, other]) {
                await until(async () => JSON.stringify(await found(service)) === all);
            }
        });
    });
});
