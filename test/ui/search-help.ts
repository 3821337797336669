/** What helps people to search: ids that open their objects, suggestions, the place of an error, and a query in plain words and as code. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, copiedBy, hasBrowser, holds, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { hasProgram } from '../support/programs.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const BOOK = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true, showInPreview: true } } },
        genre: { type: 'string', title: 'Genre', enum: ['novel', 'poetry'] }, year: { type: 'integer', title: 'Year' }
    }
};

const ODD_ID = 'test/odd%20 id#1';

describe('help with a search in the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    let box: Locator;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const books = Array.from({ length: 12 }, (none, n) => ({
            id: `test/book-${n}`, type: 'Book', content: { title: `Book ${n}`, genre: n % 3 === 0 ? 'poetry' : 'novel', year: 1900 + n }
        }));
        const items = [
            { id: 'test/book-type', type: 'Schema', content: { identifier: '', name: 'Book', schema: BOOK } }, ...books,
            { id: ODD_ID, type: 'Book', content: { title: 'An odd id' } }
        ];
        const response = await fetch(`${test.url}/uploadObjects`, {
            method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: JSON.stringify(items)
        });
        expect(response.status, await response.text()).to.equal(200);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url, { permissions: ['clipboard-read', 'clipboard-write'] });
        ({ page } = watched);
        box = page.getByRole('combobox', { name: /^Search/ });
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const search = async (query: string): Promise<void> => {

        await page.goto(`${test.url}/#objects/?query=${encodeURIComponent(query)}`);
    };

    it('opens the object of an id, of a handle and of an address, whatever they look like', async () => {

        await page.goto(`${test.url}/#nowhere`);
        const address = `${test.url}/#objects/${encodeURIComponent('test')}/${encodeURIComponent('odd%20 id#1')}`;
        for (const [text, title] of [
            ['test/book-7', 'Book 7'], ['hdl:test/book-8', 'Book 8'], ['https://hdl.handle.net/test/book-9', 'Book 9'], [`${test.url}/#objects/test/book-3?tab=content`, 'Book 3'],
            [address, 'An odd id']
        ] as const) {
            await box.fill(text);
            await box.press('Enter');
            await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
        }
    });

    it('suggests fields and their values, by the keyboard', async () => {

        await search('type:Book');
        await page.getByRole('link', { name: 'Book 7', exact: true }).waitFor();
        // The types are known when there are facets.
        await page.getByRole('group', { name: 'Genre' }).waitFor();
        await box.fill('');
        await box.pressSequentially('/gen');
        await page.getByRole('option', { name: /\/genre/ }).waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);
        await box.press('ArrowDown');
        await box.press('Enter');
        await page.getByRole('option', { name: /poetry/ }).click();
        await box.press('Escape');
        await box.press('Enter');
        await page.getByRole('heading', { level: 1, name: /^4 objects/ }).waitFor();
    });

    it('leads to the character where a query is wrong', async () => {

        watched.expected.push(/status of 400/);
        const query = 'type:Book AND title:(a OR )';
        await search(query);
        const alert = page.getByRole('main').getByRole('alert');
        const text = await alert.getByText(/^At character \d+/).first().textContent();
        const [, place = ''] = /^At character (\d+)/.exec(text ?? '') ?? [];
        await alert.getByRole('button', { name: 'Go to the place' }).click();

        await holds(box, query);
        expect(await page.evaluate('document.activeElement.selectionStart + 1')).to.equal(Number(place));
        expect(Number(place)).to.be.within(query.indexOf('OR'), query.length + 1);
    });

    it('says which field was probably meant where no type has the one of the query', async () => {

        await search('type:Book AND gener:novel "title:x"');
        const hint = page.getByRole('status').filter({ hasText: 'There is no field gener.' });
        await hint.getByRole('link', { name: 'Search for /genre' }).click();
        await holds(box, 'type:Book AND /genre:novel "title:x"');
        await hint.waitFor({ state: 'detached' });
        await search('title:Book');
        await page.getByRole('link', { name: 'There is no field title. Search for /title' }).click();
        await page.getByRole('heading', { level: 1, name: /^12 objects/ }).waitFor();

        expect(await page.getByRole('status').filter({ hasText: 'There is no field' }).count()).to.equal(0);
    });

    it('explains a query with its filters in plain words, and has it as code that finds the same', { skip: !hasProgram('curl') }, async () => {

        await search('type:Book AND (/genre:poetry OR /title:"book 7") -/year:[1903 TO 1906]');
        await page.getByRole('heading', { level: 1, name: /^3 objects/ }).waitFor();
        await page.getByText('About this query').click();
        const words = page.locator('.explain-body');
        await words.getByText('with the word “Book” in').waitFor();

        expect((await words.getByRole('listitem').allInnerTexts()).map((line) => line.split('\n')[0])).to.equal([
            'with the word “Book” in Type', 'with at least one of these', 'with the word “poetry” in Genre', 'or with the words “book 7” in this order in Title',
            'without from 1903 up to 1906 in Year'
        ]);
        expect(await accessibilityFindings(page)).to.equal([]);
        const code = await copiedBy(page, () => words.getByRole('button', { name: 'Copy' }).click());
        const { stdout } = await promisify(execFile)('sh', ['-c', code]);

        expect((JSON.parse(stdout) as { size: number }).size).to.equal(3);
        for (const [language, start] of [['JavaScript', 'const response = await fetch('], ['Python', 'import requests']] as const) {
            await words.getByRole('button', { name: language }).click();

            expect(await words.locator('pre').innerText()).to.startWith(start);
        }
    });
});
