import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import * as Hapi from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import { json } from '../../../../lib/doip/segments.js';
import { Status } from '../../../../lib/errors/status.js';
import { plugin } from '../../../../translators/index.js';
import type { PluginOptions } from '../../../../translators/index.js';
import { isSameOrigin, sessionCookie, sessionToken } from '../../../../translators/http/request/browser-session.js';
import { Recorder } from '../../../support/recorder.js';

export const lab = Lab.script();
const { describe, it } = lab;

const TOKEN = 'a1-_'.repeat(8);
const OTHER = 'b2-_'.repeat(8);
const SAME = { 'sec-fetch-site': 'same-origin' };
const PAGE = { 'x-requested-with': 'doip-gateway' };
const COOKIE = { cookie: `doip-session=${TOKEN}` };

describe('a request with the cookie of a browser session', () => {

    const origins: [title: string, method: string, headers: Record<string, string>, isProven: boolean][] = [
        ['without any proof', 'get', {}, false],
        ['of the same origin, as the browser says', 'post', SAME, true],
        ['of a browser that says nothing, with the header of our pages', 'delete', PAGE, true],
        ['with a header of other pages', 'get', { 'x-requested-with': 'XMLHttpRequest' }, false],
        ['of another site', 'get', { 'sec-fetch-site': 'cross-site' }, false],
        ['of another site, with the header of our pages', 'post', { 'sec-fetch-site': 'cross-site', ...PAGE }, false],
        ['of a sibling domain or another port', 'get', { 'sec-fetch-site': 'same-site' }, false],
        ['of a sibling domain, with the header of our pages', 'get', { 'sec-fetch-site': 'same-site', ...PAGE }, false],
        ['of the address bar, reading', 'get', { 'sec-fetch-site': 'none' }, true],
        ['of the address bar, for the headers', 'head', { 'sec-fetch-site': 'none' }, true],
        ['of nobody, writing', 'post', { 'sec-fetch-site': 'none' }, false],
        ['of nobody, deleting', 'delete', { 'sec-fetch-site': 'none' }, false],
        ['with two values by a broken proxy', 'get', { 'sec-fetch-site': 'same-origin, cross-site' }, false]
    ];
    for (const [title, method, headers, isProven] of origins) {
        it(`${title}: ${isProven ? 'counts as one of our pages' : 'is one without credentials'}`, () => {

            expect(isSameOrigin({ method, headers })).to.equal(isProven);
            expect(sessionToken({ method, headers: { ...headers, ...COOKIE } }, { transport: { protocol: 'http' }, prefix: '' })).to.equal(isProven ? TOKEN : undefined);
        });
    }

    const values: [title: string, value: string][] = [
        ['an API key', `doipkey_${'0'.repeat(56)}`], ['a signed assertion', 'abcdefgh.abcdefgh.abcdefgh'], ['nothing', ''], ['a long value', 'a'.repeat(4000)],
        ['something else', `${TOKEN}=`]
    ];
    for (const [title, value] of values) {
        it(`is one without credentials if the cookie holds ${title}`, () => {

            expect(sessionToken({ method: 'get', headers: { ...SAME, cookie: `doip-session=${value}` } }, { transport: { protocol: 'http' }, prefix: '' })).to.be.undefined();
        });
    }

    it('has the name that only this host can set over TLS, and no other', () => {

        const names = ['doip-session', '__Secure-doip-session', '__Host-doip-session'];
        const accepted = (protocol: 'http' | 'https', prefix: string): string[] => names.filter((name) =>
            sessionToken({ method: 'get', headers: { ...SAME, cookie: `${name}=${TOKEN}` } }, { transport: { protocol }, prefix }) === TOKEN);

        expect([accepted('http', ''), accepted('http', '/a'), accepted('https', ''), accepted('https', '/a')]).to.equal(
            [['doip-session'], ['doip-session'], ['__Host-doip-session'], ['__Secure-doip-session']]);
        expect(sessionCookie(TOKEN, { transport: { protocol: 'https' }, prefix: '' })).to.equal(`__Host-doip-session=${TOKEN}; Path=/; HttpOnly; Secure; SameSite=Strict`);
        expect(sessionCookie(TOKEN, { transport: { protocol: 'https' }, prefix: '/a' })).to.equal(
            `__Secure-doip-session=${TOKEN}; Path=/a; HttpOnly; Secure; SameSite=Strict`);
        expect(sessionCookie(null, { transport: { protocol: 'http' }, prefix: '' })).to.equal('doip-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    });
});

describe('the credentials of a browser session', () => {

    const serverOf = async (options: Partial<PluginOptions> = {}, prefix?: string): Promise<{ recorder: Recorder; server: Server }> => {

        const recorder = new Recorder();
        const server = Hapi.server({ debug: false });
        await server.register(
            { plugin, options: { gateway: recorder as never, translators: ['rest', 'doip-http', 'sessions', 'web'], trustedProxies: ['loopback'], ...options } },
            prefix === undefined ? {} : { routes: { prefix } }
        );
        return { recorder, server };
    };

    const cases: [title: string, line: string, headers: Record<string, string>, authentication: object][] = [
        ['come from the cookie', 'GET /design', { ...SAME, ...COOKIE }, { token: TOKEN }],
        ['come from the cookie in DOIP over HTTP', 'POST /doip/0.DOIP/Op.Hello?targetId=service', { ...SAME, ...COOKIE }, { token: TOKEN }],
        ['are absent without proof', 'GET /design', COOKIE, {}],
        ['are absent without proof in DOIP over HTTP', 'GET /doip/0.DOIP/Op.Hello?targetId=service', COOKIE, {}],
        ['may act as another user', 'GET /design', { ...SAME, ...COOKIE, 'as-user': 't/u' }, { token: TOKEN, asUserId: 't/u' }],
        ['give way to a header', 'GET /design', { ...SAME, ...COOKIE, authorization: `Bearer ${OTHER}` }, { token: OTHER }],
        ['give way to a parameter', `GET /design?access_token=${OTHER}`, { ...SAME, ...COOKIE }, { token: OTHER }],
        ['give way to a parameter in DOIP over HTTP', `GET /doip/0.DOIP/Op.Hello?targetId=service&access_token=${OTHER}`, { ...SAME, ...COOKIE }, { token: OTHER }],
        ['give way to authentication in DOIP over HTTP', `GET /doip/0.DOIP/Op.Hello?targetId=service&authentication.token=${OTHER}`,
            { ...SAME, ...COOKIE }, { token: OTHER }],
        ['have precedence over a legacy session', 'GET /design', { ...SAME, cookie: `JSESSIONID=s1; doip-session=${TOKEN}`, 'x-csrf-token': 'c1' }, { token: TOKEN }],
        ['leave a legacy session alone without proof', 'GET /design', { cookie: `JSESSIONID=s1; doip-session=${TOKEN}`, 'x-csrf-token': 'c1' },
            { sessionId: 's1', csrfToken: 'c1' }]
    ];
    for (const [title, line, headers, authentication] of cases) {
        it(title, async () => {

            const { recorder, server } = await serverOf();
            const [method = '', url = ''] = line.split(' ');
            const response = await server.inject({ method, url, headers });
            const isBySession = recorder.requests[0]?.authentication['token'] === TOKEN;

            expect<unknown>(recorder.requests[0]?.authentication).to.equal(authentication);
            expect(String(response.headers['vary'] ?? '').includes('cookie')).to.equal(isBySession);
            expect(!isBySession || response.headers['cache-control'] === 'private, no-cache').to.be.true();
        });
    }

    it('are none where the pages of the web are not mounted', async () => {

        const { recorder, server } = await serverOf({ translators: ['rest', 'doip-http', 'sessions'] });
        await server.inject({ url: '/design', headers: { ...SAME, ...COOKIE } });
        await server.inject({ url: '/doip/0.DOIP/Op.Hello?targetId=service', headers: { ...SAME, ...COOKIE } });
        const missing = await server.inject({ method: 'POST', url: '/session', headers: SAME, payload: '{}' });

        expect<unknown>(recorder.requests.map(({ authentication }) => authentication)).to.equal([{}, {}]);
        expect(missing.statusCode).to.equal(404);
    });

    it('are in a cookie for the prefix of the service, with a safe name behind a trusted proxy', async () => {

        const { recorder, server } = await serverOf({}, '/repository');
        recorder.answer = { output: json({ access_token: TOKEN, token_type: 'Bearer', active: true, userId: 'u' }) };
        const begin = (headers: Record<string, string>) => server.inject({ method: 'POST', url: '/repository/cordra/session', headers: { ...SAME, ...headers }, payload: '{}' });
        const plain = await begin({});
        const encrypted = await begin({ 'x-forwarded-proto': 'https' });

        expect([plain, encrypted].map(({ headers }) => [headers['set-cookie']].flat())).to.equal([
            [`doip-session=${TOKEN}; Path=/repository; HttpOnly; SameSite=Strict`],
            [`__Secure-doip-session=${TOKEN}; Path=/repository; HttpOnly; Secure; SameSite=Strict`]
        ]);
        expect([plain.payload, encrypted.payload]).to.equal(['{"active":true,"userId":"u"}', '{"active":true,"userId":"u"}']);
    });

    it('keep what must not be stored out of every cache', async () => {

        const { server } = await serverOf();
        const response = await server.inject({ method: 'POST', url: '/auth/keys', headers: { ...SAME, ...COOKIE }, payload: '{}' });

        expect(response.headers['cache-control']).to.equal('no-store');
    });

    it('are removed by the response that the session has ended, and by no other', async () => {

        const { recorder, server } = await serverOf();
        const refused = (attributes: object) => ({ status: Status.unauthenticated, attributes: attributes as never, output: json({ message: 'no' }) });
        const ask = async (url: string, headers: Record<string, string>) => {

            const { statusCode, payload, headers: received } = await server.inject({ url, headers });
            return [statusCode, (JSON.parse(payload) as { sessionEnded?: boolean }).sessionEnded ?? false, received['set-cookie'] !== undefined];
        };

        for (const url of ['/design', '/doip/0.DOIP/Op.Hello?targetId=service']) {
            recorder.answer = refused({ error: 'invalid_token' });
            expect(await ask(url, { ...SAME, ...COOKIE })).to.equal([401, true, true]);
            expect(await ask(url, { authorization: `Bearer ${TOKEN}` })).to.equal([401, false, false]);
            expect(await ask(url, COOKIE)).to.equal([401, false, false]);
            recorder.answer = refused({});
            expect(await ask(url, { ...SAME, ...COOKIE })).to.equal([401, false, false]);
        }
    });
});
