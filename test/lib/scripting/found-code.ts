/** Type code of the kinds that are found in repositories. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../lib/doip/json.js';
import type { TestDatabase } from '../../support/database.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { changeCode, changeDesign, defineType, OPEN_SCHEMA } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CONFLICT = '0.DOIP/Status.105';
const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const SEARCH = '0.DOIP/Op.Search';
const CALL = 'gateway/Op.Call';

forEachDatabase((name, create) => {

    describe(`type code as it is found, on ${name}`, () => {

        let database: TestDatabase;
        let otherDir: string;
        let nodes: TestGateway[];
        let node: TestGateway;

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-node-'));
            node = await startGateway(database);
            nodes = [node];
            if (database.dialect === 'mysql') {
                nodes.push(await startGateway(database, { dataDir: otherDir }));
            }
        });

        after(async () => {

            await Promise.all(nodes.map((each) => each.stop()));
            await database.dispose();
            await rm(otherDir, { recursive: true });
        });

        const contentOf = ({ value, status }: Answer): JsonObject => {

            expect(status, JSON.stringify(value)).to.equal(OK);
            return (value as { attributes: { content: JsonObject } }).attributes.content;
        };

        const messageOf = ({ value }: Answer): unknown => (value as JsonObject)['message'];

        const put = (type: string, content: JsonObject, more: JsonObject = {}): Promise<Answer> => {

            return node.asAdmin(CREATE, { input: { type, attributes: { content }, ...more } });
        };

        const found = async (query: string, on = node): Promise<string[]> => {

            const { value } = await on.asAdmin(SEARCH, { attributes: { query, type: 'id', sortFields: 'id' } });
            return (value as { results: string[] }).results;
        };

        /** An object with modules. */
        const modules = (directory: string, files: Readonly<Record<string, string>>, id: string): Promise<Answer> => node.asAdmin(CREATE, {
            input: [
                jsonSegment({ id, type: 'JavaScriptDirectory', attributes: { content: { id: '', directory } } }),
                ...Object.entries(files).flatMap(([file, text]) => [jsonSegment({ id: file }), bytesSegment(Buffer.from(text))])
            ]
        });

        it('holds passwords of users to a length', async () => {

            const short = await put('User', { username: 'shorty', password: 'short' });
            const { id } = await node.create('User', { username: 'longer', password: 'long enough' });
            const kept = await node.asAdmin(UPDATE, { targetId: id, input: { attributes: { content: { username: 'longer', password: '' } } } });
            const changed = await node.asAdmin(UPDATE, { targetId: id, input: { attributes: { content: { username: 'longer', password: 'tiny' } } } });

            expect(short.status).to.equal(BAD);
            expect(messageOf(short)).to.equal('Password is too short. Min length 8 characters');
            expect([kept.status, changed.status]).to.equal([OK, BAD]);
        });

        it('never sees a stored secret', async () => {

            const schema = { type: 'object', properties: { pin: { type: 'string', cordra: { secureProperty: true } } } };
            await defineType(node, 'Secretive', `
                const cordra = require('cordra'), util = require('cordra-util');
                const seen = (object) => { object.userMetadata = { ...object.userMetadata, pin: object.content.pin }; };
                exports.beforeSchemaValidation = seen;
                exports.beforeStorage = (object) => { if (object.content.pin !== '') { throw 'the pin is to be seen'; } };
                exports.afterCreateOrUpdate = exports.beforeStorage;
                exports.objectForIndexing = (object) => { exports.beforeStorage(object); };
                exports.methods = { check: (object, context) => util.verifySecret(object, '/pin', context.params) };
            `, schema);

            await node.create('Secretive', { pin: '1234' }, { id: 'test/secretive' });
            const right = await node.asAdmin(CALL, { targetId: 'test/secretive', attributes: { method: 'check', params: '1234' } });
            const wrong = await node.asAdmin(CALL, { targetId: 'test/secretive', attributes: { method: 'check', params: '4321' } });

            expect([right.value, wrong.value]).to.equal([true, false]);
        });

        it('stamps objects with times and the name of who changed them', async () => {

            await defineType(node, 'Stamped', `
                exports.beforeSchemaValidation = function (object, context) {
                    if (context.isNew) { object.content.created = new Date().toISOString(); }
                    object.content.editor = context.userId;
                    object.content.title = \`\${object.content.first ?? ''} \${object.content.last ?? ''}\`.trim();
                };
            `);

            const { id } = await node.create('Stamped', { first: 'Ada', last: 'L' });
            const content = contentOf(await node.asAdmin(RETRIEVE, { targetId: id }));

            expect(Date.parse(content['created'] as string)).to.be.above(0);
            expect<unknown>(content).to.include({ editor: 'admin', title: 'Ada L' });
        });

        it('makes ids: by the type, until one is free where it may be asked again', async () => {

            await defineType(node, 'Numbered', `
                const cordra = require('cordra');
                let next = 0;
                exports.generateId = (object, context) => object.content.plain ? '' : 'test/n' + (next++ % 3);
                exports.isGenerateIdLoopable = true;
            `);
            await defineType(node, 'Fixed', `exports.generateId = async (object) => 'test/fixed-' + object.content.name;`);
            await defineType(node, 'Settled', `exports.beforeSchemaValidation = (object) => ({ ...object, id: 'test/set-' + object.content.name });`);

            const ids = [];
            for (let i = 0; i < 3; ++i) {
                ids.push((await node.create('Numbered', {})).id);
            }

            const full = await put('Numbered', {});
            const minted = await node.create('Numbered', { plain: true });
            const once = await put('Fixed', { name: 'a' });
            const twice = await put('Fixed', { name: 'a' });
            const set = await put('Settled', { name: 'b' });
            const setAgain = await put('Settled', { name: 'b' });

            expect(ids.sort()).to.equal(['test/n0', 'test/n1', 'test/n2']);
            expect([full.status, once.status, twice.status, set.status, setAgain.status]).to.equal([CONFLICT, OK, CONFLICT, OK, CONFLICT]);
            expect(minted.id).to.match(/^test\/[0-9a-f]{20}$/);
            expect<unknown>(contentOf(set)).to.include({ id: 'test/set-b' });
        });

        it('puts more into the index than into the object, with references resolved', async () => {

            await node.create('Document', { name: 'zanzibar' }, { id: 'test/place' });
            await defineType(node, 'Specimen', `
                const cordra = require('cordra');
                exports.objectForIndexing = function (object, context) {
                    const place = cordra.get(object.content.place);
                    object.content.placeName = place ? place.content.name : null;
                    object.content.indexedAs = context.objectId;
                    return object;
                };
            `);

            await node.create('Specimen', { place: 'test/place' }, { id: 'test/specimen' });

            expect(await found('/placeName:zanzibar')).to.equal(['test/specimen']);
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/specimen' }))).to.not.include('placeName');
        });

        it('shows references resolved, once per type for a page of results', async () => {

            await defineType(node, 'Shown', `
                const cordra = require('cordra');
                let calls = 0;
                exports.onObjectResolution = async (object, context) => {
                    ++calls;
                    object.content.label = await cordra.get('test/place').content.name;
                    object.content.isSearch = context.isSearch === true;
                    return object;
                };
            `);
            for (let i = 0; i < 5; ++i) {
                await node.create('Shown', { i });
            }

            const { value } = await node.perform(SEARCH, { attributes: { query: 'type:Shown' } });

            const contents = (value as { results: { attributes: { content: JsonObject } }[] }).results.map(({ attributes: { content } }) => content);
            expect(contents).to.have.length(5);
            expect<unknown>(contents.every(({ label, isSearch }) => label === 'zanzibar' && isSearch === true)).to.be.true();
        });

        it('waits for promises', async () => {

            await defineType(node, 'Asynchronous', `
                const cordra = require('cordra');
                exports.beforeSchemaValidation = async function (object, context) {
                    const design = await cordra.get('design');
                    const { results } = await cordra.search('type:Document AND id:"test/place"');
                    await Promise.all([1, 2].map(async (n) => { object.content['n' + n] = n; }));
                    object.content.prefix = design.content.handleMintingConfig.prefix;
                    object.content.hits = results.length;
                    return object;
                };
            `);

            const { id } = await node.create('Asynchronous', {});

            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))).to.include({ n1: 1, n2: 2, prefix: 'test', hits: 1 });
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
            const contents = async (): Promise<unknown[]> => await Promise.all(nodes.map(async (each) => contentOf(
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

        it('takes payloads away and renames those that were just sent', async () => {

            await defineType(node, 'Filing', `
                exports.beforeSchemaValidation = (object, context) => {
                    if (object.content.invent) { object.payloads = [...object.payloads ?? [], { name: 'invented' }]; }
                    object.payloads = object.payloads?.filter(({ name }) => name !== 'draft')
                        .map((payload) => ({ ...payload, filename: 'file.txt', mediaType: 'text/plain' }));
                };
            `);
            const send = (id: string, names: readonly string[]) => names.flatMap((each) => [
                jsonSegment({ id: each, filename: `${id}.bin` }), bytesSegment(Buffer.from(each))
            ]);

            await node.asAdmin(CREATE, {
                input: [jsonSegment({ id: 'test/filing', type: 'Filing', attributes: { content: {} } }), ...send('one', ['a', 'draft'])]
            });
            const updated = await node.asAdmin(UPDATE, { targetId: 'test/filing', input: [jsonSegment({ attributes: { content: {} } }), ...send('two', ['b'])] });
            const invented = await node.asAdmin(UPDATE, { targetId: 'test/filing', input: { attributes: { content: { invent: true } } } });

            const elements = (updated.value as { elements: { id: string; attributes: { filename: string } }[] }).elements;
            expect(elements.map(({ id, attributes: { filename } }) => [id, filename])).to.equal([['a', 'file.txt'], ['b', 'file.txt']]);
            expect(invented.status).to.equal(BAD);
        });

        it('replaces the bytes of a payload', async () => {

            await defineType(node, 'Veiled', `
                exports.onPayloadResolution = (object, context) => {
                    if (context.payload === 'none') { throw 'nothing for you'; }
                    if (context.userId === undefined) {
                        context.directIo.setOutputMediaType('text/plain');
                        context.directIo.setOutputFilename('veil.txt');
                        context.directIo.writeOutputString('a veil over ' + context.payload);
                    }
                };
            `);
            await node.asAdmin(CREATE, {
                input: [
                    jsonSegment({ id: 'test/veiled', type: 'Veiled', attributes: { content: {} } }),
                    jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('the scan')), jsonSegment({ id: 'none' }), bytesSegment(Buffer.from('x'))
                ]
            });

            const admin = await node.asAdmin(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'scan' } });
            const other = await node.perform(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'scan' } });
            const refused = await node.perform(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'none' } });

            expect([admin.value, other.value]).to.equal(['the scan', 'a veil over scan']);
            expect(other.attributes).to.include({ mediaType: 'text/plain', filename: 'veil.txt' });
            expect([refused.status, refused.http]).to.equal([BAD, 403]);
        });

        it('that changes each other\'s objects comes to an end, and nothing is half done', async () => {

            await defineType(node, 'Entangled', `
                const cordra = require('cordra');
                exports.beforeStorage = (object, context) => {
                    const other = cordra.get(object.content.other);
                    if (other && !object.content.quiet) { other.content.touched = (other.content.touched || 0) + 1; cordra.update(other); }
                };
            `);
            await node.create('Entangled', { other: 'test/e2', quiet: true }, { id: 'test/e1' });
            await node.create('Entangled', { other: 'test/e1', quiet: true }, { id: 'test/e2' });
            const change = (id: string, other: string): Promise<Answer> => node.asAdmin(UPDATE, {
                targetId: id, input: { attributes: { content: { other, mark: 1 } } }
            });

            const answers = await Promise.all([change('test/e1', 'test/e2'), change('test/e2', 'test/e1')]);
            const own = await node.asAdmin(UPDATE, { targetId: 'test/e1', input: { attributes: { content: { other: 'test/e1', own: true } } } });
            const after = contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/e1' }));

            expect(answers.every(({ status }) => status === OK || status === CONFLICT)).to.be.true();
            expect(own.status).to.equal(CONFLICT);
            expect<unknown>(after).to.not.include('own');
        });

        it('calls that write run as the service, without further hooks', async () => {

            await defineType(node, 'Audited', `
                const cordra = require('cordra');
                exports.beforeSchemaValidation = (object) => { object.content.hooked = true; };
                exports.afterCreateOrUpdate = (object, context) => {
                    if (!object.content.isTrail) {
                        cordra.create({ id: object.id + '-trail', type: 'Audited', content: { isTrail: true, by: context.userId || 'nobody' } });
                    }
                };
                exports.afterDelete = (object) => cordra.delete(object.id + '-trail');
            `);
            await node.create('Audited', {}, { id: 'test/audited' });
            const trail = await node.asAdmin(RETRIEVE, { targetId: 'test/audited-trail' });
            await node.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/audited' });
            const gone = await node.asAdmin(RETRIEVE, { targetId: 'test/audited-trail' });

            expect<unknown>(contentOf(trail)).to.equal({ isTrail: true, by: 'admin', id: 'test/audited-trail' });
            expect(gone.status).to.equal('0.DOIP/Status.104');
        });

        it('of the design makes ids, changes queries, and offers methods of the service', async () => {

            await changeDesign(node, {
                javascript: `
                    let next = 1;
                    exports.generateId = (object) => object.type === 'Document' && object.content.counted ? 'test/counted-' + next++ : null;
                    exports.customizeQuery = (query, context) => context.userId ? query : '(' + query + ') AND -/secret:true';
                    exports.methods = { version: (design, context) => design.type + ' ' + context.params };
                    exports.methods.version.allowGet = true;
                `
            });
            try {
                const { id } = await node.create('Document', { counted: true, secret: true });
                const mine = await found('/counted:true');
                const { value } = await node.perform(SEARCH, { attributes: { query: '/counted:true', type: 'id' } });
                const byJson = await node.perform(SEARCH, { attributes: { queryJson: { counted: true }, type: 'id' } });
                const method = await node.asAdmin('version', { attributes: { params: 7 }, safe: true });
                const onDesign = await node.asAdmin(CALL, { targetId: 'design', attributes: { method: 'version', params: 8 } });
                const listed = await node.asAdmin('0.DOIP/Op.ListOperations');

                expect(id).to.equal('test/counted-1');
                expect([mine, (value as { results: string[] }).results]).to.equal([[id], []]);
                expect((byJson.value as { results: string[] }).results).to.equal([]);
                expect([method.value, onDesign.value]).to.equal(['CordraDesign 7', 'CordraDesign 8']);
                expect(listed.value as string[]).to.include('version');
            }
            finally {
                await changeDesign(node, { javascript: null });
            }
        });

        it('of the design says who logs in, and what handle records hold', async () => {

            await changeDesign(node, {
                javascript: `exports.authenticate = (info, context) => info.token === 'of.another.issuer' ?
                    { active: true, userId: 'other/ann', username: 'ann', groupIds: ['other/team'], grantAuthenticatedAccess: true } : null;`,
                handleMintingConfig: {
                    prefix: 'test', javascript: `exports.createHandleValues = (object, context) => [
                        { index: 1, type: 'URL', data: { format: 'string', value: 'https://example.org/' + context.objectId } }
                    ];`
                }
            });
            try {
                const answers = await Promise.all(nodes.map((each) => each.perform(CREATE, {
                    authentication: { token: 'of.another.issuer' }, input: { type: 'Document', attributes: { content: {} } }
                })));
                const wrong = await node.perform(RETRIEVE, { targetId: 'test/place', authentication: { token: 'of.nobody.known' } });
                const { value } = await node.perform('gateway/Op.Handles.Resolve', { targetId: 'test/place', attributes: { handle: 'test/place' } });

                expect<unknown>(answers.map(({ value }) => ((value as { attributes: JsonObject }).attributes['metadata'] as JsonObject)['createdBy']))
                    .to.equal(nodes.map(() => 'other/ann'));
                expect(wrong.status).to.equal('0.DOIP/Status.102');
                expect(JSON.stringify(value)).to.contain('https://example.org/test/place');
            }
            finally {
                await changeDesign(node, { javascript: null, handleMintingConfig: { prefix: 'test' } });
            }
        });

        it('answers for a target that does not exist that it does not exist', async () => {

            const { status } = await node.asAdmin('someMethod', { targetId: 'test/nowhere' });

            expect(status).to.equal('0.DOIP/Status.104');
        });

        it('of built-in types guards types and design', async () => {

            await changeDesign(node, {
                builtInTypes: { Schema: { javascript: 'exports.beforeSchemaValidation = (object) => { if (/^X/.test(object.content.name)) throw "no X"; };' } }
            });

            const refused = await put('Schema', { name: 'Xylophone', schema: { type: 'object' } });
            await changeDesign(node, { builtInTypes: null });
            const allowed = await put('Schema', { name: 'Xylophone', schema: { type: 'object' } });

            expect(messageOf(refused)).to.equal('no X');
            expect(allowed.status).to.equal(OK);
        });

        it('gets the content alone where the design says so', async () => {

            await defineType(node, 'Old', `
                exports.beforeSchemaValidation = function (content, context) {
                    content.isOld = context.useLegacyContentOnlyJavaScriptHooks === true;
                    return content;
                };
                exports.methods = { name: function (content) { return content.name; } };
            `);
            await changeDesign(node, { useLegacyContentOnlyJavaScriptHooks: true });
            try {
                const { id } = await node.create('Old', { name: 'n' });
                const named = await node.asAdmin(CALL, { targetId: id, attributes: { method: 'name' } });

                expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))).to.include({ isOld: true, name: 'n' });
                expect<unknown>(named.value).to.equal('n');
            }
            finally {
                await changeDesign(node, { useLegacyContentOnlyJavaScriptHooks: null });
            }
        });

        it('gets attributes as input of a GET where the design says so', async () => {

            await defineType(node, 'Asked', 'exports.methods = { echo: (object, context) => context.params ?? null }; exports.methods.echo.allowGet = true;');
            const { id } = await node.create('Asked', {});
            const request = { targetId: id, attributes: { a: 1 }, safe: true };

            const without = await node.asAdmin('echo', request);
            await changeDesign(node, { useLegacyAttributesAsInputForDoipGet: true });
            const with_ = await node.asAdmin('echo', request);
            await changeDesign(node, { useLegacyAttributesAsInputForDoipGet: null });

            expect<unknown>([without.value, with_.value]).to.equal([null, { a: 1 }]);
        });

        it('counts up one by one, however many call at once on however many nodes', async () => {

            await defineType(node, 'Tally', 'exports.methods = { up: (object) => { object.content.n = (object.content.n || 0) + 1; } };');
            const { id } = await node.create('Tally', {});

            const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => {

                return nodes[i % nodes.length]!.asAdmin(CALL, { targetId: id, attributes: { method: 'up' } });
            }));

            expect(answers.map(({ status }) => status)).to.equal(Array<string>(12).fill(OK));
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))).to.include({ n: 12 });
        });
    });
});
