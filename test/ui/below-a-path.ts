/** The web UI of a service below a path, as behind a reverse proxy: everything that it asks for and links to is below that path. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { announced, hasBrowser, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PATH = '/archive/of-maps';

/** A picture of one dot. */
const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('the web UI below a path', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    /** Paths that were asked for elsewhere. */
    const outside: string[] = [];

    before(async () => {

        [test, browser] = await Promise.all([startServer({ BASE_PATH: PATH, UI_PATH: '/pages' }), startBrowser()]);
        watched = await openPage(browser, test.url);
        ({ page } = watched);
        page.on('request', (request) => {

            const { protocol, pathname } = new URL(request.url());
            if (protocol === 'http:' && !pathname.startsWith(PATH)) {
                outside.push(pathname);
            }
        });
    });

    after(async () => {

        await watched.close();
        await browser.close();
        await test.stop();
        expect([...watched.complaints, ...outside]).to.equal([]);
    });

    const links = async (): Promise<string[]> => page.getByRole('link').evaluateAll((all) => all.map((each) => (each as unknown as { pathname: string }).pathname));

    it('is used as at any other address: login, an object with a file, its preview, search, administration', async () => {

        await page.goto(`${new URL(test.url).origin}${PATH}/`);
        await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog', { name: 'Log in' });
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        const [cookie] = await page.context().cookies(test.url);

        expect(cookie).to.include({ name: 'doip-session', path: PATH });
        await page.goto(`${new URL(test.url).origin}${PATH}/pages#create/Document`);
        await page.getByLabel('Name', { exact: true }).fill('Map of the sea');
        await page.locator('.edit-files input').setInputFiles([{ name: 'dot.png', mimeType: 'image/png', buffer: DOT }]);
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await announced(page, 'Created');
        await page.getByRole('link', { name: /^Files/ }).click();
        const picture = page.getByRole('img', { name: 'dot.png' });
        await picture.waitFor();

        await until(async () => await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth) === 1);
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /Download/i }).first().click()]);

        expect(new URL(download.url()).pathname).to.startWith(`${PATH}/objects/`);
        await page.reload();
        await page.getByRole('link', { name: 'Administration' }).click();
        await page.getByRole('link', { name: 'Users', exact: true }).waitFor();

        expect((await links()).filter((path) => !path.startsWith(PATH))).to.equal([]);
        await page.goto(`${new URL(test.url).origin}${PATH}/#objects/?query=map`);
        await page.getByRole('link', { name: 'Map of the sea' }).waitFor();
        await page.getByText('About this query').click();
        await page.locator('.explain-body pre').getByText(`${PATH}/search`).waitFor();
    });

    it('leads to the interface for programs, which works there as well', async () => {

        await page.goto(`${new URL(test.url).origin}${PATH}/#admin/api`);
        await page.getByRole('searchbox', { name: 'Filter by path or purpose' }).fill('check-credentials');
        await page.locator('summary').filter({ hasText: '/check-credentials' }).first().click();
        await page.getByRole('button', { name: 'Send' }).first().click();
        await page.getByText(/Status 200 in/).waitFor();
        await page.getByText('"userId": "admin"').waitFor();
        await page.goto(`${new URL(test.url).origin}${PATH}/`);
        const document_ = page.getByRole('main').getByRole('link', { name: 'OpenAPI' });

        expect(await document_.getAttribute('href')).to.equal(`${PATH}/openapi.json`);
        await page.goto(`${new URL(test.url).origin}${PATH}/docs`);
        await page.getByRole('heading', { level: 1 }).waitFor();
    });

    it('ends the session at a logout', async () => {

        await page.goto(`${new URL(test.url).origin}${PATH}/#nowhere`);
        await page.getByRole('button', { name: 'admin', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await page.getByText('You are logged out.').first().waitFor();

        expect(await page.context().cookies(test.url)).to.equal([]);
    });
});
