/** API keys by their operations, and what requests with a key may do. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineOwnOperation } from '../../../../lib/core/own-operation.js';
import { result } from '../../../../lib/core/operation.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment } from '../../../../lib/doip/segments.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM, tokenOf, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import type { Answer, ShortRequest, TestGateway } from '../../../support/gateway.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { seeded } from '../../../support/random.js';
import { found } from '../../../support/searching.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const NOT_FOUND = '0.DOIP/Status.104';

const SEED = Number(process.env['KEYS_SEED'] ?? Date.now() % 1_000_000);

/** A custom operation that stores an object for its caller. */
const DEPOSIT = '20.500.123/Op.Deposit';

/** Code with one method that may change things, and one that may not. */
const CODE = `
    exports.methods = { touch: (object) => { object.content.touched = true; return 'touched'; }, show: (object) => object.content.name };
    exports.methods.show.allowGet = true;
`;

interface MadeKey extends JsonObject {
    readonly key: string;
    readonly id: string;
}

forEachDatabase((name, create) => {

    describe(`API keys by operations on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let ann: string;
        let bob: string;
        let number = 0;

        before(async () => {

            place = await create();
            test = await startGateway(place, {}, (gateway) => gateway.registerOperation(defineOwnOperation({
                id: DEPOSIT, summary: 'store a note', target: 'service', authorise: 'caller',
                handler: async ({ objects }) => {

                    const { id } = await objects.create({ type: 'Note', content: { name: 'deposit' } });
                    return result.json({ id });
                }
            })));
            await defineAccounts(test);
            for (const type of ['Note', 'Sheet']) {
                await test.create('Schema', {
                    name: type, schema: { type: 'object', properties: { name: { type: 'string' }, to: { type: 'string', cordra: { type: { handleReference: { types: ['Note', 'Sheet'] } } } } } },
                    javascript: CODE,
                    authConfig: {
                        defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'],
                        aclMethods: { default: { instance: ['writers'] } }
                    }
                });
            }

            ann = (await test.create(ACCOUNT, account('ann'))).id;
            bob = (await test.create(ACCOUNT, account('bob'))).id;
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const make = (input: JsonObject = {}, authentication: JsonObject = basic('ann')): Promise<Answer> =>
            test.perform(Op.keysCreate, { authentication, input: { name: `key ${++number}`, ...input } });

        async function keyOf(input: JsonObject = {}, authentication?: JsonObject): Promise<MadeKey> {

            const { status, value } = await make(input, authentication);
            expect<unknown>(status, JSON.stringify(value)).to.equal(OK);
            return value as MadeKey;
        }

        const withKey = ({ key }: MadeKey, operationId: string, request: ShortRequest = {}): Promise<Answer> =>
            test.perform(operationId, { ...request, authentication: { token: key, ...request.authentication } });

        const createAs = (key: MadeKey, type: string, content: JsonObject = { name: 'x' }): Promise<Answer> =>
            withKey(key, Op.create, { input: { type, attributes: { content } } });

        async function stored(type: string, authentication: JsonObject = basic('ann'), acl?: JsonObject): Promise<string> {

            const { value } = await test.perform(Op.create, { authentication, input: { type, attributes: { content: { name: 'x' }, ...acl ? { acl } : {} } } });
            return (value as { id: string }).id;
        }

        const listOf = async (authentication: JsonObject, attributes: JsonObject = {}): Promise<JsonObject[]> =>
            ((await test.perform(Op.keysList, { authentication, attributes })).value as { keys: JsonObject[] }).keys;

        it('are created, used, listed and revoked', async () => {

            const key = await keyOf({ name: 'harvester', operations: ['Retrieve', Op.search], types: ['Note'], readOnly: true, expiresInDays: 30 });
            const { value: who } = await whoIs(test, { token: key.key });
            const listed = (await listOf(basic('ann'))).find(({ id }) => id === key.id);
            const { key: value, ...described } = key;

            expect(value).to.match(/^doipkey_[0-9a-f]{56}$/);
            expect<unknown>(described).to.include({ name: 'harvester', userId: ann, operations: [Op.retrieve, Op.search], types: ['Note'], readOnly: true, createdBy: ann });
            expect(Number(described['expiresOn'])).to.be.within(Date.now() + 29 * 86_400_000, Date.now() + 31 * 86_400_000);
            expect<unknown>(who).to.equal({
                active: true, userId: ann, username: 'ann', typesPermittedToCreate: [], groupIds: [],
                apiKey: {
                    id: key.id, name: 'harvester', readOnly: true, operations: [Op.retrieve, Op.search], types: ['Note'], expiresOn: described['expiresOn'] as number
                }
            });
            expect<unknown>(listed).to.equal({ ...described, lastUsedOn: listed?.['lastUsedOn'] });
            expect<unknown>(listed?.['lastUsedOn']).to.be.a.number();
            expect<unknown>((await test.perform(Op.keysRevoke, { authentication: basic('ann'), attributes: { keyId: key.id } })).value).to.equal({ success: true });
            expect<unknown>((await whoIs(test, { token: key.key })).status).to.equal(UNAUTHENTICATED);
            expect<unknown>((await listOf(basic('ann'))).some(({ id }) => id === key.id)).to.be.false();
            expect<unknown>((await test.perform(Op.keysRevoke, { authentication: basic('ann'), attributes: { keyId: key.id } })).status).to.equal(NOT_FOUND);
        });

        it('are introspected, and revoked by whoever has found one', async () => {

            const { key, id } = await keyOf({ types: ['Note'] });
            const { value } = await test.perform(Op.authIntrospect, { input: { token: key } });
            expect<unknown>(value).to.equal({ active: true, userId: ann, username: 'ann', apiKey: { id, name: `key ${number}`, readOnly: false, types: ['Note'] } });
            expect<unknown>((await test.perform(Op.authRevoke, { input: { token: key } })).value).to.equal({ active: false });
            expect<unknown>((await test.perform(Op.authIntrospect, { input: { token: key } })).value).to.equal({ active: false });
            expect<unknown>((await test.perform(Op.authRevoke, { input: { token: key } })).value).to.equal({ active: false });
            const [wrongKey, wrongToken] = [await whoIs(test, { token: key }), await whoIs(test, { token: 'x' })];
            expect<unknown>([wrongKey.status, wrongKey.value, wrongKey.attributes]).to.equal([wrongToken.status, wrongToken.value, wrongToken.attributes]);
        });

        it('are made for other users by admin, who sees and revokes all', async () => {

            const key = await keyOf({ userId: bob }, ADMIN);
            expect<unknown>((await whoIs(test, { token: key.key })).value).to.include({ userId: bob, username: 'bob' });
            expect<unknown>(key).to.include({ userId: bob, createdBy: 'admin' });
            expect<unknown>((await listOf(ADMIN, { userId: bob })).map(({ id }) => id)).to.include(key.id);

            const all: JsonObject[] = [];
            let next: JsonValue | undefined = '';
            while (next !== undefined) {
                const page: Answer = await test.asAdmin(Op.keysList, { attributes: { all: true, pageSize: 2, after: next } });
                const { keys, next: after } = page.value as { keys: JsonObject[]; next?: string };
                expect(keys.length).to.be.at.most(2);
                all.push(...keys);
                next = after;
            }

            expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
            expect<unknown>(all.map(({ id }) => id)).to.include(key.id);
            expect<unknown>((await test.asAdmin(Op.keysRevoke, { attributes: { keyId: key.id } })).status).to.equal(OK);
            expect<unknown>((await whoIs(test, { token: key.key })).status).to.equal(UNAUTHENTICATED);
        });

        it('of others are out of reach', async () => {

            const { id } = await keyOf({}, basic('bob'));
            const refused = [
                await test.perform(Op.keysList, { authentication: basic('ann'), attributes: { userId: bob } }),
                await test.perform(Op.keysList, { authentication: basic('ann'), attributes: { all: true } }),
                await make({ userId: bob }),
                await test.perform(Op.keysRevoke, { authentication: basic('ann'), attributes: { keyId: id } }),
                await test.perform(Op.keysRevoke, { attributes: { keyId: id } }),
                await test.perform(Op.keysList),
                await make({}, {})
            ];
            expect(refused.map(({ status }) => status)).to.equal([
                FORBIDDEN, FORBIDDEN, FORBIDDEN, NOT_FOUND, UNAUTHENTICATED, UNAUTHENTICATED, UNAUTHENTICATED
            ]);
            expect<unknown>((await listOf(basic('bob'))).map((key) => key['id'])).to.include(id);
        });

        const faults: readonly (readonly [title: string, input: JsonValue, message: RegExp])[] = [
            ['no name', {}, /name.* required/],
            ['an empty name', { name: ' ' }, /name/],
            ['a long name', { name: 'x'.repeat(101) }, /name/],
            ['a control character', { name: 'a\nb' }, /name/],
            ['a misspelt restriction', { name: 'x', readonly: true }, /readonly.* not allowed/],
            ['an unknown operation', { name: 'x', operations: ['Retreive'] }, /operation Retreive is not known/],
            ['no operation', { name: 'x', operations: [] }, /operations/],
            ['an unknown type', { name: 'x', types: ['Notes'] }, /Unknown type Notes/],
            ['too many types', { name: 'x', types: Array<string>(101).fill('Note') }, /types/],
            ['a writing operation for reading', { name: 'x', readOnly: true, operations: ['Update'] }, /Update may change things/],
            ['an expiry in the past', { name: 'x', expiresOn: 1 }, /must expire in the future/],
            ['two expiries', { name: 'x', expiresOn: 4e12, expiresInDays: 1 }, /expiresOn, expiresInDays/],
            ['no object', 'x', /input/]
        ];
        for (const [title, input, message] of faults) {
            it(`are not made with ${title}`, async () => {

                const count = (await listOf(basic('ann'))).length;
                const { status, value } = await test.perform(Op.keysCreate, { authentication: basic('ann'), input });

                expect<unknown>([status, (value as { message: string }).message]).to.equal([BAD, (value as { message: string }).message]);
                expect<unknown>((value as { message: string }).message).to.match(message);
                expect<unknown>((await listOf(basic('ann'))).length).to.equal(count);
            });
        }

        it('are made with the password itself, not with what may be stolen', async () => {

            const token = await tokenOf(test, basic('ann'));
            expect<unknown>((await make({}, { token })).status).to.equal(FORBIDDEN);
            expect<unknown>((await make({}, { ...ADMIN, asUserId: ann })).status).to.equal(FORBIDDEN);
            expect<unknown>((await make({ userId: 'test/nobody' }, ADMIN)).status).to.equal(NOT_FOUND);
            expect<unknown>((await make({}, { token: await tokenOf(test, ADMIN) })).status).to.equal(OK);
        });

        /** What each kind of key may do; `true` for what ann may do without a key as well. */
        const scopes: readonly (readonly [title: string, scope: JsonObject, expected: Readonly<Record<string, boolean>>])[] = [
            ['without restriction', {}, {
                read: true, readOther: true, create: true, createOther: true, update: true, acl: true, call: true, show: true, batch: true,
                deposit: true, remove: true
            }],
            ['for reading', { readOnly: true }, { read: true, readOther: true, show: true }],
            ['for one type', { types: ['Note'] }, {
                read: true, create: true, update: true, acl: true, call: true, show: true, batch: true, deposit: true, remove: true
            }],
            ['for reading one type', { types: ['Note'], readOnly: true }, { read: true, show: true }],
            ['for Retrieve', { operations: ['Retrieve'] }, { read: true, readOther: true }],
            ['for Create of one type', { operations: ['Create'], types: ['Sheet'] }, { createOther: true }],
            ['for calls', { operations: [Op.call] }, { call: true, show: true }],
            ['for a custom operation', { operations: [DEPOSIT] }, { deposit: true }],
            ['for a custom operation and another type', { operations: [DEPOSIT], types: ['Sheet'] }, {}],
            ['for batches of one type', { operations: [Op.batchUpload], types: ['Note'] }, { batch: true }]
        ];
        for (const [title, scope, expected] of scopes) {
            it(`${title} permit that, and nothing else`, async () => {

                const key = await keyOf(scope);
                const [note, sheet] = [await stored('Note'), await stored('Sheet')];
                const batch = Buffer.from(JSON.stringify([{ type: 'Note', content: { name: 'x' } }]));
                const attempts: Readonly<Record<string, () => Promise<Answer>>> = {
                    read: () => withKey(key, Op.retrieve, { targetId: note }),
                    readOther: () => withKey(key, Op.retrieve, { targetId: sheet }),
                    create: () => createAs(key, 'Note'),
                    createOther: () => createAs(key, 'Sheet'),
                    update: () => withKey(key, Op.update, { targetId: note, input: { attributes: { content: { name: 'y' } } } }),
                    acl: () => withKey(key, Op.aclsUpdate, { targetId: note, input: { readers: ['public'] } }),
                    call: () => withKey(key, Op.call, { targetId: note, attributes: { method: 'touch' } }),
                    show: () => withKey(key, 'show', { targetId: note }),
                    batch: () => withKey(key, Op.batchUpload, { input: [bytesSegment(batch)] }),
                    deposit: () => withKey(key, DEPOSIT),
                    remove: () => withKey(key, Op.delete, { targetId: note })
                };
                const outcome: [string, string][] = [];
                for (const [attempt, perform] of Object.entries(attempts)) {
                    outcome.push([attempt, (await perform()).status]);
                }

                expect<unknown>(outcome).to.equal(Object.keys(attempts).map((attempt) => [attempt, expected[attempt] ? OK : FORBIDDEN]));
                expect<unknown>((await whoIs(test, { token: key.key })).status).to.equal(OK);
            });
        }

        it('do no more than their user', async () => {

            const key = await keyOf({}, basic('bob'));
            const secret = await stored('Note', basic('ann'), { readers: [], writers: [] });

            expect<unknown>((await withKey(key, Op.retrieve, { targetId: secret })).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.exportObjects)).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.retrieve, { targetId: ann, authentication: { asUserId: ann } })).status).to.equal(UNAUTHENTICATED);
        });

        it('do not reveal which objects of other types exist', async () => {

            const key = await keyOf({ types: ['Note'] });
            const there = await withKey(key, Op.retrieve, { targetId: await stored('Sheet') });
            const missing = await withKey(key, Op.retrieve, { targetId: 'test/missing' });

            expect<unknown>([there.status, there.value]).to.equal([missing.status, missing.value]);
            expect<unknown>(there.status).to.equal(FORBIDDEN);
        });

        it('show in lists of operations what they permit', async () => {

            const ids = async (key: MadeKey, targetId?: string): Promise<string[]> =>
                (await withKey(key, Op.listOperations, targetId === undefined ? {} : { targetId })).value as string[];
            const note = await stored('Note');
            const [reading, narrow] = [await keyOf({ readOnly: true }), await keyOf({ operations: [Op.search] })];

            expect(await ids(reading)).to.include([Op.search, Op.keysList]).and.to.not.include([Op.create]);
            expect(await ids(reading)).to.not.include(DEPOSIT).and.to.not.include(Op.keysCreate);
            expect(await ids(narrow)).to.equal([Op.hello, Op.listOperations, Op.search, Op.checkCredentials]);
            expect(await ids(reading, note)).to.include([Op.retrieve, 'show']);
            expect(await ids(reading, note)).to.not.include(Op.update);
            expect(await ids(narrow, note)).to.equal([Op.listOperations]);
        });

        it('make, change and revoke no credentials, unless they name the operation', async () => {

            const admin = await keyOf({}, ADMIN);
            const own = await keyOf();
            const other = await keyOf();
            const password = (key: MadeKey, id: string): Promise<Answer> => withKey(key, Op.update, {
                targetId: id, input: { attributes: { content: { id, username: id === ann ? 'ann' : 'bob', login: { password: 'another password' } } } }
            });
            const publicKey = (key: MadeKey, id: string): Promise<Answer> => withKey(key, Op.update, {
                targetId: id, input: { attributes: { content: { id, username: 'bob', login: { password: '' }, publicKey: { kty: 'RSA', n: 'x', e: 'AQAB' } } } }
            });
            const refused = [
                await withKey(own, Op.keysCreate, { input: { name: 'more' } }),
                await withKey(own, Op.keysRevoke, { attributes: { keyId: other.id } }),
                await withKey(own, Op.tokensRevoke, { attributes: { all: true } }),
                await withKey(own, Op.changePassword, { input: { password: 'another password' } }),
                await withKey(admin, Op.changeAdminPassword, { input: { password: 'another password' } }),
                await withKey(admin, Op.exportObjects),
                await withKey(admin, Op.importObjects, { input: [] }),
                await password(own, ann), await password(admin, bob), await publicKey(admin, bob),
                await withKey(own, Op.aclsUpdate, { targetId: ann, input: { writers: ['public'] } })
            ];

            expect(refused.map(({ status }) => status)).to.equal(refused.map(() => FORBIDDEN));
            expect<unknown>((await whoIs(test, basic('ann'))).status).to.equal(OK);
            expect<unknown>((await whoIs(test, basic('bob'))).status).to.equal(OK);
            const named = await keyOf({ operations: ['Update', Op.changePassword] }, ADMIN);
            expect<unknown>((await password(named, bob)).status).to.equal(OK);
            expect<unknown>((await test.asAdmin(Op.update, { targetId: bob, input: { attributes: { content: { id: bob, ...account('bob') } } } })).status).to.equal(OK);
        });

        it('that may make keys make none that permit more', async () => {

            const maker = await keyOf({ operations: [Op.keysCreate, 'Retrieve', 'Search'], types: ['Note'], expiresInDays: 10 });
            const attempts: readonly (readonly [JsonObject, string])[] = [
                [{ operations: ['Retrieve'], types: ['Note'], expiresInDays: 5 }, OK],
                [{ operations: ['Retrieve'], types: ['Note'], readOnly: true, expiresInDays: 5 }, OK],
                [{ operations: ['Retrieve'], types: ['Note'] }, FORBIDDEN],
                [{ operations: ['Retrieve'], types: ['Note'], expiresInDays: 11 }, FORBIDDEN],
                [{ operations: ['Retrieve', 'Update'], types: ['Note'], expiresInDays: 5 }, FORBIDDEN],
                [{ operations: ['Retrieve'], types: ['Note', 'Sheet'], expiresInDays: 5 }, FORBIDDEN],
                [{ operations: ['Retrieve'], expiresInDays: 5 }, FORBIDDEN],
                [{ types: ['Note'], expiresInDays: 5 }, FORBIDDEN],
                [{ operations: ['Retrieve'], types: ['Note'], expiresInDays: 5, userId: bob }, FORBIDDEN]
            ];
            for (const [input, expected] of attempts) {
                expect<unknown>((await make(input, { token: maker.key })).status, JSON.stringify(input)).to.equal(expected);
            }
        });

        it('of admin are restricted as well, and act as others only so', async () => {

            const key = await keyOf({ types: ['Note'] }, ADMIN);
            const sheet = await stored('Sheet');

            expect<unknown>((await withKey(key, Op.retrieve, { targetId: sheet })).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.retrieve, { targetId: sheet, authentication: { asUserId: ann } })).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.reindexBatch, { attributes: { all: true } })).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.handlesStatus)).status).to.equal(FORBIDDEN);
            expect<unknown>((await createAs(key, TEAM, { members: [] })).status).to.equal(FORBIDDEN);
            expect<unknown>((await withKey(key, Op.update, { targetId: 'design', input: { attributes: { content: {} } } })).status).to.equal(FORBIDDEN);
            // Whether a referenced object exists is not revealed either.
            expect<unknown>((await createAs(key, 'Note', { name: 'x', to: sheet })).status).to.equal(BAD);
        });

        it(`find by searches exactly what they may read (KEYS_SEED=${SEED})`, async () => {

            const random = seeded(SEED);
            const users = [basic('ann'), basic('bob'), ADMIN];
            const ids: string[] = [];
            const acls: readonly JsonObject[] = [{ readers: ['public'], writers: [] }, { readers: [], writers: [] }, { readers: [ann], writers: [] }, { readers: [], writers: [bob] }];
            for (let i = 0; i < 30; ++i) {
                ids.push(await stored(random.pick(['Note', 'Sheet', 'Document']), random.pick(users), random.pick(acls)));
            }

            for (const authentication of users) {
                for (const scope of [{}, { readOnly: true }, { types: ['Note'] }, { types: ['Sheet', 'Document'] }, { types: ['Schema'] }]) {
                    const key = await keyOf(scope, authentication);
                    const readable: string[] = [];
                    for (const targetId of ids) {
                        if ((await withKey(key, Op.retrieve, { targetId })).status === OK) {
                            readable.push(targetId);
                        }
                    }

                    for (const type of ['id', 'full']) {
                        const facets = [{ field: 'type' }];
                        const { results, size, facets: counted } = await found(test, { query: '*:*', type, facets }, { token: key.key });
                        const listed = results.map((each) => (typeof each === 'string' ? each : (each as { id: string }).id));
                        expect<unknown>(listed.filter((id) => ids.includes(id)).sort(), JSON.stringify([authentication, scope])).to.equal(readable.toSorted());
                        expect(size).to.equal(listed.length);
                        expect<unknown>(counted?.[0]?.buckets.every(({ value }) => !('types' in scope) || scope.types.includes(value))).to.be.true();
                    }
                }
            }
        });
    });
});
