/** The frame of the web UI in a real browser: the page, its policy, routes, login, languages, themes. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser } from 'playwright-core';
import { accessibilityFindings, hasBrowser, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the frame of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        // Until there are sessions.
        watched.expected.push(/404/);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    it('is shown at the front and at its own path, without complaints of the browser', async () => {

        const { page } = watched;
        for (const path of ['/', '/ui', '/ui/', '/cordra/']) {
            await page.goto(test.url + path);
            await page.getByRole('banner').waitFor();

            expect(await page.title(), path).to.contain('Digital Object Repository');
        }
    });

    it('has no accessibility findings, in light and dark, wide and narrow', async () => {

        const { page } = watched;
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
            for (const width of [1280, 360]) {
                await page.setViewportSize({ width, height: 800 });
                await page.emulateMedia({ colorScheme });

                expect(await accessibilityFindings(page), `${colorScheme} ${width}`).to.equal([]);
            }
        }
    });
});
