/** What a key costs in the editor of the web UI: a type with 200 fields, and an object of 1 MB. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { announced, hasBrowser, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FIELDS = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field${i}`, { type: i % 5 === 0 ? 'integer' : 'string' }]));

const ROWS = { type: 'array', items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } };

const LARGE = { field1: 'x', rows: Array.from({ length: 4000 }, (_, i) => ({ a: 'a'.repeat(120), b: `${'b'.repeat(100)}${i}` })) };

/** Types a letter where the focus is, and waits until it is painted. */
const KEY_TO_PAINT = `(async () => {

    document.execCommand('insertText', false, 'k');
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

/** Keys that are typed. */
const KEYS = 10;

/**
 * Processor time that a key may take, in milliseconds: code, styles and layout. It takes 5 to 10; on a busy machine so much time passes between two keys that
 * the whole JSON is read after each, as after the last one. A form that renders everything takes seconds.
 */
const MAX_MS = 200;

/** A text of 200,000 lines. A text area takes 8 s until it is shown and 0.3 s for a key; the editor of long texts has elements for what is seen. */
const LINES = Array.from({ length: 200_000 }, () => 'ln').join('\n');

/** Lines with elements of their own that the editor of long texts may have. */
const MAX_ELEMENTS = 300;

describe('a key in the editor of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    let tools: CDPSession;

    const send = async (method: string, path: string, body?: object): Promise<Response> => fetch(test.url + path, {
        method, ...body === undefined ? {} : { body: JSON.stringify(body) },
        headers: { 'authorization': `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`, 'content-type': 'application/json' }
    });

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Large', { type: 'object', properties: { ...FIELDS, rows: ROWS } });
        await send('POST', '/objects?type=Large&handle=test/large', LARGE);
        await send('PUT', '/schemas/Text', { type: 'object', properties: { text: { type: 'string', title: 'Text', format: 'textarea' } } });
        await send('POST', '/objects?type=Text&handle=test/lines', { text: LINES });
        watched = await openPage(browser, test.url);
        page = watched.page;
        await logInAsAdmin(page, test.url);
        await page.goto(`${test.url}/#objects/test/large?edit`);
        await page.locator('.edit-head').waitFor();
        tools = await page.context().newCDPSession(page);
        await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    });

    after(async () => {

        await watched.close();
        await browser.close();
        await test.stop();
        expect(watched.complaints).to.equal([]);
    });

    const elapsed = async (): Promise<number> => {

        const { metrics } = await tools.send('Performance.getMetrics');
        const counted = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
        return 1000 * metrics.filter(({ name }) => counted.includes(name)).reduce((sum, { value }) => sum + value, 0);
    };

    const costOfKey = async (): Promise<number> => {

        await page.evaluate(KEY_TO_PAINT);
        const before = await elapsed();
        for (let i = 0; i < KEYS; ++i) {
            await page.evaluate(KEY_TO_PAINT);
        }

        return (await elapsed() - before) / KEYS;
    };

    it('costs little in a field of the form', async () => {

        await page.getByLabel('Field1', { exact: true }).focus();
        expect(await costOfKey()).to.be.below(MAX_MS);
        await holds(page.getByLabel('Field1', { exact: true }), `x${'k'.repeat(KEYS + 1)}`);
    });

    it('costs little in a list of 4,000 objects', async () => {

        const cell = page.locator('[data-item="0"]').getByRole('textbox').first();
        await page.getByRole('group', { name: 'Rows' }).getByRole('textbox').first().focus();
        expect(await costOfKey()).to.be.below(MAX_MS);
        expect(await cell.inputValue()).to.contain('k'.repeat(KEYS + 1));
    });

    /** Saves, and waits for the response: a message may be that of a former test. */
    const save = async (): Promise<void> => {

        const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
        await page.keyboard.press('Control+s');
        expect((await stored).status()).to.equal(200);
        await announced(page, 'Saved');
    };

    it('costs little in the JSON, which is saved as it was typed', async () => {

        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.getByRole('textbox', { name: 'Content' }).click();
        await page.keyboard.press('Control+Home');
        for (const key of ['ArrowDown', 'End', 'ArrowLeft', 'ArrowLeft']) {
            await page.keyboard.press(key);
        }

        expect(await costOfKey()).to.be.below(MAX_MS);
        await page.keyboard.type('END');
        await save();
        const { field1, rows } = await (await send('GET', '/objects/test/large')).json() as { field1: string; rows: object[] };

        expect(field1).to.match(/^xk{11,}END$/);
        expect(rows.length).to.equal(4000);
    });

    it('costs little in a text of 200,000 lines, of which only those on the screen are laid out, and which is saved as it was typed', async () => {

        await page.goto(`${test.url}/#objects/test/lines?edit`);
        const text = page.getByRole('textbox', { name: 'Text' });
        await text.getByText('ln').first().waitFor();
        expect([await page.locator('textarea').count(), await text.locator('.cm-line').count() < MAX_ELEMENTS]).to.equal([0, true]);

        await text.focus();
        await page.keyboard.press('Control+Home');
        expect(await costOfKey()).to.be.below(MAX_MS);
        await page.keyboard.press('Control+End');
        expect(await costOfKey()).to.be.below(MAX_MS);
        await save();
        const { text: stored } = await (await send('GET', '/objects/test/lines')).json() as { text: string };

        expect(stored.split(LINES).map(({ length }) => length)).to.equal([KEYS + 1, KEYS + 1]);
        expect(stored === 'k'.repeat(KEYS + 1) + LINES + 'k'.repeat(KEYS + 1)).to.be.true();
    });
});
