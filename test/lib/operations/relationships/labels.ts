/** Labels of many objects, on every database. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts } from '../../../support/accounts.js';
import type { TestDatabase } from '../../../support/database.js';
import { forEachDatabase } from '../../../support/database.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { defineType } from '../../../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';

const NAMED: JsonObject = {
    type: 'object',
    properties: {
        title: { type: ['string', 'number', 'object', 'null'], cordra: { preview: { showInPreview: true, isPrimary: true } } },
        other: { type: 'string', cordra: { preview: { showInPreview: true } } }
    }
};

forEachDatabase((name, create) => {

    describe(`labels of objects on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            await test.create(ACCOUNT, account('ann'), { id: 'test/ann' });
            await defineType(test, 'Named', '', NAMED);
            await defineType(test, 'Shy', `exports.onObjectResolution = (object) => {

                if (object.content.title === 'hidden') { throw 'no'; }
                object.content.title = 'shown';
                return object;
            };`, NAMED);
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const labels = async (ids: readonly string[], request: ShortRequest = {}): Promise<Record<string, { label: string; type: string; id: string }>> => {

            const { status, value } = await test.perform(Op.labels, { authentication: ADMIN, attributes: { ids: [...ids] }, ...request });
            expect(status, JSON.stringify(value)).to.equal(OK);
            return (value as { results: Record<string, { label: string; type: string; id: string }> }).results;
        };

        const titles: [title: string, value: JsonObject, label: string | null][] = [
            ['the text of the primary property', { title: 'A map' }, 'A map'],
            ['a number', { title: 1.5 }, '1.5'],
            ['the id without one', { other: 'x' }, null],
            ['the id for an empty text', { title: '' }, null],
            ['the id for white space', { title: ' \n\t ' }, null],
            ['the id for what is no text', { title: { a: 'b' } }, null],
            ['the id for null', { title: null }, null],
            ['one line', { title: ' two\nlines\u0000 and more ' }, 'two lines and more'],
            ['a part of a long text', { title: 'x'.repeat(10_000) }, `${'x'.repeat(199)}…`],
            ['no half of a character', { title: `${'x'.repeat(198)}😀😀` }, `${'x'.repeat(198)}�…`],
            ['markup as it is', { title: '<b>bold</b>' }, '<b>bold</b>']
        ];
        for (const [index, [title, content, label]] of titles.entries()) {
            it(`are ${title}`, async () => {

                const id = `test/title-${index}`;
                await test.create('Named', content, { id });

                expect(await labels([id])).to.equal({ [id]: { id, label: label ?? id, type: 'Named' } });
            });
        }

        it('are those of objects that the caller may read, once each; others are absent like missing ones', async () => {

            await test.create('Named', { title: 'open' }, { id: 'test/open', attributes: { acl: { readers: ['public'], writers: [] } } });
            await test.create('Named', { title: 'for ann' }, { id: 'test/for-ann', attributes: { acl: { readers: ['test/ann'], writers: [] } } });
            await test.create('Named', { title: 'for nobody' }, { id: 'test/for-nobody', attributes: { acl: { readers: [], writers: [] } } });
            const ids = ['test/open', 'test/for-ann', 'test/open', 'test/for-nobody', 'test/missing', '', 'x'.repeat(10_000), '__proto__'];
            const of = async (authentication: JsonObject): Promise<string[]> => Object.values(await labels(ids, { authentication })).map(({ label }) => label);

            expect(await of({})).to.equal(['open']);
            expect(await of(basic('ann'))).to.equal(['open', 'for ann']);
            expect(await of(ADMIN)).to.equal(['open', 'for ann', 'for nobody']);
        });

        it('are those that the code of the type shows', async () => {

            await test.create('Shy', { title: 'secret' }, { id: 'test/shown', attributes: { acl: { readers: ['public'], writers: [] } } });
            await test.create('Shy', { title: 'hidden' }, { id: 'test/hidden', attributes: { acl: { readers: ['public'], writers: [] } } });

            expect(await labels(['test/shown', 'test/hidden'], { authentication: {} })).to.equal({ 'test/shown': { id: 'test/shown', label: 'shown', type: 'Shy' } });
        });

        it('are given for an array as input as well, and for one id', async () => {

            const byInput = await labels([], { attributes: {}, input: ['test/ann', 'test/none'] });
            const byOne = await labels([], { attributes: { ids: 'test/ann' } });

            expect([Object.keys(byInput), Object.keys(byOne)]).to.equal([['test/ann'], ['test/ann']]);
        });

        const refused: [title: string, request: ShortRequest][] = [
            ['more than 500 ids', { attributes: { ids: Array<string>(501).fill('test/a') } }], ['no ids', {}], ['ids twice', { attributes: { ids: [] }, input: ['a'] }],
            ['an object', { input: { ids: ['a'] } }], ['numbers as input', { input: [1] }], ['an object among them', { attributes: { ids: [{}] } }],
            ['more than 500 ids as input', { input: Array<string>(501).fill('test/a') }]
        ];
        for (const [title, request] of refused) {
            it(`are not given for ${title}`, async () => {

                expect((await test.perform(Op.labels, request)).status).to.equal(BAD);
            });
        }

        it('end when the contents are too long together', async () => {

            const ids = Array.from({ length: 12 }, (_, index) => `test/long-${String(index).padStart(2, '0')}`);
            for (const id of ids) {
                await test.create('Named', { title: id, other: 'x'.repeat(900_000) }, { id });
            }

            const found = Object.keys(await labels(ids));

            expect(found).to.equal(ids.slice(0, 10));
        });

        it('are in every node of relationships', async () => {

            await defineType(test, 'Linked', '', {
                type: 'object',
                properties: {
                    title: { type: 'string', cordra: { preview: { isPrimary: true } } }, to: { type: 'string', cordra: { type: { handleReference: { types: ['Linked'] } } } }
                }
            });
            await test.create('Linked', { title: 'last' }, { id: 'test/l3' });
            await test.create('Linked', { title: 'middle', to: 'test/l3' }, { id: 'test/l2' });
            await test.create('Linked', { to: 'test/l2' }, { id: 'test/l1' });
            const { value } = await test.asAdmin(Op.relationshipsGet, { targetId: 'test/l2' });

            expect<unknown>((value as JsonObject)['nodes']).to.equal([
                { id: 'test/l2', label: 'middle' }, { id: 'test/l1', label: 'test/l1' }, { id: 'test/l3', label: 'last' }
            ]);
        });
    });
});
