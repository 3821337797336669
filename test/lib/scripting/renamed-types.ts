/** Code of types that get another name, and of types that have a library in Java beside it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { changeMembers, contentOf, defineType, found, messageOf, OPEN_SCHEMA, put, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CALL = 'gateway/Op.Call';
const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const DELETE = '0.DOIP/Op.Delete';

const CODE = `
    exports.beforeSchemaValidation = (object) => { object.content.stored = object.type; return object; };
    exports.objectForIndexing = (object) => { object.content.indexed = 'indexed as ' + object.type; return object; };
    exports.onObjectResolution = (object) => { object.content.shown = object.type; return object; };
    exports.beforeDelete = () => { throw 'kept by its type'; };
    exports.methods = { who: (object) => object.type };
    exports.staticMethods = { kind: () => 'one kind' };
`;

/** The content in an answer. */
const told = (answer: Answer): Record<string, unknown> => contentOf(answer);

forEachDatabase((name, create) => {

    describe(`the code of a renamed type, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
        });

        after(() => nodes.stop());

        const ofObject = (on: TestGateway, targetId: string): Promise<Answer> => on.asAdmin(CALL, { targetId, attributes: { method: 'who' } });
        const ofType = (on: TestGateway, type: string): Promise<Answer> => on.asAdmin(CALL, { attributes: { type, method: 'kind' } });

        /** What the code of a type does to an object of it, on a node. */
        async function works(on: TestGateway, type: string, id: string): Promise<void> {

            const created = await put(on, type, {}, { id });
            const removed = await on.asAdmin(DELETE, { targetId: id });

            expect(told(created), id).to.include({ stored: type });
            expect(told(await on.asAdmin(RETRIEVE, { targetId: id })), id).to.include({ stored: type, shown: type });
            expect(await found(on, `/indexed:"indexed as ${type}" AND id:${id}`), id).to.equal([id]);
            expect<unknown>([(await ofObject(on, id)).value, (await ofType(on, type)).value], id).to.equal([type, 'one kind']);
            expect([removed.status, messageOf(removed)], id).to.equal([BAD, 'kept by its type']);
        }

        it('works under the new name at once, on every node, and no longer under the old one', async () => {

            const schemaId = await defineType(node, 'Early', CODE);
            await works(node, 'Early', 'test/early');
            await changeMembers(node, schemaId, { name: 'Late' });

            for (const [index, on] of nodes.all.entries()) {
                await works(on, 'Late', `test/late${index}`);
                expect(messageOf(await put(on, 'Early', {}))).to.equal('Unknown type Early');
                const { status, value } = await ofType(on, 'Early');
                expect(status, JSON.stringify(value)).to.not.equal(OK);
            }
        });

        it('does not apply to objects with the old name, until the type has that name again', async () => {

            const schemaId = await defineType(node, 'Former', CODE);
            await put(node, 'Former', {}, { id: 'test/former' });
            await put(node, 'Former', {}, { id: 'test/other' });
            await changeMembers(node, schemaId, { name: 'Current' });

            for (const on of nodes.all) {
                const updated = await on.asAdmin(UPDATE, { targetId: 'test/former', input: { attributes: { content: { n: 1 } } } });
                const called = await ofObject(on, 'test/former');
                expect(told(await on.asAdmin(RETRIEVE, { targetId: 'test/former' }))).to.equal({ id: 'test/former', stored: 'Former' });
                expect([updated.status, messageOf(updated)]).to.equal([BAD, 'Unknown type Former']);
                expect(called.status, JSON.stringify(called.value)).to.not.equal(OK);
            }

            expect((await node.asAdmin(DELETE, { targetId: 'test/other' })).status).to.equal(OK);
            await changeMembers(node, schemaId, { name: 'Former' });
            for (const [index, on] of nodes.all.entries()) {
                const updated = await on.asAdmin(UPDATE, { targetId: 'test/former', input: { attributes: { content: { id: 'test/former', n: index } } } });
                expect(told(updated)).to.equal({ id: 'test/former', n: index, stored: 'Former' });
                expect(told(await on.asAdmin(RETRIEVE, { targetId: 'test/former' }))).to.include({ n: index, shown: 'Former' });
                expect(messageOf(await on.asAdmin(DELETE, { targetId: 'test/former' }))).to.equal('kept by its type');
            }
        });

        it('is replaced for objects with the old name when another type takes that name', async () => {

            const schemaId = await defineType(node, 'Handed', CODE);
            await put(node, 'Handed', {}, { id: 'test/handed' });
            await changeMembers(node, schemaId, { name: 'Left' });
            await defineType(node, 'Handed', 'exports.methods = { who: () => "the other" };');

            for (const [index, on] of nodes.all.entries()) {
                expect<unknown>((await ofObject(on, 'test/handed')).value).to.equal('the other');
                expect(told(await on.asAdmin(RETRIEVE, { targetId: 'test/handed' }))).to.not.include('shown');
                await works(on, 'Left', `test/left${index}`);
            }

            expect((await node.asAdmin(DELETE, { targetId: 'test/handed' })).status).to.equal(OK);
        });
    });

    describe(`a Java library on a Schema object, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        const LIBRARY = Buffer.from('504b0304140008080800ff', 'hex');

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
        });

        after(() => nodes.stop());

        const define = async (type: string, id: string, more: { javascript?: string }): Promise<void> => {

            const content = { identifier: '', name: type, schema: OPEN_SCHEMA, ...more };
            const { status, value } = await node.asAdmin(CREATE, { input: [
                jsonSegment({ id, type: 'Schema', attributes: { content } }),
                jsonSegment({ id: 'java', type: 'application/java-archive', filename: 'hooks.jar' }), bytesSegment(LIBRARY)
            ] });
            expect(status, JSON.stringify(value)).to.equal(OK);
        };

        const kept = async (on: TestGateway, id: string): Promise<void> => {

            const { output, attributes } = await on.asAdmin(RETRIEVE, { targetId: id, attributes: { element: 'java' } });
            expect(attributes).to.include({ mediaType: 'application/java-archive', filename: 'hooks.jar' });
            expect(output).to.equal([LIBRARY.toString()]);
        };

        it('is stored without effect on objects of the type', async () => {

            await define('Jar', 'test/jar-type', {});
            await put(node, 'Jar', {}, { id: 'test/jar' });

            for (const on of nodes.all) {
                const called = await on.asAdmin(CALL, { targetId: 'test/jar', attributes: { method: 'who' } });
                expect(messageOf(called)).to.equal('Schema does not have a method called who');
                expect(told(await on.asAdmin(RETRIEVE, { targetId: 'test/jar' }))).to.equal({ id: 'test/jar' });
                await kept(on, 'test/jar-type');
            }

            expect((await node.asAdmin(DELETE, { targetId: 'test/jar' })).status).to.equal(OK);
        });

        it('does not affect the JavaScript, and stays when that changes', async () => {

            await define('Both', 'test/both-type', { javascript: 'exports.methods = { who: () => "script" };' });
            await put(node, 'Both', {}, { id: 'test/both' });
            const who = async (on: TestGateway): Promise<unknown> => (await on.asAdmin(CALL, { targetId: 'test/both', attributes: { method: 'who' } })).value;

            const first = await who(node);
            await changeMembers(node, 'test/both-type', { javascript: 'exports.methods = { who: () => "changed" };' });

            expect(first).to.equal('script');
            for (const on of nodes.all) {
                expect(await who(on)).to.equal('changed');
                await kept(on, 'test/both-type');
            }
        });
    });
});
