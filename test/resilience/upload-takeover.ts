/**
 * An upload of all objects by a node that is stopped (SIGSTOP) is completed by another node within 15 seconds, and the stopped one does no harm
 * when it goes on later. Only with `LONG_TESTS`, as it waits for leases.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../db/database.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN, ask } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';
import { newestUpload } from '../support/uploads.js';
import { wrongClock } from '../support/wrong-clock.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ROUNDS = rounds(0, 4);
const OBJECTS = 3000;

/** How far the clock of the stopped node is ahead of the others, in milliseconds. */
const AHEAD_MS = [0, 60_000];

/** What other nodes must begin with within this time, in milliseconds. */
const TAKEN_OVER_MS = 15_000;

forEachDatabase((name, create, dialect) => {

    if (dialect !== 'mysql') {
        // Only there several nodes share a database.
        return;
    }

    AHEAD_MS.forEach((aheadMs) => describe(`an upload of all objects by a stopped node, whose clock is ${aheadMs} ms ahead, on ${name},`, { skip: ROUNDS === 0 }, () => {

        let place: TestDatabase;
        let folder: TestDatabase;
        let database: Database;
        let stopped: ServiceProcess;
        let other: ServiceProcess;

        before(async () => {

            place = await create();
            folder = await createSqlite();
            database = await place.open();
            stopped = await startProcess(place, wrongClock(aheadMs));
            other = await startProcess(place, { DATA_DIR: folder.options.dataDir });
        });

        after(async () => {

            stopped.signal('SIGCONT');
            await Promise.all([stopped.kill(), other.kill()]);
            await Promise.all([place.dispose(), folder.dispose()]);
        });

        const upload = (round: number): Promise<unknown> => {

            const objects = Array.from({ length: OBJECTS }, (_, n) => ({ id: `test/o${n}`, type: 'Uploaded', content: { n, round } }));
            const schema = { id: 'test/uploaded', type: 'Schema', content: { identifier: '', name: 'Uploaded', schema: { type: 'object' } } };
            return ask(stopped, '/uploadObjects?deleteCurrentObjects', { method: 'POST', body: JSON.stringify([...objects, schema]) }).then(({ status }) => status, () => 'cut');
        };

        /** Objects of this round that are stored. */
        async function stored(round: number): Promise<number> {

            const rows = await database.read<{ n: number }>({ sql: `select count(*) as n from objects where content like '%"round":${round}%'` }, []);
            return rows[0]?.n ?? 0;
        }

        async function contents(): Promise<string[]> {

            const rows = await database.read<{ id: string; content: string }>({ sql: 'select id, content from objects where type = \'Uploaded\' order by id' }, []);
            return rows.map(({ id, content }) => `${id} ${content}`);
        }

        it('is completed elsewhere, and stays so', { timeout: roundsMs(100_000) }, async () => {

            for (let round = 1; round <= ROUNDS; ++round) {
                const former = (await newestUpload(database)).id;
                const asked = upload(round);
                await until(async () => (await newestUpload(database)).id > former && await stored(round) > OBJECTS * round / (2 * ROUNDS));
                stopped.signal('SIGSTOP');
                const stoppedOn = performance.now();
                await until(async () => (await newestUpload(database)).attempts === 2);
                expect(performance.now() - stoppedOn).to.be.below(TAKEN_OVER_MS);
                await until(async () => (await newestUpload(database)).state === 'done');
                await until(async () => (await ask(other, '/objects/test/o1', { method: 'PUT', body: '{"changed":1}' })).status === 200);
                const changes = Array.from({ length: OBJECTS / 20 }, async (_, n) => fetch(`${other.url}/objects/test/o${n * 20}`,
                    { method: n % 2 ? 'PUT' : 'DELETE', headers: ADMIN, ...n % 2 ? { body: '{"changed":1}' } : {} }));
                expect((await Promise.all(changes)).every(({ ok }) => ok)).to.be.true();
                const expected = await contents();

                stopped.signal('SIGCONT');
                // The stopped node may count its silent connections as an outage; the upload is complete all the same.
                expect([200, 503]).to.include(await asked as number);
                await sleep(3000);
                expect(await contents()).to.equal(expected);
            }
        });
    }));
});
