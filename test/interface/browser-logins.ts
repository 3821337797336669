/** Logins of browsers at a real OpenID Connect provider: authorisation code with PKCE, what comes back, and every way to misuse it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayOptions } from '../../lib/app/options.js';
import { configure } from '../../lib/config/index.js';
import { SignJWT } from 'jose';
import type { TestProvider } from '../support/login-provider.js';
import { AUDIENCE, flood, SECRET, startProvider } from '../support/login-provider.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { jsonOf } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Ids of groups by the values of the claim: as many and as long as they may be. */
const MANY = Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`role-${n}`, `test/${n}-${'g'.repeat(240)}`]));

const CLAIMS = {
    'ann-1': { preferred_username: 'ann', groups: ['curators', 'unknown', 'admin'] }, 'bob-1': { preferred_username: 'bob' },
    'cat-1': { preferred_username: 'cat', groups: ['curators', ...Object.keys(MANY)].reverse() }
};
const JSON_TYPE = { 'content-type': 'application/json' };

/** A login in progress: its verifier, and what the service has answered. */
interface Begun {
    readonly verifier: string;
    readonly location: string;
    readonly cookie: string;
    readonly setCookie: string;
}

onEveryDatabase((name, start) => {

    describe(`logins of browsers on ${name}`, () => {

        let service: RestService;
        let provider: TestProvider;
        let other: TestProvider;
        let hostile: TestProvider;
        let folder: string;

        before(async () => {

            [provider, other, hostile] = [await startProvider(CLAIMS), await startProvider(CLAIMS), await startProvider(CLAIMS)];
            folder = await mkdtemp(join(tmpdir(), 'gateway-logins-'));
            await writeFile(join(folder, 'secret'), `${SECRET}\n`);
            const common = { issuer: provider.issuer, audience: AUDIENCE, groups: { ...MANY, curators: 'test/curators' } };
            await writeFile(join(folder, 'providers.json'), JSON.stringify([
                { ...common, name: 'institute', title: 'The institute', clientId: 'browser' },
                { ...common, issuer: other.issuer, name: 'elsewhere', clientId: 'confidential', clientSecretFile: 'secret', scope: 'openid' },
                { ...common, issuer: hostile.issuer, name: 'hostile', clientId: 'browser' },
                { ...common, issuer: 'http://127.0.0.1:1', name: 'gone', clientId: 'browser', sessionSeconds: 60 },
                { ...common, issuer: 'https://tokens.example.org', name: 'tokens-only' }
            ]));
            service = await start({ OIDC_PROVIDERS: join(folder, 'providers.json') });
            await service.create('Document', { name: 'for curators' }, 'handle=test/curated');
            await service.asAdmin('PUT /acls/test/curated', { payload: '{"readers": ["test/curators"], "writers": []}' });
            await Promise.all([provider.allow(`${service.url}/auth/callback/institute`), other.allow(`${service.url}/auth/callback/elsewhere`), hostile.allow(`${service.url}/auth/callback/hostile`)]);
        });

        after(async () => {

            await Promise.all([service.stop(), provider.stop(), other.stop(), hostile.stop()]);
            await rm(folder, { recursive: true });
        });

        const begin = async (returnTo = '/ui/?page=2', of = 'institute'): Promise<Begun> => {

            const verifier = randomBytes(32).toString('base64url');
            const challenge = createHash('sha256').update(verifier).digest('base64url');
            const answer = await service.anonymously(`GET /auth/login/${of}?returnTo=${encodeURIComponent(returnTo)}&codeChallenge=${challenge}`);
            expect(answer.statusCode, answer.payload).to.equal(302);
            const setCookie = [answer.headers['set-cookie']].flat().join();
            return { verifier, location: String(answer.headers['location']), setCookie, cookie: setCookie.split(';')[0] ?? '' };
        };

        const back = async (address: URL, cookie: string): Promise<Received> =>
            service.anonymously(`GET ${address.pathname}${address.search}`, { headers: cookie === '' ? {} : { cookie } });

        const logIn = async (begun: Begun, person = 'ann-1'): Promise<{ readonly address: URL; readonly answer: Received; readonly returned: URL }> => {

            const address = await provider.browse(begun.location, `${service.url}/auth/callback`, person);
            const answer = await back(address, begun.cookie);
            expect(answer.statusCode, answer.payload).to.equal(302);
            return { address, answer, returned: new URL(String(answer.headers['location']), service.url) };
        };

        const exchange = async (code: string | null, verifier: string): Promise<Received> => service.anonymously('POST /auth/token?full', {
            headers: JSON_TYPE, payload: JSON.stringify({ grant_type: 'authorization_code', code, code_verifier: verifier })
        });

        it('are offered by the providers that have a client', async () => {

            const { payload } = await service.anonymously('GET /auth/login');
            expect(JSON.parse(payload)).to.equal({ providers: [
                { name: 'institute', title: 'The institute' }, { name: 'elsewhere', title: 'elsewhere' }, { name: 'hostile', title: 'hostile' },
                { name: 'gone', title: 'gone' }
            ] });
        });

        it('lead through the pages of the provider to an access token with the groups of the claims', async () => {

            const begun = await begin();
            const authorization = new URL(begun.location).searchParams;
            const { answer, returned } = await logIn(begun);
            const code = returned.searchParams.get('login_code');
            const granted = await exchange(code, begun.verifier);
            const record = jsonOf(granted);
            const token = String(record['access_token']);
            const read = await service.anonymously('GET /objects/test/curated', { headers: { authorization: `Bearer ${token}` } });

            expect(authorization.get('code_challenge_method')).to.equal('S256');
            expect(authorization.get('redirect_uri')).to.equal(`${service.url}/auth/callback/institute`);
            expect(begun.setCookie).to.match(/^doip_login_[\w-]{16}=[\w.-]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
            expect([returned.pathname, returned.searchParams.get('page')]).to.equal(['/ui/', '2']);
            expect(answer.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
            expect([answer.headers['set-cookie']].flat().join()).to.include('=; Path=/; Max-Age=0;');
            expect(record).to.include({ active: true, userId: 'institute/ann-1', username: 'ann@institute', groupIds: ['test/curators'] });
            expect(read.statusCode).to.equal(200);
            const text = JSON.stringify(service.log);
            for (const secret of [token, begun.verifier, code ?? '', authorization.get('state') ?? '']) {
                expect(text.includes(secret), secret).to.be.false();
            }
        });

        it('work with the secret of a client, and with the claims that the scope gives', async () => {

            const begun = await begin('/', 'elsewhere');
            const address = await other.browse(begun.location, `${service.url}/auth/callback`, 'ann-1');
            const answer = await back(address, begun.cookie);
            const code = new URL(String(answer.headers['location']), service.url).searchParams.get('login_code');
            const record = jsonOf(await exchange(code, begun.verifier));

            expect(record).to.include({ userId: 'elsewhere/ann-1', groupIds: [] });
            expect(record['username']).to.be.undefined();
        });

        it('can be in progress several times in one browser', async () => {

            const [one, two] = [await begin('/one'), await begin('/two')];
            const cookie = `${one.cookie}; ${two.cookie}`;
            const second = await logIn({ ...two, cookie }, 'bob-1');
            const first = await logIn({ ...one, cookie });

            expect([first.returned.pathname, second.returned.pathname]).to.equal(['/one', '/two']);
            const [byTwo, byOne] = [await exchange(second.returned.searchParams.get('login_code'), two.verifier), await exchange(first.returned.searchParams.get('login_code'), one.verifier)];
            expect([jsonOf(byOne)['userId'], jsonOf(byTwo)['userId'], jsonOf(byTwo)['groupIds']]).to.equal(['institute/ann-1', 'institute/bob-1', []]);
        });

        it('give a code that is good once, and with the verifier of its page only', async () => {

            const begun = await begin();
            const code = (await logIn(begun)).returned.searchParams.get('login_code') ?? '';
            const answers = [
                await exchange(code, 'x'.repeat(43)), await exchange(`${code.slice(0, -2)}AA`, begun.verifier), await exchange(begun.cookie.split('=')[1] ?? '', begun.verifier),
                await exchange('', begun.verifier), await exchange(code, ''), await exchange('a.b.c.d.e', begun.verifier), await exchange('x'.repeat(9000), begun.verifier)
            ];
            const raced = await Promise.all(Array.from({ length: 4 }, () => exchange(code, begun.verifier)));

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([401, 401, 401, 400, 400, 401, 401]);
            expect(jsonOf(answers[0]!)).to.include({ error: 'invalid_grant' });
            expect(raced.map(({ statusCode }) => statusCode).sort()).to.equal([200, 401, 401, 401]);
        });

        it('end where the browser has not begun them, has completed them, or the state is not theirs', async () => {

            const [begun, other] = [await begin(), await begin()];
            const { address } = await logIn(begun);
            const foreign = new URL(address);
            foreign.searchParams.set('state', new URL(other.location).searchParams.get('state') ?? '');
            const fresh = await provider.browse(other.location, `${service.url}/auth/callback`, 'ann-1');
            const answers = [
                await back(address, begun.cookie), await back(fresh, ''), await back(fresh, begun.cookie), await back(foreign, begun.cookie),
                await back(fresh, `${other.cookie.split('=')[0]}=${begun.cookie.split('=')[1]}`), await back(fresh, `${other.cookie}x`),
                await back(new URL('/auth/callback/institute', service.url), other.cookie), await back(new URL(fresh.href.replace('/institute', '/elsewhere')), other.cookie)
            ];

            expect(answers.map(({ statusCode }) => statusCode)).to.equal(answers.map(() => 400));
            expect(jsonOf(answers[0]!)['message']).to.equal('this login has expired, or was not begun in this browser: log in again');
            expect((await back(fresh, other.cookie)).statusCode).to.equal(302);
        });

        it('are refused with a code of the provider that is wrong, and with the answer of another provider', async () => {

            for (const [parameter, value] of [['code', 'wrong'], ['iss', 'https://attacker.example.org']] as const) {
                const begun = await begin();
                const address = await provider.browse(begun.location, `${service.url}/auth/callback`, 'ann-1');
                address.searchParams.set(parameter, value);
                const answer = await back(address, begun.cookie);
                expect([answer.statusCode, jsonOf(answer)['message']], parameter).to.equal([401, 'Authentication failed']);
            }
        });

        it('do not give the code of one provider to another one, which has forwarded the person to it', async () => {

            const begun = await begin('/', 'elsewhere');
            const forwarded = new URL(begun.location);
            forwarded.host = new URL(provider.issuer).host;
            forwarded.searchParams.set('client_id', 'browser');
            forwarded.searchParams.set('redirect_uri', `${service.url}/auth/callback/institute`);
            const address = await provider.browse(forwarded.href, `${service.url}/auth/callback`, 'ann-1');
            // Many providers do not name themselves.
            address.searchParams.delete('iss');
            let requests = 0;
            other.instead.set('/token', (request, response) => {

                ++requests;
                request.resume();
                response.writeHead(400).end();
            });
            const answer = await back(address, begun.cookie);
            other.instead.delete('/token');

            expect([answer.statusCode, requests], answer.payload).to.equal([400, 0]);
        });

        /** Completes a login at a token endpoint that answers with an ID token of these claims. */
        const logInWith = async (claims: JsonObject, header: JsonObject = {}, more: JsonObject = {}): Promise<Received> => {

            const begun = await begin();
            const nonce = new URL(begun.location).searchParams.get('nonce');
            const address = await provider.browse(begun.location, `${service.url}/auth/callback`, 'ann-1');
            const token = header['alg'] === 'none' ? unsigned({ iss: provider.issuer, aud: 'browser', sub: 'x', nonce, exp: now() + 60, iat: now(), ...claims }) :
                await provider.sign({ aud: 'browser', nonce, ...claims }, header);
            answerJson(provider, '/token', { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: token, ...more });
            answerJson(provider, '/me', { sub: 'ann-1', preferred_username: 'ann', groups: ['curators'] });
            const answer = await back(address, begun.cookie);
            provider.instead.clear();
            if (answer.statusCode !== 302) {
                return answer;
            }

            const code = new URL(String(answer.headers['location']), service.url).searchParams.get('login_code');
            return exchange(code, begun.verifier);
        };

        const now = (): number => Math.floor(Date.now() / 1000);
        const unsigned = (claims: JsonObject): string => `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
        const wrong: readonly (readonly [title: string, claims: JsonObject, header?: JsonObject, more?: JsonObject])[] = [
            ['of another issuer', { iss: 'https://attacker.example.org' }], ['for another client', { aud: 'program' }],
            ['for several clients, requested by another one', { aud: ['browser', 'program'], azp: 'program' }], ['with another nonce', { nonce: 'x' }], ['without a nonce', { nonce: undefined as never }],
            ['that has expired', { exp: 1 }], ['of the future', { nbf: 4_000_000_000 }], ['of another person than UserInfo', { sub: 'bob-1' }],
            ['without a user', { sub: undefined as never }], ['with a user of control characters', { sub: 'a\nb', preferred_username: 'x', groups: [] }],
            ['without a signature', { preferred_username: 'x', groups: [] }, { alg: 'none' }], ['that is missing', {}, {}, { id_token: undefined as never }]
        ];
        for (const [title, claims, header, more] of wrong) {
            it(`do not accept an ID token ${title}`, async () => {

                const { statusCode, payload } = await logInWith(claims, header, more);
                expect(statusCode, payload).to.equal(401);
                expect(String(jsonOf({ payload })['message'])).to.startWith('Authentication failed');
            });
        }

        for (const alg of ['none', 'HS256', 'RS256']) {
            it(`do not accept an ID token of ${alg} that is not signed by the provider, whatever algorithms it names`, async () => {

                const document = await (await fetch(`${hostile.issuer}/.well-known/openid-configuration`)).json() as JsonObject;
                answerJson(hostile, '/.well-known/openid-configuration', { ...document, id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'] });
                const begun = await begin('/', 'hostile');
                const address = await hostile.browse(begun.location, `${service.url}/auth/callback`, 'ann-1');
                const claims = {
                    iss: hostile.issuer, aud: 'browser', sub: 'ann-1', nonce: new URL(begun.location).searchParams.get('nonce') ?? '', exp: now() + 60, iat: now(),
                    preferred_username: 'ann', groups: []
                };
                const token = alg === 'none' ? unsigned(claims) : alg === 'RS256' ? await other.sign(claims) :
                    await new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.from('x'.repeat(32)));
                answerJson(hostile, '/token', { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: token });
                const { statusCode, payload } = await back(address, begun.cookie);
                hostile.instead.clear();

                expect(statusCode, payload).to.equal(401);
            });
        }

        it('return with the reason when the person declines', async () => {

            for (const [error, shown] of [['access_denied', 'access_denied'], ['<script>', 'failed']] as const) {
                const begun = await begin('/ui/#a');
                const state = new URL(begun.location).searchParams.get('state') ?? '';
                const answer = await back(new URL(`/auth/callback/institute?state=${state}&error=${encodeURIComponent(error)}`, service.url), begun.cookie);
                expect([answer.statusCode, answer.headers['location']]).to.equal([302, `/ui/?login_error=${shown}#a`]);
            }
        });

        for (const path of [
            '//attacker.example.org', '/\\attacker.example.org', 'https://attacker.example.org/', 'javascript:alert(1)', ' ', '/a\nb', '/ä', '/\t/x', `/${'x'.repeat(2001)}`,
            '/.//attacker.example.org', '/%2e//attacker.example.org', '/ui/..//attacker.example.org', '/ui/%2E%2e//attacker.example.org/?a#b'
        ]) {
            it(`do not return to ${JSON.stringify(path.slice(0, 40))}`, async () => {

                const answer = await service.anonymously(`GET /auth/login/institute?codeChallenge=${'x'.repeat(43)}&returnTo=${encodeURIComponent(path)}`);
                expect([answer.statusCode, jsonOf(answer)['message']]).to.equal([400, 'returnTo must be a path of this service, such as /']);
            });
        }

        for (const [path, status] of [
            ['/auth/login/nobody?codeChallenge=C', 404], ['/auth/login/tokens-only?codeChallenge=C', 404], ['/auth/login/institute', 400],
            ['/auth/login/institute?codeChallenge=short', 400], ['/auth/login/gone?codeChallenge=C', 503], ['/auth/login/__proto__?codeChallenge=C', 404]
        ] as const) {
            it(`answer ${status} to ${path}`, async () => {

                const { statusCode, payload } = await service.anonymously(`GET ${path.replace('=C', `=${'x'.repeat(43)}`)}`);
                expect([statusCode, payload.includes('127.0.0.1:1')], payload).to.equal([status, false]);
            });
        }

        it('are begun by pages of the service only, as a code is good for the verifier of the page that began', async () => {

            const answers = await Promise.all(['same-origin', 'same-site', 'cross-site', 'none'].map((site) =>
                service.anonymously(`GET /auth/login/institute?codeChallenge=${'x'.repeat(43)}`, { headers: { 'sec-fetch-site': site } })));

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([302, 403, 403, 403]);
            expect(answers[1]?.headers['set-cookie']).to.be.undefined();
        });

        it('have all groups of the claims in a code that is short, as it is part of an address', async () => {

            const begun = await begin();
            const { returned } = await logIn(begun, 'cat-1');
            const granted = await exchange(returned.searchParams.get('login_code'), begun.verifier);

            expect(returned.href.length).to.be.below(2000);
            expect(granted.statusCode, granted.payload).to.equal(200);
            expect((jsonOf(granted)['groupIds'] as string[]).sort()).to.equal(['test/curators', ...Object.values(MANY)].sort());
        });

        for (const path of ['/token', '/me']) {
            it(`read no more of ${path} of the provider than a limit, and fail with 503`, async () => {

                const begun = await begin();
                const address = await provider.browse(begun.location, `${service.url}/auth/callback`, 'bob-1');
                const sent = { bytes: 0 };
                provider.instead.set(path, flood(sent));
                const answer = await back(address, begun.cookie);
                provider.instead.delete(path);

                expect(answer.statusCode, answer.payload).to.equal(503);
                expect(sent.bytes).to.be.between(1, 20_000_000);
            });
        }

        for (const [title, type, body] of [['a page', 'text/html', '<h1>Welcome</h1>'], ['JSON that ends early', 'application/json', '{"access_token": "']] as const) {
            it(`fail with 503 where the provider answers with ${title}`, async () => {

                const begun = await begin();
                const address = await provider.browse(begun.location, `${service.url}/auth/callback`, 'bob-1');
                provider.instead.set('/token', (request, response) => {

                    request.resume();
                    response.writeHead(200, { 'content-type': type }).end(body);
                });
                const answer = await back(address, begun.cookie);
                provider.instead.delete('/token');

                expect([answer.statusCode, jsonOf(answer)]).to.equal([503, { message: 'the login provider institute cannot be reached' }]);
            });
        }

        it('fail with 503 while the provider is down, and work again afterwards', async () => {

            const begun = await begin();
            const address = await provider.browse(begun.location, `${service.url}/auth/callback`, 'ann-1');
            provider.isDown = true;
            const down = await back(address, begun.cookie);
            provider.isDown = false;
            expect(down.statusCode, down.payload).to.equal(503);
            expect((await logIn(await begin())).returned.searchParams.has('login_code')).to.be.true();
        });
    });
});

