/** What is shown of a former question while a newer one is not answered: it is not taken for the answer to that. */

import { readFile } from 'node:fs/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page, Request } from 'playwright-core';
import { hasBrowser, holdRequests, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('what was found before in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab, { AUDIT_DAYS: 90 });
    let page: Page;

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', { type: 'object', properties: { title: { type: 'string', title: 'Title' } } });
        await ui.ask('PUT', '/schemas/Book', { type: 'object', properties: { title: { type: 'string', title: 'Title' }, isbn: { type: 'string', title: 'ISBN' } } });
        await ui.ask('POST', '/objects?type=Book&handle=test/book', { title: 'book', isbn: '1' });
        for (const username of ['ann', 'bob']) {
            await ui.ask('POST', `/objects?type=User&handle=test/${username}`, { username, password: `password of ${username}` });
        }

        for (const [at, title] of ['first', 'second', 'third'].entries()) {
            await ui.ask(at === 0 ? 'POST' : 'PUT', at === 0 ? '/objects?type=Note&handle=test/note' : '/objects/test/note', { title });
            await ui.ask('POST', `/versions?objectId=test/note&versionId=test/note-${at + 1}`);
        }

        await ui.ask('PUT', '/acls/test/note', { readers: ['test/ann'] });
        await ui.ask('POST', '/objects?type=Note&handle=test/other', { title: 'other' });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    /** Holds requests; says when there is one. */
    const hold = async (isHeld: (request: Request) => boolean): Promise<{ readonly isAsked: () => Promise<void>; readonly release: () => void }> => {

        let isAsked = false;
        const release = await holdRequests(page, (request) => {

            const isIt = isHeld(request);
            isAsked ||= isIt;
            return isIt;
        });
        return { isAsked: () => until(() => isAsked), release };
    };

    it('is not what another user may do', async () => {

        await page.goto(`${ui.url}/#objects/test/note?tab=rights`);
        const user = page.getByRole('combobox', { name: 'User' });
        const check = async (name: string): Promise<void> => {

            await user.fill(name);
            await page.getByRole('option', { name }).first().click();
        };

        await check('ann');
        const may = page.getByText('✓ may read', { exact: true });
        await may.waitFor();
        const { isAsked, release } = await hold((request) => request.url().includes('user=test%2Fbob') || request.url().includes('user=test/bob'));
        await check('bob');
        await isAsked();
        await may.waitFor({ state: 'detached' });
        release();
        await page.getByText('✗ may not read', { exact: true }).waitFor();
    });

    it('is not the difference of other versions', async () => {

        await page.goto(`${ui.url}/#objects/test/note?tab=history`);
        const removed = page.locator('table.diff td.removed');
        await page.getByRole('radio', { name: 'From: test/note-1' }).check();
        await page.getByRole('radio', { name: 'To: test/note-2' }).check();
        await removed.filter({ hasText: 'first' }).waitFor();
        const { isAsked, release } = await hold((request) => /objects\/test\/note-3/.test(request.url()));
        await page.getByRole('radio', { name: 'To: test/note-3' }).check();
        await isAsked();

        expect(await removed.count()).to.equal(0);
        release();
        await page.locator('table.diff td.added').filter({ hasText: 'third' }).waitFor();
    });

    it('is not the entries of another filter in the audit log', async () => {

        await page.goto(`${ui.url}/#admin/audit?object=test/note`);
        const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'test/note', exact: true }) });
        await page.locator('tbody tr').first().waitFor();
        const { isAsked, release } = await hold((request) => request.url().includes('Audit.List'));
        await page.getByLabel('Object', { exact: true }).fill('test/other');
        await page.keyboard.press('Enter');
        await isAsked();

        expect(await page.locator('tbody tr').count()).to.equal(0);
        release();
        await page.locator('tbody tr').first().waitFor();
        expect(await rows.count()).to.equal(0);
    });

    it('is what is changed and exported, until the results of the search are there, and never the results of another one', async () => {

        await ui.ask('POST', '/objects?type=Note&handle=test/second', { title: 'other' });
        await page.goto(`${ui.url}/#objects/?query=/title:other&view=table`);
        const select = page.getByRole('checkbox', { name: 'Select other' }).first();
        await select.waitFor();
        const { isAsked, release } = await hold((request) => request.method() === 'POST' && request.url().endsWith('/search') && (request.postData() ?? '').includes('/title:third'));
        await page.goto(`${ui.url}/#objects/?query=/title:third&view=table`);
        await isAsked();
        await select.check();
        await page.getByRole('button', { name: 'Select all 2 results' }).click();
        await page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Change …' }).click();
        release();
        await page.locator('main q.query', { hasText: '/title:third' }).waitFor();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('JSON pointer of the property').fill('/title');
        await dialog.getByRole('textbox', { name: 'Value (JSON)' }).fill('"changed"');
        await dialog.getByRole('button', { name: 'Change 2 objects' }).click();
        await dialog.getByText('2 objects were changed.').first().waitFor();
        const titles = await Promise.all(['other', 'second', 'note'].map(async (name) => (await (await ui.ask('GET', `/objects/test/${name}`)).json() as { title: string }).title));

        expect(titles).to.equal(['changed', 'changed', 'third']);
        await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
        expect(await page.getByRole('group', { name: /selected/ }).count()).to.equal(0);
    });

    it('has a type, whose properties are offered for a change, and not those of the type that is awaited', async () => {

        await page.goto(`${ui.url}/#objects/?query=type:Note&view=table`);
        const select = page.getByRole('checkbox', { name: 'Select all of this page' });
        await select.waitFor();
        const { isAsked, release } = await hold((request) => request.method() === 'POST' && request.url().endsWith('/search') && (request.postData() ?? '').includes('type:Book'));
        await page.goto(`${ui.url}/#objects/?query=type:Book&view=table`);
        await isAsked();
        await select.check();
        await page.getByRole('group', { name: /selected/ }).getByRole('button', { name: 'Change …' }).click();
        const properties = page.getByRole('dialog').getByRole('combobox', { name: /^Property/ });
        await properties.selectOption('/title');

        expect(await properties.locator('option[value^="/"]').evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value))).to.equal(['/title']);
        release();
        await page.locator('main q.query', { hasText: 'type:Book' }).waitFor();

        expect(await properties.inputValue()).to.equal('/title');
    });

    it('is exported with the properties of its type, although the results of another one have arrived', async () => {

        await page.goto(`${ui.url}/#objects/?query=type:Note&view=table`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).waitFor();
        // Without the dialog of the system, which nobody could answer here.
        await page.evaluate('window.showSaveFilePicker = undefined');
        await page.getByRole('button', { name: 'Export' }).click();
        const start = page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true });
        await start.waitFor();
        await page.evaluate('location.hash = "#objects/?query=type:Book&view=table"');
        await page.locator('main q.query', { hasText: 'type:Book' }).waitFor({ state: 'attached' });
        const [download] = await Promise.all([page.waitForEvent('download'), start.click()]);
        const [head = ''] = (await readFile(await download.path(), 'utf8')).split('\r\n');

        expect(head).to.include('title').and.not.include('isbn');
    });
});
