import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { HOSTILE_SERVICE, attack, prepareTarget, waitOf } from '../support/hostile-clients.js';
import type { ServiceProcess } from '../support/process.js';
import { startProcess } from '../support/process.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Milliseconds that a polite client may wait, but for every twentieth request. Beside other test runs on two cores it is some 10. */
const MOST_WAIT_MS = 5_000;

/** Where other things take the processor, the polite client comes to few requests, or waits for long: one attempt of these suffices. */
const ATTEMPTS = 3;

describe('sixteen hostile clients', { skip: process.platform !== 'linux' }, () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        database = await createSqlite();
        service = await startProcess(database, HOSTILE_SERVICE);
        await prepareTarget(service.url);
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    it('do not stop the service, which still serves others', { timeout: 900_000 }, async () => {

        let hasEnded = false;
        void service.ended().then(() => {

            hasEnded = true;
        });
        let waits: readonly number[] = [];
        const areServed = (): boolean => waits.length > 3 && waitOf(waits, 0.95) < MOST_WAIT_MS;
        for (let attempt = 0; attempt < ATTEMPTS && !areServed(); ++attempt) {
            const { sent, failures, ...rest } = await attack(service.url, { clients: 16, seconds: 8 });
            ({ waits } = rest);
            expect(Object.keys(sent).length).to.be.above(10);
            expect(failures).to.equal({});
        }

        const status = await fetch(`${service.url}/startupStatus`).then((response) => response.status);

        expect(waits.length).to.be.above(3);
        expect(waitOf(waits, 0.95)).to.be.below(MOST_WAIT_MS);
        expect([status, hasEnded]).to.equal([200, false]);
    });
});
