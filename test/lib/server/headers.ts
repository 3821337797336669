/** What the server adds to every exchange: request ids, CORS, protection of browsers, and the log. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { loggedUrl } from '../../../lib/http-server/access-log.js';
import type { TestServer } from '../../support/server.js';
import { pathOf, startServer } from '../../support/server.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const HELLO = '/doip/0.DOIP/Op.Hello?targetId=service';
const ORIGIN = 'https://page.example';

describe('the request id', () => {

    let server: TestServer;

    before(async () => {

        server = await startServer();
    });

    after(() => server.stop());

    const cases: [title: string, given: string | null, isKept: boolean][] = [
        ['is generated when there is none', null, false],
        ['is that of the client', 'abc-123', true],
        ['is generated instead of an empty one', '', false],
        ['is generated instead of one that is too long', 'x'.repeat(129), false],
        ['is generated instead of one with blanks', 'a b', false],
        ['is generated instead of one that is not ASCII', 'ü', false]
    ];

    for (const [title, given, isKept] of cases) {
        it(title, async () => {

            const response = await fetch(`${server.url}${HELLO}`, given === null ? {} : { headers: { 'Request-Id': given } });

            const id = response.headers.get('request-id') ?? '';
            expect(id === given).to.equal(isKept);
            expect(id).to.match(isKept ? /./ : /^[0-9a-f]{12}$/);
            expect(server.log.some(({ requestId, msg }) => requestId === id && msg === 'request')).to.be.true();
        });
    }

    it('is different for each request', async () => {

        const ids = await Promise.all(Array.from({ length: 100 }, async () => {

            const response = await fetch(`${server.url}/nowhere`);
            return response.headers.get('request-id');
        }));

        expect(new Set(ids).size).to.equal(100);
    });
});

describe('cross-origin requests', () => {

    const ask = async (settings: Record<string, unknown>, path: string, init: RequestInit): Promise<Response> => {

        const server = await startServer(settings);
        try {
            return await fetch(`${server.url}${path}`, init);
        }
        finally {
            await server.stop();
        }
    };

    const preflight = (method: string): RequestInit => ({
        method: 'OPTIONS', headers: { Origin: ORIGIN, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': 'authorization' }
    });
    const get: RequestInit = { headers: { Origin: ORIGIN } };
    const post: RequestInit = { method: 'POST', headers: { Origin: ORIGIN } };
    const all = { CORS_METHODS: 'GET,HEAD,POST,PUT,DELETE' };
    const cases: [title: string, settings: Record<string, unknown>, path: string, init: RequestInit, allowed: string | null, status: number][] = [
        ['may read, by default', {}, HELLO, get, '*', 200],
        ['may read errors, by default', {}, '/nowhere', get, '*', 404],
        ['may send a preflight for a read', {}, HELLO, preflight('GET'), '*', 204],
        ['may write, by default', {}, HELLO, preflight('PUT'), '*', 204],
        ['may log in, by default', {}, '/auth/token', preflight('POST'), '*', 204],
        ['may not write where that is configured', { CORS_METHODS: 'GET,HEAD' }, HELLO, preflight('POST'), null, 204],
        ['cannot read responses to disallowed methods', { CORS_METHODS: 'GET,HEAD' }, HELLO, post, null, 200],
        ['may write where that is configured', all, HELLO, preflight('PUT'), '*', 204],
        ['can read responses to allowed methods', all, HELLO, post, '*', 200],
        ['may not use unknown methods', all, HELLO, preflight('PATCH'), null, 204],
        ['may read when their origin is listed', { CORS_ORIGINS: [ORIGIN, 'https://b.example'] }, HELLO, get, ORIGIN, 200],
        ['may not read when only others are listed', { CORS_ORIGINS: 'https://b.example' }, HELLO, get, null, 200],
        ['fail the preflight when only others are listed', { CORS_ORIGINS: 'https://b.example' }, HELLO, preflight('GET'), null, 204],
        ['may not read when CORS is off', { CORS_ORIGINS: 'none' }, HELLO, get, null, 200]
    ];

    for (const [title, settings, path, init, allowed, status] of cases) {
        it(title, async () => {

            const response = await ask(settings, path, init);

            expect(response.status).to.equal(status);
            expect(response.headers.get('access-control-allow-origin')).to.equal(allowed);
            expect(response.headers.get('access-control-allow-credentials')).to.be.null();
        });
    }

    it('learn which headers they may send and read', async () => {

        const asked = await ask({}, HELLO, preflight('GET'));
        const read = await ask({}, HELLO, get);

        expect(asked.headers.get('access-control-allow-headers')).to.equal('authorization');
        expect(asked.headers.get('access-control-allow-methods')).to.equal('GET, HEAD, POST, PUT, DELETE');
        expect(asked.headers.get('access-control-max-age')).to.equal('1800');
        expect(read.headers.get('access-control-expose-headers')).to.include([
            'Location', 'X-Schema', 'X-Permission', 'WWW-Authenticate', 'Content-Length', 'Content-Disposition', 'Content-Range', 'Doip-Response'
        ]);
    });

    it('may send any valid header that they request', async () => {

        const asking = (headers: string): RequestInit => ({
            method: 'OPTIONS', headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': headers }
        });

        const asked = await ask({}, HELLO, asking('x-mine,content-type'));
        const odd = await ask({}, HELLO, asking('a;b="c"'));

        expect(asked.headers.get('access-control-allow-headers')).to.equal('x-mine,content-type');
        expect(odd.headers.get('access-control-allow-headers')).to.include(['Authorization', 'As-User', 'Range']);
    });

    it('learn the methods of a path by OPTIONS, like other requests', async () => {

        const answers = await Promise.all(['/objects/test/1', '/search', '/doip', '/nowhere'].map(async (path) => {

            const { status, headers } = await ask({}, path, { method: 'OPTIONS' });
            return [status, headers.get('allow')];
        }));

        expect(answers).to.equal([
            [204, 'GET, HEAD, POST, PUT, DELETE, OPTIONS'], [204, 'GET, HEAD, POST, OPTIONS'], [204, 'GET, HEAD, POST, OPTIONS'], [404, null]
        ]);
    });

    it('make caches distinguish origins only if responses differ', async () => {

        const open = await ask({}, HELLO, get);
        const listed = await ask({ CORS_ORIGINS: ORIGIN }, HELLO, {});

        expect(open.headers.get('vary') ?? '').to.not.include('origin');
        expect(listed.headers.get('vary')).to.include('origin');
    });

    it('have no effect without an origin', async () => {

        const response = await ask({}, HELLO, {});

        expect(response.headers.get('access-control-allow-origin')).to.be.null();
    });
});

describe('content in a browser', () => {

    let server: TestServer;

    before(async () => {

        server = await startServer();
    });

    after(() => server.stop());

    const cases: [type: string, isBoxed: boolean][] = [
        ['text/html', true], ['image/svg+xml', true], ['text/xml', true], ['application/xhtml+xml', true], ['model/x3d+xml', true],
        ['text/html; charset=utf-8', true], ['text/javascript', true], ['TEXT/HTML', true],
        ['text/plain', false], ['application/pdf', false], ['image/png', false], ['video/mp4', false], ['application/ld+json', false],
        ['application/octet-stream', false]
    ];

    for (const [type, isBoxed] of cases) {
        it(`is ${isBoxed ? 'displayed in a sandbox' : 'displayed as it is'} for the type ${type}`, async () => {

            const response = await fetch(`${server.url}${pathOf('Page', `&as=${encodeURIComponent(type)}`)}`);

            expect(await response.text()).to.equal('<script>1</script>');
            expect(response.headers.get('content-security-policy')).to.equal(isBoxed ? 'sandbox' : null);
            expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
        });
    }

    it('has no guessed type, even in errors', async () => {

        for (const path of ['/nowhere', '/doip', '/objects/none']) {
            const response = await fetch(`${server.url}${path}`);
            expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
        }
    });
});

describe('the access log', () => {

    let server: TestServer;

    before(async () => {

        server = await startServer();
    });

    after(() => server.stop());

    it('has one line per request, with caller, operation and outcome', async () => {

        const response = await fetch(`${server.url}${HELLO}`, { headers: { Authorization: `Basic ${btoa('admin:admin-password')}` } });
        await response.text();

        const lines = server.log.filter(({ requestId }) => requestId === response.headers.get('request-id'));
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include({
            event: 'http.request', msg: 'request', method: 'GET', url: HELLO, status: 200, http: '1.1', remote: '127.0.0.1', operation: '0.DOIP/Op.Hello', user: 'admin'
        });
        expect(lines[0]?.['ms']).to.be.a.number();
    });

    it('never shows credentials', async () => {

        const secret = 'Geheimnis';
        const basic = btoa(`admin:${secret}`);
        await fetch(`${server.url}${HELLO}&access_token=${secret}`);
        await fetch(`${server.url}${HELLO}&u=${encodeURIComponent(JSON.stringify({ password: secret }))}`);
        await fetch(`${server.url}${HELLO}`, { headers: { Authorization: `Basic ${basic}`, Cookie: `JSESSIONID=${secret}` } });
        await fetch(`${server.url}/auth/token`, {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password: secret })
        });

        const text = JSON.stringify(server.log);
        expect(text).to.not.include(secret);
        expect(text).to.not.include(basic);
    });

    const urls: [url: string, logged: string][] = [
        ['/objects/test/1', '/objects/test/1'],
        ['/search?query=a&pageSize=1', '/search?query=a&pageSize=1'],
        ['/x?access_token=s', '/x?access_token=[secret]'],
        ['/x?a=1&password=s&b=2', '/x?a=1&password=[secret]&b=2'],
        ['/doip?u.password=s&t=1', '/doip?u.password=[secret]&t=1'],
        ['/doip?u=s', '/doip?u=[secret]'],
        ['/doip?authentication.token=s', '/doip?authentication.token=[secret]'],
        ['/doip?%61uthentication=s', '/doip?%61uthentication=[secret]'],
        ['/doip?attributes=%7B%22password%22%3A%22s%22%7D', '/doip?attributes=[secret]'],
        ['/doip?a={"token":"s"}', '/doip?a=[secret]'],
        ['/x?%E0%A4%A=1&secret%=s', '/x?%E0%A4%A=1&secret%=[secret]'],
        ['/x?flag&y', '/x?flag&y']
    ];

    for (const [url, logged] of urls) {
        it(`shows ${url} as ${logged}`, () => {

            expect(loggedUrl(url)).to.equal(logged);
        });
    }

    it('shortens long URLs', () => {

        expect(loggedUrl(`/${'x'.repeat(10_000)}`).length).to.equal(2049);
        expect(loggedUrl(`/x?${'y'.repeat(10_000)}`).length).to.be.at.most(2049);
    });
});
