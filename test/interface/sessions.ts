import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { basic, jsonOf } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachWay((name, start) => {

    describe(`legacy sessions on ${name}`, () => {

        let service: RestService;
        const enable = async (useLegacySessionsApi: boolean): Promise<void> => {

            const design = jsonOf(await service.asAdmin('GET /objects/design'));
            await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, useLegacySessionsApi }) });
        };

        const begin = async (): Promise<{ cookie: string; csrf: string }> => {

            const response = await service.asAdmin('POST /sessions/');
            const cookies = [response.headers['set-cookie'] ?? []].flat();
            const valueOf = (cookie: string) => cookies.find((each) => each.startsWith(`${cookie}=`))?.split(/[=;]/)[1] ?? '';
            return { cookie: `JSESSIONID=${valueOf('JSESSIONID')}`, csrf: valueOf('Csrf-token') };
        };

        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        it('are rejected unless the design allows them; without them stray cookies are ignored', async () => {

            await enable(false);
            for (const line of ['POST /sessions', 'GET /sessions', 'GET /sessions/', 'GET /sessions/other', 'GET /sessions/this', 'DELETE /sessions/this']) {
                const response = await service.asAdmin(line);

                expect([line, response.statusCode, jsonOf(response)['message']]).to.equal(
                    [line, 401, 'Legacy sessions disabled on this Cordra']);
                expect(response.headers['www-authenticate']).to.equal('Bearer realm="cordra"');
            }

            const stray = await service.anonymously('GET /check-credentials', { headers: { cookie: 'JSESSIONID=x' } });

            expect(jsonOf(stray)).to.equal({ active: false });
        });

        it('begin with a direct login, which sets both cookies', async () => {

            await enable(true);
            const response = await service.asAdmin('POST /sessions/');
            const record = jsonOf(response);
            const cookies = [response.headers['set-cookie'] ?? []].flat();
            const secure = service.protocol === 'http/1.1' ? '' : ' Secure;';

            expect(record).to.include({ isActiveSession: true, userId: 'admin', username: 'admin' });
            expect(record['typesPermittedToCreate']).to.include('Document');
            expect(cookies).to.have.length(2);
            expect(cookies[0]).to.match(new RegExp(`^JSESSIONID=[^;]+; Path=/; HttpOnly;${secure} SameSite=Lax$`));
            expect(cookies[1]).to.match(new RegExp(`^Csrf-token=[^;]+; Path=/;${secure} SameSite=Lax$`));
        });

        it('do not begin by what a form of another page can send', async () => {

            await enable(true);
            const { access_token: token } = jsonOf(await service.anonymously('POST /auth/token', {
                payload: JSON.stringify({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD }), headers: { 'content-type': 'application/json' }
            })) as { access_token: string };
            const { cookie, csrf } = await begin();
            const form = { 'content-type': 'application/x-www-form-urlencoded' };
            for (const [line, more] of [
                ['POST /sessions', { payload: `access_token=${token}`, headers: form }],
                ['POST /sessions', { payload: `username=admin&password=${ADMIN_PASSWORD}`, headers: form }],
                ['POST /sessions', { payload: `csrfToken=${csrf}`, headers: { ...form, cookie } }],
                [`POST /sessions?access_token=${token}`, { payload: '', headers: form }], [`POST /sessions?access_token=${token}`, {}],
                ['POST /sessions', { payload: `{"access_token":"${token}"}`, headers: { 'content-type': 'text/plain' } }]
            ] as const) {
                const response = await service.anonymously(line, more);
                expect([response.statusCode, response.headers['set-cookie']], `${line} ${JSON.stringify(more)}`).to.equal([401, undefined]);
            }

            const bearer = await service.anonymously('POST /sessions', { headers: { authorization: `Bearer ${token}` } });
            expect([bearer.statusCode, [bearer.headers['set-cookie'] ?? []].flat().length]).to.equal([200, 2]);
        });

        it('identify the user by cookie and header, and end on request', async () => {

            await enable(true);
            const { cookie, csrf } = await begin();
            const headers = { cookie, 'x-csrf-token': csrf };
            const active = await service.anonymously('GET /sessions/this?full=true', { headers });
            const written = await service.anonymously('POST /objects?type=Document', { headers, payload: '{"name":"x"}' });
            const ended = await service.anonymously('DELETE /sessions/this', { headers });
            const dead = await service.anonymously('GET /check-credentials', { headers });

            expect(jsonOf(active)).to.include({ isActiveSession: true, userId: 'admin', groupIds: [] });
            expect(written.statusCode, written.payload).to.equal(200);
            expect(jsonOf(ended)).to.equal({ isActiveSession: false, typesPermittedToCreate: [] });
            expect([ended.headers['set-cookie'] ?? []].flat().every((each) => each.includes('Max-Age=0'))).to.be.true();
            expect(dead.statusCode).to.equal(401);
        });

        describe('without the CSRF token', () => {

            const lines: [line: string, isRead: boolean][] = [
                ['GET /sessions/this', true], ['GET /check-credentials', true], ['GET /objects/design', true], ['HEAD /objects/design', true],
                ['GET /acls/design', true], ['GET /schemas', true], ['GET /design', true], ['GET /objects?query=*', true], ['GET /search?query=*', true],
                ['POST /objects?type=Document', false], ['PUT /objects/test/x', false], ['PUT /acls/test/x', false], ['DELETE /objects/test/x', false],
                ['PUT /adminPassword', false], ['PUT /users/this/password', false], ['POST /search', false], ['POST /check-credentials', false],
                ['PUT /schemas/Some', false], ['DELETE /sessions/this', false]
            ];
            for (const [line, isRead] of lines) {
                it(`reject ${line}`, async () => {

                    await enable(true);
                    const { cookie, csrf } = await begin();
                    const send = (headers: Record<string, string>) => service.anonymously(line, {
                        headers: { cookie, ...headers }, ...isRead ? {} : { payload: '{"query":"*","name":"x"}' }
                    });
                    const without = await send({});
                    const wrong = await send({ 'x-csrf-token': `${csrf}x` });
                    const empty = await send({ 'x-csrf-token': '' });

                    expect(without.statusCode, without.payload).to.equal(401);
                    expect([wrong.statusCode, empty.statusCode]).to.equal([401, 401]);
                });
            }

            it('identify readers as the user of the session with the token', async () => {

                await enable(true);
                const { cookie, csrf } = await begin();
                const response = await service.anonymously('GET /check-credentials', { headers: { cookie, 'x-csrf-token': csrf } });

                expect(jsonOf(response)).to.equal({ active: true, userId: 'admin', username: 'admin' });
                expect(response.headers['cache-control']).to.equal('private, no-cache');
            });

            it('accept it in the field of a form', async () => {

                await enable(true);
                const { cookie, csrf } = await begin();
                const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
                const right = await service.anonymously('POST /search', { headers: form, payload: `query=*&csrfToken=${csrf}` });
                const wrong = await service.anonymously('POST /search', { headers: form, payload: 'query=*&csrfToken=x' });

                expect([right.statusCode, wrong.statusCode]).to.equal([200, 401]);
            });
        });

        it('change the password of the administrator with the CSRF token, and end then', async () => {

            await enable(true);
            const { cookie, csrf } = await begin();
            const change = (password: string, headers: Record<string, string>) => service.anonymously('PUT /adminPassword', {
                payload: JSON.stringify({ password }), headers: { 'content-type': 'application/json', ...headers }
            });

            const changed = await change('by a session', { cookie, 'x-csrf-token': csrf });
            const again = await change('by it again', { cookie, 'x-csrf-token': csrf });
            const back = await change(ADMIN_PASSWORD, basic('admin', 'by a session'));

            expect([changed.statusCode, jsonOf(changed)]).to.equal([200, { success: true }]);
            expect([again.statusCode, back.statusCode]).to.equal([401, 200]);
        });

        it('list the types that their user may create, and reveal nothing about other sessions', async () => {

            await enable(true);
            const { cookie, csrf } = await begin();
            const headers = { cookie, 'x-csrf-token': csrf };
            const active = jsonOf(await service.anonymously('GET /sessions/this', { headers }));
            const none = await service.anonymously('GET /sessions/this?full=true');
            const other = await service.anonymously('GET /sessions/other', { headers });
            const all = await service.anonymously('GET /sessions', { headers });

            expect(active['typesPermittedToCreate']).to.include('Document');
            expect(active['groupIds']).to.be.undefined();
            expect(jsonOf(none)).to.equal({ isActiveSession: false, typesPermittedToCreate: [] });
            expect([other.statusCode, all.statusCode]).to.equal([403, 403]);
        });

        it('need credentials to begin, and their cookie afterwards', async () => {

            await enable(true);
            const none = await service.anonymously('GET /sessions/this');
            const dead = await service.anonymously('GET /sessions/this', { headers: { cookie: 'JSESSIONID=dead', 'x-csrf-token': 'x' } });

            expect([none.statusCode, jsonOf(none)]).to.equal([200, { isActiveSession: false, typesPermittedToCreate: [] }]);
            expect([dead.statusCode, dead.headers['www-authenticate']]).to.equal([401, 'Bearer realm="cordra", error="invalid_token"']);
        });

        it('have cookies with the settings of the design', async () => {

            const design = jsonOf(await service.asAdmin('GET /objects/design'));
            const cookies = { jsessionid: { path: '/repository', secure: true }, csrfToken: { httpOnly: true } };
            await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, useLegacySessionsApi: true, cookies }) });
            const response = await service.asAdmin('POST /sessions');
            await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, cookies: {} }) });

            const [session, csrf] = [response.headers['set-cookie'] ?? []].flat();
            expect(session).to.match(/; Path=\/repository; HttpOnly; Secure; SameSite=Lax$/);
            expect(csrf).to.match(/; Path=\/; HttpOnly; /);
        });
    });
});
