/**
 * The code of docs/type-code.md, run.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { DIALECTS } from '../support/database.js';
import { readPage } from '../support/doc-pages.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CODE = readPage('docs/type-code.md').blocks.find(({ options }) => options.get('file') === 'loan.js')?.text ?? '';

describe('the example of type code', () => {

    let service: RestService;

    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        await service.create('Schema', { name: 'Loan', schema: { type: 'object', properties: { days: { type: 'integer' } } }, javascript: CODE });
        await service.create('Document', { name: 'Atlas of the Alps' }, 'handle=test/atlas');
        await service.create('Loan', { book: 'test/atlas', days: 14 }, 'handle=test/loan');
    });

    after(() => service.stop());

    const json = async (line: string, payload?: string): Promise<unknown> => {

        const headers = { 'Content-Type': 'application/json' };
        return JSON.parse((await service.asAdmin(line, payload === undefined ? {} : { headers, payload })).payload);
    };

    it('notes the day, and refuses what is too long', async () => {

        const loan = await json('GET /objects/test/loan') as { lentOn: string };
        const refused = await service.asAdmin('POST /objects?type=Loan', { payload: '{"days":61}' });

        expect(Date.parse(loan.lentOn)).to.be.above(0);
        expect(refused.statusCode).to.equal(400);
        expect(refused.payload).to.contain('nothing is lent for more than 60 days');
    });

    it('finds a loan by the title of its book', async () => {

        expect(await json('GET /search?query=/bookTitle:atlas&ids')).to.include({ results: ['test/loan'] });
    });

    it('extends a loan until it is returned, and counts those that are open', async () => {

        const extended = await json('POST /call?objectId=test/loan&method=extend', '{"days": 7}');
        const open = await json('GET /call?type=Loan&method=open');
        const { lentOn } = await json('GET /objects/test/loan') as { lentOn: string };
        await service.asAdmin('PUT /objects/test/loan', { payload: JSON.stringify({ lentOn, book: 'test/atlas', days: 21, returned: true }) });
        const late = await service.asAdmin('POST /call?objectId=test/loan&method=extend', { headers: { 'Content-Type': 'application/json' }, payload: '{"days": 7}' });

        expect([extended, open]).to.equal([21, 1]);
        expect([late.statusCode, late.payload]).to.equal([409, '{"message":"it was returned"}']);
    });
});
