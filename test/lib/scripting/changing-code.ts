/** Type code that changes while requests run it: each of them goes on with the code of then. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import type { Answer, ShortRequest, TestGateway } from '../../support/gateway.js';
import { forEachDatabase } from '../../support/database.js';
import { changeCode, defineType, found, messageOf, OPEN_SCHEMA, put, startNodes, type Nodes } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const NOT_FOUND = '0.DOIP/Status.104';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const CALL = 'gateway/Op.Call';

/** Says that it is being loaded, or called, and goes on when the gate is open. */
const PASS = 'const pass = () => { console.log("at the gate"); for (; !require("cordra").get("test/gate").content.isOpen;); };\n';
const GATED = `${PASS} pass();\n`;

forEachDatabase((name, create) => {

    describe(`type code that changes during requests, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;
        let arrivals = 0;

        before(async () => {

            const write = (line: string): void => {

                arrivals += line.includes('"at the gate"') ? 1 : 0;
            };

            nodes = await startNodes(create, { log: pino({}, { write }) });
            ({ node } = nodes);
            await node.create('Document', { isOpen: true }, { id: 'test/gate' });
        });

        after(() => nodes.stop());

        const openGate = (isOpen: boolean): Promise<Answer> => (
            node.asAdmin(UPDATE, { targetId: 'test/gate', input: { attributes: { content: { isOpen } } } })
        );

        /** What comes of a request when something happens while its code is at the gate. */
        async function meanwhile<T>(request: () => Promise<T>, work: () => Promise<void>): Promise<T> {

            await openGate(false);
            const before = arrivals;
            const answer = request();
            await until(() => arrivals > before);
            await work();
            await openGate(true);
            return answer;
        }

        const shown = async (query: string): Promise<unknown> => {

            const { value } = await node.asAdmin('0.DOIP/Op.Search', { attributes: { query } });
            return (value as { results: { id: string }[] }).results.map(({ id }) => id);
        };

        const HOOKS: readonly (readonly [hook: string, request: (type: string) => Promise<unknown>, expected: unknown])[] = [
            ...['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate'].map((hook) => [
                hook, async (type: string) => (await put(node, type, {})).status, OK
            ] as const),
            ['generateId', async (type) => (await put(node, type, {})).status, OK],
            ['onObjectResolution', async (type) => (await node.asAdmin(RETRIEVE, { targetId: `test/${type.toLowerCase()}` })).status, OK],
            ['onObjectResolution', (type) => shown(`type:${type}`), ['test/fadingonobjectresolution7']],
            ['beforeDelete', async (type) => (await node.asAdmin('0.DOIP/Op.Delete', { targetId: `test/${type.toLowerCase()}` })).status, OK]
        ];
        HOOKS.forEach(([hook, request, expected], index) => {

            it(`no longer runs the hook ${hook} after that was removed (${index})`, async () => {

                const type = `Fading${hook}${index}`;
                const schemaId = await defineType(node, type, `${GATED} exports.${hook} = () => { throw 'of the old code'; };`);
                await changeCode(node, schemaId, '');
                await node.create(type, {}, { id: `test/${type.toLowerCase()}` });
                await changeCode(node, schemaId, `${GATED} exports.${hook} = () => { throw 'of the old code'; };`);

                expect<unknown>(await meanwhile(() => request(type), () => changeCode(node, schemaId, 'exports.other = () => {};'))).to.equal(expected);
            });
        });

        it('loses removed methods', async () => {

            const schemaId = await defineType(node, 'Forgetful', '');
            await node.create('Forgetful', {}, { id: 'test/forgetful' });
            await changeCode(node, schemaId, `${GATED} exports.methods = { one: () => 1, two: () => 2 };`);
            const call = (): Promise<Answer> => node.asAdmin(CALL, { targetId: 'test/forgetful', attributes: { method: 'one' } });

            const answer = await meanwhile(call, () => changeCode(node, schemaId, 'exports.methods = { two: () => 2 };'));

            expect([answer.status, messageOf(answer)]).to.equal([NOT_FOUND, 'Schema does not have a method called one']);
        });

        it('requires modules in their state at the start of the call', async () => {

            const directory = { ...OPEN_SCHEMA['properties'] as JsonObject, directory: { type: 'string', cordra: { referrable: { id: true, payloads: 'scripts' } } } };
            await node.create('Schema', { identifier: '', name: 'Directory', schema: { type: 'object', properties: directory } });
            const modules = (operationId: string, text: string, more: ShortRequest = {}): Promise<Answer> => node.asAdmin(operationId, {
                ...more, input: [
                    jsonSegment({ id: 'test/late', type: 'Directory', attributes: { content: { id: '', directory: '/node_modules' } } }),
                    jsonSegment({ id: 'late.js' }), bytesSegment(Buffer.from(`exports.text = '${text}';`))
                ]
            });
            await modules('0.DOIP/Op.Create', 'before');
            await defineType(node, 'Late', `${PASS} exports.methods = { read: () => { pass(); return require('late').text; } };`);
            await node.create('Late', {}, { id: 'test/latecomer' });
            const read = (): Promise<Answer> => node.asAdmin(CALL, { targetId: 'test/latecomer', attributes: { method: 'read' } });

            const replaced = await meanwhile(read, async () => void await modules(UPDATE, 'after', { targetId: 'test/late' }));
            const removed = await meanwhile(read, async () => void await node.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/late' }));
            const gone = await read();

            expect([replaced.value, removed.value]).to.equal(['before', 'after']);
            expect(messageOf(gone)).to.contain('Cannot find module');
        });

        it('calls the method of the current type of an object', async () => {

            const methods = (answer: string): string => `
                ${PASS} exports.methods = { turn: (object) => { pass(); object.type = 'Butterfly'; }, who: () => '${answer}' };`;
            await defineType(node, 'Caterpillar', methods('caterpillar'));
            await defineType(node, 'Butterfly', methods('butterfly'));
            await node.create('Caterpillar', {}, { id: 'test/bug' });
            const call = (method: string): Promise<Answer> => node.asAdmin(CALL, { targetId: 'test/bug', attributes: { method } });
            const before = await call('who');
            const after: Promise<Answer>[] = [];

            await meanwhile(() => call('turn'), async () => {

                after.push(call('who'));
                await node.asAdmin(RETRIEVE, { targetId: 'test/bug' });
            });

            expect([before.value, (await after[0])?.value]).to.equal(['caterpillar', 'butterfly']);
        });
    });

    describe(`type code that runs other code, on ${name},`, () => {

        it('does not deadlock while the code is loaded', async () => {

            const limits = { workers: 1, timeout: 60_000, memoryBytes: 16_777_216, stackBytes: 524_288, maxMessageBytes: 16_777_216 };
            const nodes = await startNodes(create, { scripts: limits });
            const { node } = nodes;
            try {
                await defineType(node, 'Led', 'exports.objectForIndexing = (object) => { object.content.indexed = true; return object; };');
                await node.create('Led', {}, { id: 'test/led' });
                await defineType(node, 'Leading', `
                    const cordra = require('cordra');
                    exports.beforeStorage = () => { const led = cordra.get('test/led'); led.content.n = 1; cordra.update(led); };
                `);

                const answer = await put(node, 'Leading', {});

                expect([answer.status, messageOf(answer)]).to.equal([OK, undefined]);
                expect(await found(node, '/indexed:true AND /n:1')).to.equal(['test/led']);
            }
            finally {
                await nodes.stop();
            }
        });
    });
});
