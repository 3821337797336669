/** Responses that arrive in another order than their requests were sent: an older one does not replace what is newer. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { Newest } from '../../ui/src/state/newest.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

describe('the newest answer', () => {

    it('is that to the question that was asked last, in whatever order answers arrive', () => {

        const newest = new Newest();
        const [first, second, third, fourth] = [newest.ask(), newest.ask(), newest.ask(), newest.ask()] as const;

        expect([second(), first(), fourth(), third()]).to.equal([true, false, true, false]);
        expect(newest.ask()()).to.be.true();
    });
});

describe('responses that arrive late in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    beforeEach(async () => {

        ({ page } = ui);
    });

    /** Holds the response to the first request of a path, which is made at once; the function lets it arrive. */
    const holdFirst = async (path: string): Promise<() => Promise<void>> => {

        let open = (): void => undefined;
        const opened = new Promise<void>((resolve) => {

            open = resolve;
        });
        await page.route((url) => url.pathname === path, async (route) => {

            const response = await route.fetch();
            await opened;
            await route.fulfill({ response });
        }, { times: 1 });
        return async () => {

            const arrived = page.waitForResponse((response) => new URL(response.url()).pathname === path);
            open();
            await (await arrived).finished();
            await ui.watched.idle();
        };
    };

    it('do not take a type away that was stored meanwhile', async () => {

        await logInAsAdmin(page, ui.url);
        const release = await holdFirst('/design');
        await page.goto(`${ui.url}/#schemas`);
        await page.getByRole('button', { name: 'Load from a file' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('input[type=file]').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from('{"Stored": {"type": "object"}}') });
        await dialog.getByRole('button', { name: 'Store' }).click();
        const link = page.getByRole('main').getByRole('link', { name: 'Stored', exact: true });
        await link.waitFor();
        await release();

        expect(await link.count()).to.equal(1);
    });

    it('do not log out somebody who has logged in meanwhile', async () => {

        const release = await holdFirst('/session');
        await page.goto(`${ui.url}/#nowhere`);
        await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog', { name: 'Log in' });
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        const account = page.getByRole('banner').getByRole('button', { name: 'admin', exact: true });
        await account.waitFor();
        await release();

        expect(await account.count()).to.equal(1);
    });

    it('of a script that comes after the modules are not kept for later questions', async () => {

        await logInAsAdmin(page, ui.url);
        let open = (): void => undefined;
        const opened = new Promise<void>((resolve) => {

            open = resolve;
        });
        await page.route((url) => /\/first-[^/]+\.js$/.test(url.pathname), async (route) => {

            await opened;
            await route.fallback();
        });
        await page.goto(`${ui.url}/#schemas`, { waitUntil: 'commit' });
        await page.getByRole('main').getByRole('link', { name: 'Document', exact: true }).waitFor();
        open();
        await page.waitForLoadState('load');
        await ui.watched.idle();
        await page.getByRole('button', { name: 'Load from a file' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('input[type=file]').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from('{"Newest": {"type": "object"}}') });
        await dialog.getByRole('button', { name: 'Store' }).click();
        await dialog.waitFor({ state: 'detached' });
        await ui.watched.idle();

        expect(await page.getByRole('main').getByRole('link', { name: 'Newest', exact: true }).count()).to.equal(1);
    });
});
