/** A data folder that cannot be used when the service starts, or while it runs: it says so, and recovers by itself. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { createSqlite } from '../support/database.js';
import { PATIENCE_MS, ask, create, stateBecomes, status } from '../support/outage.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('a service on SQLite', { timeout: 2 * PATIENCE_MS }, () => {

    let database: TestDatabase;
    let dataDir = '';
    let service: ServiceProcess | null = null;

    beforeEach(async () => {

        database = await createSqlite();
        dataDir = join(database.options.dataDir, 'place', 'data');
    });

    afterEach(async () => {

        await service?.stop();
        service = null;
        await database.dispose();
    });

    it('listens while its folder cannot be made, and starts when it can', async () => {

        // A file in the place of a folder, as when a disk has not been mounted yet.
        const place = join(database.options.dataDir, 'place');
        await writeFile(place, '');
        service = await startProcess(database, { DATA_DIR: dataDir });

        const down = await status(service);
        const other = await ask(service, '/objects/test/1');
        await rm(place);
        await mkdir(place);
        await stateBecomes(service, 'UP');

        expect([down.status, down.body['state']]).to.equal([500, 'FAILED']);
        expect(down.body['details']).to.include({ storage: 'FAILED' });
        expect([other.status, other.body]).to.equal([500, { message: 'The system is down.' }]);
        expect((await create(service, 'test/1')).status).to.equal(200);
        expect(service.log()).to.include('the gateway could not be started');
    });

    it('takes nothing while its files are gone, and goes on when they are back', async () => {

        service = await startProcess(database, { DATA_DIR: dataDir });
        await create(service, 'test/1');
        const running = service;
        await rename(dataDir, `${dataDir} away`);
        await stateBecomes(running, 'FAILED');
        await until(async () => (await ask(running, '/objects/test/1')).status === 503);
        const down = await create(service, 'test/2');
        await rename(`${dataDir} away`, dataDir);
        await stateBecomes(service, 'UP');

        expect([down.status, down.body, down.retryAfter]).to.equal([503, { message: 'The system is down.' }, '5']);
        expect((await create(service, 'test/2')).status).to.equal(200);
        expect((await ask(service, '/search?ids&query=*:*&filterQueries=["type:Document"]')).body['results']).to.equal(['test/1', 'test/2']);
    });
});
