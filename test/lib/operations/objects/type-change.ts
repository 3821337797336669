import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { forEachDatabase } from '../../../support/database.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { startGateway } from '../../../support/gateway.js';
import { defineType } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const UPDATE = '0.DOIP/Op.Update';
const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const MISSING = '0.DOIP/Status.104';
const FORBIDDEN = '0.DOIP/Status.103';

const ANN = { username: 'ann', password: 'password of ann' };

forEachDatabase((name, create) => {

    describe(`a change of type on ${name}`, () => {

        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            database = await create();
            node = await startGateway(database);
            await defineType(node, 'Other', '');
        });

        after(async () => {

            await node.stop();
            await database.dispose();
        });

        const typeOf = async (targetId: string): Promise<unknown> => (await node.asAdmin('0.DOIP/Op.Retrieve', { targetId })).value;

        const toOther = (targetId: string, more: object): Promise<Answer> => (
            node.asAdmin(UPDATE, { targetId, input: { type: 'Other', attributes: { content: { id: '' } } }, ...more })
        );

        it('is allowed by the protocol and the design, never by an attribute', async () => {

            await node.create('Document', { name: 'a' }, { id: 'test/a' });

            const byAttribute = await toOther('test/a', { attributes: { allowTypeChange: true } });
            const before = await typeOf('test/a');
            const byCarrier = await toOther('test/a', { allowTypeChange: true });

            expect(byAttribute).to.include({ status: BAD });
            expect(before).to.include({ type: 'Document' });
            expect(byCarrier).to.include({ status: OK });
            expect(await typeOf('test/a')).to.include({ type: 'Other' });
        });

        describe('after the bytes of an element', () => {

            const RULE = 'exports.staticMethods = {}';
            const content = { identifier: '', name: 'Taken', schema: {}, javascript: RULE };
            const bytes = [jsonSegment({ id: 'p' }), bytesSegment(Buffer.from('bytes'))];
            const late = jsonSegment({ type: 'Schema', attributes: { content } });

            before(() => node.create('User', ANN));

            it('is rejected for a new object, without the right to create objects of the type', async () => {

                const { status } = await node.perform('0.DOIP/Op.Create', {
                    authentication: ANN, input: [jsonSegment({ id: 'test/late', type: 'Document', elements: [{ id: 'p' }] }), ...bytes, late]
                });

                expect(status).to.equal(FORBIDDEN);
                expect((await node.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/late' })).status).to.equal(MISSING);
            });

            it('is rejected for an own object, without the right to create objects of the type', async () => {

                await node.perform('0.DOIP/Op.Create', { authentication: ANN, input: { id: 'test/own', type: 'Document', attributes: { content: {} } } });

                const { status } = await node.perform(UPDATE, {
                    targetId: 'test/own', authentication: ANN, allowTypeChange: true, input: [jsonSegment({ elements: [{ id: 'p' }] }), ...bytes, late]
                });

                expect(status).to.equal(FORBIDDEN);
                expect(await typeOf('test/own')).to.include({ type: 'Document' });
            });

            it('is accepted with the right', async () => {

                await node.create('Document', {}, { id: 'test/any' });

                const { status } = await node.asAdmin(UPDATE, {
                    targetId: 'test/any', allowTypeChange: true, input: [jsonSegment({ elements: [{ id: 'p' }] }), ...bytes, jsonSegment({ type: 'Other', attributes: { content: { id: '' } } })]
                });

                expect(status).to.equal(OK);
                expect(await typeOf('test/any')).to.include({ type: 'Other' });
            });
        });

        it('is rejected for the design object, also from a script', async () => {

            await defineType(node, 'Meddler', `exports.staticMethods = {
                meddle: () => require('cordra').update({ id: 'design', type: 'Document', content: {} })
            };`);

            const byCarrier = await toOther('design', { allowTypeChange: true });
            const byScript = await node.asAdmin('gateway/Op.Call', { attributes: { type: 'Meddler', method: 'meddle' } });

            for (const answer of [byCarrier, byScript]) {
                expect(answer.status).to.equal(BAD);
                expect(answer.attributes['message']).to.equal('the type of the design object cannot be changed');
            }

            expect(await typeOf('design')).to.include({ type: 'CordraDesign' });
        });
    });
});
