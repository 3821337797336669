/** What the search asks the service for when the page is opened: as early as possible, and each thing once. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page, Request } from 'playwright-core';
import { hasBrowser, holdRequests, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

const shown = (schema: object): object => ({ ...schema, cordra: { preview: { showInPreview: true, isPrimary: true } } });

const BOOK = {
    type: 'object', properties: { title: shown({ type: 'string', title: 'Title' }), genre: { type: 'string', title: 'Genre', enum: ['novel', 'poetry'] }, number: { type: 'integer' } }
};

const BOOKS = 10;

const pathOf = (request: Request): string => new URL(request.url()).pathname;

describe('the first requests of the search', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const books = Array.from({ length: BOOKS }, (none, number) => ({
            id: `test/book-${number}`, type: 'Book', content: { title: `Book ${number}`, genre: number % 3 === 0 ? 'poetry' : 'novel', number }
        }));
        const type = { id: 'test/book-type', type: 'Schema', content: { identifier: '', name: 'Book', schema: BOOK } };
        const response = await fetch(`${test.url}/uploadObjects`, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify([type, ...books]) });
        expect(response.status, await response.text()).to.equal(200);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        page = watched.page;
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${test.url}/#objects/?${fragment}`);
    };

    it('shows results after one request of its own, which waits for nothing: counts, types and the design come later', async () => {

        const sent: string[] = [];
        page.on('request', (request) => pathOf(request).startsWith('/ui') || sent.push(`${request.method()} ${pathOf(request)} ${request.postData() ?? ''}`));
        const release = await holdRequests(page, (request) => /^\/(design|session|labels)/.test(pathOf(request)) || (request.postData() ?? '').includes('"facets"'));
        await open('query=type:Book&size=10');
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();
        const searches = sent.filter((each) => each.startsWith('POST /search'));

        expect(searches[0] ?? '').to.not.include('facets');
        expect(sent.slice(0, sent.indexOf(searches[0] ?? '')).filter((each) => !/^GET \/(?:$| |session|design|favicon)/.test(each))).to.equal([]);
        release();
        await page.getByRole('group', { name: 'Genre' }).getByRole('checkbox', { name: /^poetry/ }).waitFor();
    });

    it('is asked for before any module is there, and once', async () => {

        const sent: string[] = [];
        page.on('request', (request) => pathOf(request).startsWith('/ui') || sent.push(`${request.method()} ${pathOf(request)}`));
        const release = await holdRequests(page, (request) => /\/ui\/(?:main|part)-/.test(pathOf(request)));
        const opened = open('query=type:Book&size=10&sort=/number');
        await until(() => sent.includes('GET /design'));

        expect(sent.filter((each) => /session|search|design/.test(each))).to.equal(['POST /search', 'GET /session', 'GET /design']);
        release();
        await opened;
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();
        await watched.idle();

        expect(sent.filter((each) => /session|design/.test(each))).to.equal(['GET /session', 'GET /design']);
    });

    for (const [title, fragment, request, isShown] of [
        ['the start page', '', 'POST /search', 'Recent changes'], ['an object', 'objects/test/book-7', 'GET /objects/test/book-7', 'Book 7']
    ] as const) {
        it(`of ${title} is sent before any module is there, and once; it is shown before the types are read`, async () => {

            const sent: string[] = [];
            page.on('request', (each) => pathOf(each).startsWith('/ui') || sent.push(`${each.method()} ${pathOf(each)}`));
            const release = await holdRequests(page, (each) => /\/ui\/(?:main|part)-/.test(pathOf(each)));
            let readDesign = (): void => undefined;
            const isRead = new Promise<void>((resolve) => {

                readDesign = resolve;
            });
            await page.route('**/design', (route) => isRead.then(() => route.continue()));
            await logInAsAdmin(page, test.url);
            const opened = page.goto(`${test.url}/#${fragment}`);
            await until(() => sent.includes('GET /design'));
            expect(sent.filter((each) => /session|search|design|objects/.test(each))).to.equal([request, 'GET /session', 'GET /design']);
            release();
            await opened;
            await page.getByRole('heading', { name: isShown }).waitFor();
            readDesign();
            await watched.idle();

            expect(sent.filter((each) => each === request && request !== 'POST /search')).to.have.length(request === 'POST /search' ? 0 : 1);
        });
    }

    /** The path of the script of the start page with this text. */
    const scriptWith = async (text: string): Promise<string> => {

        const start = await (await fetch(`${test.url}/ui`)).text();
        for (const [, path = ''] of start.matchAll(/"([^"]+\/part-[^"]+\.js)"/g)) {
            if ((await (await fetch(test.url + path)).text()).includes(text)) {
                return path;
            }
        }

        throw new Error(`no script has ${text}`);
    };

    it('is asked for once, also when its module comes after the user and the design are known', async () => {

        const module = await scriptWith('search-screen');
        const sent: string[] = [];
        page.on('request', (request) => pathOf(request) === '/search' && sent.push(request.postData() ?? ''));
        const release = await holdRequests(page, (request) => pathOf(request) === module);
        await logInAsAdmin(page, test.url);
        const opened = open('query=type:Book&size=10&sort=/number');
        await page.getByRole('button', { name: 'admin' }).waitFor();
        await page.waitForTimeout(500);
        release();
        await opened;
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();

        expect(sent.filter((body) => !body.includes('"facets"') && body.includes('"/id","/type"'))).to.have.length(1);
    });

    it('loads the modules of the search beside the first one, not after it', async () => {

        const preloaded = await (await fetch(`${test.url}/ui`)).text();
        const modules: string[] = [];
        page.on('request', (request) => request.resourceType() === 'script' && modules.push(pathOf(request)));
        await open('query=type:Book');
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();

        expect(modules.filter((each) => !preloaded.includes(each))).to.equal([]);
    });

    it('for the design is answered without it as long as it is the same', async () => {

        const readDesign = async (): Promise<{ readonly status: number; readonly isShort: boolean }> => {

            await open('query=type:Book');
            await page.reload();
            await page.getByRole('group', { name: 'Genre' }).getByRole('checkbox', { name: /^poetry/ }).waitFor();
            await watched.idle();
            const [status, bytes] = await page.evaluate<[number, number]>(`(({ responseStatus, transferSize }) => [responseStatus, transferSize])(
                performance.getEntriesByType('resource').find(({ name }) => new URL(name).pathname === '/design'))`);
            return { status, isShort: bytes <= 300 };
        };

        await logInAsAdmin(page, test.url);
        await open('query=type:Book');
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();
        await watched.idle();

        // By the browser's own cache, which shows scripts the whole response.
        expect(await readDesign()).to.equal({ status: 200, isShort: true });
        const changed = { ...BOOK, title: 'Another form' };
        expect((await fetch(`${test.url}/schemas/Book`, { method: 'PUT', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(changed) })).status).to.equal(200);
        expect(await readDesign()).to.equal({ status: 200, isShort: false });
    });
});
