/** Thousands of types, loaded from a file as a curator would: screens that list types react without delay, and keep their layout. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { announced, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { measureCosts, type PageCosts } from '../support/page-costs.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Storing them takes a minute of processor time, which a busy machine makes more. */
const TIMEOUT_MS = 500_000;

/** Timeout for what a screen shows, in milliseconds. */
const SHOWN_MS = 120_000;

const COUNT = 10_000;

/** Objects, each of a type of its own. */
const OBJECTS = 100;

const nameOf = (i: number): string => `Type ${String(i).padStart(5, '0')} of the collection`;

const schemaOf = (i: number): object => ({ type: 'object', properties: { title: { type: 'string' }, [`field${i % 300}`]: { type: 'integer' } } });

/** Widths of a phone and of a screen. */
const WIDTHS = [360, 1280];

/** What a screen may have and ask for, however many types there are: about twice what it takes. The design is in the cache of the browser by then. */
const [MAX_ELEMENTS, MAX_REQUESTS, MAX_BYTES] = [1200, 60, 120_000];

/** Bytes of the first visit, as they are sent: those of the types, compressed, above all. */
const MAX_FIRST_BYTES = 600_000;

/** What it has and has asked for, bytes as they were sent. */
const WEIGHT = `[document.querySelectorAll('*').length, performance.getEntriesByType('resource').length,
    performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0)]`;

