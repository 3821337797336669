/** Indexing anew that was begun comes to its end, whatever happens to the process that began it. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createSqlite, forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import type { ServiceProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

/** What a loan is found by stands in another object, whose changes the index of the loan does not follow. With its last title it takes a while. */
const CODE = `exports.objectForIndexing = (object) => {
    const { title } = require('cordra').get('test/book').content;
    const until = Date.now() + (title === 'current' ? 120 : 0);
    while (Date.now() < until) {}
    object.content.title = title;
    return object;
};`;

/** Several batches. */
const LOANS = 60;

forEachDatabase((name, create, dialect) => {

    describe(`reindexing by a killed process on ${name}`, () => {

        let database: TestDatabase;
        let folder: TestDatabase;
        let services: ServiceProcess[];

        beforeEach(async () => {

            database = await create();
            folder = await createSqlite();
            services = [];
        });

        afterEach(async () => {

            await Promise.all(services.map((service) => service.kill()));
            await database.dispose();
            await folder.dispose();
        });

        async function start(env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {

            const service = await startProcess(database, env);
            services.push(service);
            return service;
        }

        async function kill(service: ServiceProcess): Promise<void> {

            services = services.filter((other) => other !== service);
            await service.kill();
        }

        async function send({ url }: ServiceProcess, line: string, body: unknown): Promise<void> {

            const [method = '', path = ''] = line.split(' ');
            const response = await fetch(`${url}${path}`, { method, body: JSON.stringify(body), headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
            expect(response.status, await response.text()).to.equal(200);
        }

        async function found({ url }: ServiceProcess, title: string): Promise<number> {

            const response = await fetch(`${url}/search?pageSize=0&query=${encodeURIComponent(`type:Loan AND /title:${title}`)}`, { headers: ADMIN_HEADERS });
            const { size } = await response.json() as { size?: number };
            return size ?? -1;
        }

        it(`is completed by ${dialect === 'mysql' ? 'another node' : 'the next process'}`, { timeout: 600_000 }, async () => {

            const first = await start();
            const other = dialect === 'mysql' ? await start({ DATA_DIR: folder.options.dataDir }) : null;
            await send(first, 'POST /objects?type=Schema', { name: 'Loan', schema: { type: 'object' }, javascript: CODE });
            await send(first, 'POST /objects?type=Document&handle=test/book', { title: 'former' });
            await Promise.all(Array.from({ length: LOANS }, (_, n) => send(first, `POST /objects?type=Loan&handle=test/loan${n}`, { n })));
            await send(first, 'PUT /objects/test/book', { title: 'current' });
            expect(await found(first, 'former')).to.equal(LOANS);

            const asked = send(first, 'POST /reindexBatch?query=type:Loan', null).then(() => 'answered', () => 'cut');
            await until(async () => await found(first, 'current') > 0);
            await kill(first);
            expect(await asked).to.equal('cut');
            const second = other ?? await start();
            expect(await found(second, 'former')).to.be.above(0);
            await until(async () => await found(second, 'current') === LOANS && await found(second, 'former') === 0, 240_000);
        });
    });
});
