/** Several pages of one browser, which share a login: who logs in or out on one of them, and what is edited on two. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holds, logInAsAdmin, openBeside, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = { type: 'object', properties: { title: { type: 'string', title: 'Title' }, text: { type: 'string', title: 'Text' } } };

describe('pages of one browser', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let first: WatchedPage;
    let second: WatchedPage;

    const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {

        const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
        const response = await fetch(test.url + path, {
            method, ...body === undefined ? {} : { body: JSON.stringify(body) }, headers: { authorization, 'content-type': 'application/json' }
        });
        return await response.json() as T;
    };

    const passwordOf = (name: string): string => `password of ${name}`;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Note', NOTE);
        for (const username of ['ann', 'bob']) {
            await send('POST', `/objects?type=User&handle=test/${username}`, { username, password: passwordOf(username) });
        }
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        await send('DELETE', '/objects/test/note');
        await send('POST', '/objects?type=Note&handle=test/note', { title: 'before', text: 'before' });
        await send('PUT', '/acls/test/note', { readers: ['public'], writers: ['test/ann', 'test/bob'] });
        first = await openPage(browser, test.url);
        second = await openBeside(first.page, test.url);
        first.expected.push(/401/);
    });

    afterEach(async () => {

        await second.close();
        await first.close();
        expect([...first.complaints, ...second.complaints]).to.equal([]);
    });

    const isShown = async ({ page }: WatchedPage, name: string): Promise<void> => page.getByRole('banner').getByRole('button', { name, exact: true }).waitFor();

    const fill = async (dialog: Locator, name: string): Promise<void> => {

        await dialog.getByLabel('Name or id').fill(name);
        await dialog.getByLabel('Password', { exact: true }).fill(passwordOf(name));
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
    };

    const logIn = async ({ page }: WatchedPage, name: string): Promise<void> => {

        await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click();
        await fill(page.getByRole('dialog', { name: 'Log in' }), name);
    };

    const logOut = async ({ page }: WatchedPage, name: string): Promise<void> => {

        await page.getByRole('banner').getByRole('button', { name, exact: true }).click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor();
    };

    const titleOf = (page: Page): Locator => page.getByLabel('Title', { exact: true });

    const edit = async ({ page }: WatchedPage): Promise<Locator> => {

        await page.goto(`${test.url}/#objects/test/note?edit`);
        const field = titleOf(page);
        await field.waitFor();
        return field;
    };

    const stored = async (): Promise<readonly [title: string, by: string]> => {

        const { content, metadata } = await send<{ content: { title: string }; metadata: { modifiedBy: string } }>('GET', '/objects/test/note?full');
        return [content.title, metadata.modifiedBy];
    };

    it('show who is logged in after a login or logout on one of them', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await second.page.goto(`${test.url}/#objects/test/note`);
        await logIn(first, 'ann');
        await isShown(second, 'ann');
        await second.page.getByRole('link', { name: 'Edit', exact: true }).waitFor();
        await logOut(second, 'ann');
        await first.page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor();
        await logIn(second, 'bob');
        await isShown(first, 'bob');
    });

    it('close the question for a login that was answered on another one', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const field = await edit(first);
        await field.fill('entered before');
        await second.page.goto(`${test.url}/#objects/test/note`);
        await isShown(second, 'ann');
        await second.idle();
        const [cookie] = await first.page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        await first.page.keyboard.press('Control+s');
        const dialog = first.page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.waitFor();
        await second.page.reload();
        await logIn(second, 'ann');
        await dialog.waitFor({ state: 'detached' });
        await announced(first.page, 'Saved');

        expect(await stored()).to.equal(['entered before', 'test/ann']);
    });

    it('keep what is edited after a logout on another one, and save it once its author has logged in again', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const field = await edit(first);
        await field.fill('not lost');
        await second.page.goto(`${test.url}/#nowhere`);
        await isShown(second, 'ann');
        await logOut(second, 'ann');
        await fill(first.page.getByRole('dialog', { name: 'Your session has ended' }), 'ann');
        await isShown(second, 'ann');

        await holds(field, 'not lost');
        await first.page.keyboard.press('Control+s');
        await announced(first.page, 'Saved');
        expect(await stored()).to.equal(['not lost', 'test/ann']);
    });

    it('save nothing in the name of somebody else who has logged in on another one', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const field = await edit(first);
        await field.fill('by ann');
        await second.page.goto(`${test.url}/#nowhere`);
        await isShown(second, 'ann');
        await logOut(second, 'ann');
        await logIn(second, 'bob');
        const dialog = first.page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.getByText('On another page of this browser bob has logged in.').waitFor();

        expect(await accessibilityFindings(first.page)).to.equal([]);
        await first.page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await first.page.keyboard.press('Control+s');
        await dialog.waitFor();
        expect(await stored()).to.equal(['before', 'admin']);

        await fill(dialog, 'ann');
        await announced(first.page, 'Saved');
        await isShown(second, 'ann');
        expect(await stored()).to.equal(['by ann', 'test/ann']);
    });

    it('go on as somebody else on request, without what was entered', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const field = await edit(first);
        await field.fill('by ann');
        await first.page.getByText('Draft kept').first().waitFor();
        await second.page.goto(`${test.url}/#nowhere`);
        await isShown(second, 'ann');
        await logOut(second, 'ann');
        await logIn(second, 'bob');
        await first.page.getByRole('button', { name: 'Go on as bob, without what you entered' }).click();
        await isShown(first, 'bob');
        await holds(titleOf(first.page), 'before');

        expect(await first.page.evaluate('JSON.stringify(localStorage)')).to.not.include('by ann');
    });

    it('show a conflict when both have edited one object, and keep the draft of each', async () => {

        second.expected.push(/412/);
        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const mine = await edit(first);
        const other = await edit(second);
        await mine.fill('of the first page');
        await first.page.getByText('Draft kept').first().waitFor();
        await other.fill('of the second page');
        await second.page.getByLabel('Text', { exact: true }).fill('of the second page, too');
        await second.page.getByText('Draft kept').first().waitFor();
        await first.page.keyboard.press('Control+s');
        await announced(first.page, 'Saved');

        // Saving on one page leaves the draft of the other.
        expect(await second.page.evaluate('JSON.stringify(localStorage)')).to.include('of the second page, too');
        await second.page.keyboard.press('Control+s');
        const box = second.page.getByRole('alertdialog');
        await box.waitFor();
        expect(await box.getByRole('row').allTextContents()).to.include(['/titleof the first pageof the second page', '/textbeforeof the second page, too']);

        await box.getByRole('button', { name: /overwrite/i }).click();
        await announced(second.page, 'Saved');
        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'of the second page', text: 'of the second page, too' });
    });

    it('offer what was entered on one of them again after the conflict was solved by taking what the other one has saved', async () => {

        second.expected.push(/412/);
        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const mine = await edit(first);
        const other = await edit(second);
        await mine.fill('of the first page');
        await first.page.keyboard.press('Control+s');
        await announced(first.page, 'Saved');
        await other.fill('of the second page');
        await second.page.getByLabel('Text', { exact: true }).fill('hours of work');
        await second.page.keyboard.press('Control+s');
        await second.page.getByRole('alertdialog').getByRole('button', { name: 'Take theirs' }).click();
        await holds(other, 'of the first page');
        await holds(second.page.getByLabel('Text', { exact: true }), 'before');

        expect(await second.page.getByRole('alertdialog').count()).to.equal(0);
        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'of the first page', text: 'before' });
        await second.page.reload();
        await holds(other, 'of the first page');
        await second.page.getByText('The object was saved by somebody since.').waitFor();

        expect(await accessibilityFindings(second.page)).to.equal([]);
        await second.page.getByRole('button', { name: 'Restore the draft' }).click();
        await holds(other, 'of the second page');
        await holds(second.page.getByLabel('Text', { exact: true }), 'hours of work');
        await second.page.keyboard.press('Control+s');
        await announced(second.page, 'Saved');

        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'of the second page', text: 'hours of work' });
    });

    it('offer what was entered at once after the other one was taken', async () => {

        second.expected.push(/412/);
        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const other = await edit(second);
        await send('PUT', '/objects/test/note', { title: 'of a program', text: 'before' });
        await other.fill('of the second page');
        await second.page.keyboard.press('Control+s');
        await second.page.getByRole('alertdialog').getByRole('button', { name: 'Take theirs' }).click();
        await holds(other, 'of a program');
        await second.page.getByRole('button', { name: 'Restore the draft' }).click();
        await holds(other, 'of the second page');
        await second.page.keyboard.press('Control+s');
        await announced(second.page, 'Saved');

        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'of the second page', text: 'before' });
    });

    it('show what somebody else has saved since a draft was kept, when it is restored, and keep both', async () => {

        second.expected.push(/412/);
        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        const field = await edit(second);
        await field.fill('of a draft');
        await second.page.getByText('Draft kept').first().waitFor();
        await send('PUT', '/objects/test/note', { title: 'before', text: 'of somebody else' });
        const restore = async (): Promise<void> => {

            second.page.once('dialog', (dialog) => void dialog.accept());
            await second.page.reload();
            await holds(second.page.getByLabel('Text', { exact: true }), 'of somebody else');
            await second.page.getByRole('button', { name: 'Restore the draft' }).click();
            await holds(field, 'of a draft');
        };

        await restore();
        const box = second.page.getByRole('alertdialog');
        await box.waitFor();
        expect(await box.getByRole('row').allTextContents()).to.include(['/titlebeforeof a draft', '/textof somebody elsebefore']);
        expect(await accessibilityFindings(second.page)).to.equal([]);

        await box.getByRole('button', { name: 'Keep editing' }).click();
        await second.page.keyboard.press('Control+s');
        await box.waitFor();
        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'before', text: 'of somebody else' });

        // A draft of before has no content of its version.
        await second.page.evaluate(`Object.entries(localStorage).forEach(([name, text]) => {
            if (name.includes('test/note')) {
                localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), basis: undefined }));
            }
        })`);
        await restore();
        await box.waitFor();
        expect(await box.getByRole('button').allTextContents()).to.equal(['Keep editing', 'Take theirs', 'Overwrite with mine']);

        // This is a draft of now again.
        await box.getByRole('button', { name: 'Keep editing' }).click();
        await second.page.evaluate(`Object.entries(localStorage).forEach(([name, text]) => {
            if (name.includes('test/note')) {
                localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), basis: '{"title":"before","text":"before"}' }));
            }
        })`);
        await restore();
        await box.getByRole('button', { name: 'Merge both' }).click();
        await second.page.keyboard.press('Control+s');
        await announced(second.page, 'Saved');
        expect(await send('GET', '/objects/test/note')).to.equal({ title: 'of a draft', text: 'of somebody else' });
    });

    it('overwrite no type that somebody else has saved since its draft was discarded, before that was seen', async () => {

        second.expected.push(/412/);
        await send('PUT', '/schemas/Draft', { type: 'object', title: 'before' });
        await logInAsAdmin(second.page, test.url);
        await second.page.goto(`${test.url}/#schemas/Draft?tab=schema`);
        const editor = second.page.locator('.cm-content');
        await editor.click();
        await second.page.keyboard.press('Control+A');
        await second.page.keyboard.insertText('{"type": "object", "title": "mine"}');
        await second.page.getByRole('button', { name: 'Discard changes' }).click();
        await send('PUT', '/schemas/Draft', { type: 'object', title: 'theirs' });
        const titleNow = async (): Promise<string> => (await send<{ title: string }>('GET', '/schemas/Draft')).title;
        const restore = async (): Promise<void> => {

            await second.page.getByRole('button', { name: 'Restore the draft' }).click();
            await until(async () => (await editor.innerText()).includes('mine'));
            await second.page.getByRole('button', { name: 'Save', exact: true }).click();
        };

        await second.page.reload();
        await restore();
        await second.page.getByRole('button', { name: 'Take theirs' }).click();
        await until(async () => (await editor.innerText()).includes('theirs'));
        expect(await titleNow()).to.equal('theirs');

        await restore();
        await announced(second.page, 'saved');
        expect(await titleNow()).to.equal('mine');
    });

    it('go on with one draft, and keep what is typed on each', async () => {

        await first.page.goto(`${test.url}/#nowhere`);
        await logIn(first, 'ann');
        await (await edit(first)).fill('hours of work');
        await first.page.getByText('Draft kept').first().waitFor();
        first.page.on('dialog', (dialog) => void dialog.accept());
        await first.page.goto(`${test.url}/#nowhere`);
        const fields = [await edit(first), await edit(second)] as const;
        for (const [index, { page }] of [first, second].entries()) {
            await page.getByRole('button', { name: 'Restore the draft' }).click();
            await holds(fields[index]!, 'hours of work');
        }

        const drafts = (): Promise<string> => second.page.evaluate('JSON.stringify(localStorage)');
        await fields[0].fill('typed on the first page');
        await until(async () => (await drafts()).includes('typed on the first page'));
        await fields[1].fill('typed on the second page');
        await until(async () => (await drafts()).includes('typed on the second page'));
        expect(await drafts()).to.include('typed on the first page');

        await fields[0].fill('typed last on the first page');
        await until(async () => (await drafts()).includes('typed last on the first page'));
        expect(await drafts()).to.include('typed on the second page');
    });
});
