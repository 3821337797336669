/** The web UI for somebody who may read neither types nor other people, only objects of one type: every screen is usable, or says why it is not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true, showInPreview: true } } },
        about: { type: 'string', title: 'About', cordra: { type: { handleReference: { types: ['Secret'] } } } }
    }
};

const CLOSED = { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] };

describe('the web UI for somebody with few rights', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const ask = async (method: string, path: string, body?: unknown): Promise<string> => {

        const response = await fetch(test.url + path, {
            method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
            ...body === undefined ? {} : { body: JSON.stringify(body) }
        });
        const text = await response.text();
        expect(response.status, `${method} ${path}: ${text}`).to.equal(200);
        return text;
    };

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await ask('PUT', '/schemas/Secret', NOTE);
        await ask('POST', '/objects?type=Schema&handle=test/note-type', { identifier: '', name: 'Note', schema: NOTE, javascript: 'exports.methods = { hello() { return 1; } };' });
        await ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'password of ann' });
        await ask('POST', '/objects?type=Secret&handle=test/secret', { title: 'Nobody may know this' });
        await ask('POST', '/objects?type=Note&handle=test/note', { title: 'A note', about: 'test/secret' });
        const open = { defaultAclRead: ['authenticated'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };
        await ask('PUT', '/objects/design?jsonPointer=/authConfig', { defaultAcls: CLOSED, schemaAcls: { Note: open } });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
        // What is asked for in passing, such as the name of somebody, may be denied.
        watched.expected.push(/status of 40[134]/);
        const login = await page.request.post(`${test.url}/session`, {
            headers: { 'X-Requested-With': 'doip-gateway' }, data: { username: 'ann', password: 'password of ann' }
        });
        expect(login.ok()).to.be.true();
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const SCREENS: readonly (readonly [fragment: string, shown: RegExp])[] = [
        ['', /Recent changes/], ['objects/?query=*:*', /1 object/], ['objects/test/note', /^A note$/], ['objects/test/note?tab=files', /^A note$/],
        ['objects/test/note?tab=relations', /^A note$/], ['objects/test/note?tab=rights', /^A note$/], ['objects/test/note?tab=history', /^A note$/],
        ['objects/test/note?tab=methods', /^A note$/], ['objects/test/note?tab=json', /^A note$/], ['objects/test/secret', /not|log in/i], ['objects/test/note?edit', /A note/],
        ['create/Note', /New object: Note/], ['create/Secret', /New object: Secret/], ['schemas', /^Types$/], ['schemas/Note', /^Note$/], ['schemas/Note?tab=code', /^Note$/],
        ['schemas/Note?tab=preview', /^Note$/], ['admin', /./], ['admin/account', /My account/], ['admin/api', /Interface for programs/], ['admin/users', /./]
    ];

    for (const [fragment, shown] of SCREENS) {
        it(`shows #${fragment}`, async () => {

            await page.goto(`${test.url}/#${fragment}`);
            await page.getByRole('main').getByRole('heading', { name: shown }).first().waitFor();
            await watched.idle();
            await page.locator('.loading').waitFor({ state: 'detached' });

            expect(await page.getByText('Nobody may know this').count()).to.equal(0);
            expect(await page.getByRole('dialog').count()).to.equal(0);
            expect(await page.locator('.messages .error').allInnerTexts()).to.equal([]);
            expect(await accessibilityFindings(page)).to.equal([]);
        });
    }

    it('creates an object and changes it, with the rights of its type', async () => {

        await page.goto(`${test.url}/#`);
        await page.getByRole('button', { name: 'New', exact: true }).click();

        expect(await page.getByRole('menuitem').allInnerTexts()).to.equal(['Note']);
        await page.getByRole('menuitem', { name: 'Note' }).click();
        await page.getByLabel('Title', { exact: true }).fill('Mine');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await announced(page, 'Created');
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByLabel('Title', { exact: true }).fill('Still mine');
        await page.keyboard.press('Control+s');
        await announced(page, 'Saved');
        await page.getByRole('heading', { level: 1, name: 'Still mine' }).waitFor();
        await page.goto(`${test.url}/#objects/test/note`);
        await page.getByRole('heading', { level: 1, name: 'A note' }).waitFor();

        expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).to.equal(0);
    });

    it('says why nothing is stored that somebody may not store, and keeps it', async () => {

        await page.goto(`${test.url}/#create/Secret`);
        await page.getByLabel('Title', { exact: true }).fill('Not allowed');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await page.getByRole('main').getByRole('alert').first().waitFor();

        expect(await page.getByLabel('Title', { exact: true }).inputValue()).to.equal('Not allowed');
    });
});
