/** What the code of a type takes away when objects are shown is not told by searches either, where the type says so. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { DIALECTS, waysOf } from '../support/database.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Takes `/ssn` away from all but the administrator, and hides some objects. */
const SHOW = `
exports.onObjectResolution = (object, context) => {
    if (context.userId !== 'admin') {
        if (object.content.hidden) {
            throw 'hidden';
        }

        delete object.content.ssn;
    }

    return object;
};`;

const INDEX = `
exports.objectForIndexing = (object) => {
    delete object.content.ssn;
    return object;
};`;

const RULES = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };

interface SearchRecord {
    readonly size: number;
    readonly results: readonly (string | JsonObject & { readonly id: string })[];
    readonly facets?: readonly { readonly field: string; readonly buckets: readonly { readonly value: string; readonly count: number }[] }[];
}

const FACETS = encodeURIComponent(JSON.stringify(['/ssn', '/name', 'type', 'id', 'metadata/txnId'].map((field) => ({ field }))));

for (const dialect of waysOf(DIALECTS)) {
    describe(`searches in content that code hides on ${dialect.name}`, () => {

        const callers = new Map<string, Record<string, string>>([
            ['ann', basic('ann', 'password of ann')], ['bea', basic('bea', 'password of bea')], ['nobody', {}], ['admin', ADMIN_HEADERS]
        ]);
        let service: RestService;

        async function search(caller: string, parameters: string, path = '/search'): Promise<SearchRecord> {

            const { statusCode, payload } = await service.anonymously(`GET ${path}?${parameters}`, { headers: callers.get(caller) ?? {} });
            expect(statusCode, payload).to.equal(200);
            return JSON.parse(payload) as SearchRecord;
        }

        async function idsFor(caller: string, query: string): Promise<readonly unknown[]> {

            return (await search(caller, `ids&sortFields=id&query=${encodeURIComponent(query)}`)).results;
        }

        before(async () => {

            service = await startRest(dialect.create);
            await service.create('Schema', { name: 'Staff', schema: { type: 'object' }, javascript: SHOW, authConfig: { ...RULES, aclSearch: ['writers'] } });
            await service.create('Schema', { name: 'Team', schema: { type: 'object' }, authConfig: { ...RULES, aclSearch: ['test/ann', 'self'] } });
            await service.create('Schema', { name: 'Person', schema: { type: 'object' }, javascript: SHOW + INDEX });
            for (const name of ['ann', 'bea']) {
                await service.create('User', { username: name, password: `password of ${name}` }, `handle=test/${name}`);
            }

            await service.create('Schema', {
                name: 'Note', authConfig: { ...RULES, aclSearch: ['writers'] },
                schema: { type: 'object', properties: { on: { type: 'string', cordra: { type: { handleReference: {} } } } } }
            });
            await service.create('Document', { mark: 'all', name: 'paper' }, 'handle=test/paper');
            await service.create('Note', { on: 'test/paper' }, 'handle=test/note');
            await service.create('Team', { mark: 'all', name: 'blue' }, 'handle=test/team');
            await service.create('Person', { mark: 'all', name: 'carl', ssn: '777-1' }, 'handle=test/carl');
            await service.create('Staff', { mark: 'all', name: 'dora', ssn: '123-4' }, 'handle=test/dora');
            await service.create('Staff', { mark: 'all', name: 'emil', ssn: '123-5', hidden: true }, 'handle=test/emil');
            const { id } = await service.create('Staff', { mark: 'all', name: 'fred', ssn: '123-6' }, 'handle=test/fred');
            const changed = await service.asAdmin(`PUT /acls/${id}`, { payload: JSON.stringify({ writers: ['test/bea'] }), headers: { 'content-type': 'application/json' } });
            expect(changed.statusCode, changed.payload).to.equal(200);
        });

        after(() => service.stop());

        for (const [caller, mark] of [
            ['ann', ['test/carl', 'test/paper', 'test/team']], ['bea', ['test/carl', 'test/fred', 'test/paper']], ['nobody', ['test/carl', 'test/paper']]
        ] as const) {
            it(`find the permitted objects for ${caller}, by any query and facet`, async () => {

                for (const path of ['/search', '/objects']) {
                    for (const parameters of ['ids', 'full', 'ids&pageSize=100', 'includeScore', 'ids&includeVersions', 'sortFields=/ssn,id', 'sortFields=/ssn DESC,id']) {
                        const { size, results } = await search(caller, `query=/mark:all&${encodeURI(parameters)}`, path);
                        expect(results.map((result) => (typeof result === 'string' ? result : result.id)).toSorted(), parameters).to.equal([...mark]);
                        expect(size, parameters).to.equal(mark.length);
                    }
                }

                const doip = await search(caller, 'operationId=0.DOIP/Op.Search&targetId=service&query=/mark:all&pageSize=0', '/doip');
                expect(doip.size).to.equal(mark.length);
                const { facets = [] } = await search(caller, `query=/mark:all&pageSize=0&facets=${FACETS}`);
                const valuesOf = (field: string): readonly string[] => {

                    return facets.find((facet) => facet.field === field)?.buckets.map(({ value }) => value).toSorted() ?? [];
                };

                expect(valuesOf('id')).to.equal([...mark]);
                // Who may write a Staff object finds it by everything in it.
                expect(valuesOf('/ssn')).to.equal(caller === 'bea' ? ['123-6'] : []);
                expect(valuesOf('metadata/txnId')).to.have.length(mark.length);
            });

            it(`find nothing for ${caller} by hidden terms, patterns, ranges and values`, async () => {

                const queries = [
                    '/ssn:123*', '/ssn:"123-4"', '/ssn:[123 TO 124]', '/ssn:*', '123*', 'dora', 'emil', 'type:Staff', 'id:test/emil', 'facet_/ssn:"123-4"', 'dorb~',
                    '*:* -/mark:none -type:(Document Person User Team Schema CordraDesign)', '/ssn:777*', 'facet_/ssn:"777-1"', '/hidden:true'
                ];
                for (const query of queries) {
                    const found = (await idsFor(caller, query)).filter((id) => id !== 'test/fred' || caller !== 'bea');
                    expect(found, query).to.equal([]);
                }
            });
        }

        it('find everything for the administrator, except by unindexed values', async () => {

            expect(await idsFor('admin', '/mark:all')).to.equal(['test/carl', 'test/dora', 'test/emil', 'test/fred', 'test/paper', 'test/team']);
            expect(await idsFor('admin', '/ssn:123*')).to.equal(['test/dora', 'test/emil', 'test/fred']);
            expect(await idsFor('admin', '/ssn:777*')).to.equal([]);
        });

        it('leave the display of ids to the code of the type', async () => {

            const statusOf = async (id: string): Promise<readonly [number, boolean]> => {

                const { statusCode, payload } = await service.anonymously(`GET /objects/${id}`);
                return [statusCode, payload.includes('ssn')];
            };

            expect(await statusOf('test/dora')).to.equal([200, false]);
            expect((await statusOf('test/emil'))[0]).to.equal(403);
            expect(await statusOf('test/team')).to.equal([200, false]);
        });

        for (const [caller, isFound] of [['ann', false], ['bea', false], ['nobody', false], ['admin', true]] as const) {
            it(`let ${caller} find referrers as relationships do`, async () => {

                const { payload } = await service.anonymously('GET /relationships/test/paper', { headers: callers.get(caller) ?? {} });

                expect(payload.includes('test/note')).to.equal(isFound);
                expect(await idsFor(caller, 'internal.pointsAt:"test/paper"')).to.equal(isFound ? ['test/note'] : []);
                const { payload: known } = await service.anonymously('GET /relationships/test/note', { headers: callers.get(caller) ?? {} });
                expect(known.includes('test/paper')).to.be.true();
            });
        }

        it('for ids accept queries as long as those for objects', async () => {

            const clauses = `type:Document ${Array.from({ length: 4095 }, (_, n) => `w${n}`).join(' ')}`;
            const letters = `type:Document OR /name:"${'x'.repeat(128 * 1024 - 100)}"`;
            for (const query of [clauses, letters]) {
                const sizes = await Promise.all(['', 'ids&'].map(async (form) => {

                    const { statusCode, payload } = await service.asAdmin(`POST /search?${form}`, {
                        payload: JSON.stringify({ query }), headers: { 'content-type': 'application/json' }
                    });
                    return [statusCode, (JSON.parse(payload) as { size?: number }).size];
                }));
                expect(sizes).to.equal([[200, 1], [200, 1]]);
            }
        });

        it('apply the current rules', async () => {

            const schemaId = (await idsFor('admin', '+type:Schema +schemaName:Team'))[0];
            const setRules = async (authConfig: object): Promise<number> => {

                const payload = JSON.stringify({ identifier: schemaId, name: 'Team', schema: { type: 'object' }, authConfig });
                return (await service.asAdmin(`PUT /objects/${String(schemaId)}`, { payload, headers: { 'content-type': 'application/json' } })).statusCode;
            };

            expect(await setRules(RULES)).to.equal(200);
            expect(await idsFor('nobody', 'blue')).to.equal(['test/team']);
            expect(await setRules({ ...RULES, aclSearch: [] })).to.equal(200);
            expect(await idsFor('ann', 'blue')).to.equal([]);
            expect(await setRules({ ...RULES, aclSearch: 'test/ann' })).to.equal(400);
            expect(await setRules({ ...RULES, aclSearch: ['test/ann', 'self'] })).to.equal(200);
        });
    });
}
