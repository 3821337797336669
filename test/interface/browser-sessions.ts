/** Sessions of browsers on pages of the service: what they may do, and every way in which another site may try to use them. */

import type { Received, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { jsonOf } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SAME = { 'sec-fetch-site': 'same-origin' };
const PAGE = { 'x-requested-with': 'doip-gateway' };
const FOREIGN: readonly Record<string, string>[] = [
    {}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site', ...PAGE }, { 'sec-fetch-site': 'none' }, { origin: 'https://evil.example' },
    { 'x-requested-with': 'XMLHttpRequest' }
];

forEachWay((name, start, protocol) => {

    describe(`browser sessions on ${name}`, () => {

        let service: RestService;
        const prefix = protocol === 'http/1.1' ? '' : '__Host-';

        before(async () => {

            service = await start();
            await service.create('User', { username: 'ann', password: 'password of ann' }, 'handle=test/ann');
            await service.create('Document', { name: 'for ann' }, 'handle=test/private');
            await service.asAdmin('PUT /acls/test/private', { payload: '{"readers": ["test/ann"], "writers": ["test/ann"]}' });
        });

        after(() => service.stop());

        const post = (body: object, headers: Record<string, string> = SAME): Promise<Received> =>
            service.anonymously('POST /session', { headers, payload: JSON.stringify(body) });
        const cookieOf = (response: Received): string => [response.headers['set-cookie'] ?? []].flat().join().split(';')[0] ?? '';
        const begin = async (): Promise<string> => cookieOf(await post({ username: 'ann', password: 'password of ann' }));

        it('begin with a password, with the record of the user but without the token', async () => {

            const response = await post({ username: 'ann', password: 'password of ann' });
            const record = jsonOf(response);
            const cookie = [response.headers['set-cookie'] ?? []].flat().join();

            expect(response.statusCode, response.payload).to.equal(200);
            expect(Object.keys(record).sort()).to.equal(['active', 'groupIds', 'typesPermittedToCreate', 'userId', 'username']);
            expect(record).to.include({ active: true, userId: 'test/ann', username: 'ann' });
            expect(cookie).to.match(prefix === '' ? /^doip-session=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/ :
                /^__Host-doip-session=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
            expect(response.headers['cache-control']).to.equal('no-store');
            const value = cookie.split(/[=;]/)[1] ?? '';
            expect(response.payload.includes(value)).to.be.false();
            expect(JSON.stringify(service.log).includes(value)).to.be.false();
        });

        it('end the session of the same browser before, once the login has succeeded', async () => {

            const isActive = async (cookie: string): Promise<unknown> =>
                jsonOf(await service.anonymously('GET /session', { headers: { ...SAME, cookie } }))['active'];
            const earlier = await begin();
            const refused = await post({ username: 'ann', password: 'wrong' }, { ...SAME, cookie: earlier });
            const other = await begin();
            expect([refused.statusCode, await isActive(earlier), await isActive(other)]).to.equal([401, true, true]);

            const next = cookieOf(await post({ username: 'ann', password: 'password of ann' }, { ...SAME, cookie: earlier }));
            expect([await isActive(earlier), await isActive(other), await isActive(next)]).to.equal([false, true, true]);

            const foreign = await service.anonymously('POST /session', {
                headers: { 'sec-fetch-site': 'cross-site', 'cookie': next }, payload: '{"username": "ann", "password": "password of ann"}'
            });
            expect([foreign.statusCode, await isActive(next)]).to.equal([403, true]);
        });

        const refusals: [title: string, body: unknown, status: number][] = [
            ['a wrong password', { username: 'ann', password: 'wrong' }, 401], ['an unknown user', { username: 'nobody', password: 'wrong' }, 401],
            ['no password', { username: 'ann' }, 400], ['an access token as assertion', { assertion: 'x'.repeat(32) }, 401],
            ['a code without verifier', { code: 'x' }, 400], ['a code that nobody made', { code: 'x', code_verifier: 'y' }, 401], ['nothing', {}, 400],
            ['a list', [], 400], ['a forged assertion', { assertion: 'e30.e30.e30' }, 401]
        ];
        for (const [title, body, status] of refusals) {
            it(`do not begin with ${title}`, async () => {

                const response = await post(body as object);

                expect(response.statusCode, response.payload).to.equal(status);
                expect(response.headers['set-cookie']).to.be.undefined();
            });
        }

        it('do not begin, and do not end, for a request of another origin, whatever its credentials', async () => {

            const cookie = await begin();
            for (const headers of FOREIGN) {
                const begun = await post({ username: 'ann', password: 'password of ann' }, headers);
                const ended = await service.anonymously('DELETE /session', { headers: { ...headers, cookie } });

                expect([begun.statusCode, ended.statusCode], JSON.stringify(headers)).to.equal([403, 403]);
                expect([begun.headers['set-cookie'], ended.headers['set-cookie']]).to.equal([undefined, undefined]);
            }

            const alive = await service.anonymously('GET /objects/test/private', { headers: { ...SAME, cookie } });
            expect(alive.statusCode).to.equal(200);
        });

        it('read and write as their user, by REST and by DOIP over HTTP', async () => {

            const cookie = await begin();
            const payload = '{"name": "changed"}';
            for (const proof of [SAME, PAGE]) {
                const headers = { ...proof, cookie };
                const read = await service.anonymously('GET /objects/test/private', { headers });
                const written = await service.anonymously('PUT /objects/test/private', { headers, payload });
                const byDoip = await service.anonymously('GET /doip/0.DOIP/Op.Retrieve?targetId=test/private', { headers });

                expect([read.statusCode, written.statusCode, byDoip.statusCode]).to.equal([200, 200, 200]);
                expect(read.headers['cache-control']).to.equal('private, no-cache');
                expect(String(read.headers['vary'])).to.include('cookie');
            }

            const typed = await service.anonymously('GET /objects/test/private', { headers: { 'sec-fetch-site': 'none', cookie } });
            expect(typed.statusCode).to.equal(200);
        });

        it('are no credentials in requests of another origin', async () => {

            const cookie = await begin();
            for (const proof of FOREIGN.filter((each) => each['sec-fetch-site'] !== 'none')) {
                const headers = { ...proof, cookie };
                const read = await service.anonymously('GET /objects/test/private', { headers });
                const caller = await service.anonymously('GET /check-credentials', { headers });
                const described = await service.anonymously('GET /session', { headers });

                expect(read.statusCode, JSON.stringify(proof)).to.equal(401);
                expect(jsonOf(caller)).to.equal({ active: false });
                expect(jsonOf(described)).to.include({ active: false });
            }

            for (const proof of FOREIGN) {
                const headers = { ...proof, cookie };
                const lines = ['PUT /objects/test/private', 'POST /objects?type=Document', 'DELETE /objects/test/private', 'PUT /acls/test/private',
                    'POST /call?objectId=test/private&method=x', 'POST /doip/0.DOIP/Op.Delete?targetId=test/private'];
                for (const line of lines) {
                    const written = await service.anonymously(line, { headers, ...line.startsWith('DELETE') ? {} : { payload: '{}' } });

                    expect(written.statusCode, `${line} ${JSON.stringify(proof)}`).to.equal(401);
                }
            }
        });

        it('are never allowed across origins: no response and no preflight permits credentials', async () => {

            const cookie = await begin();
            const origin = 'https://evil.example';
            const preflight = await service.anonymously('OPTIONS /objects/test/private', {
                headers: { origin, cookie, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-requested-with' }
            });
            const answered = await service.anonymously('GET /check-credentials', { headers: { origin, cookie } });
            const session = await service.anonymously('GET /session', { headers: { origin, cookie, ...SAME } });

            for (const { headers } of [preflight, answered, session]) {
                expect(headers['access-control-allow-credentials']).to.be.undefined();
                expect(headers['access-control-allow-origin'] ?? '*').to.equal('*');
            }
        });

        it('tell who is logged in, and that nobody is', async () => {

            const cookie = await begin();
            const active = await service.anonymously('GET /session', { headers: { ...SAME, cookie } });
            const nobody = await service.anonymously('GET /session', { headers: SAME });

            expect(jsonOf(active)).to.include({ active: true, userId: 'test/ann', username: 'ann', groupIds: [] });
            expect(jsonOf(active)['typesPermittedToCreate']).to.be.an.array();
            expect(active.headers['set-cookie']).to.be.undefined();
            expect([nobody.statusCode, jsonOf(nobody)['active'], nobody.headers['set-cookie']]).to.equal([200, false, undefined]);
            expect([active, nobody].map(({ headers }) => headers['cache-control'])).to.equal(['no-store', 'no-store']);
        });

        it('end on request, with their token', async () => {

            const cookie = await begin();
            const token = cookie.split('=')[1] ?? '';
            const ended = await service.anonymously('DELETE /session', { headers: { ...PAGE, cookie } });
            const byToken = await service.anonymously('GET /check-credentials', { headers: { authorization: `Bearer ${token}` } });
            const again = await service.anonymously('DELETE /session', { headers: PAGE });

            expect([ended.statusCode, jsonOf(ended)['active']]).to.equal([200, false]);
            expect([ended.headers['set-cookie']].flat().join()).to.match(/doip-session=; Path=\/; Max-Age=0; HttpOnly;/);
            expect([byToken.statusCode, again.statusCode]).to.equal([401, 200]);
        });

        it('say that they have ended, and lose their cookie', async () => {

            const cookie = await begin();
            await service.anonymously('POST /auth/revoke', { payload: JSON.stringify({ token: cookie.split('=')[1] }) });
            for (const line of ['GET /objects/test/private', 'PUT /objects/test/private', 'POST /doip/0.DOIP/Op.Hello?targetId=service']) {
                const response = await service.anonymously(line, { headers: { ...PAGE, cookie }, ...line.startsWith('GET') ? {} : { payload: '{}' } });

                expect([line, response.statusCode, jsonOf(response)]).to.equal(
                    [line, 401, { message: 'the session has ended: log in again', sessionEnded: true }]);
                expect([response.headers['set-cookie']].flat().join()).to.include('Max-Age=0');
            }

            const ignored = await service.anonymously('GET /check-credentials', { headers: { cookie } });
            const described = await service.anonymously('GET /session', { headers: { ...SAME, cookie } });

            expect([ignored.statusCode, ignored.headers['set-cookie']]).to.equal([200, undefined]);
            expect([described.statusCode, jsonOf(described)['active']]).to.equal([200, false]);
            expect([described.headers['set-cookie']].flat().join()).to.include('Max-Age=0');
        });

        it('have ended for a request that demands one and has no cookie, or that of another origin: it is not anonymous', async () => {

            await service.asAdmin('PUT /acls/test/private', { payload: '{"readers": ["public"], "writers": ["public"]}' });
            const cookie = await begin();
            const lines = ['GET /objects/test/private', 'PUT /objects/test/private', 'GET /doip/0.DOIP/Op.Retrieve?targetId=test/private'];
            const statuses = async (headers: Record<string, string>): Promise<number[]> => Promise.all(lines.map(async (line) =>
                (await service.anonymously(line, { headers, ...line.startsWith('GET') ? {} : { payload: '{}' } })).statusCode));
            const demand = { 'x-session': 'required' };
            const response = await service.anonymously('PUT /objects/test/private', { headers: { ...PAGE, ...demand }, payload: '{}' });
            const withPassword = await service.asAdmin('GET /objects/test/private', { headers: demand });

            expect([response.statusCode, jsonOf(response)['sessionEnded'], response.headers['www-authenticate']]).to.equal(
                [401, true, 'Bearer realm="cordra", error="invalid_token"']);
            expect(await statuses({ ...PAGE, ...demand })).to.equal([401, 401, 401]);
            expect(await statuses({ 'sec-fetch-site': 'cross-site', ...demand, cookie })).to.equal([401, 401, 401]);
            expect(await statuses({ ...PAGE, ...demand, cookie })).to.equal([200, 200, 200]);
            expect(await statuses(PAGE)).to.equal([200, 200, 200]);
            expect(withPassword.statusCode).to.equal(200);
            await service.asAdmin('PUT /acls/test/private', { payload: '{"readers": ["test/ann"], "writers": ["test/ann"]}' });
        });

        it('end when their user is blocked', async () => {

            await service.create('User', { username: 'bob', password: 'password of bob' }, 'handle=test/bob');
            const cookie = cookieOf(await post({ username: 'bob', password: 'password of bob' }));
            await service.asAdmin('DELETE /objects/test/bob');
            const response = await service.anonymously('GET /check-credentials', { headers: { ...PAGE, cookie } });
            const described = await service.anonymously('GET /session', { headers: { ...PAGE, cookie } });

            expect(response.statusCode).to.equal(401);
            expect(jsonOf(described)['active']).to.be.false();
        });

        it('act as another user for the administrator only', async () => {

            const admin = cookieOf(await post({ username: 'admin', password: ADMIN_PASSWORD }));
            const acted = await service.anonymously('GET /check-credentials', { headers: { ...SAME, cookie: admin, 'as-user': 'test/ann' } });
            const refused = await service.anonymously('GET /check-credentials', { headers: { ...SAME, cookie: await begin(), 'as-user': 'admin' } });

            expect(jsonOf(acted)).to.include({ active: true, userId: 'test/ann' });
            expect(refused.statusCode).to.equal(401);
        });

        it('are none where two cookies contradict each other, one of which may be of a sibling domain or another port', async () => {

            const [mine, theirs] = [await begin(), cookieOf(await post({ username: 'admin', password: ADMIN_PASSWORD }))];
            const who = async (...cookies: string[]): Promise<unknown> =>
                jsonOf(await service.anonymously('GET /check-credentials', { headers: { ...SAME, cookie: cookies.join('; ') } }))['active'];

            expect([await who(theirs, mine), await who(mine, theirs), await who(mine, 'other=1', mine), await who(mine)]).to.equal([false, false, true, true]);
        });

        it('are not legacy sessions, whose values are nothing in their cookie', async () => {

            await service.asAdmin('PUT /objects/design?jsonPointer=/useLegacySessionsApi', { payload: 'true' });
            const legacy = await service.asAdmin('POST /sessions');
            const sessionId = [legacy.headers['set-cookie'] ?? []].flat().join().match(/JSESSIONID=([^;]+)/)?.[1] ?? '';
            const token = (await begin()).split('=')[1] ?? '';
            const asOurs = await service.anonymously('GET /check-credentials', { headers: { ...SAME, cookie: `${prefix}doip-session=${sessionId}` } });
            const asTheirs = await service.anonymously('GET /check-credentials', { headers: { cookie: `JSESSIONID=${token}`, 'x-csrf-token': 'x' } });

            expect([asOurs.statusCode, asTheirs.statusCode]).to.equal([401, 401]);
        });
    });
});

describe('browser sessions', () => {

    it('need HTTPS from other hosts, unless the design allows otherwise', async () => {

        const { startRest } = await import('../support/rest-service.js');
        const { createSqlite } = await import('../support/database.js');
        const service = await startRest(createSqlite, 'http/1.1', { TRUSTED_PROXIES: 'loopback' });
        const from = (proto: string) => ({ ...PAGE, 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': proto });
        const payload = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
        const plain = await service.anonymously('POST /session', { headers: from('http'), payload });
        const encrypted = await service.anonymously('POST /session', { headers: from('https'), payload });
        const nobody = await service.anonymously('GET /session', { headers: from('http') });
        await service.stop();

        expect([plain.statusCode, plain.headers['set-cookie']]).to.equal([403, undefined]);
        expect(encrypted.statusCode).to.equal(200);
        expect([encrypted.headers['set-cookie']].flat().join()).to.match(/^__Host-doip-session=/);
        expect([nobody.statusCode, jsonOf(nobody)['active']]).to.equal([200, false]);
    });

    it('are throttled like other logins', async () => {

        const { startRest } = await import('../support/rest-service.js');
        const { createSqlite } = await import('../support/database.js');
        const service = await startRest(createSqlite);
        const statuses: number[] = [];
        for (let i = 0; i < 40 && !statuses.includes(429); ++i) {
            const attempts = Array.from({ length: 8 }, (_, index) => service.anonymously('POST /session', {
                headers: PAGE, payload: JSON.stringify({ username: 'admin', password: `wrong ${i} ${index}` })
            }));
            statuses.push(...(await Promise.all(attempts)).map(({ statusCode }) => statusCode));
        }

        await service.stop();

        expect(statuses.filter((status) => status !== 401 && status !== 429)).to.equal([]);
        expect(statuses).to.include(429);
    });
});
