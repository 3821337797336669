/** Objects with parts that are only for those who may write them: hidden wherever an object is shown, on every database. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { account, ACCOUNT, basic, defineAccounts } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import type { Answer, ShortRequest, TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const SECRET = 'for writers only';
const reference = { type: 'string', cordra: { type: { handleReference: { types: ['Plain', 'Coded', 'Closed'] } } } };

/** What nobody but writers sees: the access control list, a property, a reference and an element. */
function hide(object: StoredObject): StoredObject {

    const { secret, inside, ...content } = object.content;
    return { ...object, content, acl: null, userMetadata: null, elements: object.elements.filter(({ name }) => name !== 'secret') };
}

forEachDatabase((name, create) => {

    describe(`a part that only writers see on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let acl: JsonObject;

        before(async () => {

            place = await create();
            test = await startGateway(place, { hide });
            await defineAccounts(test);
            const [reader, writer] = [await test.create(ACCOUNT, account('reader')), await test.create(ACCOUNT, account('writer'))];
            acl = { readers: [reader.id], writers: [writer.id] };
            const schema = { type: 'object', properties: { inside: reference, open: reference } };
            const authConfig = { defaultAclRead: ['public'], defaultAclWrite: ['public'] };
            await test.create('Schema', { name: 'Plain', schema });
            // Its code shows objects without their list, and the defaults of the type would let everybody write.
            const javascript = 'exports.onObjectResolution = (object) => { delete object.acl; object.content.shown = true; return object; };';
            await test.create('Schema', { name: 'Coded', schema, authConfig, javascript });
            const closed = { defaultAclRead: [], defaultAclWrite: [] };
            await test.create('Schema', { name: 'Closed', schema, authConfig: closed, javascript });
            for (const type of ['Plain', 'Coded', 'Closed']) {
                await test.create(type, { name: 'target' }, { id: `test/${type}-target` });
                await test.create(type, { name: 'hidden target' }, { id: `test/${type}-hidden` });
                const { status, value } = await test.asAdmin(Op.create, { input: [
                    jsonSegment({ type, id: `test/${type}`, elements: [{ id: 'open' }, { id: 'secret' }], attributes: {
                        content: { name: 'x', secret: SECRET, open: `test/${type}-target`, inside: `test/${type}-hidden` }, acl, userMetadata: { secret: SECRET }
                    } }),
                    jsonSegment({ id: 'open' }), bytesSegment(Buffer.from('open bytes')),
                    jsonSegment({ id: 'secret' }), bytesSegment(Buffer.from('secret bytes'))
                ] });
                expect(status, JSON.stringify(value)).to.equal(OK);
            }
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        /** What is asked; whether the reader is shown something of it in which nothing hidden may be found. */
        const requests: readonly (readonly [title: string, operation: string, request: (id: string) => ShortRequest, isShown: boolean])[] = [
            ['Retrieve', Op.retrieve, (id) => ({ targetId: id }), true],
            ['Retrieve of a hidden property', Op.retrieve, (id) => ({ targetId: id, attributes: { jsonPointer: '/secret' } }), false],
            ['Retrieve with a filter', Op.retrieve, (id) => ({ targetId: id, attributes: { filter: ['/id', '/attributes/content/secret', '/attributes/acl'] } }), true],
            ['Retrieve with the bytes of elements', Op.retrieve, (id) => ({ targetId: id, attributes: { includeElementData: true } }), true],
            ['Retrieve of a hidden element', Op.retrieve, (id) => ({ targetId: id, attributes: { element: 'secret' } }), false],
            ['Acls.Get', Op.aclsGet, (id) => ({ targetId: id }), true],
            ['Search', Op.search, (id) => ({ attributes: { query: `id:"${id}"` } }), true],
            ['Search with a filter', Op.search, (id) => ({ attributes: { query: `id:"${id}"`, filter: ['/id', '/attributes/content/secret'] } }), true],
            ['Relationships.Get', Op.relationshipsGet, (id) => ({ targetId: id }), true],
            ['Relationships.Get of what it points at', Op.relationshipsGet, (id) => ({ targetId: `${id}-target` }), true],
            ['Relationships.Get of what it points at in secret', Op.relationshipsGet, (id) => ({ targetId: `${id}-hidden` }), true]
        ];

        const HIDDEN = /for writers only|secret bytes|"secret"|"inside"|\/inside|"acl":\{|"readers":\[/;
        const ask = (operation: string, request: ShortRequest, authentication: JsonObject): Promise<Answer> =>
            test.perform(operation, { ...request, authentication });

        for (const type of ['Plain', 'Coded']) {
            for (const [title, operation, request, isShown] of requests) {
                it(`is hidden by ${title} from readers of ${type} objects, and shown to writers`, async () => {

                    const asked = request(`test/${type}`);
                    const reader = await ask(operation, asked, basic('reader'));
                    const writer = await ask(operation, asked, basic('writer'));
                    const admin = await ask(operation, asked, ADMIN);

                    expect(reader.status === OK, JSON.stringify(reader)).to.equal(isShown);
                    expect(JSON.stringify([reader.output, reader.attributes])).to.not.match(HIDDEN);
                    expect([writer.status, admin.status]).to.equal([OK, OK]);
                    expect(JSON.stringify(writer.output)).to.match(HIDDEN);
                    expect(JSON.stringify(admin.output)).to.equal(JSON.stringify(writer.output));
                });
            }

            it(`leaves the rest of ${type} objects to readers`, async () => {

                const { value } = await ask(Op.retrieve, { targetId: `test/${type}` }, basic('reader'));
                const open = await ask(Op.retrieve, { targetId: `test/${type}`, attributes: { element: 'open' } }, basic('reader'));
                const around = await ask(Op.relationshipsGet, { targetId: `test/${type}` }, basic('reader'));

                expect<unknown>((value as { attributes: { content: JsonObject } }).attributes.content).to.include({ name: 'x', open: `test/${type}-target` });
                expect<unknown>((value as { elements: JsonObject[] }).elements.map(({ id }) => id)).to.equal(['open']);
                expect(open.value).to.equal('open bytes');
                expect((around.value as { nodes: { id: string }[] }).nodes.map(({ id }) => id)).to.equal([`test/${type}`, `test/${type}-target`]);
            });
        }

        it('leaves elements to readers whom the list names that the code does not show', async () => {

            const open = await ask(Op.retrieve, { targetId: 'test/Closed', attributes: { element: 'open' } }, basic('reader'));
            const whole = await ask(Op.retrieve, { targetId: 'test/Closed', attributes: { includeElementData: true } }, basic('reader'));

            expect(open.value).to.equal('open bytes');
            expect(whole.status).to.equal(OK);
        });
    });
});
