/**
 * The operations that docs/extending.md shows, run.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../support/database.js';
import type { TestService } from '../support/service.js';
import { DIALECTS } from '../support/database.js';
import { readPage } from '../support/doc-pages.js';
import { ADMIN } from '../support/gateway.js';
import { startService } from '../support/service.js';
import { copy } from './copy-operation.js';
import { registerWordCount, wordCount } from './word-count.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the example of an operation of one\'s own', () => {

    let database: TestDatabase;
    let test: TestService;

    before(async () => {

        database = await DIALECTS[0]!.create();
        test = await startService(database, {}, (gateway) => {

            registerWordCount(gateway);
            gateway.registerOperation(copy);
        });
    });

    after(async () => {

        await test.stop();
        await database.dispose();
    });

    it('writes with the rights of the caller', async () => {

        const { id } = await test.create('Document', { name: 'a map' });

        const anonymous = await test.perform(copy.id, { targetId: id });
        const byAdmin = await test.perform(copy.id, { targetId: id, authentication: ADMIN });
        const copied = byAdmin.value as { id: string };
        const { value } = await test.perform('0.DOIP/Op.Retrieve', { targetId: copied.id });

        expect(anonymous.status).to.equal('0.DOIP/Status.102');
        expect(byAdmin.status).to.equal('0.DOIP/Status.001');
        expect(copied.id).to.not.equal(id);
        expect((value as { attributes: { content: object; metadata: object } }).attributes).to.include({ content: { id: copied.id, name: 'a map' } });
    });

    it('counts the words of an object', async () => {

        const { id } = await test.create('Document', { name: 'the old map', description: 'of the harbour' });

        const answer = await test.perform(wordCount.id, { targetId: id, attributes: { minLength: 6 } });

        expect(answer.value).to.equal({ words: 1 });
    });

    it('is listed for objects', async () => {

        const { id } = await test.create('Document', {});

        const { value } = await test.perform('0.DOIP/Op.ListOperations', { targetId: id });

        expect(value).to.include(wordCount.id);
    });

    it('answers over HTTP by the URL that the documentation shows, and is listed there', async () => {

        await test.create('Document', { name: 'A map' }, { id: 'test/map' });
        const url = '/doip?operationId=20.500.123/Op.WordCount&targetId=test/map&minLength=2';

        const answer = await test.server.inject(url);
        const list = await test.server.inject('/doip/0.DOIP/Op.ListOperations?targetId=test/map');

        expect(readPage('docs/extending.md').text).to.include(url);
        expect(answer.statusCode).to.equal(200);
        expect((JSON.parse(answer.payload) as { words: number }).words).to.be.above(0);
        expect(JSON.parse(list.payload)).to.include(wordCount.id);
    });

    it('is refused to those who may not read the object', async () => {

        const { id } = await test.create('Document', {}, { attributes: { acl: { readers: [] } } });

        const { status } = await test.perform(wordCount.id, { targetId: id });

        expect(status).to.equal('0.DOIP/Status.102');
    });

    it('names a wrong attribute', async () => {

        const { id } = await test.create('Document', {});

        const { status, value } = await test.perform(wordCount.id, { targetId: id, attributes: { minLength: 'long' } });

        expect(status).to.equal('0.DOIP/Status.101');
        expect(value).to.equal({ message: 'attribute "minLength" must be a number' });
    });
});
