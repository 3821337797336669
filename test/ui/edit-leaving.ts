/** Leaving an editor of the web UI: nothing that was typed is lost unasked, and each draft is offered until it is taken. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, fillStorage, hasBrowser, holdRequests, holds, logInAsAdmin } from '../support/browser.js';
import { until } from '../support/until.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const NOTE = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true, showInPreview: true } } },
        about: { type: 'string', title: 'About', cordra: { type: { handleReference: { types: ['Note'] } } } }
    }
};

describe('leaving an editor of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const send = async (method: string, path: string, body?: unknown): Promise<unknown> => (await ui.ask(method, path, body)).json();

    before(async () => {

        await send('PUT', '/schemas/Note', NOTE);
    });

    beforeEach(async () => {

        for (const name of ['a', 'b']) {
            await send('DELETE', `/objects/test/${name}`);
            await send('POST', `/objects?type=Note&handle=test/${name}`, { title: name });
        }

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#nowhere`);
        await page.getByRole('heading', { level: 1 }).waitFor();
    });

    const edit = async (id: string): Promise<Locator> => {

        await page.evaluate(`location.hash = '#objects/${id}?edit'`);
        await page.getByRole('heading', { level: 1, name: 'Edit' }).waitFor();
        return page.getByLabel('Title', { exact: true });
    };

    const drafts = async (): Promise<string> => page.evaluate<string>('JSON.stringify(localStorage)');

    const leave = async (): Promise<void> => page.getByRole('link', { name: 'Types', exact: true }).click();

    const holdPut = (): Promise<() => void> => holdRequests(page, (request) => request.method() === 'PUT' && !request.url().includes('dryRun'));

    it('asks while it saves, and says when the service refuses what was left; what was typed is a draft', async () => {

        ui.watched.expected.push(/412/);
        const field = await edit('test/a');
        const open = await holdPut();
        await field.fill('saved late');
        await page.keyboard.press('Control+s');
        await page.getByRole('button', { name: /^Saving/ }).waitFor();
        await leave();
        await until(() => ui.questions === 1);
        await holds(field, 'saved late');

        await send('PUT', '/objects/test/a', { title: 'theirs' });
        await field.fill('typed last');
        ui.answer = 'accept';
        await leave();
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
        open();
        await page.locator('.messages .error').first().waitFor();

        expect(await drafts()).to.include('typed last');
        expect(await send('GET', '/objects/test/a')).to.equal({ title: 'theirs' });
    });

    it('leaves another editor alone when the service answers what was left', async () => {

        const field = await edit('test/a');
        const open = await holdPut();
        await field.fill('saved late');
        await page.keyboard.press('Control+s');
        await page.getByRole('button', { name: /^Saving/ }).waitFor();
        ui.answer = 'accept';
        const other = await edit('test/b');
        await holds(other, 'b');
        await other.fill('typed into b');
        open();
        await announced(page, 'Saved');

        await holds(other, 'typed into b');
        [ui.questions, ui.answer] = [0, 'dismiss'];
        await leave();
        await until(() => ui.questions === 1);
        await holds(other, 'typed into b');
        expect(await drafts()).to.not.include('saved late');
    });

    it('keeps a draft that is offered while something else is typed, and offers both', async () => {

        ui.answer = 'accept';
        await (await edit('test/a')).fill('hours of work');
        await page.getByText('Draft kept').first().waitFor();
        await page.reload();
        const field = page.getByLabel('Title', { exact: true });
        await page.getByRole('button', { name: 'Restore the draft' }).waitFor();
        await field.fill('one letter');
        await page.getByText('Draft kept').first().waitFor();

        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await holds(field, 'hours of work');
        await page.keyboard.press('Control+s');
        await announced(page, 'Saved');
        await edit('test/a');
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await holds(field, 'one letter');
    });

    it('asks after an object was created on the way, whose draft is not the one of the object around', async () => {

        ui.answer = 'accept';
        await page.evaluate('location.hash = "#create/Note"');
        await page.getByLabel('Title', { exact: true }).fill('outer');
        await page.getByText('Draft kept').first().waitFor();
        await page.getByRole('combobox', { name: 'About' }).fill('Nothing yet');
        await page.getByRole('option', { name: 'Create new: Note' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Title', { exact: true }).fill('inner');
        await dialog.getByText('Draft kept').first().waitFor();
        expect(await drafts()).to.include('outer').and.include('inner');
        expect(await page.getByRole('button', { name: 'Restore the draft' }).count()).to.equal(0);
        await dialog.getByRole('button', { name: 'Create', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });

        ui.answer = 'dismiss';
        await leave();
        await until(() => ui.questions === 1);
        await holds(page.getByLabel('Title', { exact: true }), 'outer');
    });

    it('offers no draft of an object that was created while its user typed on', async () => {

        await page.evaluate('location.hash = "#create/Note"');
        const field = page.getByLabel('Title', { exact: true });
        await field.fill('created');
        await page.getByText('Draft kept').first().waitFor();
        const open = await holdRequests(page, (request) => request.method() === 'POST' && !request.url().includes('dryRun') && request.url().includes('/objects'));
        await page.keyboard.press('Control+s');
        await page.getByRole('button', { name: /^Saving/ }).waitFor();
        await field.fill('created, and more');
        await until(async () => (await drafts()).includes('created, and more'));
        open();
        await page.getByText('what you have typed since is not yet').first().waitFor();
        await page.keyboard.press('Control+s');
        await announced(page, 'Saved');
        await page.evaluate('location.hash = "#create/Note"');
        await holds(field, '');

        expect(await page.getByRole('button', { name: 'Restore the draft' }).count()).to.equal(0);
    });

    it('asks before a logout that would remove what was typed', async () => {

        const field = await edit('test/a');
        await field.fill('not saved');
        const logOut = async (): Promise<void> => {

            await page.locator('.account-menu > button').click();
            await page.getByRole('menuitem', { name: 'Log out' }).click();
        };

        await logOut();
        await until(() => ui.questions === 1);
        await holds(field, 'not saved');
        expect(await accessibilityFindings(page)).to.equal([]);

        ui.answer = 'accept';
        await logOut();
        await announced(page, 'You are logged out.');
        expect(await drafts()).to.not.include('not saved');
    });

    it('offers the draft also where the service says late who is logged in', async () => {

        ui.answer = 'accept';
        await (await edit('test/a')).fill('hours of work');
        await page.getByText('Draft kept').first().waitFor();
        const open = await holdRequests(page, (request) => new URL(request.url()).pathname === '/session');
        await page.reload();
        setTimeout(open, 1500);
        await page.getByRole('button', { name: 'Restore the draft' }).click();

        await holds(page.getByLabel('Title', { exact: true }), 'hours of work');
    });

    it('offers the draft to its user who logs in after the form was opened', async () => {

        ui.watched.expected.push(/status of 40[13]/);
        ui.answer = 'accept';
        await send('PUT', '/acls/test/a', { readers: ['public'], writers: [] });
        await (await edit('test/a')).fill('hours of work');
        await page.getByText('Draft kept').first().waitFor();
        await page.context().clearCookies();
        await page.reload();
        const field = page.getByLabel('Title', { exact: true });
        await field.waitFor();
        await page.getByRole('button', { name: 'Log in', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Restore the draft' }).click();

        await holds(field, 'hours of work');
    });

    it('keeps the id of a new object with its draft, and asks before it is lost', async () => {

        await send('PUT', '/objects/design?jsonPointer=/uiConfig', { allowUserToSpecifyHandleOnCreate: true });
        await page.reload();
        await page.evaluate('location.hash = "#create/Note"');
        const id = page.getByLabel('Id (optional)');
        await id.fill('test/own');
        await leave();
        await until(() => ui.questions === 1);
        await page.getByText('Draft kept').first().waitFor();
        ui.answer = 'accept';
        await page.reload();
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await holds(id, 'test/own');
        await page.getByLabel('Title', { exact: true }).fill('with its own id');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await announced(page, 'Created');

        expect(await send('GET', '/objects/test/own')).to.equal({ title: 'with its own id' });
        await send('PUT', '/objects/design?jsonPointer=/uiConfig', {});
    });

    it('does not say that a draft is kept where the browser has no room for it', async () => {

        const field = await edit('test/a');
        await fillStorage(page);
        await field.fill('of no draft '.repeat(20));
        await page.getByText('No draft is kept: the browser has no room for it').waitFor();

        expect(await drafts()).to.not.include('of no draft');
    });

    it('asks while what was set aside for the content of somebody else is kept nowhere else', async () => {

        ui.watched.expected.push(/412/);
        const field = await edit('test/a');
        await fillStorage(page);
        await field.fill('hours of work '.repeat(20).trim());
        await send('PUT', '/objects/test/a', { title: 'theirs' });
        await page.keyboard.press('Control+s');
        await page.getByRole('alertdialog').getByRole('button', { name: 'Take theirs' }).click();
        await holds(field, 'theirs');
        await leave();
        await until(() => ui.questions === 1);
        await holds(field, 'theirs');
        await field.fill('theirs and mine');
        await page.keyboard.press('Control+s');
        await until(() => ui.questions === 2);
        await page.getByText('What you had entered is saved').waitFor();
        expect(await send('GET', '/objects/test/a')).to.equal({ title: 'theirs and mine' });

        await page.getByRole('button', { name: 'Discard the draft' }).click();
        await page.getByRole('button', { name: 'Discard the draft' }).waitFor({ state: 'detached' });
        await leave();
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
        expect(ui.questions).to.equal(2);
    });

    it('asks before Escape closes the dialog of another object with files, and closes it not while that is saved', async () => {

        await page.evaluate('location.hash = "#create/Note"');
        await page.getByRole('combobox', { name: 'About' }).fill('Nothing yet');
        await page.getByRole('option', { name: 'Create new: Note' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Title', { exact: true }).fill('inner');
        await dialog.locator('input[type=file]').setInputFiles({ name: 'data.txt', mimeType: 'text/plain', buffer: Buffer.from('data') });
        await dialog.getByText('data.txt').first().waitFor();
        await page.keyboard.press('Escape');
        await until(() => ui.questions === 1);
        await dialog.getByText('data.txt').first().waitFor();

        ui.answer = 'accept';
        const open = await holdRequests(page, (request) => request.method() === 'POST' && !request.url().includes('dryRun') && request.url().includes('/objects'));
        await dialog.getByRole('button', { name: 'Create', exact: true }).click();
        await dialog.getByRole('button', { name: /^Saving/ }).waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).to.be.true();
        open();
        await dialog.waitFor({ state: 'detached' });

        await page.getByRole('link', { name: 'inner' }).waitFor();
        expect(ui.questions).to.equal(1);
    });
});
