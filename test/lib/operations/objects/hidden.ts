import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { TestDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { forEachDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import { changeDesign, defineType, OPEN_SCHEMA } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const MISSING = '0.DOIP/Status.104';
const CREATE = '0.DOIP/Op.Create';

const ANN = { username: 'ann', password: 'password of ann' };
const HIDDEN = { readers: [], writers: [] };

const RULES = (readers: string[]): JsonObject => ({
    schemaAcls: {}, defaultAcls: { defaultAclRead: readers, defaultAclWrite: ['creator'], aclCreate: ['authenticated'] }
});

const REFERENCES: JsonObject = {
    type: 'object',
    properties: {
        ...OPEN_SCHEMA['properties'] as JsonObject,
        typed: { type: 'string', cordra: { type: { handleReference: { types: ['Plain'] } } } },
        untyped: { type: 'string', cordra: { type: { handleReference: {} } } }
    }
};

forEachDatabase((name, create) => {

    describe(`an object that the caller may not read, on ${name},`, () => {

        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            database = await create();
            node = await startGateway(database);
            await node.create('User', { username: 'ann', password: 'password of ann' }, { id: 'test/ann' });
            await defineType(node, 'Plain', '');
            await defineType(node, 'Coded', 'exports.methods = { count: () => 1, ask: () => 2 }; exports.methods.ask.allowGet = true;');
            await defineType(node, 'Referrer', '', REFERENCES);
            await defineType(node, 'Binder', 'exports.beforeSchemaValidation = (object) => { object.content.typed = "test/plain"; return object; };', REFERENCES);
            await defineType(node, 'Mover', 'exports.beforeSchemaValidation = (object) => { object.content.typed = object.content.list[1]; return object; };', REFERENCES);
            await node.create('Plain', {}, { id: 'test/plain', attributes: { acl: HIDDEN } });
            await node.create('Coded', {}, { id: 'test/coded', attributes: { acl: HIDDEN } });
            await node.create('Plain', {}, { id: 'test/shown', attributes: { acl: { readers: ['public'] } } });
            await node.create('Coded', {}, { id: 'test/shown-coded', attributes: { acl: { readers: ['public'] } } });
        });

        after(async () => {

            await node.stop();
            await database.dispose();
        });

        const seen = ({ status, value }: Answer): unknown => ({ status, value });

        const refer = (content: JsonObject, type = 'Referrer'): Promise<Answer> => (
            node.perform(CREATE, { authentication: ANN, attributes: { dryRun: true }, input: { type, attributes: { content } } })
        );

        const CALLS: readonly (readonly [operation: string, safe: boolean])[] = [
            ['nosuch', false], ['nosuch', true], ['count', false], ['count', true], ['ask', false], ['ask', true], ['20.500.123/Op.None', false]
        ];

        describe('when all readers are named', () => {

            before(() => changeDesign(node, { authConfig: RULES([]) }));

            for (const [who, authentication] of [['anonymous callers', {}], ['ann', ANN]] as const) {
                for (const [operationId, safe] of CALLS) {
                    it(`looks to ${who} like a missing one, including its methods: ${operationId}${safe ? ' by GET' : ''}`, async () => {

                        const answers = await Promise.all(['test/plain', 'test/coded', 'test/none'].map(async (targetId) => (
                            seen(await node.perform(operationId, { targetId, authentication, safe }))
                        )));

                        expect(answers[0]).to.include({ status: who === 'ann' ? FORBIDDEN : UNAUTHENTICATED });
                        expect(answers[1]).to.equal(answers[0]);
                        expect(answers[2]).to.equal(answers[0]);
                    });
                }
            }

            it('looks like a missing one to an invalid request', async () => {

                const answers = await Promise.all(['plain', 'coded', 'none'].map(async (suffix) => (
                    seen(await node.perform('count', { targetId: `test/${suffix}`, authentication: ANN, attributes: { requestContext: 'none' } }))
                )));

                expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
            });

            it('looks like a missing one in a batch of a caller who may create nothing', async () => {

                await changeDesign(node, { authConfig: { ...RULES([]), defaultAcls: { ...RULES([])['defaultAcls'] as JsonObject, aclCreate: [] } } });
                const facts: readonly JsonObject[] = [{}, { type: 'Plain' }, { type: 'Unknown' }, { type: 'Plain', attributes: { acl: 1 } }, { type: 1 }];
                for (const more of facts) {
                    const items = ['test/plain', 'test/coded', 'test/none'].map((id) => ({ id, ...more }));
                    const { value } = await node.perform('20.DOIP/Op.BatchUpload', { authentication: ANN, input: items });
                    const { results } = value as { results: JsonObject[] };

                    expect<unknown>(results.map(({ responseCode }) => responseCode)).to.equal([403, 403, 403]);
                    expect(new Set(results.map(({ response }) => JSON.stringify(response))).size).to.equal(1);
                }

                await changeDesign(node, { authConfig: RULES([]) });
            });

            it('looks like a missing one when an existing value becomes a reference to it', async () => {

                const note = ['test/plain', 'test/coded', 'test/none'];
                await node.create('Referrer', { id: '', note }, { id: 'test/noted', attributes: { acl: { writers: ['test/ann'] } } });
                const messages = await Promise.all(['plain', 'coded', 'none'].map(async (suffix) => String((await node.perform('0.DOIP/Op.Update', {
                    targetId: 'test/noted', authentication: ANN, attributes: { dryRun: true },
                    input: { attributes: { content: { id: '', note, untyped: `test/${suffix}` } } }
                })).attributes['message']).replaceAll(suffix, '…')));

                expect(new Set(messages)).to.equal(new Set(['/untyped: Unexpected missing cordra object test/… at /untyped']));
            });

            it('looks like a missing one when it is referenced', async () => {

                for (const property of ['typed', 'untyped']) {
                    const messages = await Promise.all(['plain', 'coded', 'none'].map(async (suffix) => (
                        String((await refer({ id: '', [property]: `test/${suffix}` })).attributes['message']).replaceAll(suffix, '…')
                    )));

                    expect(new Set(messages)).to.equal(new Set([`/${property}: Unexpected missing cordra object test/… at /${property}`]));
                }
            });

            it('looks like a missing one when the code of a type moves what refers to it', async () => {

                const messages = await Promise.all(['plain', 'coded', 'none'].map(async (suffix) => (
                    String((await refer({ id: '', list: [0, `test/${suffix}`] }, 'Mover')).attributes['message']).replaceAll(suffix, '…')
                )));

                expect(new Set(messages)).to.equal(new Set(['/typed: Unexpected missing cordra object test/… at /typed']));
            });

            it('can be referenced by the code of types, and stays referenced after other changes', async () => {

                const byCode = await refer({ id: '' }, 'Binder');
                await node.create('Referrer', { id: '', untyped: 'test/coded' }, { id: 'test/kept', attributes: { acl: { writers: ['test/ann'] } } });
                const update = (content: JsonObject): Promise<Answer> => node.perform('0.DOIP/Op.Update', {
                    targetId: 'test/kept', authentication: ANN, input: { attributes: { content } }
                });
                const kept = await update({ id: '', untyped: 'test/coded', note: 1 });
                const changed = await update({ id: '', untyped: 'test/plain', note: 1 });

                expect([byCode.status, kept.status]).to.equal([OK, OK]);
                expect(changed.attributes['message']).to.equal('/untyped: Unexpected missing cordra object test/plain at /untyped');
            });

            it('is visible to its readers', async () => {

                const right = await refer({ id: '', typed: 'test/shown' });
                const wrong = await refer({ id: '', typed: 'test/shown-coded' });
                const unknown = await node.perform('nosuch', { targetId: 'test/shown' });

                expect(right.status).to.equal(OK);
                expect(wrong.attributes['message']).to.equal('/typed: Cordra object test/shown-coded referenced at /typed has type Coded, expected [Plain]');
                expect(unknown).to.include({ status: '0.DOIP/Status.200' });
            });
        });

        describe('when all ids are public', () => {

            before(() => changeDesign(node, { authConfig: RULES(['public']) }));

            it('does not reveal its type by its methods', async () => {

                for (const [operationId, safe] of CALLS) {
                    const plain = seen(await node.perform(operationId, { targetId: 'test/plain', safe }));
                    const coded = seen(await node.perform(operationId, { targetId: 'test/coded', safe }));
                    const none = seen(await node.perform(operationId, { targetId: 'test/none', safe }));

                    expect(plain).to.include({ status: UNAUTHENTICATED });
                    expect(coded).to.equal(plain);
                    expect(none).to.include({ status: MISSING });
                }
            });

            it('can be referenced without revealing its type', async () => {

                const statuses = await Promise.all(['test/plain', 'test/coded'].map(async (typed) => (await refer({ id: '', typed })).status));
                const missing = await refer({ id: '', typed: 'test/none' });

                expect(statuses).to.equal([OK, OK]);
                expect(missing.attributes['message']).to.equal('/typed: Unexpected missing cordra object test/none at /typed');
            });
        });
    });
});
