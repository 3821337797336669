/** A password that is changed, and with which the login fails: it is the new one from then on. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, holds } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

const [FIRST, SECOND] = ['a first password', 'a second password'];

describe('a password that is changed', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const makeUser = async (more: object): Promise<void> => {

        await ui.ask('DELETE', '/objects/test/ann');
        expect((await ui.ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: FIRST, ...more })).status).to.equal(200);
    };

    const logIn = async (): Promise<void> => {

        await page.goto(`${ui.url}/#admin/account`);
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Log in' }).first().click();
        await dialog.getByLabel('Name or id').fill('ann');
        await dialog.getByLabel('Password', { exact: true }).fill(FIRST);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    };

    /** Lets no login with the new password through, once. */
    const cutLogin = async (): Promise<void> => {

        let isCut = false;
        await page.route((url) => url.pathname === '/session', async (route) => {

            const isLogin = route.request().method() === 'POST' && (route.request().postData() ?? '').includes(SECOND);
            await (isLogin && !isCut ? route.abort('connectionreset') : route.fallback());
            isCut ||= isLogin;
        });
    };

    const isValid = async (password: string): Promise<number> =>
        (await fetch(`${ui.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa(`ann:${password}`)}` } })).status;

    beforeEach(() => {

        ({ page } = ui);
        ui.watched.expected.push(/401|ERR_CONNECTION_RESET/);
    });

    it('in the account is used by the next try, as the former one does not count any more', async () => {

        await makeUser({});
        await logIn();
        await page.getByLabel('Current password', { exact: true }).fill(FIRST);
        await page.getByLabel('New password', { exact: true }).fill(SECOND);
        await cutLogin();
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByRole('main').getByText('Your password is changed, but the login with the new one has failed').waitFor();

        expect([await isValid(FIRST), await isValid(SECOND)]).to.equal([401, 200]);

        await page.getByRole('button', { name: 'Log in with the new password' }).click();
        await announced(page, 'Your password is changed.');
        await page.getByRole('button', { name: 'Change password' }).waitFor();
    });

    it('at the login is used by the next try', async () => {

        await makeUser({ requirePasswordChange: true });
        await logIn();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('New password').fill(SECOND);
        await cutLogin();
        await dialog.getByRole('button', { name: 'Change password and log in' }).click();
        await dialog.getByText('Your password is changed, but the login with the new one has failed').waitFor();
        await holds(dialog.getByLabel('Password', { exact: true }), SECOND);

        expect(await dialog.getByLabel('New password').count()).to.equal(0);

        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByText('Current password').first().waitFor();
    });
});
