/** Searching text by the stems of words, over REST and DOIP. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const text = (language?: string): JsonObject => ({ type: 'string', ...language === undefined ? {} : { cordra: { search: { language } } } });

const BOOK = {
    type: 'object', cordra: { search: { language: 'en' } },
    properties: {
        title: { type: 'string', cordra: { search: { altFieldName: 'heading' } } },
        titel: { type: 'string', cordra: { search: { language: 'de', altFieldName: 'heading' } } }, titre: text('fr'), titulo: text('es'), code: text('none')
    }
};

const CONTENT = { title: 'The houses', titel: 'Die Häuser', titre: 'Les chevaux de l\'homme', titulo: 'Los niños', code: 'houses' };

const FINDS: readonly (readonly [query: string, size: number])[] = [
    ['/title:house', 1], ['housing', 1], ['/title:"house"', 0], ['/title:"houses"', 1], ['/title:houses~0', 1], ['/titel:haus', 1], ['hauses', 1], ['/title:haus', 0],
    ['/titre:cheval', 1], ['/titre:hommes', 1], ['/titulo:niña', 1], ['niño AND cheval AND haus AND house', 1], ['/code:house', 0], ['/code:houses', 1],
    ['heading:house', 1], ['heading:haus', 1], ['heading:cheval', 0], ['/title:the', 1], ['/title:hous*', 1]
];

onEveryDatabase((name, start) => {

    describe(`searches in languages on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start();
            await service.create('Schema', { identifier: '', name: 'Book', schema: BOOK });
            await service.create('Schema', { identifier: '', name: 'Plain', schema: { type: 'object' } });
        });

        after(() => service.stop());

        async function size(query: string, path = '/search?ids&pageSize=10&'): Promise<number> {

            const response = await service.asAdmin(`GET ${path}query=${encodeURIComponent(query)}`);
            expect(response.statusCode, `${query}: ${response.payload}`).to.equal(200);
            return (jsonOf(response) as { size: number }).size;
        }

        async function put(path: string, body: object, status = 200): Promise<string> {

            const { statusCode, payload } = await service.asAdmin(`PUT ${path}`, { payload: JSON.stringify(body) });
            expect(statusCode, payload).to.equal(status);
            return payload;
        }

        async function changeDesign(change: object): Promise<void> {

            const design = jsonOf(await service.asAdmin('GET /objects/design')) as object;
            await put('/objects/design', { ...design, ...change });
        }

        it('find words by their stems over REST and DOIP, until the object is changed or deleted', async () => {

            await service.create('Book', CONTENT, 'handle=test/book');

            for (const [query, expected] of FINDS) {
                expect(await size(query), query).to.equal(expected);
                expect(await size(query, '/doip?operationId=0.DOIP/Op.Search&targetId=service&pageSize=10&'), query).to.equal(expected);
            }

            await put('/objects/test/book', { ...CONTENT, title: 'The doors' });
            expect([await size('/title:house'), await size('/title:door'), await size('heading:house')]).to.equal([0, 1, 0]);
            await service.asAdmin('DELETE /objects/test/book');
            expect([await size('/title:door'), await size('cheval')]).to.equal([0, 0]);
        });

        it('find words in the text of payloads', async () => {

            await service.asAdmin('POST /objects?type=Book&handle=test/file', multipart(
                { name: 'content', value: '{"title": "x"}' }, { name: 'text', value: 'Many windows', filename: 'a.txt', type: 'text/plain' }
            ));
            await until(async () => await size('text:window') === 1);

            expect([await size('text:"window"'), await size('text:windows')]).to.equal([0, 1]);
        });

        it('use the language of the design by default, and the new language of a type after reindexing', async () => {

            await service.create('Plain', { a: 'mountains' }, 'handle=test/plain');
            await service.create('Book', { title: 'niñas' }, 'handle=test/spanish');
            expect(await size('/a:mountain')).to.equal(0);

            await changeDesign({ search: { language: 'en' } });
            expect(await size('/a:mountain')).to.equal(0);
            await put('/objects/test/plain', { a: 'mountains' });
            expect(await size('/a:mountain')).to.equal(1);

            await put('/schemas/Book', { ...BOOK, cordra: { search: { language: 'es' } } });
            expect(await size('/title:niño')).to.equal(0);
            await service.asAdmin('POST /reindexBatch', { payload: '["test/spanish", "test/plain"]' });
            await until(async () => await size('/title:niño') === 1);
            expect(await size('/a:mountain')).to.equal(1);

            await changeDesign({ search: {} });
            await service.asAdmin('POST /reindexBatch', { payload: '["test/plain"]' });
            await until(async () => await size('/a:mountain') === 0);
            expect(await size('/a:mountains')).to.equal(1);
            await put('/schemas/Book', BOOK);
        });

        it('reject unknown languages', async () => {

            const refused = await put('/schemas/Book', { type: 'object', cordra: { search: { language: 'klingon' } } }, 400);
            expect(refused).to.include('/schema/cordra/search/language: must be one of da, de, en, es,');
            const design = jsonOf(await service.asAdmin('GET /objects/design')) as object;
            expect(await put('/objects/design', { ...design, search: { language: 5 } }, 400)).to.include('/search/language');
            expect(jsonOf(await service.asAdmin('GET /schemas/Book'))).to.equal(BOOK);
        });
    });
});
