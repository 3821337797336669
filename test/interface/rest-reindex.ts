/** Objects are indexed anew by REST and by DOIP over HTTP: those that are named, those that a query finds, or all. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { jsonOf } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What a loan is found by stands in another object, whose changes the index of the loan does not follow. */
const CODE = `exports.objectForIndexing = (object) => {
    object.content.title = require('cordra').get('test/book').content.title;
    return object;
};`;

/** More than two batches. */
const LOANS = 35;

onEveryDatabase((name, start) => {

    describe(`reindexing on ${name}`, () => {

        let service: RestService;
        let titles = 0;

        before(async () => {

            service = await start();
            await service.create('Document', { title: 'none' }, 'handle=test/book');
            await service.create('Schema', { name: 'Loan', schema: { type: 'object' }, javascript: CODE });
            for (let n = 0; n < LOANS; ++n) {
                await service.create('Loan', { n }, `handle=test/loan${n}`);
            }
        });

        after(() => service.stop());

        /** Gives the book a title that no loan is found by yet. */
        async function newTitle(): Promise<string> {

            const title = `title${++titles}`;
            const { statusCode } = await service.asAdmin('PUT /objects/test/book', { payload: JSON.stringify({ title }) });
            expect(statusCode).to.equal(200);
            return title;
        }

        async function loansOf(title: string): Promise<unknown> {

            return jsonOf(await service.asAdmin(`GET /search?pageSize=0&query=${encodeURIComponent(`type:Loan AND /title:${title}`)}`))['size'];
        }

        const DOIP = 'POST /doip?operationId=20.DOIP/Op.ReindexBatch&targetId=service';
        const JSON_HEADERS = { 'content-type': 'application/json' };
        const query = encodeURIComponent('type:Loan AND /n:[0 TO 19]');
        const CASES: readonly (readonly [title: string, line: string, payload: string | undefined, found: number])[] = [
            ['those that are named', 'POST /reindexBatch', '["test/loan0","test/loan7","test/none"]', 2],
            ['those that are named, without their locks', 'POST /reindexBatch?lockObjects=False', '["test/loan1"]', 1],
            ['none', 'POST /reindexBatch?lockObjects=true', '[]', 0],
            ['those that a query finds', `POST /reindexBatch?query=${query}`, 'null', 20],
            ['those that a query finds, whatever the body says', `POST /reindexBatch?query=${query}`, '["test/loan30"]', 20],
            ['all', 'POST /reindexBatch?all', undefined, LOANS],
            ['all, as clients in Python ask for it', 'POST /reindexBatch?all=True&lockObjects=False', 'null', LOANS],
            ['those that are named by DOIP', DOIP, '["test/loan3","test/loan4"]', 2],
            ['those that a query finds by DOIP', `${DOIP}&query=${query}&lockObjects=false`, undefined, 20],
            ['all by DOIP', `${DOIP}&all=true`, undefined, LOANS]
        ];
        for (const [title, line, payload, found] of CASES) {
            it(`finds ${title}`, async () => {

                const fresh = await newTitle();
                const before = await loansOf(fresh);
                const answer = await service.asAdmin(line, payload === undefined ? {} : { payload, headers: JSON_HEADERS });

                expect([answer.statusCode, before], answer.payload).to.equal([200, 0]);
                expect(jsonOf(answer)).to.equal({ success: true, msg: 'success' });
                expect(await loansOf(fresh)).to.equal(found);
            });
        }

        const WRONG: readonly (readonly [line: string, payload: string | undefined])[] = [
            ['POST /reindexBatch', undefined], ['POST /reindexBatch', '{}'], ['POST /reindexBatch', '[1]'], ['POST /reindexBatch', '["a'],
            ['POST /reindexBatch?query=%5B', 'null'], [DOIP, undefined], [DOIP, '"test/loan1"'], [`${DOIP}&lockObjects=maybe`, '[]']
        ];
        for (const [line, payload] of WRONG) {
            it(`rejects ${line} with ${payload ?? 'nothing'}`, async () => {

                const { statusCode, payload: said } = await service.asAdmin(line, payload === undefined ? {} : { payload, headers: JSON_HEADERS });

                expect(statusCode).to.equal(400);
                expect(JSON.parse(said)).to.include('message');
            });
        }

        it('is for administrators, and runs beside searches', async () => {

            const fresh = await newTitle();
            const work = service.asAdmin('POST /reindexBatch?all');
            const sizes: unknown[] = [];
            for (let n = 0; n < 5; ++n) {
                sizes.push(await loansOf(fresh));
            }

            expect((await work).statusCode).to.equal(200);
            expect(sizes.every((size) => Number(size) <= LOANS)).to.be.true();
            expect(await loansOf(fresh)).to.equal(LOANS);
            expect((await service.anonymously('POST /reindexBatch?all')).statusCode).to.equal(401);
            expect((await service.anonymously(`${DOIP}&all=true`)).statusCode).to.equal(401);
        });
    });
});
