/** Code of the design and of built-in types, and how the design has code called. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { TestGateway } from '../../../support/gateway.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { forEachDatabase } from '../../../support/database.js';
import { changeDesign, contentOf, defineType, found, messageOf, put, startNodes, type Nodes } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const CREATE = '0.DOIP/Op.Create';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const SEARCH = '0.DOIP/Op.Search';
const CALL = 'gateway/Op.Call';

forEachDatabase((name, create) => {

    describe(`code of the design, on ${name}`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            ({ node } = nodes);
            await node.create('Document', { name: 'here' }, { id: 'test/place' });
        });

        after(() => nodes.stop());

        it('generates ids, changes queries, and offers methods of the service', async () => {

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
                const mine = await found(node, '/counted:true');
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

        const queries: readonly (readonly [result: string, isSearched: boolean])[] = [
            ['"/plain:true"', true], ['undefined', true], ['null', true],
            ['5', false], ['{ query }', false], ['[query]', false], ['() => query', false], ['Symbol()', false], ['Promise.resolve(() => query)', false]
        ];
        for (const [result, isSearched] of queries) {
            it(`${isSearched ? 'searches' : 'does not search'} where it returns ${result} for the query`, async () => {

                await changeDesign(node, { javascript: `exports.customizeQuery = (query) => (${result});` });
                try {
                    const { status } = await node.perform(SEARCH, { attributes: { query: 'type:Document', type: 'id' } });

                    expect(status).to.equal(isSearched ? OK : '0.DOIP/Status.500');
                }
                finally {
                    await changeDesign(node, { javascript: null });
                }
            });
        }

        it('authenticates, and makes handle records', async () => {

            await changeDesign(node, {
                javascript: `exports.authenticate = (info, context) => {
                    if (info.token === 'of.a.busy.issuer') { throw new (require('cordra').CordraError)('busy', 503); }
                    return info.token === 'of.another.issuer' ?
                        { active: true, userId: 'other/ann', username: 'ann', groupIds: ['other/team'], grantAuthenticatedAccess: true } : null;
                };`,
                handleMintingConfig: {
                    prefix: 'test', javascript: `exports.createHandleValues = (object, context) => [
                        { index: 1, type: 'URL', data: { format: 'string', value: 'https://example.org/' + context.objectId } }
                    ];`
                }
            });
            try {
                const answers = await Promise.all(nodes.all.map((each) => each.perform(CREATE, {
                    authentication: { token: 'of.another.issuer' }, input: { type: 'Document', attributes: { content: {} } }
                })));
                const wrong = await Promise.all(['of.nobody.known', 'of.a.busy.issuer'].map((token) => (
                    node.perform(RETRIEVE, { targetId: 'test/place', authentication: { token } })
                )));
                const { value } = await node.perform('gateway/Op.Handles.Resolve', { targetId: 'test/place', attributes: { handle: 'test/place' } });

                expect<unknown>(answers.map(({ value }) => ((value as { attributes: JsonObject }).attributes['metadata'] as JsonObject)['createdBy']))
                    .to.equal(nodes.all.map(() => 'other/ann'));
                expect(wrong.map(({ status }) => status)).to.equal(['0.DOIP/Status.102', '0.DOIP/Status.102']);
                expect(JSON.stringify(value)).to.contain('https://example.org/test/place');
            }
            finally {
                await changeDesign(node, { javascript: null, handleMintingConfig: { prefix: 'test' } });
            }
        });

        it('authenticates users without an object, which methods see', async () => {

            await node.create('User', { username: 'own', password: 'of my own' }, { id: 'test/own' });
            await changeDesign(node, {
                javascript: `
                    exports.authenticate = ({ token }) => token === 'of.another.house' ? { active: true, userId: 'other/guest', grantAuthenticatedAccess: true } : null;
                    exports.methods = { who: (design, { userId = null, hasUserObject }) => [userId, hasUserObject] };
                `,
                authConfig: {
                    schemaAcls: { CordraDesign: { defaultAclRead: ['public'], aclMethods: { default: { instance: ['public'], static: ['public'] }, instance: { who: ['public'] } } } },
                    defaultAcls: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] }
                }
            });
            try {
                const callers: readonly JsonObject[] = [
                    {}, { username: 'admin', password: ADMIN_PASSWORD }, { username: 'own', password: 'of my own' }, { token: 'of.another.house' },
                    { username: 'admin', password: ADMIN_PASSWORD, asUserId: 'other/nobody' }, { username: 'admin', password: ADMIN_PASSWORD, asUserId: 'test/own' }
                ];
                const said = await Promise.all(callers.map(async (authentication) => (await node.perform('who', { authentication })).value));

                expect<unknown>(said).to.equal([
                    [null, false], ['admin', false], ['test/own', true], ['other/guest', false], ['other/nobody', false], ['test/own', true]
                ]);
            }
            finally {
                await changeDesign(node, { javascript: null, authConfig: null });
            }
        });

        it('receives the request context of each login', async () => {

            await changeDesign(node, {
                javascript: `exports.authenticate = (info, context) => info.username === 'tenant' || info.token === 'of.a.tenant' ? {
                    active: true, userId: 'other/' + (context.requestContext ? context.requestContext.tenant : 'nobody'), exp: 9999999999
                } : null;`
            });
            const TENANTS: readonly JsonObject[] = [{}, { requestContext: { tenant: 'a' } }, { requestContext: { tenant: 'b' } }, {}];
            const password = { username: 'tenant', password: 'of the tenant' };
            try {
                const said: unknown[] = [];
                for (const attributes of TENANTS) {
                    const byToken = await node.perform('20.DOIP/Op.CheckCredentials', { authentication: { token: 'of.a.tenant' }, attributes });
                    const byPassword = await node.perform('20.DOIP/Op.CheckCredentials', { authentication: password, attributes });
                    const granted = await node.perform('20.DOIP/Op.Auth.Token', { attributes, input: { grant_type: 'password', ...password } });
                    said.push(...[byToken, byPassword, granted].map(({ value }) => (value as JsonObject)['userId']));
                }

                expect(said).to.equal(['nobody', 'a', 'b', 'nobody'].flatMap((tenant) => Array<string>(3).fill(`other/${tenant}`)));
            }
            finally {
                await changeDesign(node, { javascript: null });
            }
        });

        it('gives 404 for a missing target', async () => {

            const { status } = await node.asAdmin('someMethod', { targetId: 'test/nowhere' });

            expect(status).to.equal('0.DOIP/Status.104');
        });

        it('has hooks for types and design', async () => {

            await changeDesign(node, {
                builtInTypes: { Schema: { javascript: 'exports.beforeSchemaValidation = (object) => { if (/^X/.test(object.content.name)) throw "no X"; };' } }
            });

            const refused = await put(node, 'Schema', { name: 'Xylophone', schema: { type: 'object' } });
            await changeDesign(node, { builtInTypes: null });
            const allowed = await put(node, 'Schema', { name: 'Xylophone', schema: { type: 'object' } });

            expect(messageOf(refused)).to.equal('no X');
            expect(allowed.status).to.equal(OK);
        });

        it('can switch methods and hooks to content-only arguments', async () => {

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

        it('can switch every hook to content-only arguments', async () => {

            const { content, context } = { content: 'content.name === "old"', context: 'context.useLegacyContentOnlyJavaScriptHooks === true' };
            const check = `if (!(${content} && ${context})) { throw 'not the content alone'; }`;
            const hooks = ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'onObjectResolution',
                'onPayloadResolution', 'beforeDelete'];
            await defineType(node, 'Older', `
                for (const hook of ${JSON.stringify(hooks)}) { exports[hook] = (content, context) => { ${check} content.by = hook; }; }
                exports.generateId = (content, context) => { ${check} return 'test/' + content.name; };
            `);
            await changeDesign(node, {
                useLegacyContentOnlyJavaScriptHooks: true,
                handleMintingConfig: { prefix: 'test', javascript: `exports.createHandleValues = (content, context) => {
                    ${check} return [{ index: 1, type: 'NAME', data: { format: 'string', value: 'named ' + content.name } }];
                };` }
            });
            try {
                await node.asAdmin(CREATE, {
                    input: [jsonSegment({ type: 'Older', attributes: { content: { name: 'old' } } }), jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('x'))]
                });
                const shown = await node.asAdmin(RETRIEVE, { targetId: 'test/old' });
                const bytes = await node.asAdmin(RETRIEVE, { targetId: 'test/old', attributes: { element: 'scan' } });
                const { value } = await node.perform('gateway/Op.Handles.Resolve', { targetId: 'test/old', attributes: { handle: 'test/old' } });
                const ids = await found(node, '/by:objectForIndexing');
                const gone = await node.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/old' });

                expect<unknown>(contentOf(shown)).to.include({ name: 'old', by: 'onObjectResolution' });
                expect(bytes.value).to.equal('x');
                expect(JSON.stringify(value)).to.contain('named old');
                expect(ids).to.equal(['test/old']);
                expect(gone.status).to.equal(OK);
            }
            finally {
                await changeDesign(node, { useLegacyContentOnlyJavaScriptHooks: null, handleMintingConfig: { prefix: 'test' } });
            }
        });

        it('can pass attributes as the input of a GET to methods', async () => {

            await defineType(node, 'Asked', 'exports.methods = { echo: (object, context) => context.params ?? null }; exports.methods.echo.allowGet = true;');
            const { id } = await node.create('Asked', {});
            const request = { targetId: id, attributes: { a: 1 }, safe: true };

            const without = await node.asAdmin('echo', request);
            await changeDesign(node, { useLegacyAttributesAsInputForDoipGet: true });
            const with_ = await node.asAdmin('echo', request);
            await changeDesign(node, { useLegacyAttributesAsInputForDoipGet: null });

            expect<unknown>([without.value, with_.value]).to.equal([null, { a: 1 }]);
        });
    });
});
