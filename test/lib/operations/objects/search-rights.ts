/** What searches tell of objects is compared with asking for every object by itself, over random rights. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';
import { seeded } from '../../../support/random.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const USERS = ['ann', 'bob', 'eve'];
const TYPES = ['Red', 'Green', 'Blue'];
const OBJECTS = 150;
const ENTRIES = [
    'public', 'authenticated', 'creator', 'self', 'test/ann', 'test/bob', 'test/inner', 'test/outer', 'TEST/ANN', 'test/ann ', 'ann', 'readers', 'admin'
];

interface Found {
    readonly size: number;
    readonly results: readonly string[];
    readonly facets: readonly { readonly buckets: readonly { readonly value: string; readonly count: number }[] }[];
}

forEachDatabase((name, create) => {

    describe(`random rights in searches on ${name}`, () => {

        const source = seeded(20_261);
        const random = (): number => source.next();
        const callers = new Map<string, JsonObject>([
            ['nobody', {}], ['admin', ADMIN], ...USERS.map((user): [string, JsonObject] => [user, { username: user, password: `password of ${user}` }])
        ]);
        const types = new Map<string, string>();
        let database: TestDatabase;
        let gateway: TestGateway;

        function list(): string[] {

            return ENTRIES.filter(() => random() < 0.12);
        }

        function someLists(...names: readonly string[]): JsonObject {

            return Object.fromEntries(names.filter(() => random() < 0.5).map((each) => [each, list()]));
        }

        async function set(authConfig: JsonObject): Promise<void> {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'design' });
            const { content } = (value as { attributes: { content: JsonObject } }).attributes;
            const answer = await gateway.asAdmin('0.DOIP/Op.Update', { targetId: 'design', input: { attributes: { content: { ...content, authConfig } } } });
            expect(answer.status, JSON.stringify(answer.value)).to.equal(OK);
        }

        before(async () => {

            database = await create();
            gateway = await startGateway(database);
            for (const type of TYPES) {
                await gateway.create('Schema', { identifier: type, name: type, schema: { type: 'object' } });
            }

            for (const user of USERS) {
                await gateway.create('User', { username: user, password: `password of ${user}` }, { id: `test/${user}` });
            }

            await gateway.create('Group', { groupName: 'inner', description: 'd', users: ['test/ann', 'test/bob'] }, { id: 'test/inner' });
            await gateway.create('Group', { groupName: 'outer', description: 'd', users: ['test/inner', 'test/eve'] }, { id: 'test/outer' });
            await set({ defaultAcls: { defaultAclRead: [], defaultAclWrite: [], aclCreate: ['authenticated'] } });
            for (let n = 0; n < OBJECTS; ++n) {
                const type = TYPES[Math.floor(random() * TYPES.length)] ?? '';
                const authentication = [ADMIN, ...USERS.map((user) => callers.get(user) ?? {})][Math.floor(random() * 4)] ?? {};
                const acl = someLists('readers', 'writers', 'payloadReaders');
                const { status, value } = await gateway.perform('0.DOIP/Op.Create', { authentication, input: [
                    jsonSegment({ id: `test/o${n}`, type, attributes: { content: { common: 'word', n }, acl } }),
                    jsonSegment({ id: 'file', type: 'text/plain', filename: 'a' }),
                    bytesSegment(Buffer.from(`hiddenword number${n}`))
                ] });
                expect(status, JSON.stringify(value)).to.equal(OK);
                types.set(`test/o${n}`, type);
            }

            await until(async () => (await search('hiddenword', ADMIN)).size === OBJECTS, 60_000);
        });

        after(async () => {

            await gateway.stop();
            await database.dispose();
        });

        async function search(query: string, authentication: JsonObject): Promise<Found> {

            const { status, value } = await gateway.perform('0.DOIP/Op.Search', { authentication, attributes: {
                query, type: 'id', sortFields: 'id', facets: [{ field: 'type' }, { field: '/n', maxBuckets: OBJECTS }]
            } });
            expect(status, JSON.stringify(value)).to.equal(OK);
            return value as Found;
        }

        async function compare(context: string): Promise<void> {

            for (const [caller, authentication] of callers) {
                const readable: Record<'objects' | 'payloads', string[]> = { objects: [], payloads: [] };
                for (const id of types.keys()) {
                    const may = async (attributes: JsonObject): Promise<boolean> => {

                        return (await gateway.perform('0.DOIP/Op.Retrieve', { targetId: id, authentication, attributes })).status === OK;
                    };

                    readable.objects.push(...await may({}) ? [id] : []);
                    readable.payloads.push(...await may({ element: 'file' }) ? [id] : []);
                }

                for (const [query, ids] of [['/common:word', readable.objects], ['hiddenword', readable.payloads], ['file:number*', readable.payloads]] as const) {
                    const { size, results, facets } = await search(query, authentication);
                    const hint = `${context}: ${query} for ${caller}`;
                    expect(results, hint).to.equal(ids.toSorted());
                    expect(size, hint).to.equal(ids.length);
                    expect(facets[1]?.buckets.length, hint).to.equal(ids.length);
                    const counts = TYPES.map((type): [string, number] => [type, ids.filter((id) => types.get(id) === type).length]);
                    const counted = new Map(facets[0]?.buckets.map(({ value, count }) => [value, count]));
                    expect(counts.map(([type]) => counted.get(type) ?? 0), hint).to.equal(counts.map(([, count]) => count));
                }
            }
        }

        it('apply to the creator of an object with any number of properties', async () => {

            const content = Object.fromEntries(Array.from({ length: 2100 }, (_, i) => [`p${i}`, i]));
            const authentication = callers.get('ann') ?? {};
            const acl = { readers: ['creator'], writers: ['creator'] };
            const { status, value } = await gateway.perform('0.DOIP/Op.Create', { authentication, input: { id: 'test/wide', type: 'Red', attributes: { content, acl } } });
            expect(status, JSON.stringify(value)).to.equal(OK);

            for (const query of ['id:test/wide', '+id:test/wide +metadata/createdBy:"test/ann" +objcreated:[2000 TO *] +txnId:*']) {
                expect((await search(query, authentication)).results, query).to.equal(['test/wide']);
                expect((await search(query, callers.get('bob') ?? {})).results, query).to.equal([]);
            }
        });

        it('hide objects and payloads that the caller may not read, with any defaults', async () => {

            for (let round = 0; round < 4; ++round) {
                const defaults = (): JsonObject => ({ defaultAclRead: list(), defaultAclWrite: list(), aclCreate: ['authenticated'], ...someLists('defaultAclPayloadRead') });
                const schemaAcls = Object.fromEntries(TYPES.filter(() => random() < 0.5).map((type) => [type, defaults()]));
                const authConfig = { schemaAcls, defaultAcls: defaults() };
                await set(authConfig);
                await compare(JSON.stringify(authConfig));
            }
        });
    });
});
