/** Modules for type code, as objects bring them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/doip/json.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { changeCode, contentOf, defineType, OPEN_SCHEMA, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BAD = '0.DOIP/Status.101';
const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';

forEachDatabase((name, create) => {

    describe(`modules of type code, on ${name}`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
        });

        after(() => nodes.stop());

        /** An object with modules. */
        const modules = (directory: string, files: Readonly<Record<string, string>>, id: string): Promise<Answer> => node.asAdmin(CREATE, {
            input: [
                jsonSegment({ id, type: 'JavaScriptDirectory', attributes: { content: { id: '', directory } } }),
                ...Object.entries(files).flatMap(([file, text]) => [jsonSegment({ id: file }), bytesSegment(Buffer.from(text))])
            ]
        });

        it('requires modules by name, by path, types and schemas; what changes counts at once on every node', async () => {

            const template = {
                type: 'object', required: ['id', 'directory'],
                properties: { ...OPEN_SCHEMA['properties'] as JsonObject, directory: { type: 'string', cordra: { referrable: { id: true, payloads: 'scripts' } } } }
            };
            await node.create('Schema', { identifier: '', name: 'JavaScriptDirectory', schema: template });
            await modules('/node_modules', { 'words.js': 'exports.greeting = () => require("./deep/inner").text + "!";' }, 'test/modules');
            await modules('node_modules/deep', { 'inner.js': 'exports.text = "hello";', 'data.json': '{"list":[1,2]}' }, 'test/deep');
            await modules('/app/lib', { 'x.js': 'module.exports = { x: require("../../node_modules/deep/data.json").list };' }, 'test/app');
            await defineType(node, 'Library', 'exports.staticMethods = { double: (n) => 2 * n };');
            const schemaId = await defineType(node, 'Modular', `
                const words = require('words'), { x } = require('/app/lib/x'), library = require('/cordra/schemas/Library');
                const schema = require('/cordra/schemas/Library.schema.json');
                exports.beforeSchemaValidation = (object) => {
                    Object.assign(object.content, { greeting: words.greeting(), x, four: library.staticMethods.double(2), type: schema.type });
                };
            `);
            const contents = async (): Promise<unknown[]> => await Promise.all(nodes.all.map(async (each) => contentOf(
                await each.asAdmin(CREATE, { input: { type: 'Modular', attributes: { content: {} } } }))));

            const first = await contents();
            await node.asAdmin(UPDATE, {
                targetId: 'test/deep', input: [
                    jsonSegment({ attributes: { content: { id: '', directory: 'node_modules/deep' } } }),
                    jsonSegment({ id: 'inner.js' }), bytesSegment(Buffer.from('exports.text = "good bye";'))
                ]
            });
            const second = await contents();
            await changeCode(node, schemaId, 'exports.beforeSchemaValidation = (object) => { object.content.greeting = "none"; };');
            const third = await contents();
            const broken = await node.asAdmin(UPDATE, {
                targetId: 'test/app', input: [
                    jsonSegment({ attributes: { content: { id: '', directory: '/app/lib' } } }), jsonSegment({ id: 'x.js' }), bytesSegment(Buffer.from('\nlet let = 1;'))
                ]
            });

            first.forEach((content) => expect<unknown>(content).to.include({ greeting: 'hello!', x: [1, 2], four: 4, type: 'object' }));
            second.forEach((content) => expect<unknown>(content).to.include({ greeting: 'good bye!' }));
            third.forEach((content) => expect<unknown>(content).to.include({ greeting: 'none' }));
            expect(broken.status).to.equal(BAD);
            expect((broken.value as { errors: object[] }).errors[0]).to.include({ payload: 'x.js', line: 2 });
        });
    });
});
