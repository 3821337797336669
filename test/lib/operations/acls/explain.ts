/** Rights explained: the lists, where they come from, and what they mean for a person, on every database. What is said is what happens. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM } from '../../../support/accounts.js';
import type { TestDatabase } from '../../../support/database.js';
import { forEachDatabase } from '../../../support/database.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { changeDesign, defineType, OPEN_SCHEMA } from '../../../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const NOT_FOUND = '0.DOIP/Status.104';

interface List {
    readonly entries: readonly string[];
    readonly source: string;
}

interface Rights {
    readonly rights: Readonly<Record<'read' | 'readPayloads' | 'write', List>>;
    readonly methods: Readonly<Record<string, List>>;
    readonly otherMethods: List;
    readonly labels: Readonly<Record<string, { readonly label: string; readonly type: string }>>;
    readonly check: {
        readonly userId: string | null; readonly username: string | null; readonly groupIds: readonly string[]; readonly isActive: boolean;
        readonly read: { readonly allowed: boolean; readonly by?: string };
        readonly write: { readonly allowed: boolean; readonly by?: string };
        readonly readPayloads: { readonly allowed: boolean; readonly by?: string };
        readonly methods: Readonly<Record<string, { readonly allowed: boolean; readonly by?: string }>>;
    };
}

const CODE = 'exports.methods = { count: () => 1, sum: () => 2 };';

forEachDatabase((name, create) => {

    describe(`rights, explained on ${name},`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            for (const username of ['ann', 'bob', 'eve']) {
                await test.create(ACCOUNT, account(username), { id: `test/${username}` });
            }

            await test.create(ACCOUNT, account('shy'), { id: 'test/shy', attributes: { acl: { readers: [], writers: [] } } });
            await test.create(ACCOUNT, account('blocked', { active: false }), { id: 'test/blocked' });
            await test.create(TEAM, { members: ['test/bob'] }, { id: 'test/team', attributes: { acl: { readers: ['public'], writers: [] } } });
            await test.create(TEAM, { members: ['test/team'] }, { id: 'test/secret', attributes: { acl: { readers: [], writers: [] } } });
            await changeDesign(test, { authConfig: {
                defaultAcls: { defaultAclRead: ['authenticated'], defaultAclWrite: ['creator', 'test/team'], aclCreate: ['authenticated'] },
                schemaAcls: { Sheet: {
                    defaultAclRead: ['public'], defaultAclWrite: ['self'], defaultAclPayloadRead: ['test/secret'], aclCreate: [],
                    aclMethods: { instance: { count: ['readers'] }, default: { instance: ['test/team'] } }
                } }
            } });
            await defineType(test, 'Note', CODE);
            await defineType(test, 'Sheet', CODE);
            const attributes = { content: {}, acl: { readers: ['public'], writers: ['test/ann', 'test/secret'], methods: { sum: ['test/bob'] } } };
            await test.asAdmin(Op.create, { input: { id: 'test/note', type: 'Note', attributes } });
            await test.create('Note', {}, { id: 'test/plain' });
            await test.create('Sheet', {}, { id: 'test/sheet' });
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const ask = (id: string, request: ShortRequest = {}): ReturnType<TestGateway['perform']> => test.perform(Op.rightsExplain, { targetId: `test/${id}`, ...request });
        const explain = async (id: string, request: ShortRequest = { authentication: ADMIN }): Promise<Rights> => {

            const { status, value } = await ask(id, request);
            expect(status, JSON.stringify(value)).to.equal(OK);
            return value as Rights;
        };

        it('name the lists of the object, of its type and of the service', async () => {

            const [note, plain, sheet] = [await explain('note'), await explain('plain'), await explain('sheet')];

            expect<unknown>(note.rights).to.equal({
                read: { entries: ['public'], source: 'object' },
                readPayloads: { entries: ['public'], source: 'object', sameAs: 'read' },
                write: { entries: ['test/ann', 'test/secret'], source: 'object' }
            });
            expect<unknown>([note.methods, note.otherMethods]).to.equal(
                [{ sum: { entries: ['test/bob'], source: 'object' } }, { entries: ['writers'], source: 'default' }]);
            expect<unknown>(plain.rights.write).to.equal({ entries: ['creator', 'test/team'], source: 'default' });
            expect<unknown>(sheet.rights).to.equal({
                read: { entries: ['public'], source: 'type' }, readPayloads: { entries: ['test/secret'], source: 'type' }, write: { entries: ['self'], source: 'type' }
            });
            expect<unknown>([sheet.methods, sheet.otherMethods]).to.equal(
                [{ count: { entries: ['readers'], source: 'type' } }, { entries: ['test/team'], source: 'type' }]);
        });

        it('have labels of those whom the caller may see', async () => {

            const asAdmin = await explain('note');
            const asAnn = await explain('note', { authentication: basic('ann') });

            expect(Object.keys(asAdmin.labels).sort()).to.equal(['test/ann', 'test/bob', 'test/secret']);
            expect(Object.keys(asAnn.labels).sort()).to.equal(['test/ann', 'test/bob']);
            expect(asAnn.labels['test/ann']).to.include({ type: ACCOUNT });
        });

        it('say by which entry the caller is admitted', async () => {

            const by = async (id: string, authentication: JsonObject) => {

                const { read, write, readPayloads } = (await explain(id, { authentication })).check;
                return [read, write, readPayloads].map((each) => (each.allowed ? each.by : false));
            };

            expect(await by('note', {})).to.equal(['public', false, 'public']);
            expect(await by('note', basic('eve'))).to.equal(['public', false, 'public']);
            expect(await by('note', basic('ann'))).to.equal(['test/ann', 'test/ann', 'test/ann']);
            expect(await by('note', basic('bob'))).to.equal(['test/secret', 'test/secret', 'test/secret']);
            expect(await by('plain', basic('bob'))).to.equal(['test/team', 'test/team', 'test/team']);
            expect(await by('plain', basic('eve'))).to.equal(['authenticated', false, 'authenticated']);
            expect(await by('ann', basic('ann'))).to.equal(['self', 'self', 'self']);
            expect(await by('plain', ADMIN)).to.equal(['admin', 'admin', 'admin']);
            const { check } = await explain('sheet', { authentication: basic('bob') });
            expect<unknown>(check.methods).to.equal({ count: { allowed: true, by: 'readers' } });
        });

        it('agree with what happens, for everybody and every object', async () => {

            for (const id of ['note', 'plain', 'sheet', 'ann', 'shy', 'team', 'secret']) {
                for (const user of ['anonymous', 'admin', 'test/ann', 'test/bob', 'test/eve', 'test/shy']) {
                    const { check } = await explain(id, { authentication: ADMIN, attributes: { user } });
                    const authentication = user === 'anonymous' ? {} : user === 'admin' ? ADMIN : basic(user.slice(5));
                    const { value, status } = await test.perform(Op.retrieve, { targetId: `test/${id}`, authentication });
                    const written = await test.perform(Op.aclsUpdate, { targetId: `test/${id}`, authentication, input: 'no list' });

                    expect(check.userId, user).to.equal(user === 'anonymous' ? null : user);
                    expect(check.read.allowed, `${user} reads ${id}: ${JSON.stringify(value)}`).to.equal(status === OK);
                    expect(check.write.allowed, `${user} writes ${id}`).to.equal(written.status === BAD);
                    if (check.read.allowed) {
                        const own = await explain(id, { authentication });
                        expect<unknown>([own.check.read, own.check.write, own.check.readPayloads, own.check.methods]).to.equal(
                            [check.read, check.write, check.readPayloads, check.methods]);
                    }
                }
            }
        });

        it('are only for readers, and reveal nothing else', async () => {

            for (const [id, authentication, status] of [
                ['shy', basic('ann'), FORBIDDEN], ['shy', {}, UNAUTHENTICATED], ['plain', {}, UNAUTHENTICATED], ['nothing', {}, UNAUTHENTICATED], ['nothing', ADMIN, NOT_FOUND]
            ] as const) {
                expect((await ask(id, { authentication })).status, id).to.equal(status);
            }
        });

        it('of others are only for writers', async () => {

            for (const user of ['test/bob', 'anonymous', 'admin', 'test/nobody', 'test/shy']) {
                const refused = await ask('note', { authentication: basic('eve'), attributes: { user } });
                const anonymous = await ask('note', { attributes: { user } });

                expect([user, refused.status]).to.equal([user, FORBIDDEN]);
                expect([user, anonymous.status]).to.equal([user, user === 'anonymous' ? OK : FORBIDDEN]);
            }

            const own = await explain('note', { authentication: basic('eve'), attributes: { user: 'test/eve' } });
            expect(own.check).to.include({ userId: 'test/eve', username: 'eve' });
        });

        it('reveal neither hidden users nor hidden groups to writers', async () => {

            const authentication = basic('ann');
            const unknown = await ask('note', { authentication, attributes: { user: 'test/nobody' } });
            const hidden = await ask('note', { authentication, attributes: { user: 'test/shy' } });
            const group = await ask('note', { authentication, attributes: { user: 'test/team' } });
            const { check: bob } = await explain('note', { authentication, attributes: { user: 'test/bob' } });
            const { check: ofAdmin } = await explain('note', { authentication: ADMIN, attributes: { user: 'test/bob' } });

            expect([unknown.status, hidden.status, group.status]).to.equal([NOT_FOUND, NOT_FOUND, NOT_FOUND]);
            expect(JSON.stringify(hidden.value).replace('shy', 'nobody')).to.equal(JSON.stringify(unknown.value));
            expect<unknown>([bob.groupIds, bob.write]).to.equal([['test/team'], { allowed: true }]);
            expect<unknown>([[...ofAdmin.groupIds].sort(), ofAdmin.write]).to.equal([['test/secret', 'test/team'], { allowed: true, by: 'test/secret' }]);
        });

        it('tell the administrator about blocked users, and users without an object', async () => {

            const blocked = await explain('note', { authentication: ADMIN, attributes: { user: 'test/blocked' } });
            const external = await explain('plain', { authentication: ADMIN, attributes: { user: 'institute/person' } });

            expect(blocked.check).to.include({ isActive: false, username: 'blocked' });
            expect<unknown>([external.check.userId, external.check.read]).to.equal(['institute/person', { allowed: false }]);
        });

        it('include those that code computes, whose names only readers of the type learn', async () => {

            await defineType(test, 'Computed', 'exports.getAuthConfig = () => ({ defaultAclRead: ["public"], defaultAclWrite: ["test/secret"], aclCreate: [] });');
            await test.create('Computed', {}, { id: 'test/computed' });
            const open = await explain('computed', { authentication: {} });
            await test.create('Schema', {
                identifier: '', name: 'Veiled', schema: OPEN_SCHEMA, authConfig: { defaultAclRead: ['public', 'test/secret'], defaultAclWrite: ['test/secret'], aclCreate: [] }
            }, { attributes: { acl: { readers: [], writers: [] } } });
            await test.create('Veiled', {}, { id: 'test/veiled' });
            const veiled = await explain('veiled', { authentication: {} });
            const asAdmin = await explain('veiled');

            expect(open.rights.write.entries).to.equal([]);
            expect((await explain('computed')).rights.write).to.equal({ entries: ['test/secret'], source: 'type' });
            expect<unknown>(veiled.rights.read).to.equal({ entries: ['public'], source: 'type', isPartial: true });
            expect<unknown>(veiled.rights.write).to.equal({ entries: [], source: 'type', isPartial: true });
            expect<unknown>(asAdmin.rights.read).to.equal({ entries: ['public', 'test/secret'], source: 'type' });
        });
    });
});
