/** Interface specification, POST `/uploadObjects`: all objects or none, also when the service is killed in the middle. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const MANY = 4000;

forEachDatabase((name, create) => {

    describe(`an upload of objects on ${name}`, () => {

        let database: TestDatabase;
        let service: ServiceProcess;

        const ask = async (line: string, body?: unknown, headers: Record<string, string> = ADMIN_HEADERS): Promise<{ status: number; value: Record<string, unknown>; retry: string | null }> => {

            const [method = '', path = ''] = line.split(' ');
            const answer = await fetch(service.url + path, { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } });
            return { status: answer.status, value: await answer.json() as Record<string, unknown>, retry: answer.headers.get('retry-after') };
        };

        before({ timeout: 60_000 }, async () => {

            database = await create();
            service = await startProcess(database);
        });

        after({ timeout: 60_000 }, async () => {

            await service.stop();
            await database.dispose();
        });

        const schema = (id: string, type: string, properties: object) => ({ id, type: 'Schema', content: { identifier: id, name: type, schema: { type: 'object', properties } } });

        it('stores objects of types that come with it, whatever their order, and keeps metadata', { timeout: 60_000 }, async () => {

            const metadata = { createdOn: 1000, createdBy: 'test/someone', modifiedOn: 2000, modifiedBy: 'test/other', txnId: 5 };
            const items = [
                { id: 'test/u2', type: 'Fresh', content: { n: 2, to: 'test/u1' } },
                { id: 'test/u1', type: 'Fresh', content: { n: 1 }, metadata, payloads: [{ name: 'p', base64Payload: 'YWI=' }] },
                { type: 'Fresh', content: { n: 3 } },
                schema('test/fresh', 'Fresh', { n: { type: 'integer' }, to: { type: 'string', cordra: { type: { handleReference: { types: ['Fresh'] } } } } })
            ];

            expect((await ask('PUT /uploadObjects', items)).value).to.equal({ msg: 'success', message: 'success' });
            expect((await ask('POST /uploadObjects', { results: [{ id: 'test/u2', type: 'Fresh', content: { n: 22 } }] })).status).to.equal(200);

            const { metadata: kept, payloads } = (await ask('GET /objects/test/u1?full')).value as { metadata: Record<string, unknown>; payloads: unknown };
            expect(kept).to.include({ createdOn: 1000, createdBy: 'test/someone', modifiedOn: 2000, modifiedBy: 'test/other' });
            expect(kept['txnId']).to.not.equal(5);
            expect(payloads).to.equal([{ name: 'p', size: 2 }]);
            expect((await ask('GET /objects/test/u2')).value).to.equal({ n: 22 });
        });

        it('writes nothing when anything is wrong', { timeout: 60_000 }, async () => {

            const good = { id: 'test/good', type: 'Document', content: {} };
            const cases: [unknown, string][] = [
                [[good, { id: 'test/bad', type: 'Nothing', content: {} }], 'nothing was uploaded: 1 objects are wrong, the first at position 1: Unknown type Nothing'],
                [[good, { id: 'bad', type: 'Document', content: 5 }, 'x'], 'nothing was uploaded: 2 objects are wrong'],
                [[good, good], 'id test/good stands in the upload twice'],
                [[good, { id: 'test/bad', type: 'Strict', content: { n: 'text' } }, schema('test/strict', 'Strict', { n: { type: 'integer' } })], 'the first at position 1: /n: '],
                [{ list: [good] }, 'an object must have results']
            ];
            for (const [items, message] of cases) {
                const { status, value } = await ask('POST /uploadObjects', items);

                expect([status, String(value['message']).includes(message)], JSON.stringify(value)).to.equal([400, true]);
            }

            expect((await ask('GET /objects/test/good')).status).to.equal(404);
            expect((await ask('GET /objects/test/strict')).status).to.equal(404);
        });

        it('is for the administrator', async () => {

            expect((await ask('POST /uploadObjects', [], {})).status).to.equal(401);
        });

        it('goes on to its end after a kill in the middle, while nobody else writes', { timeout: 240_000 }, async () => {

            const items = Array.from({ length: MANY }, (_, n) => ({ id: `test/many${n}`, type: 'Many', content: { n, to: `test/many${(n + 1) % MANY}` } }));
            const uploading = ask('POST /uploadObjects?deleteCurrentObjects', [...items, schema('test/many', 'Many', { n: { type: 'integer' } })]).catch((error: unknown) => error);
            await until(async () => (await ask('GET /objects/test/many0')).status === 200, 60_000);
            const other = await ask('POST /objects?type=Many&handle=test/other', { n: 1 });
            await service.kill();
            await uploading;
            service = await startProcess(database);
            const afterwards = await ask('POST /objects?type=Many&handle=test/other', { n: 1 });
            await until(async () => (await ask('POST /objects?type=Many&handle=test/last', { n: 1 })).status === 200, 120_000);
            const size = async (query: string): Promise<unknown> => (await ask(`GET /search?pageSize=0&query=${encodeURIComponent(query)}`)).value['size'];
            await until(async () => await size('type:Many') === MANY + 1, 60_000);

            expect([other.status, other.retry]).to.equal([503, '5']);
            expect([503, 200]).to.include(afterwards.status);
            expect((await ask(`GET /objects/test/many${MANY - 1}`)).value).to.equal({ n: MANY - 1, to: 'test/many0' });
            expect((await ask('GET /objects/test/u1')).status).to.equal(404);
            expect(await size('type:Schema')).to.equal(1);
        });
    });
});
