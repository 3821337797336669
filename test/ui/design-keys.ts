/** What the design says about user interfaces, as Cordra has it in `uiConfig`: each key does something. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the design of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const ask = async (method: string, path: string, body?: unknown): Promise<void> => {

        const response = await fetch(test.url + path, {
            method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
            ...body === undefined ? {} : { body: JSON.stringify(body) }
        });
        expect(response.status, await response.text()).to.equal(200);
    };

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const note = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } } } };
        await ask('PUT', '/schemas/Note', note);
        await ask('PUT', '/schemas/Team', note);
        await ask('POST', '/objects?type=Note&handle=test/note', { title: 'Zebra' });
        await ask('POST', '/objects?type=Note&handle=test/other', { title: 'Aardvark' });
        await ask('POST', '/objects?type=Team&handle=test/team', { title: 'The crew' });
        await ask('POST', '/objects?type=User&handle=test/crew', { username: 'crewman', password: 'a long password' });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const show = async (uiConfig: object, fragment = '#nowhere'): Promise<void> => {

        await ask('PUT', '/objects/design?jsonPointer=/uiConfig', { title: 'Archive', ...uiConfig });
        await page.goto(`${test.url}/${fragment}`);
        await page.getByRole('banner').getByText('Archive').first().waitFor();
    };

    it('has the links of its navigation: queries, addresses, types, menus, and none that runs a script', async () => {

        await show({
            navBarLinks: [
                { type: 'query', title: 'Notes', query: 'type:Note', sortFields: '/title DESC' }, { type: 'url', title: 'Help', url: 'https://example.org/help' },
                { type: 'url', title: 'Bad', url: 'javascript:alert(1)' }, { type: 'typeDropdown', title: 'Kinds', maxItems: 2 },
                { type: 'menu', title: 'Others', links: [{ type: 'url', title: 'About', url: '/docs' }, { type: 'query', title: 'Teams', query: 'type:Team' }] },
                { type: 'of the future', title: 'Unknown' }
            ]
        });
        const navigation = page.getByRole('navigation', { name: 'Navigation' });

        expect(await navigation.getByRole('link', { name: 'Help' }).getAttribute('href')).to.equal('https://example.org/help');
        expect(await navigation.getByText(/Bad|Unknown/).count()).to.equal(0);
        await navigation.getByRole('button', { name: 'Kinds' }).click();

        expect(await page.getByRole('menuitem').allInnerTexts()).to.have.length(3);
        expect((await page.getByRole('menuitem').allInnerTexts()).at(-1)).to.equal('All types …');
        await page.keyboard.press('Escape');
        await navigation.getByRole('button', { name: 'Others' }).click();

        expect(await page.getByRole('menuitem').allInnerTexts()).to.equal(['About', 'Teams']);
        await page.getByRole('menuitem', { name: 'Teams' }).click();
        await page.getByRole('main').getByRole('link', { name: 'The crew' }).waitFor();
        await navigation.getByRole('link', { name: 'Notes' }).click();
        await page.getByRole('main').getByRole('link', { name: 'Aardvark' }).waitFor();

        expect(await page.getByRole('main').locator('.result-title').allInnerTexts()).to.equal(['Zebra', 'Aardvark']);
    });

    it('begins with another page', async () => {

        await show({ initialFragment: '#objects/test/note' }, '');
        await page.getByRole('heading', { level: 1, name: 'Zebra' }).waitFor();
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').first().waitFor();
    });

    it('has new objects in a menu of few types, and beyond them in a dialog, but none that the user may not create', async () => {

        await show({ numTypesForCreateDropdown: 50 });

        expect(await page.getByRole('button', { name: 'New', exact: true }).count()).to.equal(0);
        await page.getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name or id').fill('crewman');
        await dialog.getByLabel('Password', { exact: true }).fill('a long password');
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('button', { name: 'New', exact: true }).click();
        const offered = await page.getByRole('menuitem').allInnerTexts();

        expect(offered).to.include(['Document', 'Note', 'Team']).and.not.include(['User', 'Schema', 'CordraDesign']);
        await page.getByRole('menuitem', { name: 'Note' }).click();
        await page.getByRole('heading', { level: 1, name: 'New object: Note' }).waitFor();
        await show({ numTypesForCreateDropdown: 1 });
        await page.reload();
        await page.getByRole('button', { name: 'New', exact: true }).click();
        await page.getByRole('dialog', { name: 'New object of the type' }).waitFor();
    });

    it('has forms that ask for the end of an id, and hide the type', async () => {

        await logInAsAdmin(page, test.url);
        await show({ allowUserToSpecifySuffixOnCreate: true, hideTypeInObjectEditor: true }, '#create/Note');
        await page.getByLabel('Title', { exact: true }).fill('With an end');
        await page.getByLabel(/End of the id|Suffix/i).fill('my-end');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'With an end' }).waitFor();

        expect(new URL(page.url()).hash).to.equal('#objects/test/my-end');
        await page.goto(`${test.url}/#objects/test/note?edit`);
        await page.getByLabel('Title', { exact: true }).waitFor();

        expect(await page.getByRole('main').getByText(/Type: Note/).count()).to.equal(0);
        await show({}, '#objects/test/note?edit');
        await page.reload();
        await page.getByRole('main').getByText(/Type: Note/).waitFor();
        await page.goto(`${test.url}/#create/Note`);
        await page.getByLabel('Title', { exact: true }).waitFor();

        expect(await page.getByLabel(/End of the id|Suffix/i).count()).to.equal(0);
    });

    it('says what results show', async () => {

        const cards = '#objects/?query=type:Note&view=cards';
        await show({ searchResults: { includeType: false, includeModifiedDate: false, includeCreatedDate: false } }, cards);
        const results = page.getByRole('main').getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Zebra' }) });
        await results.waitFor();

        expect(await results.locator('time').count()).to.equal(0);
        expect(await results.locator('.badge').count()).to.equal(0);
        await show({ searchResults: { includeType: true, includeModifiedDate: true, includeCreatedDate: true } }, cards);
        await page.reload();
        await results.locator('time').nth(1).waitFor();

        expect(await results.locator('.badge').innerText()).to.equal('Note');
    });

    it('says of which types the people and groups in access control lists are', async () => {

        await logInAsAdmin(page, test.url);
        await show({ aclUiSearchTypes: ['Team'] }, '#objects/test/note?tab=rights');
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await page.getByRole('combobox', { name: 'Add a user' }).fill('crew');
        await page.getByRole('option', { name: /The crew/ }).waitFor();

        expect(await page.getByRole('option', { name: /crewman/ }).count()).to.equal(0);
    });
});
