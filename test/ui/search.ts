/** The search of the web UI in a real browser: facets, order and pages in the address, errors, exports, changes of many objects, hostile content. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

const shown = (schema: object, isPrimary = false): object => ({ ...schema, cordra: { preview: { showInPreview: true, isPrimary } } });

const BOOK = {
    type: 'object', required: ['title'], properties: {
        title: shown({ type: 'string', title: 'Title' }, true), genre: shown({ type: 'string', title: 'Genre', enum: ['novel', 'poetry', 'essay'] }),
        year: shown({ type: 'integer', title: 'Year' }), edition: { type: 'string', title: 'Edition' }, blurb: { type: 'string', title: 'Blurb' }, shelf: { type: 'string', title: 'Shelf' }
    }
};

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const HOSTILE_ID = 'test/a %2F#?b';
const BOOKS = 30;

describe('the search of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const books = Array.from({ length: BOOKS }, (none, index) => ({
            id: `test/book-${index}`, type: 'Book', content: {
                title: `Book ${index}`, genre: index % 3 === 0 ? 'poetry' : 'novel', year: 1900 + index, edition: `${index}.0.1`,
                blurb: `A long text that praises book number ${index % 5} to everybody who may ever read it`, shelf: `Shelf ${index % 4}`
            }
        }));
        const items = [
            { id: 'test/book-type', type: 'Schema', content: { identifier: '', name: 'Book', schema: BOOK } },
            { id: 'test/note-type', type: 'Schema', content: { identifier: '', name: 'Note', schema: { type: 'object', properties: { title: { type: 'string' } } } } },
            ...books, { id: HOSTILE_ID, type: 'Note', content: { title: HOSTILE } },
            { id: 'test/long', type: 'Note', content: { title: 'W'.repeat(65_536) } }, { id: 'test/rtl', type: 'Note', content: { title: 'كتاب قديم' } }
        ];
        const response = await fetch(`${test.url}/uploadObjects`, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(items) });
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

    const logIn = async (): Promise<void> => {

        await page.request.post(`${test.url}/session`, {
            data: { username: 'admin', password: ADMIN_PASSWORD }, headers: { 'X-Requested-With': 'doip-gateway' }
        });
    };

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${test.url}/#objects/?${fragment}`);
    };

    const expectFound = async (text: string): Promise<void> => {

        await page.getByRole('main').getByRole('heading', { level: 1, name: new RegExp(`^${text}`) }).waitFor();
    };

    const address = (): string => decodeURIComponent(page.url().replaceAll('+', ' '));

    const titles = async (): Promise<string[]> => page.getByRole('rowheader').getByRole('link').allInnerTexts();

    it('narrows by facets, which are in the address, and removes them by their chips', async () => {

        await open('query=type:Book');
        await page.getByRole('group', { name: 'Genre' }).getByRole('checkbox', { name: /^poetry/ }).check();
        await expectFound('10 objects for');

        expect(address()).to.include('filter=facet_/genre:"poetry"');
        await page.reload();
        await expectFound('10 objects for');
        await page.getByRole('button', { name: 'Remove the filter Genre: poetry' }).click();
        await expectFound('30 objects for');
        await page.goBack();
        await expectFound('10 objects for');
    });

    it('offers choices before short texts, but no long texts and no values that each object has for itself', async () => {

        await open('query=type:Book');
        await page.getByRole('group', { name: 'Shelf' }).waitFor();

        expect(await page.locator('fieldset.facet legend').allInnerTexts()).to.equal(['Genre', 'Shelf']);
    });

    it('sorts by columns and turns pages, both in the address', async () => {

        await open('query=type:Book&size=10&view=table');
        await page.getByRole('columnheader', { name: 'Year' }).getByRole('button').click();
        await page.waitForURL(/sort=/);
        await page.getByRole('row').nth(1).getByRole('link', { name: 'Book 0', exact: true }).waitFor();
        await page.getByRole('columnheader', { name: 'Year' }).getByRole('button').click();
        await page.getByRole('row').nth(1).getByRole('link', { name: 'Book 29', exact: true }).waitFor();

        expect(await page.getByRole('columnheader', { name: 'Year' }).getAttribute('aria-sort')).to.equal('descending');
        expect(address()).to.include('sort=/year DESC');
        await page.getByRole('link', { name: 'Page 3' }).click();
        await page.getByRole('row').nth(1).getByRole('link', { name: 'Book 9', exact: true }).waitFor();

        expect(address()).to.include('page=3');
        expect(await titles()).to.have.length(10);
    });

    it('opens addresses of Cordra, with its names for the order and the filter', async () => {

        await open(`query=${encodeURIComponent('*:*')}&sortFields=${encodeURIComponent('/year desc')}&filterQueries=${encodeURIComponent('["type:\\"Book\\""]')}`);
        await page.getByRole('row').nth(1).getByRole('link', { name: 'Book 29', exact: true }).waitFor();
        await expectFound('30 objects');
    });

    it('shows the error of a query at its character', async () => {

        watched.expected.push(/status of 400/);
        await open(`query=${encodeURIComponent('title:(a')}`);
        const alert = page.getByRole('alert');
        await alert.getByText(/^At character \d+/).first().waitFor();
        await alert.getByRole('button', { name: 'Go to the place' }).click();

        expect(await page.evaluate('document.activeElement.value')).to.equal('title:(a');
        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('exports all results as CSV and as JSON', async () => {

        // Without the dialog of the system, which nobody could answer here.
        await page.addInitScript('delete window.showSaveFilePicker; window.showSaveFilePicker = undefined;');
        await open('query=type:Book&size=10');
        await page.getByRole('button', { name: 'Export' }).click();
        const dialog = page.getByRole('dialog');
        const exported = async (): Promise<string> => {

            const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export', exact: true }).click()]);
            return readFile(await download.path(), 'utf8');
        };

        const lines = (await exported()).trimEnd().split('\r\n');

        expect(lines).to.have.length(BOOKS + 1);
        expect(lines[0] ?? '').to.startWith('\ufeffid,type,title,genre,year');
        expect(lines.find((line) => line.startsWith('test/book-7,')) ?? '').to.startWith('test/book-7,Book,Book 7,novel,1907');
        await dialog.getByRole('radio', { name: 'JSON, complete objects' }).check();
        const objects = JSON.parse(await exported()) as { readonly id: string; readonly content: { readonly title: string } }[];

        expect(objects).to.have.length(BOOKS);
        expect(objects.find(({ id }) => id === 'test/book-7')?.content.title).to.equal('Book 7');
    });

    it('changes selected objects together, and reports those that failed', async () => {

        await logIn();
        await open('query=type:Book&size=10&sort=/year&view=table');
        await page.getByRole('checkbox', { name: 'Select Book 0' }).check();
        await page.getByRole('checkbox', { name: 'Select Book 1', exact: true }).check();
        // Somebody else deletes one of them meanwhile.
        await fetch(`${test.url}/objects/test/book-1`, { method: 'DELETE', headers: { Authorization: AUTHORIZATION } });
        watched.expected.push(/status of 404/);
        await page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Change …' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('combobox', { name: /^Property/ }).selectOption('/genre');
        await dialog.getByRole('combobox', { name: /^Value/ }).selectOption('essay');
        await dialog.getByRole('button', { name: 'Change 2 objects' }).click();
        await dialog.getByText('1 object was changed. 1 failed.').first().waitFor();

        expect(await dialog.getByRole('region', { name: 'What failed' }).getByRole('link').allInnerTexts()).to.equal(['test/book-1']);
        const changed = await fetch(`${test.url}/objects/test/book-0`, { headers: { Authorization: AUTHORIZATION } });

        expect(await changed.json()).to.include({ genre: 'essay', title: 'Book 0', year: 1900 });
    });

    it('shows hostile content as text, without a broken layout, and is accessible in light and dark, wide and narrow', async () => {

        await open('query=type:Note');
        await page.getByRole('link', { name: HOSTILE }).waitFor();

        expect(await page.locator('main img, main script').count()).to.equal(0);
        for (const view of ['table', 'cards']) {
            await open(`query=${encodeURIComponent('type:Note OR type:Book')}&view=${view}`);
            await page.getByRole('link', { name: HOSTILE }).waitFor();
            for (const colorScheme of ['light', 'dark'] as const) {
                for (const width of [1280, 360]) {
                    await page.setViewportSize({ width, height: 800 });
                    await page.emulateMedia({ colorScheme });

                    expect(await accessibilityFindings(page), `${view} ${colorScheme} ${width}`).to.equal([]);
                    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${view} ${colorScheme} ${width}`).to.be.true();
                }
            }
        }

        await page.getByRole('link', { name: HOSTILE }).click();
        await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();

        expect(address()).to.include(HOSTILE_ID);
    });
});
