/** The frame of the web UI in a real browser: the page, its policy, routes, login, languages, themes. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, holds, logInAsAdmin, openBeside, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the frame of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
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

    it('is shown at the front and at its own path, without complaints of the browser', async () => {

        const { page } = watched;
        for (const path of ['/', '/ui', '/ui/', '/cordra/']) {
            await page.goto(test.url + path);
            // The title of the repository comes with its design, after the page.
            await page.getByRole('banner').getByText('Digital Object Repository').first().waitFor();

            expect(await page.title(), path).to.contain('Digital Object Repository');
        }
    });

    it('has no accessibility findings, in light and dark, wide and narrow', async () => {

        const { page } = watched;
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').first().waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
            for (const width of [1280, 360]) {
                await page.setViewportSize({ width, height: 800 });
                await page.emulateMedia({ colorScheme });

                expect(await accessibilityFindings(page), `${colorScheme} ${width}`).to.equal([]);
            }
        }
    });

    const logIn = async (page: Page, password = ADMIN_PASSWORD): Promise<void> => {

        await page.getByRole('button', { name: 'Log in' }).first().click();
        const dialog = page.getByRole('dialog', { name: 'Log in' });
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(password);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    };

    it('logs in by a password, keeps the login when the page is loaded again, and logs out', async () => {

        const { page } = watched;
        await page.goto(`${test.url}/#nowhere`);
        await logIn(page);
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        await page.reload();
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        await watched.idle();
        const cookies = await page.context().cookies();

        expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).to.equal([{ name: 'doip-session', httpOnly: true, sameSite: 'Strict' }]);
        expect(await page.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).to.not.contain(cookies[0]!.value);

        await page.getByRole('button', { name: 'admin' }).click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await page.getByText('You are logged out.').first().waitFor();

        expect(await page.getByRole('link', { name: 'Administration' }).count()).to.equal(0);
        expect(await page.context().cookies()).to.equal([]);
    });

    it('says that a password is wrong, keeps the dialog open, and has no accessibility findings in it', async () => {

        const { page, expected } = watched;
        expected.push(/401/);
        await page.goto(`${test.url}/#nowhere`);
        await logIn(page, 'wrong');
        await page.getByRole('alert').getByText('Name or password is wrong.').first().waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);

        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    it('asks for a login when the session has ended, and goes on where the user was', async () => {

        const { page, expected } = watched;
        expected.push(/401/);
        await page.goto(`${test.url}/#nowhere`);
        await logIn(page);
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        const cookies = await page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookies[0]!.value }) });
        await page.goto(`${test.url}/#admin/account`);
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.waitFor();

        await holds(dialog.getByLabel('Name or id'), 'admin');

        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });

        expect(await page.evaluate('location.hash')).to.equal('#admin/account');
    });

    it('has nothing of the former user when somebody else logs in after a session has ended', async () => {

        const { page, expected } = watched;
        const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
        const ask = (method: string, path: string, body?: string): Promise<Response> => fetch(test.url + path, { method, headers: { authorization }, ...body === undefined ? {} : { body } });
        expect((await ask('POST', '/objects?type=User', '{"username": "bob", "password": "password of bob"}')).status).to.equal(200);
        expected.push(/401/);
        await page.goto(`${test.url}/#create/Document`);
        await logIn(page);
        await page.getByLabel('Name', { exact: true }).fill('of the former user');
        await watched.idle();
        const cookies = await page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookies[0]!.value }) });
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.getByLabel('Name or id').fill('bob');
        await dialog.getByLabel('Password', { exact: true }).fill('password of bob');
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('banner').getByRole('button', { name: 'bob' }).waitFor();
        await until(async () => await page.getByLabel('Name', { exact: true }).inputValue() === '');
        const found = await ask('GET', `/search?query=${encodeURIComponent('"of the former user"')}`);

        expect((await found.json() as { size: number }).size).to.equal(0);
    });

    it('shows all links of its navigation on phones', async () => {

        const { page } = watched;
        await logInAsAdmin(page, test.url);
        for (const width of [390, 360, 320]) {
            await page.setViewportSize({ width, height: 740 });
            for (const code of ['en-GB', 'de-DE', 'fr-FR']) {
                await page.goto(`${test.url}/#nowhere`);
                await page.evaluate(`localStorage.setItem('doip-gateway-language', ${JSON.stringify(code.slice(0, 2))})`);
                await page.reload();
                await page.locator('nav a[href="#admin"]').waitFor();
                await page.locator('nav .menu').first().waitFor();
                const beyond = await page.evaluate(`[...document.querySelectorAll('nav > *')]
                    .filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)`);

                expect(beyond, `${width} px, ${code}`).to.equal([]);
            }
        }
    });

    it('goes on when a part of it fails, which says so, and is shown again at another address', async () => {

        const { page } = watched;
        watched.expected.push(/broken on purpose/);
        await page.addInitScript('Intl.NumberFormat = class { format() { throw new Error("broken on purpose"); } };');
        await page.goto(`${test.url}/#objects/?query=*:*`);
        await page.getByRole('main').getByRole('alert').getByText('broken on purpose').waitFor();
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').first().waitFor();
        await page.getByRole('combobox', { name: /Search/ }).first().waitFor();
    });

    it('is operated by keys: the search by a slash, menus by arrows and Escape, the content by the first link', async () => {

        const { page } = watched;
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').first().waitFor();
        // The page may not listen yet. A slash is not typed into the field, as it takes the focus with that key.
        await until(async () => {

            if (await page.evaluate('document.activeElement.getAttribute("role")') !== 'combobox') {
                await page.keyboard.press('/');
                return false;
            }

            return true;
        });
        await page.keyboard.type('nothing is so called');
        await page.keyboard.press('Enter');
        await page.waitForURL(/#objects\/\?query=nothing\+is\+so\+called/);
        // A new screen takes the focus.
        await page.locator('main.screen-search').getByRole('heading', { level: 1 }).waitFor();
        await page.getByRole('button', { name: 'Appearance' }).press('Enter');
        // The first entry takes the focus after the menu is drawn.
        await until(async () => /^Appearance: As the system/.test(await page.evaluate<string>('document.activeElement.textContent')));
        await page.keyboard.press('ArrowDown');
        await until(async () => await page.evaluate('document.activeElement.textContent') === 'Appearance: Light');

        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
        await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');

        expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    });

    it('speaks the language of the browser, and another one that the user chooses', async () => {

        const german = await openPage(browser, test.url, { locale: 'de-AT' });
        try {
            await german.page.goto(`${test.url}/#nowhere`);
            await german.page.getByRole('button', { name: 'Anmelden' }).waitFor();
            await german.page.getByRole('button', { name: 'Darstellung' }).click();
            await german.page.getByRole('menuitem', { name: 'Français' }).click();
            await german.page.getByRole('button', { name: 'Se connecter' }).waitFor();
            await german.page.reload();
            await german.page.getByRole('button', { name: 'Se connecter' }).waitFor();

            expect(await german.page.evaluate('document.documentElement.lang')).to.equal('fr');
            const beside = await openBeside(german.page, test.url);
            await beside.page.goto(`${test.url}/#nowhere`);
            await beside.page.getByRole('button', { name: 'Apparence' }).click();
            await beside.page.getByRole('menuitem', { name: 'English' }).click();
            await german.page.getByRole('button', { name: 'Log in' }).waitFor();
            expect(beside.complaints).to.equal([]);
            expect(german.complaints).to.equal([]);
        }
        finally {
            await german.close();
        }
    });

    it('keeps the appearance that the user chooses: after a reload, in pages that are open, and in new ones', async () => {

        const { page } = watched;
        const colours = ({ page: shown }: WatchedPage): Promise<string> => shown.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        const choose = async (name: string): Promise<void> => {

            await page.getByRole('button', { name: 'Appearance' }).click();
            await page.getByRole('menuitem', { name: `Appearance: ${name}` }).click();
        };

        const beside = await openBeside(page, test.url);
        for (const each of [watched, beside]) {
            await each.page.emulateMedia({ colorScheme: 'light' });
            await each.page.goto(`${test.url}/#nowhere`);
            await each.page.getByText('There is no page').first().waitFor();
        }

        const light = await colours(watched);
        await choose('Dark');
        await until(async () => await colours(watched) !== light);
        const dark = await colours(watched);
        await until(async () => await colours(beside) === dark);
        await page.reload();
        await page.getByText('There is no page').first().waitFor();

        expect(await colours(watched)).to.equal(dark);

        await page.emulateMedia({ colorScheme: 'dark' });
        await choose('Light');
        await until(async () => await colours(watched) === light && await colours(beside) === light);
        const later = await openBeside(page, test.url);
        await later.page.emulateMedia({ colorScheme: 'dark' });
        await later.page.goto(`${test.url}/#nowhere`);
        await later.page.getByText('There is no page').first().waitFor();

        expect(await colours(later)).to.equal(light);

        await choose('As the system');
        await until(async () => await colours(watched) === dark && await colours(beside) === light && await colours(later) === dark);
        await later.close();
        await beside.close();
        expect([...beside.complaints, ...later.complaints]).to.equal([]);
    });

    it('says that the service is away instead of showing an empty page', async () => {

        const { page, expected } = watched;
        expected.push(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
        await page.goto(`${test.url}/#nowhere`);
        await page.getByText('There is no page').first().waitFor();
        await page.context().setOffline(true);
        await page.goto(`${test.url}/#objects/?query=anything`).catch(() => undefined);
        await page.getByRole('alert').first().waitFor();
        await page.context().setOffline(false);
    });
});