describe('thousands of types in the web UI', { skip: !hasBrowser, timeout: 600_000 }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    let measured: PageCosts;
    const cheaply: PageCosts['cheaply'] = (title, act) => measured.cheaply(title, act);

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        watched = await openPage(browser, test.url);
        page = watched.page;
        page.setDefaultTimeout(TIMEOUT_MS);
        measured = await measureCosts(watched);
        await logInAsAdmin(page, test.url);
        await page.goto(`${test.url}/#schemas`);
        const schemas = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [nameOf(i), schemaOf(i)]));
        await page.getByRole('button', { name: 'Load from a file' }).click();
        await page.locator('dialog input[type=file]').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(schemas)) });
        await page.getByRole('button', { name: 'Store' }).click();
        const stored = performance.now();
        await announced(page, `${COUNT.toLocaleString('en')} types are stored.`);
        page.setDefaultTimeout(SHOWN_MS);
        measured.costs['loading from the file, elapsed'] = Math.round(performance.now() - stored);
        const { status } = await fetch(`${test.url}/batchUpload`, {
            method: 'POST', body: JSON.stringify(Array.from({ length: OBJECTS }, (_, i) => ({ id: `test/${i}`, type: nameOf(i * 29), content: { title: `One ${i}` } }))),
            headers: { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`, 'content-type': 'application/json' }
        });

        expect(status).to.equal(200);
    });

    after(async () => {

        await watched.close();
        await browser.close();
        await test.stop();
        if (process.env['SHOW_COSTS']) {
            // In milliseconds.
            process.stderr.write(`${JSON.stringify(measured.costs, null, 2)}\n`);
        }

        expect(watched.complaints).to.equal([]);
    });

    const fits = async (title: string): Promise<void> => {

        const [content, width] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');

        expect(content, `${title} at ${width} px`).to.be.most(width);
    };

    /** Checks what a screen weighs, once it asks for nothing else. */
    const isLight = async (title: string): Promise<void> => {

        await watched.idle();
        const [elements, requests, bytes] = await page.evaluate<[number, number, number]>(WEIGHT);
        Object.entries({ elements, requests, bytes }).forEach(([name, value]) => {

            measured.costs[`${title}, ${name}`] = Math.max(measured.costs[`${title}, ${name}`] ?? 0, value);
        });
        expect(elements, `elements of ${title}`).to.be.below(MAX_ELEMENTS);
        expect(requests, `requests of ${title}`).to.be.below(MAX_REQUESTS);
        expect(bytes, `bytes of ${title}`).to.be.below(MAX_BYTES);
    };

    const screens: [title: string, fragment: string, isThere: string, act: (type: string) => Promise<unknown>][] = [
        ['home', '', 'Recent changes', async () => {

            await cheaply('the menu of types', () => page.getByRole('button', { name: 'Show Only' }).click());
            await page.getByRole('menuitem', { name: 'All types …' }).waitFor();
            await fits('the menu of types');
            await page.keyboard.press('Escape');
        }],
        ['the choice of a type for a new object', '', 'Recent changes', async (type) => {

            await cheaply('dialog for a new object', () => page.getByRole('button', { name: 'New', exact: true }).click());
            const dialog = page.getByRole('dialog', { name: 'New object of the type' });
            await dialog.getByLabel('Type').focus();
            await cheaply('a key in the dialog for a new object', () => page.keyboard.press('7'));
            await fits('the dialog for a new object');
            await dialog.getByLabel('Type').fill(type);
            await dialog.getByRole('button', { name: 'Create' }).click();
            await page.getByRole('heading', { name: type }).waitFor();
        }],
        ['search', '#objects/?query=*:*%20-type:Schema', 'One 0', async () => {

            if (await page.locator('.facet-panel:not([open])').count() > 0) {
                await page.locator('.facet-panel > summary').click();
            }

            await page.getByRole('group', { name: 'Type' }).waitFor();
            await fits('the filter by type');
            await cheaply('a value of the filter by type', () => page.getByRole('group', { name: 'Type' }).getByRole('checkbox').first().click());
            await page.getByText('1 object').first().waitFor();
        }],
        ['a key in the search', '#objects/?query=*:*%20-type:Schema', 'One 0', async () => {

            await page.getByRole('combobox', { name: /Search/ }).first().focus();
            await cheaply('a key in the search', () => page.keyboard.press('t'));
        }],
        ['the list of types', '#schemas', nameOf(0), async (type) => {

            await page.getByLabel('Filter by name').getByRole('searchbox').focus();
            await cheaply('a key in the filter of types', () => page.keyboard.press('0'));
            await cheaply('the next page of types', () => page.getByRole('button', { name: /next/i }).click());
            await page.getByLabel('Filter by name').getByRole('searchbox').fill(type);
            await page.getByRole('link', { name: type }).waitFor();
        }],
        ['rights by default', '#admin/rights', 'Rules by type', async (type) => {

            await page.getByLabel('Add rules for a type').focus();
            await cheaply('a key in rights by default', () => page.keyboard.press('7'));
            await page.getByLabel('Add rules for a type').fill(type);
            await cheaply('rules for a type', () => page.keyboard.press('Enter'));
            await page.getByText(`Remove the rules of ${type}`).waitFor({ state: 'attached' });
        }],
        ['the form of the design', '#design', 'Types of people and groups', async () => {

            await page.getByLabel('Types of people and groups', { exact: true }).focus();
            await cheaply('a key in the list of types of the design', () => page.keyboard.press('7'));
            await page.getByLabel('Title of the repository').focus();
            await cheaply('a key in the form of the design', () => page.keyboard.press('7'));
        }]
    ];

    it('sends the types once, compressed', async () => {

        const first = await openPage(browser, test.url);
        await logInAsAdmin(first.page, test.url);
        const bytes: number[] = [];
        for (const fragment of ['', '#schemas']) {
            await first.page.goto('about:blank');
            await first.page.goto(`${test.url}/${fragment}`);
            await first.page.getByRole('link', { name: 'Administration' }).waitFor();
            await first.idle();
            bytes.push((await first.page.evaluate<[number, number, number]>(WEIGHT))[2]);
        }

        await first.close();
        const [once = 0, again = 0] = bytes;
        measured.costs['first visit, bytes'] = once;
        expect(once).to.be.between(MAX_BYTES, MAX_FIRST_BYTES);
        expect(again).to.be.below(MAX_BYTES);
        expect(first.complaints).to.equal([]);
    });

    for (const width of WIDTHS) {
        for (const [title, fragment, isThere, act] of screens) {
            it(`shows ${title} at ${width} px`, async () => {

                await page.setViewportSize({ width, height: 900 });
                await page.goto('about:blank');
                const started = performance.now();
                await page.goto(`${test.url}/${fragment}`);
                await page.getByText(isThere).first().waitFor();
                measured.costs[`${title} at ${width} px, elapsed`] = Math.round(performance.now() - started);
                await fits(title);
                await isLight(title);
                await act(nameOf(2777));
                await fits(title);
            });
        }
    }
});
