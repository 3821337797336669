/** Type code of the kinds that are found in repositories. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestGateway } from '../../support/gateway.js';
import { forEachDatabase } from '../../support/database.js';
import { contentOf, defineType, found, messageOf, put, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CONFLICT = '0.DOIP/Status.105';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const SEARCH = '0.DOIP/Op.Search';
const CALL = 'gateway/Op.Call';

forEachDatabase((name, create) => {

    describe(`published type code, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
            await node.create('Document', { name: 'zanzibar' }, { id: 'test/place' });
        });

        after(() => nodes.stop());

        it('requires a length of passwords', async () => {

            const short = await put(node, 'User', { username: 'shorty', password: 'short' });
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
                exports.beforeStorage = (object) => { if (object.content.pin) { throw 'the pin is to be seen'; } };
                exports.afterCreateOrUpdate = exports.beforeStorage;
                exports.objectForIndexing = (object) => { exports.beforeStorage(object); };
                exports.methods = { check: (object, context) => util.verifySecret(object, '/pin', context.params) };
            `, schema);

            await node.create('Secretive', { pin: '1234' }, { id: 'test/secretive' });
            const right = await node.asAdmin(CALL, { targetId: 'test/secretive', attributes: { method: 'check', params: '1234' } });
            const wrong = await node.asAdmin(CALL, { targetId: 'test/secretive', attributes: { method: 'check', params: '4321' } });

            expect([right.value, wrong.value]).to.equal([true, false]);

            // Kept, removed, and not there again
            const values: unknown[] = [];
            for (const content of [{ pin: '' }, {}, { pin: '' }]) {
                const { status } = await node.asAdmin(UPDATE, { targetId: 'test/secretive', input: { attributes: { content } } });
                expect(status).to.equal(OK);
                values.push((await node.asAdmin(CALL, { targetId: 'test/secretive', attributes: { method: 'check', params: '1234' } })).value);
            }

            expect(values).to.equal([true, false, false]);
        });

        it('stamps objects with times and the name of the author', async () => {

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

        it('generates ids by type, repeatedly if it may, until one is free', async () => {

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

            const full = await put(node, 'Numbered', {});
            const minted = await node.create('Numbered', { plain: true });
            const once = await put(node, 'Fixed', { name: 'a' });
            const twice = await put(node, 'Fixed', { name: 'a' });
            const set = await put(node, 'Settled', { name: 'b' });
            const setAgain = await put(node, 'Settled', { name: 'b' });

            expect(ids.sort()).to.equal(['test/n0', 'test/n1', 'test/n2']);
            expect([full.status, once.status, twice.status, set.status, setAgain.status]).to.equal([CONFLICT, OK, CONFLICT, OK, CONFLICT]);
            expect(minted.id).to.match(/^test\/[0-9a-f]{20}$/);
            expect<unknown>(contentOf(set)).to.include({ id: 'test/set-b' });
        });

        it('adds members to the indexed form, with resolved references', async () => {

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

            expect(await found(node, '/placeName:zanzibar')).to.equal(['test/specimen']);
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/specimen' }))).to.not.include('placeName');
        });

        it('resolves references for display, once per type for a page of results', async () => {

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
    });
});