/** Lets a provider answer with JSON. */
function answerJson(provider: TestProvider, path: string, document: JsonObject): void {

    provider.instead.set(path, (request, response) => {

        request.resume();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
}

describe('the configuration of logins by browsers', () => {

    let folder: string;
    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-logins-'));
    });

    after(() => rm(folder, { recursive: true }));

    const entry = { name: 'museum', issuer: 'https://login.example.org', audience: 'x', clientId: 'repository' };
    for (const [title, change, message] of [
        ['a secret without a client', { clientId: null, clientSecretFile: 'secret' }, /clientSecretFile" needs a clientId/],
        ['a file that does not exist', { clientSecretFile: 'nowhere' }, /clientSecretFile cannot be read: ENOENT/],
        ['an empty secret', { clientSecretFile: 'empty' }, /clientSecretFile .*empty is empty/],
        ['a scope without openid', { scope: 'profile' }, /must have the scope openid/],
        ['a session of a second', { sessionSeconds: 1 }, /sessionSeconds" must be greater than or equal to 60/]
    ] as const) {
        it(`does not accept ${title}`, async () => {

            await writeFile(join(folder, 'empty'), '\n');
            await writeFile(join(folder, 'providers.json'), JSON.stringify([{ ...entry, ...change }]));
            expect(() => gatewayOptions(configure({ DATA_DIR: folder, OIDC_PROVIDERS: join(folder, 'providers.json') }))).to.throw(message);
        });
    }

    it('has the secret in a file beside it', async () => {

        await writeFile(join(folder, 'secret'), 'a secret\n');
        await writeFile(join(folder, 'providers.json'), JSON.stringify([{ ...entry, clientSecretFile: 'secret', sessionSeconds: 3600 }]));
        const { loginProviders } = gatewayOptions(configure({ DATA_DIR: folder, OIDC_PROVIDERS: join(folder, 'providers.json') }));
        expect(loginProviders?.[0]?.browser).to.equal({ clientId: 'repository', clientSecret: 'a secret', scope: 'openid profile', sessionSeconds: 3600 });
    });
});
