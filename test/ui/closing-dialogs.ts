/** Dialogs that are closed while the service has not answered: they stay, or what was begun in them ends as it should. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { announced, hasBrowser, holdRequests, holds, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { until } from '../support/until.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('a dialog of the web UI that is closed before the service has answered', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        await ui.ask('POST', '/objects?type=Document&handle=test/note', { name: 'A note' });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const dialog = (): Locator => page.getByRole('dialog').last();

    /** Holds the requests of a method to a path; says when there is one. */
    const hold = async (method: string, path: RegExp): Promise<{ readonly isHeld: () => Promise<void>; readonly release: () => void }> => {

        let isAsked = false;
        const release = await holdRequests(page, (request) => {

            const isIt = request.method() === method && path.test(request.url());
            isAsked ||= isIt;
            return isIt;
        });
        return { isHeld: () => until(() => isAsked), release };
    };

    it('shows a new key that Escape was pressed for while it was made', async () => {

        await page.goto(`${ui.url}/#admin/account`);
        await page.getByRole('button', { name: 'New key' }).click();
        await dialog().getByLabel(/^Name/).fill('nightly');
        const { isHeld, release } = await hold('POST', /auth\/keys/);
        await dialog().getByRole('button', { name: 'Create' }).click();
        await isHeld();
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');

        expect(await dialog().getByRole('button', { name: 'Cancel' }).isDisabled()).to.be.true();
        expect(await dialog().getByRole('button', { name: 'Close' }).isDisabled()).to.be.true();
        release();
        await dialog().locator('code.secret').waitFor();
        // It cannot be shown again: neither Escape nor another address drops it unasked.
        await page.keyboard.press('Escape');
        await until(() => ui.questions === 1);
        await page.evaluate('location.hash = "#admin/api"');
        await until(() => ui.questions === 2);
        await dialog().locator('code.secret').waitFor();
        await dialog().getByRole('button', { name: 'Copy' }).click();
        await announced(page, 'Copied.');
        await page.keyboard.press('Escape');
        await dialog().waitFor({ state: 'detached' });

        expect(ui.questions).to.equal(2);
    });

    it('counts a bulk change until its end, however often Escape is pressed', async () => {

        await page.goto(`${ui.url}/#objects/?query=type:Document&size=50&view=table`);
        await page.getByRole('checkbox', { name: 'Select A note' }).check();
        await page.getByRole('group', { name: '1 selected' }).getByRole('button', { name: 'Change …' }).click();
        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/name');
        await dialog().getByLabel('Value').fill('Another name');
        const { isHeld, release } = await hold('PUT', /objects\/test/);
        await dialog().getByRole('button', { name: 'Change 1 object' }).click();
        await isHeld();
        for (let times = 0; times < 3; ++times) {
            await page.keyboard.press('Escape');
        }

        await dialog().getByRole('button', { name: 'Cancel' }).waitFor();
        release();
        await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
        await dialog().waitFor({ state: 'detached' });
    });

    it('does what a second login was asked for, when the first one is answered after its dialog was closed', async () => {

        ui.watched.expected.push(/401/);
        await page.goto(`${ui.url}/#admin/groups`);
        await page.getByRole('button', { name: 'New group' }).click();
        await dialog().getByLabel('Name', { exact: true }).fill('staff');
        const [cookie] = await page.context().cookies();
        await fetch(`${ui.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        const login = page.getByRole('dialog', { name: 'Your session has ended' });
        const create = dialog().getByRole('button', { name: 'Create' });
        await create.click();
        await login.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        const { isHeld, release } = await hold('POST', /\/session$/);
        await login.getByRole('button', { name: 'Log in', exact: true }).click();
        await isHeld();
        await login.press('Escape');
        await page.getByRole('dialog').getByRole('alert').waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
        await login.waitFor();
        release();
        await login.waitFor({ state: 'detached' });

        await page.getByRole('row', { name: /staff/ }).waitFor();
        expect((await (await ui.ask('GET', '/search?query=/groupName:staff&ids')).json() as { size: number }).size).to.equal(1);
    });

    it('deletes an object that somebody has confirmed, and closes then', async () => {

        await page.goto(`${ui.url}/#objects/test/note`);
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        const { isHeld, release } = await hold('DELETE', /objects\/test/);
        await dialog().getByRole('button', { name: 'Delete' }).click();
        await isHeld();
        await page.keyboard.press('Escape');

        expect(await dialog().count()).to.equal(1);
        release();
        await announced(page, 'test/note');
        await dialog().waitFor({ state: 'detached' });
    });

    /** The name, or the text, of what has the focus. */
    const focused = async (): Promise<string> => page.evaluate('(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)');

    it('gives the focus back to the menu by which it was opened', async () => {

        await ui.ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'a long password' });
        await ui.ask('POST', '/objects?type=Document&handle=test/other', { name: 'Another note' });
        for (const [fragment, menu, item] of [['objects/test/other', 'More', 'Delete …'], ['admin/users', 'Actions of ann', 'Set password …'], ['schemas/Document', 'More actions', 'Delete the type …']] as const) {
            await page.goto(`${ui.url}/#${fragment}`);
            await page.getByRole('button', { name: menu, exact: true }).press('Enter');
            await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
            await dialog().waitFor();
            await page.keyboard.press('Escape');
            await dialog().waitFor({ state: 'detached' });

            expect(await focused(), fragment).to.equal(menu);
        }
    });

    it('gives the focus to the heading when the row of the menu is gone', async () => {

        await ui.ask('POST', '/objects?type=User&handle=test/gone', { username: 'gone', password: 'a long password' });
        await page.goto(`${ui.url}/#admin/users`);
        await page.getByRole('button', { name: 'Actions of gone', exact: true }).press('Enter');
        await page.getByRole('menuitem', { name: 'Delete …', exact: true }).press('Enter');
        await dialog().getByRole('button', { name: 'Delete', exact: true }).press('Enter');
        await page.getByRole('button', { name: 'Actions of gone', exact: true }).waitFor({ state: 'detached' });

        await until(async () => await focused() === 'Users');
    });

    it('asks before much that was typed is lost by Escape, and not before little', async () => {

        await page.goto(`${ui.url}/#schemas`);
        await page.getByRole('button', { name: 'New type' }).click();
        await dialog().getByLabel(/^Name/).fill('Report');
        await page.keyboard.press('Escape');
        await dialog().waitFor({ state: 'detached' });
        expect(ui.questions).to.equal(0);

        await page.getByRole('button', { name: 'New type' }).click();
        await dialog().getByLabel('an example').check();
        const example = dialog().getByRole('textbox').last();
        await example.fill('{"title": "A report of some length", "pages": 12}');
        await page.keyboard.press('Escape');
        await until(() => ui.questions === 1);
        await holds(example, '{"title": "A report of some length", "pages": 12}');

        ui.answer = 'accept';
        await page.keyboard.press('Escape');
        await dialog().waitFor({ state: 'detached' });
        expect(ui.questions).to.equal(2);
    });
});
