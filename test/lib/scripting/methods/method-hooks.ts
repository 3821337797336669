/** Hooks around the change that a method has made of its object: those of an update, without the ones before the validation. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { forEachDatabase } from '../../../support/database.js';
import { contentOf, defineType, messageOf, startNodes, type Nodes } from '../../../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CALL = 'gateway/Op.Call';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const UPDATE = '0.DOIP/Op.Update';

/** Notes each hook in another object, and has a method for each kind of change. */
const NOTED = `
const cordra = require('cordra');
for (const hook of ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'generateId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate',
    'beforeDelete', 'afterDelete']) {
    exports[hook] = (object, { isNew, isUpdate, userId, requestContext, originalObject, isDryRun }) => {
        if (object.id && object.content.n !== undefined) {
            const notes = cordra.get('test/notes');
            notes.content.lines.push({ hook, type: object.type, n: object.content.n, isNew, isUpdate, userId, requestContext, isDryRun, former: originalObject?.content.n });
            cordra.update(notes);
        }
        return hook === 'generateId' ? '' : object;
    };
}
exports.methods = {
    add: (object, { params }) => object.content.n += params,
    look: (object) => object.content.n,
    spoil: (object) => { object.content.n = 'many'; },
    turn: (object, { params }) => { object.type = params; },
    peek: (object) => { object.content.n = -1; return 'peeked'; }
};
exports.methods.peek.allowGet = true;
`;

const SCHEMA: JsonObject = { type: 'object', properties: { n: { type: 'integer' } } };

forEachDatabase((name, create) => {

    describe(`hooks around changes by methods, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
            await node.create('Document', { lines: [] }, { id: 'test/notes' });
            await defineType(node, 'Noted', NOTED, SCHEMA);
            await defineType(node, 'Renoted', NOTED, SCHEMA);
            await defineType(node, 'Bounded', `
                exports.beforeStorage = (object) => { if (object.content.n > 9) { throw 'too much'; } };
                exports.methods = { add: (object, { params }) => object.content.n += params };`, SCHEMA);
            await defineType(node, 'Kept', `
                exports.beforeDelete = () => { throw 'it stays'; };
                exports.methods = { turn: (object) => { object.type = 'Noted'; } };`, SCHEMA);
            await defineType(node, 'Own', `
                const cordra = require('cordra');
                exports.beforeStorage = (object) => { if (object.content.n === 3) { cordra.update(object); } };
                exports.afterCreateOrUpdate = (object) => { if (object.content.n < 5) { object.content.n = 5; cordra.update(object); } };
                exports.methods = { set: (object, { params }) => { object.content.n = params; } };`, SCHEMA);
        });

        after(() => nodes.stop());

        const call = (targetId: string, method: string, params: string | number = 0, more: object = {}): Promise<Answer> => (
            node.asAdmin(CALL, { targetId, attributes: { method, params, ...more } })
        );

        async function noted(work: () => Promise<unknown>): Promise<JsonObject[]> {

            await node.asAdmin(UPDATE, { targetId: 'test/notes', input: { attributes: { content: { lines: [] } } } });
            await work();
            return contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/notes' }))['lines'] as JsonObject[];
        }

        it('are those of an update after the validation', async () => {

            await node.create('Noted', { n: 1 }, { id: 'test/noted' });
            const lines = await noted(() => call('test/noted', 'add', 2, { requestContext: { from: 'here' } }));

            const facts = { type: 'Noted', n: 3, isNew: false, isUpdate: true, userId: 'admin', requestContext: { from: 'here' }, former: 1 };
            expect<unknown>(lines.map(({ hook }) => hook)).to.equal(['beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate']);
            expect<unknown>([lines[0], lines[2]]).to.equal([{ hook: 'beforeStorage', ...facts }, { hook: 'afterCreateOrUpdate', ...facts }]);
        });

        const UNCHANGED: readonly (readonly [title: string, method: string, safe: boolean, status: string])[] = [
            ['changes nothing', 'look', false, OK], ['is called by GET', 'peek', true, OK], ['leaves invalid content', 'spoil', false, BAD]
        ];
        for (const [title, method, safe, status] of UNCHANGED) {
            it(`do not run where the method ${title}`, async () => {

                const { id } = await node.create('Noted', { n: 1 });
                let answer: Answer | undefined;
                const lines = await noted(async () => {

                    answer = await node.asAdmin(CALL, { targetId: id, attributes: { method }, safe });
                });

                expect<unknown>([answer?.status, lines]).to.equal([status, []]);
                expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))['n']).to.equal(1);
            });
        }

        it('reject what beforeStorage does not allow', async () => {

            const { id } = await node.create('Bounded', { n: 9 });
            const rejected = await call(id, 'add', 1);
            const allowed = await call(id, 'add', -1);

            expect<unknown>([rejected.status, messageOf(rejected)]).to.equal([BAD, 'too much']);
            expect<unknown>([allowed.status, allowed.value]).to.equal([OK, 8]);
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))['n']).to.equal(8);
        });

        it('are those of both types where the method changes the type', async () => {

            await node.create('Noted', { n: 1 }, { id: 'test/turned' });
            const lines = await noted(() => call('test/turned', 'turn', 'Renoted'));

            expect<unknown>(lines.map(({ type, hook, isNew, isUpdate }) => [type, hook, isNew ?? null, isUpdate ?? null])).to.equal([
                ['Noted', 'beforeDelete', null, true], ['Renoted', 'beforeStorage', true, true], ['Renoted', 'objectForIndexing', null, null],
                ['Noted', 'afterDelete', null, true], ['Renoted', 'afterCreateOrUpdate', true, true]
            ]);
        });

        it('of the former type can keep it', async () => {

            const { id } = await node.create('Kept', { n: 1 });
            const answer = await call(id, 'turn');

            expect<unknown>([answer.status, messageOf(answer)]).to.equal([BAD, 'it stays']);
            expect((await node.asAdmin(RETRIEVE, { targetId: id })).value).to.include({ type: 'Kept' });
        });

        it('change the object when it is stored, not before', async () => {

            const { id } = await node.create('Own', { n: 6 });
            const before = await call(id, 'set', 3);
            const after = await call(id, 'set', 4);

            expect(before.status).to.equal('0.DOIP/Status.105');
            expect(after.status).to.equal(OK);
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))['n']).to.equal(5);
        });
    });
});
