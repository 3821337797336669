/** Rules of logging in as clients meet them: what is asked, with which headers, and what is answered, one row each. */

import { generateKeyPairSync } from 'node:crypto';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { account, ACCOUNT, defineAccounts, jwt, signed } from '../support/accounts.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN_HEADERS, basic, jsonOf } from '../support/rest.js';
import type { More, Received, RestService } from '../support/rest-service.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CHALLENGE = 'Bearer realm="cordra"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;
const INSECURE = { error: 'invalid_request', error_description: 'Authentication requires HTTPS', message: 'Authentication requires HTTPS' };
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const user = (username: string) => basic(username, `${username}-password`);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const doip = (value: unknown) => ({ authorization: `Doip ${Buffer.from(JSON.stringify(value)).toString('base64')}` });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const login = (username: string, more: object = {}): More => ({ payload: JSON.stringify({ username, password: `${username}-password`, ...more }) });
const assertion = (token: string): More => ({
    payload: JSON.stringify({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: token })
});
const from = (more: More, headers: Record<string, string>): More => ({ ...more, headers });
const PROXIED = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'http' };
const PROXIED_SAFELY = { ...PROXIED, 'x-forwarded-proto': 'https' };

/** A rule: a request, the status of its answer, members of its body, and the challenge of a 401. */
type Rule = readonly [title: string, line: string, more: () => More, code: number, body?: object, challenge?: string];

const CHECK = 'GET /check-credentials';
const TOKEN = 'POST /auth/token';
const MUST_CHANGE = { message: 'Password change required.', passwordChangeRequired: true };

