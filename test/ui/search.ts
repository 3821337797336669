/** The search of the web UI in a real browser: facets, order and pages in the address, errors, exports, changes of many objects, hostile content. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, findingsOnEachScreen, hasBrowser, holdRequests, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
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

const MEASURES = 250;
const MEASURE = { type: 'object', properties: { number: shown({ type: 'number', title: 'Number' }), exact: shown({ type: 'number', title: 'Exact' }) } };

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
            { id: 'test/measure-type', type: 'Schema', content: { identifier: '', name: 'Measure', schema: MEASURE } },
            { id: 'test/note-type', type: 'Schema', content: { identifier: '', name: 'Note', schema: { type: 'object', properties: { title: { type: 'string' } } } } },
            ...books, { id: HOSTILE_ID, type: 'Note', content: { title: HOSTILE } },
            { id: 'test/long', type: 'Note', content: { title: 'W'.repeat(65_536) } }, { id: 'test/rtl', type: 'Note', content: { title: 'كتاب قديم' } }
        ];
        // As text, since numbers of JavaScript have neither these digits nor this form.
        const measures = Array.from({ length: MEASURES }, (none, index) =>
            `{"id":"test/measure-${index}","type":"Measure","content":{"number":12345678901234567890,"exact":1.10,"unknown":[1e3,-0.0]}}`);
        const body = `[${[...items.map((each) => JSON.stringify(each)), ...measures].join()}]`;
        const response = await fetch(`${test.url}/uploadObjects`, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body });
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

    const logIn = (): Promise<void> => logInAsAdmin(page, test.url);

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

    const readJson = async (path: string): Promise<unknown> => (await fetch(test.url + path, { headers: { Authorization: AUTHORIZATION } })).json();

    const openExport = async (query: string): Promise<Locator> => {

        // Without the dialog of the system, which nobody could answer here.
        await page.addInitScript('delete window.showSaveFilePicker; window.showSaveFilePicker = undefined;');
        await open(query);
        await page.getByRole('button', { name: 'Export' }).click();
        return page.getByRole('dialog');
    };

    it('exports numbers as they are stored, over several pages', async () => {

        const dialog = await openExport('query=type:Measure&size=10');
        expect(await findingsOnEachScreen(page)).to.equal([]);

        for (const [format, pattern] of [
            ['CSV, for spreadsheets', /^test\/measure-\d+,Measure,12345678901234567890,1\.10,.*,"\{""unknown"":\[1e3,-0\.0\]\}"$/],
            ['JSON, complete objects', /^\{"id":"test\/measure-\d+".*"content":\{"number":12345678901234567890,"exact":1\.10,"unknown":\[1e3,-0\.0\]\}.*\},?$/],
            ['JSON, one object per line', /^\{"id":"test\/measure-\d+".*"exact":1\.10.*\}$/]
        ] as const) {
            await dialog.getByRole('radio', { name: format }).check();
            const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export', exact: true }).click()]);
            const lines = (await readFile(await download.path(), 'utf8')).split(/\r?\n/);
            await dialog.getByText('250 objects were exported').first().waitFor();
            expect(await accessibilityFindings(page)).to.equal([]);

            expect(lines.filter((line) => pattern.test(line)), `${format}: ${lines[1]}`).to.have.length(MEASURES);
        }
    });

    it('exports what comes after a hundred results that type code hides', async () => {

        const schema = { type: 'object', properties: { title: { type: 'string' } } };
        const javascript = 'exports.onObjectResolution = (object) => { if (object.content.title === "hidden") { throw "hidden"; } return object; };';
        const post = async (path: string, body: unknown): Promise<Response> => fetch(test.url + path, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(body) });
        await post('/objects?type=Schema', { identifier: '', name: 'Secluded', schema, javascript });
        const objects = Array.from({ length: 120 }, (_, at) => ({ id: `test/secluded-${1000 + at}`, type: 'Secluded', content: { title: at > 0 && at <= 110 ? 'hidden' : 'shown', ...at === 0 ? { text: 'long, so that pages are short'.repeat(2000) } : {} } }));
        expect((await post('/batchUpload', objects)).status).to.equal(200);
        const dialog = await openExport('query=type:Secluded');
        await dialog.getByRole('radio', { name: 'JSON, one object per line' }).check();
        const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export', exact: true }).click()]);
        const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');

        expect(lines.map((line) => (JSON.parse(line) as { content: { title: string } }).content.title)).to.equal(Array<string>(10).fill('shown'));
    });

    it('shows the progress of an export, which can be cancelled: no file is saved then', async () => {

        const downloads: string[] = [];
        page.on('download', (download) => downloads.push(download.suggestedFilename()));
        const release = await holdRequests(page, (request) => (request.postData() ?? '').includes('id:['));
        const dialog = await openExport('query=type:Measure');
        await dialog.getByRole('button', { name: 'Export', exact: true }).click();
        await dialog.getByText('100 of 250 objects').first().waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.getByText('The export was cancelled after 100 of 250 objects. No file was saved.').first().waitFor();
        release();

        expect(downloads).to.equal([]);
    });

    it('stops a change of many objects on request, says what was done and what not, and goes on with the rest', async () => {

        await logIn();
        await open('query=type:Measure&view=table');
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: 'Select all 250 results' }).click();
        await page.getByRole('group', { name: '250 selected' }).getByRole('button', { name: 'Change …' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('combobox', { name: /^Property/ }).selectOption('/number');
        await dialog.getByLabel('Value').fill('12345678901234567891');
        let changes = 0;
        const release = await holdRequests(page, (request) => request.method() === 'PUT' && ++changes > 8);
        await dialog.getByRole('button', { name: 'Change 250 objects' }).click();
        await dialog.getByText('8 of 250 objects').first().waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.getByText('Cancelling').first().waitFor();
        release();
        // Four were on their way.
        await dialog.getByText('12 objects were changed. Cancelled: 238 were not touched.').first().waitFor();
        const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Report as CSV' }).click()]);
        const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
        const changed = lines.flatMap((line) => /^(.*),changed,$/.exec(line)?.[1] ?? []);

        expect([changed.length, lines.filter((line) => line.endsWith(',not touched,')).length]).to.equal([12, 238]);
        for (const [id, number] of [[changed[11], '12345678901234567891'], [/^(.*),not touched/.exec(lines.at(-1) ?? '')?.[1], '12345678901234567890']]) {
            const stored = await fetch(`${test.url}/objects/${id}`, { headers: { Authorization: AUTHORIZATION } });

            expect(await stored.text()).to.include(`"number":${number},"exact":1.10`);
        }

        await dialog.getByRole('button', { name: 'Go on with the other 238' }).click();
        await dialog.getByText('250 objects were changed.').first().waitFor();
        // The other tests find the objects as they were.
        await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
        const items = Array.from({ length: MEASURES }, (none, index) => `{"id":"test/measure-${index}","type":"Measure","content":{"number":12345678901234567890,"exact":1.10,"unknown":[1e3,-0.0]}}`);
        await fetch(`${test.url}/uploadObjects`, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body: `[${items.join()}]` });
    });

    it('keeps searches under names, which are links here and on the start page, and can be renamed and deleted', async () => {

        await logIn();
        await open('query=type:Book&sort=/year DESC&size=50&page=1');
        await page.getByRole('button', { name: 'Save the search' }).click();
        const dialog = page.getByRole('dialog');

        await holds(dialog.getByLabel('Name', { exact: true }), 'type:Book');
        await dialog.getByLabel('Name', { exact: true }).fill(HOSTILE);
        await dialog.getByRole('button', { name: 'Save', exact: true }).click();
        const list = page.getByRole('region', { name: 'Saved searches' });
        await list.getByRole('link', { name: HOSTILE }).waitFor();
        await page.getByRole('button', { name: 'Save the search' }).click();
        await dialog.getByLabel('Name', { exact: true }).fill('Another');
        await dialog.getByRole('button', { name: 'Save', exact: true }).click();
        await list.getByRole('link', { name: 'Another' }).waitFor();
        await page.goto(`${test.url}/#`);
        await page.reload();
        await list.getByRole('link', { name: HOSTILE }).waitFor();
        await list.getByRole('button', { name: 'Rename and delete' }).click();
        await dialog.getByRole('button', { name: `Rename ${HOSTILE}` }).click();
        await dialog.getByLabel(`New name of ${HOSTILE}`).fill('Newest books');
        await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
        await dialog.getByRole('button', { name: 'Delete Another' }).click();
        await dialog.getByRole('link', { name: 'Another' }).waitFor({ state: 'detached' });

        expect(await accessibilityFindings(page)).to.equal([]);
        await dialog.getByRole('link', { name: 'Newest books' }).click();
        await expectFound('30 objects for');

        expect(address()).to.include('query=type:Book&sort=/year DESC&size=50');
        // They are those of a user: somebody else has none.
        await page.getByRole('button', { name: 'admin' }).click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await list.waitFor({ state: 'detached' });
    });

    it('begins with the query, the order and the filter of the design', async () => {

        const { content } = await readJson('/objects/design?full') as { readonly content: object };
        const put = async (design: object): Promise<void> => {

            const response = await fetch(`${test.url}/objects/design`, { method: 'PUT', headers: { Authorization: AUTHORIZATION }, body: JSON.stringify(design) });
            expect(response.status, await response.text()).to.equal(200);
        };

        await put({ ...content, uiConfig: { initialQuery: '/title:book', initialSortFields: '/year desc', initialFilter: 'Book', relationshipsButtonText: 'Around it' } });
        try {
            await page.goto(`${test.url}/#objects/`);
            await page.getByRole('row').nth(1).getByRole('link', { name: 'Book 29', exact: true }).waitFor();
            await page.getByRole('button', { name: 'Remove the filter Type: Book' }).click();
            await page.waitForURL((url) => !url.hash.includes('filter'));
            await page.goto(`${test.url}/#objects/test/book-29`);
            await page.getByRole('link', { name: 'Around it' }).waitFor();
        }
        finally {
            await put(content);
        }
    });

    it('exports all results as CSV and as JSON', async () => {

        const dialog = await openExport('query=type:Book&size=10');
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

    it('replaces readers and writers of many objects, and keeps their other rights, also when it cannot begin at first', async () => {

        const acl = async (body?: string): Promise<unknown> => {

            const response = await fetch(`${test.url}/acls/test/measure-0`, { method: body === undefined ? 'GET' : 'PUT', headers: { Authorization: AUTHORIZATION }, ...body === undefined ? {} : { body } });
            return response.json();
        };

        await acl('{"writers":["public"],"payloadReaders":["creator"],"methods":{"count":["creator"]}}');
        await logIn();
        await open('query=id:"test/measure-0"&view=table');
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: 'Change …' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('What to do').selectOption('rights');
        await dialog.getByRole('group', { name: 'May read' }).getByRole('checkbox').uncheck();
        await dialog.getByRole('button', { name: 'Change 1 object' }).click();
        await dialog.getByText('1 object was changed.').first().waitFor();

        expect(await acl()).to.equal({ readers: [], payloadReaders: ['creator'], methods: { count: ['creator'] } });

        await acl('{}');
    });

    it('keeps the rights that were chosen when the objects cannot be collected, and asks again before it changes or deletes another number than was confirmed', async () => {

        watched.expected.push(/Failed to load|ERR_FAILED/);
        await logIn();
        await open('query=type:Measure&view=table');
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: 'Select all 250 results' }).click();
        await page.getByRole('group', { name: '250 selected' }).getByRole('button', { name: 'Change …' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('What to do').selectOption('rights');
        const ownList = dialog.getByRole('group', { name: 'May read' }).getByRole('checkbox');
        await ownList.uncheck();
        await page.route(/\/search/, (route) => route.abort());
        await dialog.getByRole('button', { name: 'Change 250 objects' }).click();
        await dialog.getByRole('alert').waitFor();

        expect(await ownList.isChecked()).to.be.false();

        await page.unroute(/\/search/);
        await fetch(`${test.url}/objects?type=Measure&handle=test/measure-more`, { method: 'POST', headers: { Authorization: AUTHORIZATION }, body: '{"number":1}' });
        await dialog.getByRole('button', { name: 'Change 250 objects' }).click();
        await dialog.getByText('Nothing was changed: there are 251 objects now').waitFor();

        expect(await dialog.getByRole('button', { name: 'Change 251 objects' }).isEnabled()).to.be.true();
        expect(await ownList.isChecked()).to.be.false();
        expect(await (await fetch(`${test.url}/acls/test/measure-more`, { headers: { Authorization: AUTHORIZATION } })).json()).to.equal({});

        await fetch(`${test.url}/objects/test/measure-more`, { method: 'DELETE', headers: { Authorization: AUTHORIZATION } });
        await dialog.getByLabel('What to do').selectOption('delete');
        await dialog.getByLabel('Enter 251 to confirm').fill('251');
        await dialog.getByRole('button', { name: 'Delete 251 objects' }).click();
        await dialog.getByText('Nothing was deleted: there are 250 objects now').waitFor();

        expect(await dialog.getByRole('button', { name: 'Delete 250 objects' }).isDisabled()).to.be.true();
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
