import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { RestService } from '../support/rest-service.js';
import { ADMIN_HEADERS, basic, jsonOf } from '../support/rest.js';
import { forEachDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const NEVER = { inProgress: false, total: 0, progress: 0, startTime: 0, exceptionCount: 0 };

onEveryDatabase((name, start) => {

    describe(`updating handles by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
            await service.create('User', { username: 'una', password: 'password of una' });
        });
        after(() => service.stop());

        async function status(): Promise<Readonly<Record<string, unknown>>> {

            return jsonOf(await service.asAdmin('GET /updateHandles'));
        }

        for (const line of ['GET /updateHandles', 'POST /updateHandles', 'POST /doip?operationId=gateway/Op.Handles.Update&targetId=service']) {
            it(`is for administrators only: ${line}`, async () => {

                const nobody = await service.anonymously(line);
                const user = await service.anonymously(line, { headers: basic('una', 'password of una') });

                expect([nobody.statusCode, user.statusCode]).to.equal([401, 403]);
                expect(await status()).to.equal(NEVER);
            });
        }

        it('does not start with a GET over DOIP', async () => {

            const response = await service.asAdmin('GET /doip?operationId=gateway/Op.Handles.Update&targetId=service');

            expect(response.statusCode).to.equal(400);
            expect(await status()).to.equal(NEVER);
        });

        it('responds at once, and reports the outcome later', async () => {

            const before = Date.now();
            const response = await service.asAdmin('POST /updateHandles/');
            const begun = await status();
            await until(async () => !(await status())['inProgress']);
            const ended = await status();
            const objects = jsonOf(await service.asAdmin('GET /search?query=*:*&pageSize=0'))['size'];

            expect([response.statusCode, response.payload]).to.equal([200, '{}']);
            expect(begun['startTime']).to.equal(ended['startTime']);
            expect(Number(ended['startTime'])).to.be.within(before, Date.now());
            expect(ended).to.equal({ ...ended, inProgress: false, total: objects, progress: objects, exceptionCount: 0 });
            expect(jsonOf(await service.asAdmin('GET /doip?operationId=gateway/Op.Handles.Status&targetId=service'))).to.equal(ended);
        });
    });
});

forEachDatabase((name, create) => {

    describe(`the status of an update of handles on ${name}`, () => {

        it('survives the end of the process', async () => {

            const database = await create();
            const read = async (url: string): Promise<unknown> => (await fetch(`${url}/updateHandles`, { headers: ADMIN_HEADERS })).json();
            try {
                const first = await startProcess(database);
                await fetch(`${first.url}/updateHandles`, { method: 'POST', headers: ADMIN_HEADERS });
                await until(async () => !(await read(first.url) as { inProgress: boolean }).inProgress);
                const status = await read(first.url);
                await first.kill();
                const second = await startProcess(database);

                expect(await read(second.url)).to.equal(status);
                expect((status as { total: number }).total).to.be.above(0);
                await second.stop();
            }
            finally {
                await database.dispose();
            }
        });
    });
});
