/** Texts that are too long for a text area: what is typed and pasted arrives, can be undone, and is saved as it is. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holdRequests, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const TEXT = { type: 'string', title: 'Text', format: 'textarea', pattern: '^[^#]*$' };

/** More lines than a text area gets. */
const LINES = '\nline'.repeat(6000);

/** Lines with elements of their own that the editor may have. */
const MAX_ELEMENTS = 300;

describe('a long text in the editor of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const send = async (method: string, path: string, body?: object): Promise<Response> => fetch(test.url + path, {
        method, ...body === undefined ? {} : { body: JSON.stringify(body) },
        headers: { 'authorization': `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`, 'content-type': 'application/json' }
    });

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Text', { type: 'object', properties: { text: TEXT, other: { type: 'string', title: 'Other' } } });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    /** Opens the editor of an object with a text. */
    const open = async (text: string): Promise<Locator> => {

        await send('DELETE', '/objects/test/text');
        await send('POST', '/objects?type=Text&handle=test/text', { text });
        await page.goto(`${test.url}/#objects/test/text?edit`);
        const field = page.getByRole('textbox', { name: 'Text', exact: true });
        await field.waitFor();
        return field;
    };

    const editor = (): Locator => page.locator('.cm-content');

    const saved = async (): Promise<string> => {

        await page.keyboard.press('Control+s');
        await announced(page, 'Saved');
        return (await (await send('GET', '/objects/test/text')).json() as { text: string }).text;
    };

    /** Pastes where the focus is. The browser does what follows if the page does not. */
    const paste = async (text: string): Promise<void> => {

        await page.evaluate(`(() => {

            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', ${JSON.stringify(text)});
            document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        })()`);
    };

    /** Selects a part of a text area. */
    const select = async (field: Locator, from: number, to: number): Promise<void> => {

        await field.focus();
        await page.evaluate(`document.activeElement.setSelectionRange(${from}, ${to})`);
    };

    it('that is pasted stands where the selection was, with the cursor after it, and only what is on the screen is laid out', async () => {

        await select(await open('begin MIDDLE end'), 6, 12);
        await paste(LINES);
        await page.locator('.cm-content:focus').waitFor();
        await page.keyboard.type('<cursor>');

        expect([await page.locator('textarea').count(), await editor().locator('.cm-line').count() < MAX_ELEMENTS]).to.equal([0, true]);
        expect(await saved() === `begin ${LINES}<cursor> end`).to.be.true();
    });

    it('that was pasted can be undone, and done again', async () => {

        await select(await open('begin MIDDLE end'), 6, 12);
        await paste(LINES);
        await page.locator('.cm-content:focus').waitFor();
        await page.keyboard.press('Control+z');
        expect(await editor().textContent()).to.equal('begin MIDDLE end');
        await page.keyboard.press('Control+y');

        expect(await saved() === `begin ${LINES} end`).to.be.true();
    });

    it('that was pasted is followed by what was typed before its editor was loaded', async () => {

        await select(await open('begin end'), 6, 6);
        await watched.idle();
        const release = await holdRequests(page, (request) => request.url().endsWith('.js'));
        await paste(LINES);
        await page.keyboard.type('typed on ');
        await holds(page.locator('textarea'), 'typed on ');
        release();
        await page.locator('.cm-content:focus').waitFor();
        await page.keyboard.type('and on ');

        expect(await saved() === `begin ${LINES}typed on and on end`).to.be.true();
    });

    it('that was pasted is complete where its editor cannot be loaded', async () => {

        watched.expected.push(/ERR_FAILED/);
        await select(await open('begin end'), 6, 6);
        await watched.idle();
        await page.route(/\.js$/, (route) => route.abort());
        await paste(LINES);
        await holds(page.locator('textarea'), `begin ${LINES}end`);

        expect(await saved() === `begin ${LINES}end`).to.be.true();
    });

    it('stays in its text area while it grows by typing', async () => {

        const field = await open('\n'.repeat(4998));
        await select(field, 0, 0);
        for (let i = 0; i < 5; ++i) {
            await page.keyboard.press('Enter');
            await page.keyboard.type(String(i));
        }

        expect(await page.locator('textarea:focus').count()).to.equal(1);
        expect(await saved() === `\n0\n1\n2\n3\n4${'\n'.repeat(4998)}`).to.be.true();
    });

    it('keeps its kind of line breaks, and new lines are not indented', async () => {

        const field = await open(`  indented${LINES.replaceAll('\n', '\r\n')}`);
        await field.focus();
        await page.keyboard.press('Control+Home');
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
        await page.keyboard.type('new');

        expect(await saved() === `  indented\r\nnew${LINES.replaceAll('\n', '\r\n')}`).to.be.true();
    });

    it('of one line of a million characters is edited at its end', async () => {

        const long = 'word '.repeat(200_000);
        const field = await open(long);
        await field.focus();
        await page.keyboard.press('Control+End');
        await page.keyboard.type('end');

        expect(await saved() === `${long}end`).to.be.true();
    });

    it('from right to left is shown so', async () => {

        const field = await open(`שלום${'\nשורה'.repeat(6000)}`);

        expect(await field.getAttribute('dir')).to.equal('rtl');
        expect(await page.evaluate('getComputedStyle(document.querySelector(".cm-content")).direction')).to.equal('rtl');
    });

    it('is described by the message about it, and reached by the label and by the message', async () => {

        watched.expected.push(/status of 400/);
        const field = await open(LINES);
        await field.focus();
        await page.keyboard.type('#');
        const message = page.locator('.form-summary').getByRole('button', { name: /text/ });
        await message.waitFor();

        expect(await field.getAttribute('aria-invalid')).to.equal('true');
        const ids = (await field.getAttribute('aria-describedby') ?? '').split(' ');
        expect(await page.evaluate(`${JSON.stringify(ids)}.map((id) => document.getElementById(id).textContent).join(' ')`)).to.match(/pattern.*Tab moves/);

        for (const target of [message, page.locator('label', { hasText: 'Text' })]) {
            await page.getByLabel('Other').focus();
            await target.click();
            await page.locator('.cm-content:focus').waitFor();
        }

        await page.keyboard.press('Backspace');
        await until(async () => await field.getAttribute('aria-invalid') === null);
        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('that cannot be changed is shown, and stays', async () => {

        await send('PUT', '/schemas/Text', { type: 'object', properties: { text: { ...TEXT, readOnly: true }, other: { type: 'string', title: 'Other' } } });
        const field = await open(LINES);
        await field.focus();
        await page.keyboard.type('lost');
        await page.getByLabel('Other').fill('changed');

        expect(await field.getAttribute('aria-readonly')).to.equal('true');
        expect(await saved() === LINES).to.be.true();
    });
});
