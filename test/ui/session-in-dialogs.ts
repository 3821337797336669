/** A session that ends while a dialog is open: what was entered stays, a login is asked for, and then the dialog does what it was told to. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { announced, findingsOnEachScreen, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, about: { type: 'string', title: 'About', cordra: { type: { handleReference: { types: ['Note'] } } } } } };

/** What somebody does on a screen. */
interface Case {
    readonly title: string;
    readonly fragment: string;
    /** Opens the dialog, and enters something. */
    readonly enter: (page: Page) => Promise<void>;
    /** Tells the dialog to do it. */
    readonly confirm: (page: Page) => Promise<void>;
    /** Whether it was done. */
    readonly isDone: () => Promise<boolean>;
}

describe('a session that ends while a dialog of the web UI is open', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    const json = async (path: string): Promise<Record<string, unknown>> => await (await ask('GET', path)).json() as Record<string, unknown>;

    const sizeOf = async (query: string): Promise<unknown> => (await json(`/search?query=${encodeURIComponent(query)}&ids`))['size'];

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await ask('PUT', '/schemas/Note', NOTE);
        await ask('PUT', '/schemas/Memo', NOTE);
        await ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'password of ann' });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        await ask('DELETE', '/objects/test/note');
        const form = new FormData();
        form.append('content', '{"title":"A note"}');
        form.append('scan.txt', new File(['bytes'], 'scan.txt', { type: 'text/plain' }));
        await fetch(`${test.url}/objects?type=Note&handle=test/note`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
        // Everybody may read it, so that nothing but what the dialog does needs a login.
        await ask('PUT', '/acls/test/note', { readers: ['public'], writers: [] });
        watched = await openPage(browser, test.url);
        ({ page } = watched);
        watched.expected.push(/401/);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const dialog = (): Locator => page.getByRole('dialog').last();

    const press = async (name: string): Promise<void> => dialog().getByRole('button', { name, exact: true }).last().click();

    const choose = async (name: string): Promise<void> => {

        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name }).click();
    };

    const select = async (): Promise<void> => {

        await page.getByRole('checkbox', { name: 'Select A note' }).check();
        await page.getByRole('group', { name: '1 selected' }).getByRole('button', { name: 'Change …' }).click();
    };

    const NOTES = 'objects/?query=type:Note&size=50&view=table';

    const CASES: readonly Case[] = [
        {
            title: 'a new user', fragment: 'admin/users',
            enter: async () => {

                await page.getByRole('button', { name: 'New user' }).click();
                await dialog().getByLabel('Name', { exact: true }).fill('carol');
                await dialog().getByLabel('Password', { exact: true }).fill('password of carol');
            },
            confirm: () => press('Create'), isDone: async () => await sizeOf('/username:carol') === 1
        },
        {
            title: 'another password of a user', fragment: 'admin/users',
            enter: async () => {

                await page.getByRole('button', { name: 'Actions of ann' }).click();
                await page.getByRole('menuitem', { name: 'Set password …' }).click();
                await dialog().getByLabel('New password', { exact: true }).fill('another password');
                await dialog().getByRole('checkbox', { name: /must be changed/ }).uncheck();
            },
            confirm: () => press('Save'),
            isDone: async () => (await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa('ann:another password')}` } })).ok
        },
        {
            title: 'a new group', fragment: 'admin/groups',
            enter: async () => {

                await page.getByRole('button', { name: 'New group' }).click();
                await dialog().getByLabel('Name', { exact: true }).fill('staff');
            },
            confirm: () => press('Create'), isDone: async () => await sizeOf('/groupName:staff') === 1
        },
        {
            title: 'a new key', fragment: 'admin/account',
            enter: async () => {

                await page.getByRole('button', { name: 'New key' }).click();
                await dialog().getByLabel(/^Name/).fill('nightly');
            },
            confirm: () => press('Create'), isDone: async () => (await json('/auth/keys'))['keys'] instanceof Array && JSON.stringify(await json('/auth/keys')).includes('nightly')
        },
        {
            title: 'a new type', fragment: 'schemas',
            enter: async () => {

                await page.getByRole('button', { name: 'New type' }).click();
                await dialog().getByLabel(/^Name/).fill('Fresh');
            },
            confirm: () => press('Create'), isDone: async () => (await ask('GET', '/schemas/Fresh')).ok
        },
        {
            title: 'types of a file', fragment: 'schemas',
            enter: async () => {

                await page.getByRole('button', { name: 'Load from a file' }).click();
                await dialog().locator('input[type=file]').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from('{"Loaded": {"type": "object"}}') });
                await dialog().getByText('Loaded').first().waitFor();
            },
            confirm: () => press('Store'), isDone: async () => (await ask('GET', '/schemas/Loaded')).ok
        },
        {
            title: 'a version', fragment: 'objects/test/note?tab=history',
            enter: async () => {

                await page.getByRole('button', { name: 'Publish a version' }).click();
                await dialog().getByLabel('Id of the version').fill(`test/version-${Date.now()}`);
            },
            confirm: () => press('Publish'), isDone: async () => (await (await ask('GET', '/versions?objectId=test/note')).json() as unknown[]).length === 2
        },
        {
            title: 'another type of an object', fragment: 'objects/test/note',
            enter: async () => {

                await choose('Move to another type');
                await dialog().getByLabel('New type').selectOption('Memo');
                await dialog().getByText('The content is valid for Memo.').waitFor();
            },
            confirm: () => press('Move'), isDone: async () => (await json('/objects/test/note?full'))['type'] === 'Memo'
        },
        {
            title: 'a deletion', fragment: 'objects/test/note',
            enter: async () => {

                await choose('Delete');
                await dialog().getByText(/refers to it/i).first().waitFor();
            },
            confirm: () => press('Delete'), isDone: async () => (await ask('GET', '/objects/test/note')).status === 404
        },
        {
            title: 'another name of a file', fragment: 'objects/test/note?tab=files',
            enter: async () => {

                await page.getByRole('button', { name: 'More about scan.txt' }).click();
                await page.getByRole('menuitem', { name: 'Rename' }).click();
                await dialog().getByLabel('Name of the file in the object').fill('renamed');
            },
            confirm: () => dialog().getByRole('button', { name: 'Rename' }).click(), isDone: async () => (await ask('GET', '/objects/test/note?payload=renamed')).ok
        },
        {
            title: 'a change of selected objects', fragment: NOTES,
            enter: async () => {

                await select();
                await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/title');
                await dialog().getByLabel('Value').fill('Changed together');
            },
            confirm: () => press('Change 1 object'), isDone: async () => (await json('/objects/test/note'))['title'] === 'Changed together'
        },
        {
            title: 'rights of selected objects', fragment: NOTES,
            enter: async () => {

                await select();
                await dialog().getByRole('combobox', { name: /^What to do/ }).selectOption({ label: 'Add somebody to the rights' });
                await dialog().getByRole('combobox', { name: /^Right/ }).selectOption('writers');
                await dialog().getByRole('combobox', { name: 'Who' }).fill('authenticated');
                await dialog().getByRole('option', { name: 'authenticated' }).click();
            },
            confirm: () => press('Change 1 object'), isDone: async () => JSON.stringify(await json('/acls/test/note')).includes('authenticated')
        },
        {
            title: 'the deletion of selected objects', fragment: NOTES,
            enter: async () => {

                await select();
                await dialog().getByRole('combobox', { name: /^What to do/ }).selectOption({ label: 'Delete the objects' });
                await dialog().getByLabel('Enter 1 to confirm').fill('1');
            },
            confirm: () => press('Delete 1 object'), isDone: async () => (await ask('GET', '/objects/test/note')).status === 404
        },
        {
            title: 'an object that is created on the way', fragment: 'objects/test/note?edit',
            enter: async () => {

                await page.getByRole('combobox', { name: 'About' }).fill('Nothing yet');
                await page.getByRole('option', { name: 'Create new: Note' }).click();
                await dialog().getByLabel('Title', { exact: true }).fill('Created on the way');
            },
            confirm: () => press('Create'), isDone: async () => await sizeOf('/title:"created on the way"') === 1
        },
        {
            title: 'an import of all or none', fragment: 'admin/transfer',
            enter: async () => {

                const buffer = Buffer.from('{"id":"test/imported","type":"Note","content":{"title":"imported"}}\n');
                await page.locator('.drop input[type=file]').setInputFiles({ name: 'objects.ndjson', mimeType: 'application/x-ndjson', buffer });
                await page.getByRole('radio', { name: /All or none/ }).check();
            },
            confirm: () => page.getByRole('button', { name: 'Import', exact: true }).click(), isDone: async () => (await ask('GET', '/objects/test/imported')).ok
        },
        {
            title: 'rights of an object', fragment: 'objects/test/note?tab=rights',
            enter: async () => {

                await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
                await page.getByRole('button', { name: 'Remove everyone' }).click();
            },
            confirm: () => page.getByRole('button', { name: 'Save' }).click(), isDone: async () => JSON.stringify((await json('/acls/test/note'))['readers']) === '[]'
        },
        {
            title: 'a field of a type', fragment: 'schemas/Memo',
            enter: async () => {

                await page.getByRole('textbox', { name: 'Name of the new field' }).fill('scale');
                await page.getByRole('button', { name: 'Add a field' }).click();
                await page.getByText('The service accepts the type.').first().waitFor();
            },
            confirm: () => page.getByRole('button', { name: 'Save', exact: true }).click(), isDone: async () => JSON.stringify(await json('/schemas/Memo')).includes('scale')
        },
        {
            title: 'the title of the service', fragment: 'admin/design',
            enter: async () => page.getByLabel('Title of the repository').fill('Our archive'),
            confirm: () => page.getByRole('button', { name: 'Save' }).click(), isDone: async () => JSON.stringify(await json('/design')).includes('Our archive')
        }
    ];

    for (const { title, fragment, enter, confirm, isDone } of CASES) {
        it(`keeps ${title}, accessible in light and dark, wide and narrow, and stores it after another login`, async () => {

            await page.goto(`${test.url}/#${fragment}`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await enter(page);
            await watched.idle();
            expect(await findingsOnEachScreen(page)).to.equal([]);

            const [cookie] = await page.context().cookies();
            await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
            await confirm(page);
            const login = page.getByRole('dialog', { name: 'Your session has ended' });
            await login.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);

            expect(await isDone()).to.be.false();
            await login.getByRole('button', { name: 'Log in', exact: true }).click();
            await login.waitFor({ state: 'detached' });
            await until(isDone);
        });
    }

    it('keeps everything when the user closes the question, and asks again', async () => {

        await page.goto(`${test.url}/#schemas`);
        await page.getByRole('button', { name: 'New type' }).click();
        await dialog().getByLabel(/^Name/).fill('Later');
        const [cookie] = await page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        const login = page.getByRole('dialog', { name: 'Your session has ended' });
        for (const password of ['wrong', 'wrong again']) {
            await dialog().getByRole('button', { name: 'Create' }).click();
            await login.getByLabel('Password', { exact: true }).fill(password);
            await login.getByRole('button', { name: 'Log in', exact: true }).click();
            await login.getByText('Name or password is wrong.').waitFor();
            await page.keyboard.press('Escape');
            await login.waitFor({ state: 'detached' });
        }

        await dialog().getByRole('button', { name: 'Create' }).click();
        await login.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await login.getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('heading', { name: 'Later', exact: true }).waitFor();

        expect((await ask('GET', '/schemas/Later')).status).to.equal(200);
        await announced(page, 'Later');
    });
});
