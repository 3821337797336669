/** Code of the administrator that is asked who somebody is, in its place: by REST and by DOIP, from the header to the rights. */

import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { More, Received, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_HEADERS, basic, jsonOf } from '../support/rest.js';
import { LONG_MS, sendSlowly } from '../support/slow-request.js';
import { startRest } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

/** What the stand-in says of tokens of somebody else; what it does not know it leaves to the service. */
const FOREIGN: Readonly<Record<string, JsonObject>> = {
    'iss.plain.x': { active: true, userId: 'orcid/plain', username: 'Plain' },
    'iss.granted.x': { active: true, userId: 'orcid/granted', grantAuthenticatedAccess: true },
    'iss.grouped.x': { active: true, userId: 'orcid/grouped', groupIds: ['club'] },
    'iss.boss.x': { active: true, userId: 'admin' },
    'iss.ended.x': { active: true, userId: 'orcid/ended', exp: 1 },
    'iss.closed.x': { active: false, userId: 'orcid/closed' },
    'opaque-of-another-service': { active: true, userId: 'orcid/opaque' }
};

forEachDatabase((name, create) => {

    describe(`the authenticate hook on ${name}`, () => {

        let service: RestService;
        const asked: JsonObject[] = [];

        /** A directory of users elsewhere, with a fault. */
        const hook = async (info: JsonObject): Promise<JsonObject | null> => {

            asked.push(info);
            if (info.token === 'iss.broken.x' || info.password === 'break') {
                throw new Error('the directory is away: ldap://secret@directory');
            }

            if (info.username === 'ldap' || info.username === 'ann' && info.password === 'of the directory') {
                return { active: info.password === 'of the directory', userId: 'orcid/ldap', username: 'ldap' };
            }

            const said = FOREIGN[info.token as string] ?? null;
            return said && info.asUserId === 'orcid/ward' ? { ...said, asUserId: 'orcid/ward' } : said;
        };

        const bearer = (token: string, more: Record<string, string> = {}): Record<string, string> => ({ authorization: `Bearer ${token}`, ...more });
        const doip = (authentication: JsonObject): Record<string, string> =>
            ({ authorization: `Doip ${Buffer.from(JSON.stringify(authentication)).toString('base64')}` });
        const byRest = (headers: Record<string, string>): Promise<Received> => service.anonymously('GET /check-credentials?full', { headers });
        const byDoip = (headers: Record<string, string>): Promise<Received> =>
            service.anonymously('GET /doip/20.DOIP/Op.CheckCredentials?targetId=service&full=true', { headers });

        /** The record, its types in one order. */
        const record = (received: Received): unknown => {

            const { typesPermittedToCreate, ...rest } = jsonOf(received);
            return { ...rest, typesPermittedToCreate: (typesPermittedToCreate as string[]).toSorted() };
        };

        before(async () => {

            service = await startRest(create);
            await service.create('User', { username: 'ann', password: 'password of ann' });
            await service.create('Document', { name: 'of the club' }, 'handle=test/club');
            await service.asAdmin('PUT /acls/test/club', { payload: '{"readers":["club"],"writers":[]}' });
            service.gateway.services.identity.useAuthenticateHook(() => hook);
        });

        beforeEach(() => {

            asked.length = 0;
        });

        after(() => service.stop());

        const people: [title: string, credentials: JsonObject, expected: JsonObject | null][] = [
            ['a user without object', { token: 'iss.plain.x' },
                { active: true, userId: 'orcid/plain', username: 'Plain', typesPermittedToCreate: [], groupIds: [] }],
            ['a user who counts as one of ours', { token: 'iss.granted.x' },
                { active: true, userId: 'orcid/granted', typesPermittedToCreate: ['Document', 'Group'], groupIds: [] }],
            ['a user with groups', { token: 'iss.grouped.x' }, { active: true, userId: 'orcid/grouped', typesPermittedToCreate: [], groupIds: ['club'] }],
            ['a token without dots of another service', { token: 'opaque-of-another-service' },
                { active: true, userId: 'orcid/opaque', typesPermittedToCreate: [], groupIds: [] }],
            ['a name and password of elsewhere', { username: 'ldap', password: 'of the directory' },
                { active: true, userId: 'orcid/ldap', username: 'ldap', typesPermittedToCreate: [], groupIds: [] }],
            ['one of our names before our own passwords', { username: 'ann', password: 'of the directory' },
                { active: true, userId: 'orcid/ldap', username: 'ldap', typesPermittedToCreate: [], groupIds: [] }],
            ['what has ended', { token: 'iss.ended.x' }, null],
            ['who is not active', { token: 'iss.closed.x' }, null],
            ['a wrong password of elsewhere', { username: 'ldap', password: 'wrong' }, null],
            ['what it fails at', { token: 'iss.broken.x' }, null],
            ['a password that it fails at', { username: 'ann', password: 'break' }, null],
            ['what nobody knows', { token: 'iss.unknown.x' }, null]
        ];

        for (const [title, credentials, expected] of people) {
            it(`authenticates ${title}, by REST and by DOIP`, async () => {

                const { token, username, password } = credentials as Record<string, string>;
                const rest = await byRest(token === undefined ? basic(username!, password!) : bearer(token));
                const over = await byDoip(doip(credentials));

                expect([rest.statusCode, over.statusCode]).to.equal(expected ? [200, 200] : [401, 401]);
                expect(rest.headers['www-authenticate']).to.equal(expected ? undefined :
                    token !== undefined && token !== 'iss.broken.x' ? 'Bearer realm="cordra", error="invalid_token"' : 'Bearer realm="cordra"');
                expect(rest.payload + over.payload).not.to.contain('directory is away').and.not.to.contain('ldap://');
                if (expected) {
                    expect<unknown>([rest, over].map(record)).to.equal([expected, expected]);
                }
            });
        }

        it('creates administrators, and never rejects one', async () => {

            const foreign = await byRest(bearer('iss.boss.x'));
            const own = await byRest(basic('admin', 'break'));
            const right = await service.asAdmin('GET /check-credentials');

            expect(jsonOf(foreign)).to.include({ userId: 'admin', username: 'admin' });
            expect(own.statusCode).to.equal(401);
            expect(jsonOf(right)).to.include({ userId: 'admin' });
        });

        it('is called before keys and passwords of the service, but not for its access tokens', async () => {

            const { access_token: token } = jsonOf(await service.anonymously('POST /auth/token', {
                payload: '{"username":"ann","password":"password of ann"}'
            }));
            const atGrant = asked.splice(0);
            const used = await byRest(bearer(String(token)));

            expect<unknown>(atGrant).to.equal([{ username: 'ann', password: 'password of ann' }]);
            expect([used.statusCode, asked.length]).to.equal([200, 0]);
        });

        it('gives groups of its own access to their objects', async () => {

            const read = (token: string): Promise<Received> => service.anonymously('GET /objects/test/club', { headers: bearer(token) });

            expect((await read('iss.grouped.x')).statusCode).to.equal(200);
            expect((await read('iss.plain.x')).statusCode).to.equal(403);
        });

        it('sets the author of new objects', async () => {

            const more: More = { payload: '{"name":"x"}', headers: bearer('iss.granted.x') };
            const made = await service.anonymously('POST /objects?type=Document&full', more);
            const refused = await service.anonymously('POST /objects?type=Document', { ...more, headers: bearer('iss.plain.x') });

            expect(jsonOf(made)['metadata']).to.include({ createdBy: 'orcid/granted' });
            expect(refused.statusCode).to.equal(403);
        });

        it('extends As-User to the users that it allows', async () => {

            const acting = { 'as-user': 'orcid/ward' };
            const allowed = await byRest(bearer('iss.plain.x', acting));
            const allowedOver = await byDoip(doip({ token: 'iss.plain.x', asUserId: 'orcid/ward' }));
            const other = await byRest(bearer('iss.plain.x', { 'as-user': 'orcid/other' }));
            const asAdmin = await byRest(bearer('iss.plain.x', { 'as-user': 'admin' }));

            expect([jsonOf(allowed)['userId'], jsonOf(allowedOver)['userId']]).to.equal(['orcid/ward', 'orcid/ward']);
            expect([other.statusCode, asAdmin.statusCode]).to.equal([401, 401]);
        });

        const slow: readonly (readonly [title: string, headers: Record<string, string>])[] = [
            ['a token of another service', bearer('opaque-of-another-service')],
            ['a token of another service, acting as somebody', bearer('opaque-of-another-service', { 'as-user': 'orcid/ward' })],
            ['a signed token, acting as somebody', bearer('iss.plain.x', { 'as-user': 'orcid/ward' })],
            ['a name and password of elsewhere', basic('ldap', 'of the directory')],
            ['the administrator, acting as somebody', { ...ADMIN_HEADERS, 'as-user': 'orcid/plain' }]
        ];
        for (const [title, headers] of slow) {
            it(`counts for a request whose body comes slowly: ${title}`, async () => {

                await service.asAdmin('PUT /acls/test/club', { payload: '{"readers":["club"],"writers":["orcid/opaque","orcid/ward","orcid/ldap","orcid/plain"]}' });
                const body = { headers: { ...headers, 'content-type': 'application/json' }, first: '{"readers":["club"],', rest: '"writers":[]}' };
                const changed = await sendSlowly(service.url, 'PUT /acls/test/club', body, () => delay(LONG_MS));

                expect(changed.status, changed.body).to.equal(200);
            });
        }

        it('does not let anybody without the password or key change who may write the own user object', async () => {

            const { id } = await service.create('User', { username: 'dora', password: 'password of dora' });
            const more = { payload: '{"readers":[],"writers":["public"]}' };
            const acting = await service.anonymously(`PUT /acls/${id}`, { ...more, headers: { ...ADMIN_HEADERS, 'as-user': id } });
            const own = await service.anonymously(`PUT /acls/${id}`, { ...more, headers: basic('dora', 'password of dora') });

            expect([acting.statusCode, own.statusCode]).to.equal([403, 200]);
            expect(acting.payload).to.contain('changing who may write the own user object');
        });

        it('does not keep a password that is changed while the body comes', async () => {

            await service.create('User', { username: 'cleo', password: 'password of cleo' });
            const body = { headers: { ...basic('cleo', 'password of cleo'), 'content-type': 'application/json' }, first: '"a password ', rest: 'of a thief"' };
            const changed = await sendSlowly(service.url, 'PUT /users/this/password', body, async () => {

                await delay(300);
                const more = { headers: basic('cleo', 'password of cleo'), payload: 'another password of cleo' };
                expect((await service.anonymously('PUT /users/this/password', more)).statusCode).to.equal(200);
                await delay(LONG_MS);
            });

            expect(changed.status, changed.body).to.equal(401);
        });

        it('issues tokens with its result', async () => {

            const { access_token: token } = jsonOf(await service.anonymously('POST /auth/token', {
                payload: '{"grant_type":"urn:ietf:params:oauth:grant-type:jwt-bearer","assertion":"iss.grouped.x"}'
            }));
            const number = asked.length;
            const read = await service.anonymously('GET /objects/test/club', { headers: bearer(String(token)) });
            const password = await service.anonymously('PUT /users/this/password', { headers: bearer(String(token)), payload: 'something new' });

            expect([read.statusCode, password.statusCode, asked.length]).to.equal([200, 403, number]);
        });
    });
});
