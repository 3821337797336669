import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { attack, prepareTarget } from '../support/hostile-clients.js';
import type { ServiceProcess } from '../support/process.js';
import { startProcess } from '../support/process.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('sixteen hostile clients', () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        database = await createSqlite();
        service = await startProcess(database, { NODE_OPTIONS: '--max-old-space-size=1024', LOG_LEVEL: 'fatal' });
        await prepareTarget(service.url);
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    it('do not stop the service, which still serves others', async () => {

        const { sent, waits } = await attack(service.url, { clients: 16, seconds: 8 });
        const status = await fetch(`${service.url}/startupStatus`).then((response) => response.status);

        expect(Object.keys(sent).length).to.be.above(10);
        expect(waits.length).to.be.above(3);
        expect(status).to.equal(200);
    });
});
