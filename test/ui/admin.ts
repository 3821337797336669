/** The administration in a real browser: users, groups, one's own account, design, rights, import, and every other section. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, holds, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

describe('the administration', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        [test, browser] = await Promise.all([startServer({ AUDIT_DAYS: 3 }), startBrowser()]);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    /** A request with the password of the administrator. */
    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    const json = async <T>(path: string): Promise<T> => await (await ask('GET', path)).json() as T;

    const show = async (section: string): Promise<Page> => {

        const { page } = watched;
        await page.goto(`${test.url}/#admin/${section}`);
        await logIn(page);
        return page;
    };

    const logIn = async (page: Page, name = 'admin', password = ADMIN_PASSWORD): Promise<void> => {

        await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog', { name: 'Log in' });
        await dialog.getByLabel('Name or id').fill(name);
        await dialog.getByLabel('Password', { exact: true }).fill(password);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        if (password === ADMIN_PASSWORD) {
            await dialog.waitFor({ state: 'detached' });
        }
    };

    it('makes a user who must choose a password at the first login', async () => {

        const page = await show('users');
        await page.getByRole('button', { name: 'New user' }).click();
        const dialog = page.getByRole('dialog', { name: 'New user' });
        await dialog.getByLabel('Name', { exact: true }).fill('ann');
        await dialog.getByLabel('Password', { exact: true }).fill('a first password');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('row', { name: /ann.*must change password/ }).waitFor();

        const other = await openPage(browser, test.url);
        other.expected.push(/401/);
        await other.page.goto(`${test.url}/#admin/account`);
        await logIn(other.page, 'ann', 'a first password');
        await other.page.getByText('Choose a new password').first().waitFor();
        await other.page.getByLabel('New password').fill('a second password');
        await other.page.getByRole('button', { name: 'Change password and log in' }).click();
        await other.page.getByRole('heading', { name: 'My account' }).waitFor();
        await other.page.getByText('Current password').first().waitFor();
        await other.close();
        expect(other.complaints).to.equal([]);
        expect((await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa('ann:a second password')}` } })).status).to.equal(200);
    });

    it('deactivates accounts once their type has the property for it, and activates them again', async () => {

        await ask('POST', '/objects?type=User&handle=test/bob', { username: 'bob', password: 'a long password' });
        const page = await show('users');
        await page.getByRole('button', { name: 'Add the property' }).click();
        await page.getByText('can be deactivated now').first().waitFor();
        await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('bob');
        await page.getByRole('button', { name: 'Actions of bob' }).click();
        await page.getByRole('menuitem', { name: 'Deactivate' }).click();
        await page.getByRole('dialog', { name: 'Deactivate bob?' }).getByRole('button', { name: 'Deactivate' }).click();
        await page.getByRole('row', { name: /bob.*deactivated/ }).waitFor();

        expect((await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa('bob:a long password')}` } })).status).to.equal(401);

        await page.getByRole('button', { name: 'Actions of bob' }).click();
        await page.getByRole('menuitem', { name: 'Activate' }).click();
        await page.getByRole('row', { name: /bob test\/bob active/ }).waitFor();

        expect((await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa('bob:a long password')}` } })).status).to.equal(200);
    });

    it('makes a group with a member that is searched for, and does not overwrite what somebody else changed', async () => {

        await ask('POST', '/objects?type=User&handle=test/carl', { username: 'carl', password: 'a long password' });
        watched.expected.push(/412/);
        const page = await show('groups');
        await page.getByRole('button', { name: 'New group' }).click();
        const dialog = page.getByRole('dialog', { name: 'New group' });
        await dialog.getByLabel('Name', { exact: true }).fill('staff');
        await dialog.getByRole('combobox', { name: 'Add a user or group' }).fill('carl');
        await dialog.getByRole('option', { name: /carl/ }).click();
        await dialog.getByRole('button', { name: 'Remove' }).waitFor();
        await dialog.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('button', { name: '1 member: staff' }).click();
        const { results: [group] } = await json<{ results: { id: string; content: { users: string[] } }[] }>('/search?query=type:Group');

        expect(group?.content.users).to.equal(['test/carl']);

        const members = page.getByRole('dialog', { name: 'Members: staff' });
        await members.getByRole('button', { name: 'Remove carl' }).click();
        await ask('PUT', `/objects/${group?.id}?jsonPointer=/description`, 'changed meanwhile');
        await members.getByRole('button', { name: 'Save' }).click();
        await members.getByText('Somebody else has changed the group').first().waitFor();
    });

    it('changes the password of the administrator, and makes and revokes an API key', async () => {

        const page = await show('account');
        await page.getByRole('button', { name: 'New key' }).click();
        const dialog = page.getByRole('dialog', { name: 'New key' });
        await dialog.getByLabel(/^Name/).fill('nightly');
        await dialog.getByLabel('Only reading').check();
        await dialog.getByRole('button', { name: 'Create' }).click();
        const shown = page.getByRole('dialog', { name: 'The new key' });
        const key = await shown.locator('code').textContent();
        await shown.getByRole('button', { name: 'Done' }).click();

        expect((await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Bearer ${key}` } })).status).to.equal(200);

        await page.getByRole('button', { name: 'Revoke the key nightly' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.getByText('The key nightly is revoked.').first().waitFor();

        expect((await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Bearer ${key}` } })).status).to.equal(401);

        for (const [current, next] of [[ADMIN_PASSWORD, 'another password'], ['another password', ADMIN_PASSWORD]] as const) {
            await page.getByLabel('Current password', { exact: true }).fill(current);
            await page.getByLabel('New password', { exact: true }).fill(next);
            await page.getByRole('button', { name: 'Change password' }).click();
            await page.getByText('Your password is changed.').locator('..').getByRole('button', { name: 'Dismiss' }).click();
        }
    });

    it('stores a new title and rule, and shows the version of somebody else instead of losing it', async () => {

        watched.expected.push(/412/);
        const page = await show('design');
        await page.getByLabel('Title of the repository').fill('Our archive');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The design is saved.').first().waitFor();
        await page.getByRole('banner').getByText('Our archive').first().waitFor();
        await page.getByLabel('Title of the repository').fill('Mine');
        await ask('PUT', '/objects/design?jsonPointer=/uiConfig/title', 'Theirs');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Somebody else has saved').first().waitFor();
        await page.getByRole('button', { name: 'Show the difference' }).click();
        await page.getByRole('row', { name: /\/uiConfig\/title.*Theirs.*Mine/ }).waitFor();
        await page.getByRole('button', { name: 'Take theirs' }).click();

        await holds(page.getByLabel('Title of the repository'), 'Theirs');

        await page.getByRole('link', { name: 'Rights by default' }).click();
        const rule = page.getByRole('group', { name: 'Create' }).first();
        await rule.getByRole('button', { name: 'Remove authenticated' }).click();
        // The message about the title may still be there.
        const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
        await page.getByRole('button', { name: 'Save' }).click();
        await saved;
        const { defaultAcls } = await json<{ defaultAcls: { aclCreate: string[] } }>('/objects/design?jsonPointer=/authConfig');

        expect(defaultAcls.aclCreate).to.equal([]);
    });

    it('imports objects in lines, and lists those that were refused', async () => {

        const page = await show('transfer');
        const lines = [{ id: 'test/i1', type: 'Document', content: { name: HOSTILE } }, { id: 'test/i2', type: 'Document', content: { name: 7 } }, { id: 'test/i3', type: 'Document', content: {} }];
        await page.locator('.drop input[type=file]').setInputFiles({ name: 'objects.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')) });
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText('2 objects are stored.').first().waitFor();
        await page.getByRole('row', { name: /^2 \/name: must be a string/ }).waitFor();

        expect((await ask('GET', '/objects/test/i3')).status).to.equal(200);
    });

    it('shows what was audited, by object, and verifies the log', async () => {

        await ask('POST', '/objects?type=Document&handle=test/audited', { name: 'audited' });
        const page = await show('audit');
        await page.getByLabel('Object', { exact: true }).fill('test/audited');
        await page.getByLabel('Object', { exact: true }).press('Enter');
        // Until the entries of all objects are gone.
        await until(async () => await page.getByRole('row').count() === 2);
        await page.getByRole('row', { name: /created audited .*Create.*admin/ }).waitFor();

        await page.getByRole('button', { name: 'Verify the log' }).click();
        await page.getByText(/entries in \d+ seals are unchanged/).first().waitFor();
    });

    it('has no accessibility findings in any section, in light and dark, wide and narrow', { timeout: 1_200_000 }, async () => {

        await ask('POST', '/objects?type=User&handle=test/%3Cb%3E%23%3F%2F', { username: `${HOSTILE}${'x'.repeat(3000)}`, password: 'a long password' });
        await ask('POST', '/objects?type=Group', { groupName: 'مجموعة', description: HOSTILE, users: [] });
        const page = await show('users');
        for (const section of ['', 'users', 'groups', 'keys', 'account', 'design', 'rights', 'handles', 'transfer', 'status', 'index', 'audit', 'api']) {
            await page.goto(`${test.url}/#admin/${section}`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await page.getByText('Loading …').first().waitFor({ state: 'detached' });
            for (const [colorScheme, width] of [['light', 1280], ['dark', 360]] as const) {
                await page.setViewportSize({ width, height: 800 });
                await page.emulateMedia({ colorScheme });

                expect(await accessibilityFindings(page), `${section} ${colorScheme} ${width}`).to.equal([]);
                expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), `${section} ${width}: wider than the screen`).to.be.at.most(0);
            }
        }
    });

    it('is closed to users, except their own account and the interface', async () => {

        await ask('POST', '/objects?type=User&handle=test/dora', { username: 'dora', password: 'a long password' });
        const { page } = watched;
        await page.goto(`${test.url}/#admin/status`);
        await logIn(page, 'dora', 'a long password');
        await page.getByText('Only the administrator can see this page.').first().waitFor();
        await page.getByRole('main').getByRole('link', { name: 'My account' }).last().click();
        await page.getByRole('heading', { name: 'My account' }).waitFor();

        expect(await page.getByRole('link', { name: 'Users' }).count()).to.equal(0);
    });
});