const rules: readonly Rule[] = [
    // Who is who.
    ['a username in any case', CHECK, () => ({ headers: basic('ANN', 'ann-password') }), 200, { active: true, userId: 'test/ann', username: 'ann' }],
    ['an object id', CHECK, () => ({ headers: basic('test/ann', 'ann-password') }), 200, { userId: 'test/ann', username: 'ann' }],
    ['an object id before the same username of another', CHECK, () => ({ headers: basic('test/bob', 'bob-password') }), 200, { userId: 'test/bob' }],
    ['not that username', CHECK, () => ({ headers: basic('test/bob', 'test/bob-password') }), 401, { message: 'Authentication failed' }, CHALLENGE],
    ['admin in any case', CHECK, () => ({ headers: basic('Admin', ADMIN_PASSWORD) }), 200, { userId: 'admin', username: 'admin' }],
    ['a signed assertion, with the username of its user', CHECK, () => ({ headers: bearer(jwt(privateKey, { iss: 'test/ann' })) }), 200,
        { userId: 'test/ann', username: 'ann' }],
    ['the scheme Doip', CHECK, () => ({ headers: doip({ username: 'ann', password: 'ann-password' }) }), 200, { userId: 'test/ann' }],
    ['the scheme Doip over DOIP', 'GET /doip/20.DOIP/Op.CheckCredentials?targetId=service',
        () => ({ headers: doip({ token: jwt(privateKey, { iss: 'ann' }) }) }), 200, { userId: 'test/ann' }],
    ['the parameter authentication over DOIP',
        'GET /doip/20.DOIP/Op.CheckCredentials?targetId=service&authentication.username=ann&authentication.password=ann-password',
        () => ({}), 200, { userId: 'test/ann' }],
    ['a property of the parameter beside the header', 'GET /doip/20.DOIP/Op.CheckCredentials?targetId=service&authentication.asUserId=test/ann',
        () => ({ headers: ADMIN_HEADERS }), 200, { userId: 'test/ann' }],
    ['no property twice', 'GET /doip/20.DOIP/Op.CheckCredentials?targetId=service&authentication.username=ann',
        () => ({ headers: user('ann') }), 400],
    ['a flag as Python writes it', `${CHECK}?full=False`, () => ({ headers: user('ann') }), 200, { active: true }],
    ['nobody', CHECK, () => ({}), 200, { active: false }],

    // What cannot be read, or is wrong, also where nothing is asked for.
    ['no empty header', CHECK, () => ({ headers: { authorization: '' } }), 401, {}, CHALLENGE],
    ['no blank header', CHECK, () => ({ headers: { authorization: ' ' } }), 401, {}, CHALLENGE],
    ['no wrong password on a public path', 'GET /schemas', () => ({ headers: basic('ann', 'wrong') }), 401, { message: 'Authentication failed' }, CHALLENGE],
    ['no unknown user, in the same words', 'GET /schemas', () => ({ headers: basic('nobody', 'wrong') }), 401, { message: 'Authentication failed' }, CHALLENGE],
    ['no other scheme', CHECK, () => ({ headers: { authorization: 'Digest username="ann"' } }), 401, {}, CHALLENGE],
    ['no Basic without colon', CHECK, () => ({ headers: { authorization: `Basic ${base64('ann')}` } }), 401, {}, CHALLENGE],
    ['no Basic that is no Base64', CHECK, () => ({ headers: { authorization: 'Basic $$$' } }), 401, {}, CHALLENGE],
    ['no Bearer without token', CHECK, () => ({ headers: { authorization: 'Bearer' } }), 401, {}, CHALLENGE],
    ['no Bearer with two tokens', CHECK, () => ({ headers: bearer('one two') }), 401, {}, CHALLENGE],
    ['no Doip that is no object', CHECK, () => ({ headers: doip(['ann']) }), 401, {}, CHALLENGE],
    ['no Doip that is no JSON', CHECK, () => ({ headers: { authorization: `Doip ${base64('{')}` } }), 401, {}, CHALLENGE],
    ['no unknown token', CHECK, () => ({ headers: bearer('unknown') }), 401, {}, INVALID_TOKEN],
    ['no huge token', CHECK, () => ({ headers: bearer('x'.repeat(20_000)) }), 401, {}, CHALLENGE],
    ['no unsigned assertion', CHECK, () => ({ headers: bearer(signed({ alg: 'none' }, { iss: 'ann', exp: Date.now() / 1000 + 60 }, () => Buffer.from(''))) }), 401,
        {}, INVALID_TOKEN],
    ['no assertion with the signature of another', CHECK, () => ({ headers: bearer(jwt(stranger, { iss: 'ann' })) }), 401, {}, INVALID_TOKEN],
    ['no assertion of nobody, in the same words', CHECK, () => ({ headers: bearer(jwt(stranger, { iss: 'nobody' })) }), 401,
        { message: 'Authentication failed: the token is not valid or has expired' }, INVALID_TOKEN],
    ['no assertion that has expired', CHECK, () => ({ headers: bearer(jwt(privateKey, { iss: 'ann', exp: 1 })) }), 401, {}, INVALID_TOKEN],
    ['no assertion for longer than an hour', CHECK, () => ({ headers: bearer(jwt(privateKey, { iss: 'ann', exp: Date.now() / 1000 + 7200 })) }), 401, {}, INVALID_TOKEN],
    ['no assertion for somebody else', CHECK, () => ({ headers: bearer(jwt(privateKey, { iss: 'ann', sub: 'test/bob' })) }), 401, {}, INVALID_TOKEN],

    // Blocked accounts
    ['no inactive account', CHECK, () => ({ headers: user('idle') }), 401, { message: 'Account is inactive' }, CHALLENGE],
    ['no inactive account by its key', CHECK, () => ({ headers: bearer(jwt(privateKey, { iss: 'idle' })) }), 401, { message: 'Account is inactive' }, CHALLENGE],
    ['no token for an inactive account', TOKEN, () => login('idle'), 401, { error: 'invalid_grant', message: 'Account is inactive' }, CHALLENGE],
    ['nobody who must change the password', 'GET /objects/design', () => ({ headers: user('must') }), 401, MUST_CHANGE, CHALLENGE],
    ['no token for who must change the password', TOKEN, () => login('must'), 401, { error: 'invalid_grant', ...MUST_CHANGE }, CHALLENGE],
    ['public paths for who must change the password: the types', 'GET /schemas', () => ({ headers: user('must') }), 200],
    ['public paths for who must change the password: the design', 'GET /design', () => ({ headers: user('must') }), 200],
    ['public paths for who must change the password: the start', 'GET /initData', () => ({ headers: user('must') }), 200],

    // As another user.
    ['the administrator as another', CHECK, () => ({ headers: { ...ADMIN_HEADERS, 'as-user': 'test/ann' } }), 200, { userId: 'test/ann' }],
    ['the administrator as somebody who has no object', CHECK, () => ({ headers: { ...ADMIN_HEADERS, 'as-user': 'orcid/1' } }), 200, { userId: 'orcid/1' }],
    ['nobody else as another', CHECK, () => ({ headers: { ...user('ann'), 'as-user': 'test/bob' } }), 401, {}, CHALLENGE],
    ['nobody at all as another', CHECK, () => ({ headers: { 'as-user': 'test/bob' } }), 401, {}, CHALLENGE],

    // Tokens
    ['an assertion for a token', TOKEN, () => assertion(jwt(privateKey, { iss: 'ann' })), 200, { token_type: 'Bearer', active: true, userId: 'test/ann', username: 'ann' }],
    ['no assertion of nobody for a token', TOKEN, () => assertion(jwt(privateKey, { iss: 'nobody' })), 401, { error: 'invalid_grant' }, CHALLENGE],
    ['no grant of another kind', TOKEN, () => login('ann', { grant_type: 'refresh_token' }), 400, { error: 'unsupported_grant_type' }],
    ['no assertion that is missing', TOKEN, () => ({ payload: '{"grant_type":"urn:ietf:params:oauth:grant-type:jwt-bearer"}' }), 400, { error: 'invalid_request' }],
    ['wrong credentials beside a login', TOKEN, () => from(login('ann'), bearer('expired')), 200, { active: true }],
    ['an unknown token as inactive', 'POST /auth/introspect', () => ({ payload: '{"token":"unknown"}' }), 200, { active: false }],
    ['an unknown token as revoked', 'POST /auth/revoke', () => ({ payload: '{"token":"unknown"}' }), 200, { active: false }],
    ['an empty token as inactive', 'POST /auth/introspect', () => ({ payload: '{"token":""}' }), 200, { active: false }],
    ['an empty token as revoked', 'POST /auth/revoke', () => ({ payload: '{"token":""}' }), 200, { active: false }],
    ['a grant type of null as none', TOKEN, () => login('ann', { grant_type: null }), 200, { active: true }],
    ['no grant type of null without password', TOKEN, () => ({ payload: '{"grant_type":null}' }), 400, { message: 'Missing grant_type' }],
    ['no revocation of nothing', 'POST /auth/revoke', () => ({ payload: '{}' }), 400, { error: 'invalid_request' }],

    // Transports
    ['no credentials over plain HTTP', CHECK, () => ({ headers: { ...user('ann'), ...PROXIED } }), 403, { message: 'Authentication requires HTTPS' }],
    ['no token over plain HTTP', CHECK, () => ({ headers: { ...bearer('unknown'), ...PROXIED } }), 403, { message: 'Authentication requires HTTPS' }],
    ['no login over plain HTTP', TOKEN, () => from(login('ann'), PROXIED), 403, INSECURE],
    ['no introspection over plain HTTP', 'POST /auth/introspect', () => from({ payload: '{"token":"x"}' }, PROXIED), 403, INSECURE],
    ['credentials behind a trusted proxy that says https', CHECK, () => ({ headers: { ...user('ann'), ...PROXIED_SAFELY } }), 200, { userId: 'test/ann' }],
    ['nobody over plain HTTP', 'GET /schemas', () => ({ headers: PROXIED }), 200],

    // Names and passwords of user objects.
    ['no username twice, in any case', 'POST /objects?type=User', () => ({ headers: ADMIN_HEADERS, payload: '{"username":"ANN","password":"long enough"}' }), 400,
        { message: 'Username ANN is not unique.' }],
    ['no other admin', 'POST /objects?type=User', () => ({ headers: ADMIN_HEADERS, payload: '{"username":"Admin","password":"long enough"}' }), 400,
        { message: 'Username Admin is not unique.' }],
    ['no short password of the type User', 'POST /objects?type=User', () => ({ headers: ADMIN_HEADERS, payload: '{"username":"new","password":"short"}' }), 400,
        { message: 'Password is too short. Min length 8 characters' }],
    ['no user without password', `POST /objects?type=${ACCOUNT}`, () => ({ headers: ADMIN_HEADERS, payload: '{"username":"new","login":{"password":""}}' }), 400,
        { message: 'Password does not meet minimum length of 1' }],
    ['no secret that is no text', `POST /objects?type=${ACCOUNT}`, () => ({ headers: ADMIN_HEADERS, payload: '{"username":"new","login":{"password":"x"},"pin":1}' }), 400],
    ['no change of the password by nobody', 'PUT /users/this/password', () => ({ payload: 'new password' }), 401, {}, CHALLENGE],
    ['no change of the password as somebody', 'PUT /users/this/password', () => ({ headers: { ...ADMIN_HEADERS, 'as-user': 'test/ann' }, payload: 'x' }), 403],
    ['no password of admin from others', 'PUT /adminPassword', () => ({ headers: user('ann'), payload: '{"password":"x"}' }), 403],
    ['the password of admin that is in use already', 'PUT /adminPassword', () => ({ headers: ADMIN_HEADERS, payload: JSON.stringify({ password: ADMIN_PASSWORD }) }), 200,
        { success: true }],
    ['no password with NUL', `POST /objects?type=${ACCOUNT}`, () => ({ headers: ADMIN_HEADERS, payload: JSON.stringify(account('nul', { login: { password: 'pw\0' } })) }), 400,
        { message: 'a password or secret must not contain the character NUL' }],
    ['nobody by a password with NUL at its end', CHECK, () => ({ headers: basic('ann', 'ann-password\0') }), 401, {}, CHALLENGE],
    ['no password of admin that is missing', 'PUT /adminPassword', () => ({ headers: ADMIN_HEADERS, payload: '{}' }), 400, { message: 'Password missing.' }]
];

