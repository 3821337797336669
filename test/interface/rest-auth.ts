import type { Received, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { basic, jsonOf } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ANN = { username: 'ann', password: 'password of ann' };

forEachWay((name, start) => {

    describe(`authentication by REST on ${name}`, () => {

        let service: RestService;
        let annId = '';
        const bearer = (token: unknown) => ({ headers: { authorization: `Bearer ${String(token)}` } });
        const tokenFor = async (body: object = ANN): Promise<Received> => {

            return service.anonymously('POST /auth/token', { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
        };

        before(async () => {

            service = await start();
            annId = (await service.create('User', { id: '', ...ANN })).id;
        });

        after(() => service.stop());

        it('issues an uncached token for a password', async () => {

            const response = await tokenFor({ grant_type: 'password', ...ANN });
            const record = jsonOf(response);

            expect(response.statusCode, response.payload).to.equal(200);
            expect(Object.keys(record)).to.equal(['access_token', 'token_type', 'active', 'userId', 'username']);
            expect(record).to.include({ token_type: 'Bearer', active: true, userId: annId, username: 'ann' });
            expect([response.headers['cache-control'], response.headers['pragma']]).to.equal(['no-store', 'no-cache']);
        });

        it('accepts a user id for the name, a form for JSON, and a missing grant type', async () => {

            const byId = await tokenFor({ username: annId, password: ANN.password });
            const form = await service.anonymously('POST /auth/token?full=true', {
                payload: 'username=ann&password=password+of+ann', headers: FORM
            });

            expect(jsonOf(byId)).to.include({ active: true, username: 'ann' });
            expect(jsonOf(form)).to.include({ active: true, userId: annId, groupIds: [] });
            expect(jsonOf(form)['typesPermittedToCreate']).to.only.include(['Document', 'Group']);
        });

        it('accepts the token until it is revoked', async () => {

            const { access_token: token } = jsonOf(await tokenFor());
            const body = { payload: JSON.stringify({ token }) };
            const used = await service.anonymously('GET /check-credentials', bearer(token));
            const known = await service.anonymously('POST /auth/introspect', body);
            const form = await service.anonymously('POST /auth/introspect', { payload: `token=${String(token)}`, headers: FORM });
            const revoked = await service.anonymously('POST /auth/revoke', body);
            const again = await service.anonymously('POST /auth/introspect?full=true', body);
            const refused = await service.anonymously('GET /check-credentials', bearer(token));

            expect(jsonOf(used)).to.equal({ active: true, userId: annId, username: 'ann' });
            expect(jsonOf(known)).to.equal({ active: true, userId: annId, username: 'ann' });
            expect(jsonOf(form)).to.equal(jsonOf(known));
            expect([revoked.statusCode, jsonOf(revoked)]).to.equal([200, { active: false }]);
            expect(jsonOf(again)['active']).to.be.false();
            expect([refused.statusCode, refused.headers['www-authenticate']]).to.equal(
                [401, 'Bearer realm="cordra", error="invalid_token"']);
        });

        it('accepts the token as a parameter, and keeps the response out of shared caches', async () => {

            const { access_token: token } = jsonOf(await tokenFor());
            const response = await service.anonymously(`GET /check-credentials?access_token=${String(token)}`);

            expect(jsonOf(response)['userId']).to.equal(annId);
            expect(response.headers['cache-control']).to.match(/private/);
        });

        const refusals: [string, string, number, string][] = [
            ['a wrong password', '{"username":"ann","password":"x"}', 401, 'invalid_grant'],
            ['an unknown name', '{"username":"nobody","password":"x"}', 401, 'invalid_grant'],
            ['no body', '', 400, 'invalid_request'],
            ['a body that is not JSON', '{', 400, 'invalid_request'],
            ['a body that is no object', '[]', 400, 'invalid_request'],
            ['an unknown kind of grant', '{"grant_type":"magic"}', 400, 'unsupported_grant_type']
        ];
        for (const [title, payload, code, error] of refusals) {
            it(`rejects ${title} with an OAuth error and a message`, async () => {

                const response = await service.anonymously('POST /auth/token', { payload });
                const body = jsonOf(response);

                expect([response.statusCode, body['error']]).to.equal([code, error]);
                expect([body['message'], body['error_description']]).to.equal([body['error_description'], body['message']]);
                expect(body['message']).to.be.a.string();
            });
        }

        it('returns the identity of callers, and rejects wrong credentials', async () => {

            const anonymous = await service.anonymously('GET /check-credentials');
            const full = await service.anonymously('POST /check-credentials?full=true');
            const ann = await service.anonymously('GET /check-credentials?full=true', { headers: basic('ann', ANN.password) });
            const admin = await service.asAdmin('POST /check-credentials/');
            const wrong = await service.anonymously('GET /check-credentials', { headers: basic('ann', 'x') });

            expect(jsonOf(anonymous)).to.equal({ active: false });
            expect(jsonOf(full)).to.equal({ active: false, typesPermittedToCreate: [], groupIds: [] });
            expect(jsonOf(ann)).to.include({ active: true, userId: annId, username: 'ann', groupIds: [] });
            expect(jsonOf(ann)['typesPermittedToCreate']).to.only.include(['Document', 'Group']);
            expect(jsonOf(admin)).to.equal({ active: true, userId: 'admin', username: 'admin' });
            expect(wrong.statusCode).to.equal(401);
        });

        it('lets only the administrator act as others', async () => {

            const headers = { 'as-user': annId };
            const admin = await service.asAdmin('GET /check-credentials', { headers });
            const ann = await service.anonymously('GET /check-credentials', { headers: { ...basic('ann', ANN.password), 'as-user': 'admin' } });

            expect(jsonOf(admin)).to.include({ active: true, userId: annId });
            expect(ann.statusCode).to.equal(401);
        });

        it('responds with 403 to authenticated callers without the right', async () => {

            const headers = basic('ann', ANN.password);
            const { id } = await service.create('Document', { name: 'x' });
            const lines = [`PUT /objects/${id}`, `DELETE /objects/${id}`, `PUT /acls/${id}`, 'POST /objects?type=Schema', 'PUT /schemas/T', 'PUT /adminPassword'];

            for (const line of lines) {
                const body = line.startsWith('DELETE') ? {} : { payload: '{}' };
                const known = await service.anonymously(line, { headers, ...body });
                const unknown = await service.anonymously(line, body);

                expect([line, known.statusCode, unknown.statusCode], known.payload).to.equal([line, 403, 401]);
                expect(jsonOf(known)['message']).to.be.a.string();
            }
        });

        it('changes the password of the caller, by direct login only', async () => {

            await service.create('User', { id: '', username: 'bob', password: 'password of bob' });
            const { access_token: token } = jsonOf(await tokenFor({ username: 'bob', password: 'password of bob' }));
            const change = (payload: string, headers: Record<string, string>) => {

                return service.anonymously('PUT /users/this/password', { payload, headers: { 'content-type': 'application/json', ...headers } });
            };

            const old = basic('bob', 'password of bob');
            const byToken = await change('"new password"', bearer(token).headers);
            const empty = await change('', old);
            const same = await change('password of bob', old);
            const changed = await change('"new password"', old);
            const after = await service.anonymously('GET /check-credentials', { headers: old });
            const renewed = await service.anonymously('GET /check-credentials', { headers: basic('bob', '"new password"') });

            expect([byToken.statusCode, empty.statusCode, same.statusCode]).to.equal([403, 400, 400]);
            expect([changed.statusCode, jsonOf(changed)]).to.equal([200, { success: true }]);
            expect([after.statusCode, renewed.statusCode]).to.equal([401, 200]);
        });

        it('accepts the local secret in a header only, and not through a proxy', async () => {

            const { localSecret } = service.gateway.services;
            const headers = { authorization: `Bearer ${localSecret}` };
            const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: `access_token=${localSecret}` };
            const doip = Buffer.from(JSON.stringify({ token: localSecret })).toString('base64');
            const allowed = await service.anonymously('GET /check-credentials', { headers });
            const refused = await Promise.all([
                service.anonymously('GET /check-credentials', { headers: { ...headers, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' } }),
                service.anonymously(`GET /check-credentials?access_token=${localSecret}`),
                service.anonymously('POST /check-credentials', form),
                service.anonymously(`GET /doip/20.DOIP/Op.CheckCredentials?targetId=service&authentication={"token":"${localSecret}"}`),
                service.anonymously('GET /check-credentials', { headers: { authorization: `Doip ${doip}` } }),
                service.anonymously('GET /check-credentials', { headers: { authorization: `${headers.authorization.slice(0, -1)}x` } })
            ]);

            expect(jsonOf(allowed)['userId']).to.equal('admin');
            expect(refused.every(({ statusCode }) => statusCode === 401 || statusCode === 403), refused.map(({ payload }) => payload).join('\n')).to.be.true();
        });

        it('logs the owner of a new token', async () => {

            const response = await service.anonymously('POST /auth/token', { payload: JSON.stringify(ANN) });
            const { userId } = jsonOf(response);
            const line = service.log.findLast(({ url, status }) => url === '/auth/token' && status === 200);

            expect(line?.['user']).to.equal(userId);
        });

        it('changes the password of the administrator by an access token, as clients do, and ends the token', async () => {

            const admin = { username: 'admin', password: ADMIN_PASSWORD };
            const { access_token: token } = jsonOf(await tokenFor(admin));
            const { access_token: tokenOfAnn } = jsonOf(await tokenFor());
            const change = (by: unknown) => service.anonymously('PUT /adminPassword', {
                payload: '{"password":"by a token"}', headers: { 'content-type': 'application/json', ...bearer(by).headers }
            });

            const ofOther = await change(tokenOfAnn);
            const unchanged = await service.asAdmin('GET /check-credentials');
            const changed = await change(token);
            const again = await change(token);
            const old = await service.asAdmin('GET /check-credentials');
            const back = await service.anonymously('PUT /adminPassword', {
                payload: JSON.stringify({ password: ADMIN_PASSWORD }), headers: basic('admin', 'by a token')
            });

            expect([ofOther.statusCode, unchanged.statusCode]).to.equal([403, 200]);
            expect([changed.statusCode, jsonOf(changed)]).to.equal([200, { success: true }]);
            expect([again.statusCode, old.statusCode, back.statusCode]).to.equal([401, 401, 200]);
        });

        it('changes the password of the administrator in two ways', async () => {

            const missing = await service.asAdmin('PUT /adminPassword', { payload: '{}' });
            const first = await service.asAdmin('PUT /adminPassword', { payload: '{\n "password": "another one"\n}' });
            const second = await service.anonymously('PUT /users/this/password', {
                payload: ADMIN_PASSWORD, headers: basic('admin', 'another one')
            });
            const admin = await service.asAdmin('GET /check-credentials');

            expect([missing.statusCode, first.statusCode, second.statusCode, admin.statusCode]).to.equal([400, 200, 200, 200]);
            expect(jsonOf(first)).to.equal({ success: true });
        });
    });
});
