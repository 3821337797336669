/** A search with very many results: the last pages, the order, what is selected, and the layout on phones. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { rounds } from '../support/rounds.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** 100,000 with `LONG_TESTS=1`. */
const COUNT = rounds(2500, 100_000);

const BATCH = 2500;

const PAGE_SIZE = 10;

const AUTHORIZATION = `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`;

const NOTE = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true, showInPreview: true } } },
        number: { type: 'integer', title: 'Number', cordra: { preview: { showInPreview: true } } },
        kind: { type: 'string', title: 'Kind', enum: ['even', 'odd'] }
    }
};

const formatted = (count: number): string => count.toLocaleString('en');

describe('very many results in the web UI', { skip: !hasBrowser, timeout: 600_000 }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const headers = { 'Authorization': AUTHORIZATION, 'Content-Type': 'application/x-ndjson' };
        expect((await fetch(`${test.url}/schemas/Note`, { method: 'PUT', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(NOTE) })).status).to.equal(200);
        for (let start = 0; start < COUNT; start += BATCH) {
            const lines = Array.from({ length: BATCH }, (_, i) => {

                const number = start + i;
                return JSON.stringify({ id: `test/note-${number}`, type: 'Note', content: { title: `Note ${number}`, number, kind: number % 2 === 0 ? 'even' : 'odd' } });
            });
            const { status } = await fetch(`${test.url}/batchUpload?format=ndjson`, { method: 'POST', headers, body: `${lines.join('\n')}\n` });
            expect(status).to.equal(200);
        }

        watched = await openPage(browser, test.url);
        ({ page } = watched);
        await logInAsAdmin(page, test.url);
    });

    after(async () => {

        await watched.close();
        await browser.close();
        await test.stop();
        expect(watched.complaints).to.equal([]);
    });

    const isFound = async (count: number): Promise<void> => {

        await page.getByRole('main').getByRole('heading', { level: 1, name: new RegExp(`^${formatted(count)} objects`) }).waitFor();
    };

    const titles = async (): Promise<string[]> => page.locator('main .result-title').allInnerTexts();

    it('show the first and the last page in every order', async () => {

        await page.goto(`${test.url}/#objects/?query=type:Note&size=${PAGE_SIZE}&sort=/number&view=table`);
        await isFound(COUNT);
        await page.getByRole('link', { name: 'Note 9', exact: true }).waitFor();
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: `Page ${formatted(COUNT / PAGE_SIZE)}`, exact: true }).click();
        await page.getByRole('link', { name: `Note ${COUNT - 1}`, exact: true }).waitFor();

        expect(await titles()).to.equal(Array.from({ length: PAGE_SIZE }, (_, i) => `Note ${COUNT - PAGE_SIZE + i}`));
        await page.getByRole('columnheader', { name: 'Number' }).getByRole('button').click();
        await until(async () => (await titles()).join() === Array.from({ length: PAGE_SIZE }, (_, i) => `Note ${COUNT - 1 - i}`).join());
    });

    it('are narrowed by a filter whose count is exact', async () => {

        await page.goto(`${test.url}/#objects/?query=type:Note&view=table`);
        await isFound(COUNT);
        await page.getByRole('group', { name: 'Kind' }).getByRole('checkbox', { name: new RegExp(`^odd.*${formatted(COUNT / 2)}`) }).check();
        await isFound(COUNT / 2);
    });

    it('are selected as a whole, with their number', async () => {

        await page.goto(`${test.url}/#objects/?query=type:Note&view=table`);
        await isFound(COUNT);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: `Select all ${formatted(COUNT)} results` }).click();
        await page.getByRole('group', { name: `${formatted(COUNT)} selected` }).getByRole('button', { name: 'Change …' }).click();
        await page.getByRole('dialog', { name: `Change ${formatted(COUNT)} objects` }).waitFor();
        await page.keyboard.press('Escape');
    });

    it('fit the screen of a phone on the last page', async () => {

        for (const view of ['table', 'cards']) {
            await page.setViewportSize({ width: 360, height: 800 });
            await page.goto(`${test.url}/#objects/?query=type:Note&size=${PAGE_SIZE}&page=${COUNT / PAGE_SIZE}&view=${view}`);
            await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]').getByText(formatted(COUNT / PAGE_SIZE)).waitFor();

            expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).to.be.most(360);
        }
    });

    it('lead on from a page whose results type code hides, and back from one after the last', async () => {

        const send = async (method: string, path: string, body: unknown): Promise<void> => {

            const { status } = await fetch(test.url + path, { method, headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(body) });
            expect(status, path).to.equal(200);
        };

        await page.setViewportSize({ width: 1280, height: 900 });
        const javascript = 'exports.onObjectResolution = (object) => { if (object.content.number < 10) { throw "hidden"; } return object; };';
        await send('POST', '/objects?type=Schema', { identifier: '', name: 'Hidden', schema: NOTE, javascript });
        for (let number = 0; number < 15; ++number) {
            await send('POST', '/objects?type=Hidden', { title: `Hidden ${number}`, number });
        }

        const open = async (of: number): Promise<void> => page.goto(`${test.url}/#objects/?query=type:Hidden&size=5&sort=/number&page=${of}`).then(() => isFound(15));
        const empty = page.getByRole('main').locator('p.card');
        await open(1);
        await empty.getByText('The results of this page are hidden by the code of their types.').waitFor();

        expect(await empty.getByRole('link').allInnerTexts()).to.equal(['Next page']);
        await empty.getByRole('link').click();
        await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]').getByText('2').waitFor();
        await empty.getByRole('link', { name: 'Next page' }).click();
        await page.getByRole('link', { name: 'Hidden 14', exact: true }).waitFor();

        await open(4);
        await empty.getByText('There are no results on this page.').waitFor();
        await empty.getByRole('link', { name: 'To the first page' }).click();
        await empty.getByText('The results of this page are hidden by the code of their types.').waitFor();
    });
});
