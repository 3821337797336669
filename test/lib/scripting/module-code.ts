/** Modules for type code, as objects bring them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { ADMIN_PASSWORD, type Answer, type TestGateway } from '../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { changeCode, contentOf, defineType, OPEN_SCHEMA, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CONFLICT = '0.DOIP/Status.105';
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
        const modules = (directory: string, files: Readonly<Record<string, string>>, id: string, on = node): Promise<Answer> => on.asAdmin(CREATE, {
            input: [
                jsonSegment({ id, type: 'JavaScriptDirectory', attributes: { content: { id: '', directory } } }),
                ...Object.entries(files).flatMap(([file, text]) => [jsonSegment({ id: file }), bytesSegment(Buffer.from(text))])
            ]
        });

        it('are required by name, by path, as types and as schemas; changes take effect at once on every node', async () => {

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

        it('are of one object each when many add the same one at a time, on any node', async () => {

            const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => (
                modules('/contended', { 'one.js': '', [`${n}.js`]: '' }, `test/contended-${n}`, nodes.all[n % nodes.all.length])
            )));

            const refused = answers.filter(({ status }) => status !== OK);
            expect(refused).to.have.length(11);
            for (const { status, value } of refused) {
                expect(status).to.equal(CONFLICT);
                expect((value as { message: string }).message).to.match(/^module \/contended\/one\.js would take the place of \/contended\/one\.js of object test\/contended-\d+$/);
            }

            const updated = await Promise.all(Array.from({ length: 12 }, async (_, n) => (await modules(`/update${n}`, { 'a.js': '' }, `test/update-${n}`)).status));
            expect(new Set(updated)).to.equal(new Set([OK]));
            const added = await Promise.all(updated.map((_, n) => nodes.all[n % nodes.all.length]!.asAdmin(UPDATE, {
                targetId: `test/update-${n}`, input: [
                    jsonSegment({ attributes: { content: { id: '', directory: '/shared' } } }), jsonSegment({ id: 'a.js' }), bytesSegment(Buffer.from(`exports.n = ${n};`))
                ]
            })));
            expect(added.map(({ status }) => status).sort()).to.equal([OK, ...Array.from({ length: 11 }, () => CONFLICT)]);
        });

        it('are added by many at a time as long as they differ', async () => {

            const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => modules('/many', { [`${n}.js`]: '' }, `test/many-${n}`, nodes.all[n % nodes.all.length])));

            expect(answers.filter(({ status }) => status !== OK)).to.equal([]);
        });

        describe('are provided', () => {

            const ANN = { username: 'ann', password: 'password of ann' };
            const BEN = { username: 'ben', password: 'password of ben' };

            const provide = (
                authentication: JsonObject, id: string, { directory, files, targetId }: { directory: string; files: readonly string[]; targetId?: string }
            ): Promise<Answer> => node.perform(targetId === undefined ? CREATE : UPDATE, {
                authentication, ...targetId === undefined ? {} : { targetId },
                input: [
                    jsonSegment({ id, type: 'Modules', attributes: { content: { id: '', directory }, acl: { writers: ['test/ann', 'test/ben'] } } }),
                    ...files.flatMap((file) => [jsonSegment({ id: file }), bytesSegment(Buffer.from(file.endsWith('.json') ? '1' : 'exports.by = 1;'))])
                ]
            });

            before(async () => {

                const schema = {
                    type: 'object', required: ['id', 'directory'],
                    properties: { ...OPEN_SCHEMA['properties'] as JsonObject, directory: { type: 'string', cordra: { referrable: { id: true, payloads: 'scripts' } } } }
                };
                const authConfig = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'], aclModules: ['test/ann'] };
                await node.create('Schema', { identifier: '', name: 'Modules', schema, authConfig });
                await node.create('User', { username: 'ann', password: 'password of ann' }, { id: 'test/ann' });
                await node.create('User', { username: 'ben', password: 'password of ben' }, { id: 'test/ben' });
                await provide(ANN, 'test/m', { directory: '/own', files: ['a.js', 'b/index.js', 'c.json'] });
            });

            it('by the administrator only, where the rules of a type name nobody for that, or it has none', async () => {

                const { schema } = (await node.asAdmin('0.DOIP/Op.Search', { attributes: { query: '+type:Schema +/name:Modules' } })
                    .then(({ value }) => (value as { results: { attributes: { content: JsonObject } }[] }).results[0]?.attributes.content)) ?? {};
                const rules = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };
                for (const [type, authConfig] of [['Ruled', { authConfig: rules }], ['Unruled', {}]] as const) {
                    await node.create('Schema', { identifier: '', name: type, schema: schema ?? {}, ...authConfig });
                    const create = (authentication: JsonObject, files: readonly string[]): Promise<Answer> => node.perform(CREATE, {
                        authentication, input: [
                            jsonSegment({ type, attributes: { content: { id: '', directory: `/${type}` } } }),
                            ...files.flatMap((file) => [jsonSegment({ id: file }), bytesSegment(Buffer.from('exports.by = 1;'))])
                        ]
                    });
                    const [withCode, without, byAdmin] = [await create(ANN, ['a.js']), await create(ANN, []), await create({ username: 'admin', password: ADMIN_PASSWORD }, ['a.js'])];

                    expect([withCode.status, without.status, byAdmin.status], type).to.equal(['0.DOIP/Status.103', '0.DOIP/Status.103', '0.DOIP/Status.001']);
                }
            });

            it('only by callers whom the rules of the type allow, on every way to change them', async () => {

                const create = await provide(BEN, '!a/first', { directory: '/free', files: ['x.js'] });
                const rehearsed = await node.perform(CREATE, {
                    authentication: BEN, attributes: { dryRun: true },
                    input: [jsonSegment({ type: 'Modules', attributes: { content: { id: '', directory: '/free' } } }), jsonSegment({ id: 'x.js' }), bytesSegment(Buffer.from(''))]
                });
                const add = await provide(BEN, 'test/m', { targetId: 'test/m', directory: '/own', files: ['d.js'] });
                const move = await provide(BEN, 'test/m', { targetId: 'test/m', directory: '/elsewhere', files: [] });
                const drop = await node.perform(UPDATE, { authentication: BEN, targetId: 'test/m', attributes: { elementsToDelete: ['a.js'] } });
                const leave = await node.perform(UPDATE, {
                    authentication: BEN, targetId: 'test/m', allowTypeChange: true, input: { type: 'Document', attributes: { content: {} } }
                });
                const remove = await node.perform('0.DOIP/Op.Delete', { authentication: BEN, targetId: 'test/m' });
                const batch = await node.perform('20.DOIP/Op.BatchUpload', {
                    authentication: BEN, input: [{ type: 'Modules', content: { id: '', directory: '/free' }, payloads: [] }]
                });
                const note = await node.perform(UPDATE, {
                    authentication: BEN, targetId: 'test/m', input: { attributes: { content: { id: '', directory: '/own', note: 'by ben' } } }
                });
                const byAnn = await provide(ANN, 'test/m', { targetId: 'test/m', directory: '/own', files: ['e.js'] });

                for (const answer of [create, rehearsed, add, move, drop, leave, remove]) {
                    expect(answer.status).to.equal('0.DOIP/Status.103');
                }

                expect(JSON.stringify(batch.value)).to.contain('"responseCode":403');
                expect([note.status, byAnn.status]).to.equal(['0.DOIP/Status.001', '0.DOIP/Status.001']);
            });

            const PLACES: readonly (readonly [directory: string, file: string, status: string])[] = [
                ['/own', 'a.js', '0.DOIP/Status.105'],
                ['/own', 'a', '0.DOIP/Status.105'],
                ['/own/x/..', 'a.js', '0.DOIP/Status.105'],
                ['/x', '../own/a.js', '0.DOIP/Status.105'],
                ['/own', 'b.js', '0.DOIP/Status.105'],
                ['/own/b', 'index.js', '0.DOIP/Status.105'],
                ['/own/b', 'index', '0.DOIP/Status.105'],
                ['/own', 'c.js', '0.DOIP/Status.105'],
                ['/own', 'a.json', '0.DOIP/Status.001'],
                ['/own/c', 'index.js', '0.DOIP/Status.001'],
                ['/own/a', 'b.js', '0.DOIP/Status.001'],
                ['/own/node_modules', 'words.js', '0.DOIP/Status.105'],
                ['/own/x/node_modules/deep', 'inner', '0.DOIP/Status.105'],
                ['/node_modules/words/node_modules', 'deep/data/index.js', '0.DOIP/Status.105'],
                ['/own/node_modules', 'more.js', '0.DOIP/Status.001'],
                ['/cordra/schemas', 'Library', BAD],
                ['/cordra/schemas', 'Library.schema.json', BAD],
                ['/cordra/schemas/node_modules', 'words.js', BAD],
                ['/', 'cordra/design', BAD]
            ];
            for (const [directory, file, status] of PLACES) {
                it(`without replacing others: ${file} in ${directory} gets ${status}`, async () => {

                    const answer = await provide(ANN, '!a/other', { directory, files: [file] });
                    await node.asAdmin('0.DOIP/Op.Delete', { targetId: '!a/other' });

                    expect(answer.status).to.equal(status);
                    expect(JSON.stringify([answer.attributes, answer.value ?? null])).to.not.match(/test\/(m|modules|deep)\b/);
                });
            }

            it('except for nearer folders of the administrator', async () => {

                const { status } = await modules('/own/node_modules', { 'words.js': '' }, 'test/nearer');
                await node.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/nearer' });

                expect(status).to.equal('0.DOIP/Status.001');
            });
        });
    });
});