forEachDatabase((name, create) => {

    describe(`authentication rules on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await startRest(create, 'http/1.1', { TRUSTED_PROXIES: 'loopback', MAX_TOKENS_PER_USER: 3 });
            await defineAccounts(service);
            const key = { publicKey: publicKey.export({ format: 'jwk' }) as JsonObject };
            for (const [username, more] of Object.entries({ ann: key, bob: {}, idle: { ...key, active: false }, must: { mustChange: true } })) {
                await service.create(ACCOUNT, account(username, more), `handle=test/${username}`);
            }

            await service.create(ACCOUNT, account('test/bob'));
            await service.create(ACCOUNT, account('many'));
        });

        after(() => service.stop());

        for (const [title, line, more, code, body = {}, challenge] of rules) {
            it(`${code < 400 ? 'accept' : 'reject'} ${title}${code < 400 ? '' : `: ${code}`}`, async () => {

                const response = await service.anonymously(line, more());

                expect(response.statusCode, response.payload).to.equal(code);
                expect<unknown>(jsonOf(response)).to.include(body);
                expect(response.headers['www-authenticate']).to.equal(challenge);
                expect(code < 400 || typeof jsonOf(response)['message'] === 'string').to.be.true();
            });
        }

        it('omit full details unless they are requested by a flag', async () => {

            const records = await Promise.all(['', '?full', '?full=True', '?full=False', '?full=0'].map(async (query) =>
                Object.keys(jsonOf(await service.anonymously(CHECK + query, { headers: user('ann') }))).length));

            expect(records).to.equal([3, 5, 5, 3, 3]);
        });

        it('end the oldest of too many tokens', async () => {

            const tokens: string[] = [];
            for (let i = 0; i < 5; ++i) {
                tokens.push(String(jsonOf(await service.anonymously(TOKEN, login('many')))['access_token']));
            }

            const answers: Received[] = [];
            for (const token of tokens) {
                answers.push(await service.anonymously(CHECK, { headers: bearer(token) }));
            }

            expect(answers.filter(({ statusCode }) => statusCode === 200)).to.have.length(3);
            expect([answers[4]?.statusCode, answers[0]?.headers['www-authenticate']]).to.equal([200, INVALID_TOKEN]);
        });

        it('accept an assertion with an id once', async () => {

            const token = jwt(privateKey, { iss: 'ann', jti: 'once' });
            const answers = await Promise.all([1, 2, 3].map(() => service.anonymously(CHECK, { headers: bearer(token) })));

            expect(answers.map(({ statusCode }) => statusCode).toSorted()).to.equal([200, 401, 401]);
        });
    });
});
