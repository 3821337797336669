import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { ServiceProcess } from '../support/process.js';
import { forEachDatabase } from '../support/database.js';
import { TestHandleServer } from '../support/handle-server.js';
import { startProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`handle registration by a service on ${name}`, () => {

        it('resumes after the process was killed', async () => {

            const database = await create();
            const server = new TestHandleServer();
            await server.start();
            const start = (): Promise<ServiceProcess> => startProcess(database, {
                BASE_URI: 'https://repo.example/', HANDLE_SERVER_URL: server.url, HANDLE_SERVER_IDENTITY: '300:test/ADMIN', HANDLE_SERVER_SECRET: 'key'
            });
            try {
                const first = await start();
                server.trouble = ({ handle }) => (handle.startsWith('test/doc') ? 'hang' : null);
                await Promise.all(Array.from({ length: 20 }, async (_, n) => {

                    const response = await fetch(`${first.url}/objects?type=Document&handle=test/doc${n}`, {
                        method: 'POST', headers: ADMIN_HEADERS, body: '{"name":"x"}'
                    });
                    expect(response.status).to.equal(200);
                }));
                await until(() => server.requests.filter(({ handle }) => handle.startsWith('test/doc')).length >= 8);

                await first.kill();
                server.trouble = () => null;
                const db = await database.open();           // Nobody else would wait for the lease of the dead to run out
                await db.commit({ steps: [{ sql: `update jobs set state = 'waiting', run_at = 0 where kind = ?`, bindings: ['handles.deliver'] }] });
                await db.close();
                const second = await start();
                await until(() => Array.from({ length: 20 }, (_, n) => server.records.has(`test/doc${n}`)).every(Boolean));

                expect(server.requests.every(({ authorization }) => authorization === `Basic ${Buffer.from('300%3Atest/ADMIN:key').toString('base64')}`)).to.be.true();
                expect(await second.stop()).to.equal(0);
            }
            finally {
                await server.stop();
                await database.dispose();
            }
        });
    });
});
