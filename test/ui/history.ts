/** Back and forward in the browser: between searches and objects, and out of forms with what nobody has saved. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { announced, hasBrowser, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } } } };

describe('back and forward in the browser', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    /** What the page has asked, and what the user answers. */
    let questions: string[];
    let answer: 'accept' | 'dismiss';

    const send = async (method: string, path: string, body?: unknown): Promise<void> => {

        const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
        await fetch(test.url + path, { method, ...body === undefined ? {} : { body: JSON.stringify(body) }, headers: { authorization } });
    };

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Note', NOTE);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        await send('DELETE', '/objects/test/note');
        await send('POST', '/objects?type=Note&handle=test/note', { title: 'A note' });
        watched = await openPage(browser, test.url);
        ({ page } = watched);
        questions = [];
        answer = 'dismiss';
        page.on('dialog', (dialog) => {

            questions.push(dialog.type());
            void dialog[answer]();
        });
        await logInAsAdmin(page, test.url);
        await page.goto(`${test.url}/#objects/?query=type:Note`);
        await page.getByRole('link', { name: 'A note' }).waitFor();
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const openEditor = async (): Promise<Locator> => {

        await page.getByRole('link', { name: 'A note' }).click();
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        const field = page.getByLabel('Title', { exact: true });
        await field.waitFor();
        return field;
    };

    const isAt = async (fragment: string): Promise<void> => until(() => new URL(page.url()).hash === fragment);

    it('ask before something is lost, and leave the history as it is when the user stays', async () => {

        const field = await openEditor();
        await field.fill('Changed');
        await page.getByText('Draft kept').first().waitFor();
        await page.evaluate('history.back()');
        await until(() => questions.length === 1);
        await isAt('#objects/test/note?edit=true');

        await holds(field, 'Changed');
        await page.keyboard.press('Control+s');
        await announced(page, 'Saved');
        await page.getByRole('heading', { level: 1, name: 'Changed' }).waitFor();
        await page.goBack();
        await isAt('#objects/test/note');
        await page.goBack();
        await isAt('#objects/?query=type:Note');
        await page.getByRole('link', { name: 'Changed' }).waitFor();
        await page.goForward();
        await isAt('#objects/test/note');
    });

    it('stay on a form by a link to another screen, from which one goes back to where one was before', async () => {

        const field = await openEditor();
        await field.fill('Changed');
        await page.getByText('Draft kept').first().waitFor();
        await page.getByRole('link', { name: 'Types', exact: true }).click();
        await until(() => questions.length === 1);
        await isAt('#objects/test/note?edit=true');
        await holds(field, 'Changed');
        answer = 'accept';
        await page.goBack();
        await page.getByRole('link', { name: 'Edit', exact: true }).waitFor();

        expect([new URL(page.url()).hash, questions.length]).to.equal(['#objects/test/note', 2]);
    });

    it('offer what was typed as a draft when the user comes back to a form', async () => {

        const field = await openEditor();
        await field.fill('Typed before');
        await page.getByText('Draft kept').first().waitFor();
        answer = 'accept';
        await page.goBack();
        await page.getByRole('link', { name: 'Edit', exact: true }).waitFor();
        await page.goForward();
        await page.getByRole('button', { name: 'Restore the draft' }).click();

        await holds(page.getByLabel('Title', { exact: true }), 'Typed before');
    });

    it('show the query and the results of each search', async () => {

        const box = page.getByRole('combobox', { name: /^Search/ });
        await box.fill('nothing that exists');
        await box.press('Enter');
        await page.getByRole('heading', { name: /Nothing was found/ }).waitFor();
        await page.goBack();
        await holds(box, 'type:Note');
        await page.getByRole('link', { name: 'A note' }).waitFor();
        await page.goForward();
        await holds(box, 'nothing that exists');
        await page.getByRole('heading', { name: /Nothing was found/ }).waitFor();
    });
});
