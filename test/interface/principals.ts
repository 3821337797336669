/** What is open to a user or group stays closed to others who take its id: by REST and DOIP, by groups and by registration. */

import type { JsonObject } from '../../lib/util/json-types.js';
import type { More, Received, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { basic, jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const MALLORY = basic('mallory', 'password of mallory');
const STAFF: JsonObject = { description: 'x', groupName: 'x' };

forEachDatabase((name, create) => {

    describe(`ids of users and groups on ${name}`, () => {

        let service: RestService;
        let mallory: string;
        let others = 0;

        /** Users of elsewhere, named by their tokens. */
        const hook = async ({ token }: JsonObject): Promise<JsonObject | null> => {

            const [, user, ...groupIds] = typeof token === 'string' && token.startsWith('kc.') ? token.split('.') : [];
            return user === undefined ? null : { active: true, userId: `kc/${user}`, groupIds: groupIds.map((id) => `kc/${id}`), grantAuthenticatedAccess: true };
        };

        const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
        const as = (headers: Record<string, string>, line: string, content?: object): Promise<Received> => {

            const more: More = content === undefined ? { headers } :
                { headers: { ...headers, 'content-type': 'application/json' }, payload: JSON.stringify(content) };
            return service.anonymously(line, more);
        };

        const groupIds = async (headers: Record<string, string>): Promise<unknown> => jsonOf(await as(headers, 'GET /check-credentials?full'))['groupIds'];

        /** A document that only some may read, by its author. */
        const open = async (readers: readonly string[], headers: Record<string, string> = basic('admin', ADMIN_PASSWORD)): Promise<string> => {

            const made = await as(headers, 'POST /objects?type=Document&full', { name: 'a secret' });
            const { id } = jsonOf(made) as { id: string };
            expect((await as(headers, `PUT /acls/${id}`, { readers, writers: readers })).statusCode).to.equal(200);
            return id;
        };

        const newUser = async (): Promise<string> => (await service.create('User', { username: `other${++others}`, password: 'long enough' })).id;
        const remove = async (id: string): Promise<void> => {

            expect((await service.asAdmin(`DELETE /objects/${id}`)).statusCode).to.equal(200);
        };

        const read = async (id: string): Promise<number> => (await as(MALLORY, `GET /objects/${id}`)).statusCode;

        before(async () => {

            service = await startRest(create);
            mallory = (await service.create('User', { username: 'mallory', password: 'password of mallory' })).id;
            const list = { type: 'array', items: { type: 'string' }, cordra: { auth: 'usersList' } };
            await service.create('Schema', { name: 'Team', schema: { type: 'object', properties: { members: list } } });
            await service.create('Schema', {
                name: 'Visitor', authConfig: { defaultAclRead: ['public'], defaultAclWrite: ['self'], aclCreate: ['public'] },
                schema: {
                    type: 'object', properties: {
                        name: { type: 'string', cordra: { auth: 'username', preview: { isPrimary: true } } },
                        secret: { type: 'string', cordra: { auth: 'password' } }
                    }
                }
            });
            service.gateway.services.identity.useAuthenticateHook(() => hook);
        });

        after(() => service.stop());

        /** Ids of somebody who is not there, and a document that is open to them. */
        const absent: [title: string, make: () => Promise<{ id: string; document: string }>][] = [
            ['a user of elsewhere', async () => ({ id: 'kc/alice', document: await open(['kc/alice'], bearer('kc.alice')) })],
            ['a user who was deleted', async () => {

                const id = await newUser();
                const document = await open([id]);
                await remove(id);
                return { id, document };
            }],
            ['a group that was deleted', async () => {

                const { id } = await service.create('Group', STAFF);
                const document = await open([id]);
                await remove(id);
                return { id, document };
            }],
            ['a group that is no group any more', async () => {

                const { id } = await service.create('Group', STAFF);
                const document = await open([id]);
                expect((await service.asAdmin(`PUT /objects/${id}?type=Document`, { payload: '{}' })).statusCode).to.equal(200);
                expect((await service.asAdmin(`DELETE /objects/${id}`)).statusCode).to.equal(200);
                return { id, document };
            }],
            ['a member of a group, who was deleted', async () => {

                const id = await newUser();
                const group = await service.create('Group', { ...STAFF, users: [id] });
                const document = await open([group.id]);
                await remove(id);
                return { id, document };
            }],
            ['a member of a team who never was', async () => {

                const id = `test/never${++others}`;
                const group = await service.create('Team', { members: [id] });
                return { id, document: await open([group.id]) };
            }],
            ['a group that the rules of a type name', async () => {

                const id = `test/rules${++others}`;
                const rules = { defaultAclRead: [id], defaultAclWrite: [], aclCreate: [], aclMethods: { default: { static: [id] } } };
                await service.create('Schema', { name: `Ruled${others}`, schema: { type: 'object' }, authConfig: rules });
                return { id, document: (await service.create(`Ruled${others}`, {})).id };
            }]
        ];

        const takes: [title: string, take: (id: string) => Promise<Received>][] = [
            ['a group', (id) => as(MALLORY, `POST /objects?type=Group&handle=${id}`, { ...STAFF, users: [mallory] })],
            ['an object of another type that lists members', (id) => as(MALLORY, `POST /objects?type=Team&handle=${id}`, { members: [mallory] })],
            ['a group by DOIP', (id) => as(MALLORY, 'POST /doip/0.DOIP/Op.Create?targetId=service',
                { id, type: 'Team', attributes: { content: { members: [mallory] } } })],
            ['an object that becomes a group', async (id) => {

                await as(MALLORY, `POST /objects?type=Document&handle=${id}`, {});
                return as(MALLORY, `PUT /objects/${id}?type=Team`, { members: [mallory] });
            }],
            ['an object that begins to list members', async (id) => {

                const made = await as(MALLORY, `POST /objects?type=Team&handle=${id}`, {});
                return made.statusCode === 200 ? as(MALLORY, `PUT /objects/${id}?jsonPointer=/members`, [mallory]) : made;
            }],
            ['a user who registers', (id) => as({}, `POST /objects?type=Visitor&handle=${id}`, { name: `visitor${++others}`, secret: 'x' })]
        ];
        for (const [n, [whose, make]] of absent.entries()) {
            for (const [what, take] of n === 0 ? takes : takes.slice(0, 1)) {
                it(`protect the id of ${whose} from ${what}`, async () => {

                    const { id, document } = await make();
                    const taken = await take(id);

                    expect(taken.statusCode, taken.payload).to.equal(409);
                    expect(await groupIds(MALLORY)).to.not.include(id);
                    expect(await read(document)).to.equal(403);
                    await service.asAdmin(`DELETE /objects/${id}`);
                });
            }
        }

        it('protect the id of a deleted user from an item of a batch', async () => {

            const id = await newUser();
            await remove(id);
            const batch = await as(MALLORY, 'POST /batchUpload', [{ id, type: 'Team', content: { members: [mallory] } }]);

            expect(batch.payload).to.include('"responseCode":409');
            expect((await service.asAdmin(`GET /objects/${id}`)).statusCode).to.equal(404);
        });

        it('of external users give an earlier group with that id no access', async () => {

            expect((await as(MALLORY, 'POST /objects?type=Team&handle=kc/early', { members: [mallory] })).statusCode).to.equal(200);
            expect(await groupIds(MALLORY)).to.equal(['kc/early']);
            const document = await open(['kc/early'], bearer('kc.early'));

            expect(await groupIds(MALLORY)).to.equal([]);
            expect([await read(document), (await as(bearer('kc.early'), `GET /objects/${document}`)).statusCode]).to.equal([403, 200]);
        });

        it('of external groups have the members from the hook, and from a group object of the administrator', async () => {

            await as(MALLORY, 'POST /objects?type=Team&handle=kc/early-staff', { members: [mallory] });
            await as(bearer('kc.bob.early-staff.late-staff.real-staff'), 'GET /check-credentials');
            const late = await as(MALLORY, 'POST /objects?type=Team&handle=kc/late-staff', { members: [mallory] });
            await service.create('Team', { members: [mallory] }, 'handle=kc/real-staff');

            expect(late.statusCode).to.equal(409);
            expect(await groupIds(MALLORY)).to.equal(['kc/real-staff']);
            expect(await groupIds(bearer('kc.bob.early-staff'))).to.equal(['kc/early-staff']);
        });

        it('of external groups invalidate an earlier user with that id', async () => {

            const visitor = basic(`visitor${++others}`, 'x');
            const made = await as({}, 'POST /objects?type=Visitor&handle=kc/first', { name: `visitor${others}`, secret: 'x' });
            const { access_token: token } = jsonOf(await as({}, 'POST /auth/token', { username: `visitor${others}`, password: 'x' }));
            const first = await as(visitor, 'GET /check-credentials');
            await as(bearer('kc.dora.first'), 'GET /check-credentials');
            const document = await open(['kc/first']);
            const codes = [];
            for (const headers of [visitor, bearer(String(token)), bearer('kc.dora.first')]) {
                codes.push((await as(headers, `GET /objects/${document}`)).statusCode);
            }

            expect([made.statusCode, first.statusCode, ...codes]).to.equal([200, 200, 401, 401, 200]);
        });

        it('are new for a user who registers with the name of a deleted one', async () => {

            const register = async (): Promise<Received> => as({}, 'POST /objects?type=Visitor&full', { name: 'zoe', secret: 'x' });
            const { id } = jsonOf(await register()) as { id: string };
            const document = await open([id]);
            await remove(id);
            const again = await register();

            expect(again.statusCode, again.payload).to.equal(200);
            expect(jsonOf(again)['id']).to.not.equal(id);
            expect((await as(basic('zoe', 'x'), `GET /objects/${document}`)).statusCode).to.equal(403);
        });

        it('of deleted authors do not give access to their objects', async () => {

            const id = `test/author${++others}`;
            await service.create('Visitor', { name: `author${others}`, secret: 'x' }, `handle=${id}`);
            const made = await as(basic(`author${others}`, 'x'), 'POST /objects?type=Document&full', {});
            await remove(id);
            const again = await as({}, `POST /objects?type=Visitor&handle=${id}`, { name: `author${others}`, secret: 'x' });

            expect([made.statusCode, again.statusCode]).to.equal([200, 409]);
        });

        it('of groups can be chosen, listed, referenced, deleted and created again by their owner', async () => {

            const headers = { ...MALLORY };
            const friend = await newUser();
            const lines: [line: string, content?: object][] = [
                ['POST /objects?type=Document&handle=test/mine', {}],
                ['PUT /acls/test/mine', { readers: ['test/friends'], writers: [] }],
                ['POST /objects?type=Group&handle=test/friends', { ...STAFF, users: [friend] }],
                ['POST /objects?type=Group&handle=test/more', { ...STAFF, users: ['test/friends', mallory] }],
                ['DELETE /objects/test/friends'],
                ['POST /objects?type=Team&handle=test/friends', { members: [friend] }],
                ['PUT /objects/test/friends', { members: [] }], ['PUT /objects/test/friends', { members: [mallory] }]
            ];
            const codes = [];
            for (const [line, content] of lines) {
                codes.push((await as(headers, line, content)).statusCode);
            }

            expect(codes).to.equal(lines.map(() => 200));
        });

        it('of referenced groups can get first members from their owner, and members again', async () => {

            const group = await as(MALLORY, 'POST /objects?type=Group&handle=test/empty', STAFF);
            const document = await open(['test/empty']);
            const contents = [{ users: [mallory] }, {}, { users: [mallory] }];
            const codes = [];
            for (const content of contents) {
                codes.push((await as(MALLORY, 'PUT /objects/test/empty', { ...STAFF, ...content })).statusCode, await read(document));
            }

            expect([group.statusCode, ...codes]).to.equal([200, 200, 200, 200, 403, 200, 200]);
        });

        it('of groups that another user deleted cannot be created again by the owner', async () => {

            await as(MALLORY, 'POST /objects?type=Team&handle=test/revoked', { members: [mallory] });
            await remove('test/revoked');
            const again = await as(MALLORY, 'POST /objects?type=Team&handle=test/revoked', { members: [mallory] });

            expect(again.statusCode).to.equal(409);
        });

        it('can be assigned by the administrator, together with existing rights', async () => {

            const id = await newUser();
            const document = await open([id]);
            await remove(id);
            await service.create('Team', { members: [mallory] }, `handle=${id}`);

            expect(await read(document)).to.equal(200);
        });
    });
});
