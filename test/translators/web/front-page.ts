/** The front page and the files that browsers and crawlers ask for. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { implementation } from '../../../lib/util/version.js';
import { frontPage } from '../../../translators/web/front-page.js';
import { nativePort } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };

describe('the front page', () => {

    let test: TestServer;

    before(async () => {

        test = await startServer({ DOIP_PORT: 0, UI: 'off' });
    });

    after(() => test.stop());

    const get = async (path: string, options: RequestInit = {}): Promise<Response> => fetch(test.url.replace(/\/$/, '') + path, options);

    it('is JSON for programs, whose links all work', async () => {

        const response = await get('/');
        const { links, ...facts } = await response.json() as { links: Record<string, string> };

        expect(response.headers.get('vary')).to.match(/\baccept\b/i);
        expect<unknown>(facts).to.equal({ name: implementation.name, version: implementation.version, id: 'test/service' });
        const { native, ...paths } = links;
        expect(native).to.equal(`doip://127.0.0.1:${nativePort(test)}/test/service`);
        for (const path of Object.values(paths)) {
            expect((await get(path)).status, path).to.equal(200);
        }
    });

    it('is not shown where there is nothing', async () => {

        for (const path of ['/nothing', '/cordra/nothing', '/search/nothing', '/search//', '/docs/nothing', '/cordra/docs/nothing', '/auth/token/nothing', '/auth/nothing']) {
            for (const options of [{}, BROWSER, { method: 'POST' }, { method: 'OPTIONS' }]) {
                const response = await get(path, options);

                expect(response.status, path).to.equal(404);
                expect(await response.json()).to.equal({ message: `there is nothing at ${path}` });
            }
        }
    });

    it('has paths with a slash at their end too, for all methods', async () => {

        for (const path of ['/docs/', '/cordra/docs/', '/cordra/', '/search/?query=*', '/health/live/', '/auth/tokens/']) {
            expect((await get(path, { method: 'OPTIONS' })).status, path).to.equal(204);
        }
    });

    it('is a page for browsers, whose links all work', async () => {

        const response = await get('/', BROWSER);
        const page = await response.text();

        expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(response.headers.get('content-security-policy') ?? '').to.startWith(`default-src 'none'`).and.not.contain('script-src');
        expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
        expect(page).to.contain('<title>test/service</title>').and.contain(`doip-gateway ${implementation.version}`)
            .and.contain(`doip://127.0.0.1:${nativePort(test)}/test/service`);
        const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
        expect(links.length).to.equal(8);
        for (const link of links) {
            expect((await get(link)).status, link).to.equal(200);
        }
    });

    const PATHS: readonly (readonly [title: string, path: string, method: string, status: number])[] = [
        ['is at the root of the paths of Cordra too', '/cordra', 'GET', 200],
        ['is there with a slash too', '/cordra/', 'GET', 200],
        ['has a HEAD', '/', 'HEAD', 200],
        ['cannot be written', '/', 'POST', 405],
        ['tells its methods', '/', 'OPTIONS', 204],
        ['has an icon', '/favicon.ico', 'GET', 200],
        ['has rules for crawlers', '/robots.txt', 'GET', 200],
        ['is not at other paths', '/nothing', 'GET', 404]
    ];

    for (const [title, path, method, status] of PATHS) {
        it(title, async () => {

            expect((await get(path, { method })).status).to.equal(status);
        });
    }

    it('links to paths of the base by which it was asked for', async () => {

        const { links } = await (await get('/cordra')).json() as { links: Record<string, string> };

        expect(links['types']).to.equal('/cordra/schemas');
    });

    it('keeps the icon in browsers, and crawlers away from searches', async () => {

        const icon = await get('/favicon.ico');
        expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).to.equal(['image/svg+xml', 'public, max-age=86400']);
        expect(await icon.text()).to.startWith('<svg ');
        expect(await (await get('/robots.txt')).text()).to.startWith('User-agent: *\n').and.contain('\nDisallow: /search\n').and.contain('\nDisallow: /cordra/doip\n');
    });

    it('refuses wrong credentials, as Hello does', async () => {

        expect((await get('/', { headers: { authorization: `Basic ${btoa('admin:wrong')}` } })).status).to.equal(401);
    });
});

describe('the front page of other services', () => {

    const html = (service: JsonObject): string => {

        const { body } = frontPage(service, { base: '/a"b', isBrowser: true });
        return body.kind === 'text' ? body.text : '';
    };

    it('has no address of native DOIP where that is off', async () => {

        const test = await startServer({ BASE_PATH: '/repository' });
        const { links } = await (await fetch(test.url)).json() as { links: Record<string, string> };
        expect(links['native']).to.be.undefined();
        expect(links['types']).to.equal('/repository/schemas');
        await test.stop();
    });

    it('escapes what it shows', () => {

        const page = html({ id: '<script>&"\'', attributes: { protocol: 'TCP', ipAddress: '<b>', port: 1 } });

        expect(page).to.not.contain('<script>').and.not.contain('<b>').and.contain('&lt;script&gt;&amp;&quot;&apos;').and.contain('href="/a&quot;b/schemas"');
    });

    it('writes addresses of IPv6 in brackets', () => {

        expect(html({ id: 'a/b', attributes: { protocol: 'TCP', ipAddress: '::1', port: 9000 } })).to.contain('doip://[::1]:9000/a/b');
    });
});
