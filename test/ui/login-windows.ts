/** A session that ends, and is renewed at a real OpenID Connect provider in a window of its own: the page stays, with all that was entered. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, findingsOnEachScreen, hasBrowser, holds, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { AUDIENCE, startProvider, type TestProvider } from '../support/login-provider.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = { type: 'object', properties: { title: { type: 'string', title: 'Title' } } };

describe('a login at a provider while the page stays', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let provider: TestProvider;
    let folder: string;
    let watched: WatchedPage;
    let page: Page;
    /** Complaints about the pages of this service in other windows. */
    let complaints: string[];

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    before(async () => {

        provider = await startProvider({ 'ann-1': { preferred_username: 'ann', groups: ['curators'] }, 'bob-1': { preferred_username: 'bob' } });
        folder = await mkdtemp(join(tmpdir(), 'gateway-ui-windows-'));
        await writeFile(join(folder, 'providers.json'), JSON.stringify([
            { issuer: provider.issuer, audience: AUDIENCE, groups: { curators: 'test/curators' }, name: 'institute', title: 'The institute', clientId: 'browser' }
        ]));
        [test, browser] = await Promise.all([startServer({ OIDC_PROVIDERS: join(folder, 'providers.json') }), startBrowser()]);
        await provider.allow(`${test.url}/auth/callback/institute`);
        await ask('PUT', '/schemas/Note', NOTE);
    });

    after(async () => {

        await browser.close();
        await Promise.all([test.stop(), provider.stop()]);
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        provider.headers.clear();
        await ask('DELETE', '/objects/test/note');
        expect((await ask('POST', '/objects?type=Note&handle=test/note', { title: 'A note' })).status).to.equal(200);
        expect((await ask('PUT', '/acls/test/note', { readers: ['public'], writers: ['authenticated'] })).status).to.equal(200);
        watched = await openPage(browser, test.url);
        ({ page } = watched);
        complaints = [];
        watched.expected.push(/401/, new RegExp(`${provider.issuer.replaceAll('.', '\\.')}|fonts\\.googleapis\\.com`));
        await page.context().route('https://fonts.googleapis.com/**', (route) => route.abort());
        page.context().on('console', (message) => message.type() === 'error' && message.location().url.startsWith(test.url) && complaints.push(message.text()));
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
        expect(complaints.filter((each) => !each.includes('401'))).to.equal([]);
    });

    const atProvider = async (window: Page, person = 'ann-1'): Promise<void> => {

        await window.locator('input[name=login]').fill(person);
        await window.locator('input[name=password]').fill('any');
        await window.locator('button[type=submit]').click();
        await window.getByRole('button', { name: /continue/i }).click();
    };

    /** Logs in by leaving the page, as nobody is logged in yet. */
    const logIn = async (): Promise<void> => {

        await page.goto(`${test.url}/#nowhere`);
        await page.getByRole('button', { name: 'Log in' }).first().click();
        await page.getByRole('dialog', { name: 'Log in' }).getByRole('button', { name: 'Log in at The institute' }).click();
        await atProvider(page);
        await page.getByRole('button', { name: 'ann@institute' }).waitFor();
        await page.context().clearCookies({ domain: new URL(provider.issuer).hostname, name: /^_(session|interaction)/ });
    };

    /** Enters something, and chooses a file, which no draft keeps; the session ends before it is saved. */
    const enter = async (): Promise<Locator> => {

        await page.goto(`${test.url}/#objects/test/note?edit`);
        await page.getByLabel('Title').fill('Entered before the session ended');
        await page.locator('input[type=file]').first().setInputFiles({ name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('chosen') });
        await page.getByText('chosen.txt').first().waitFor();
        await watched.idle();
        const [cookie] = (await page.context().cookies(test.url)).filter(({ name }) => name === 'doip-session');
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const login = page.getByRole('dialog', { name: 'Your session has ended' });
        await login.waitFor();
        await login.getByRole('button', { name: 'Log in at The institute' }).waitFor();
        return login;
    };

    const openWindow = async (login: Locator): Promise<Page> => {

        const [window] = await Promise.all([page.waitForEvent('popup'), login.getByRole('button', { name: 'Log in at The institute' }).click()]);
        await window.locator('input[name=login]').waitFor();
        return window;
    };

    const stored = async (): Promise<Record<string, unknown>> => await (await ask('GET', '/objects/test/note?full')).json() as Record<string, unknown>;

    for (const [kind, headers] of [['as it is', []], ['that cuts windows off', [['cross-origin-opener-policy', 'same-origin']]]] as const) {
        it(`keeps what was entered, and stores it afterwards, with a provider ${kind}`, async () => {

            headers.forEach(([name, value]) => provider.headers.set(name, value));
            await logIn();
            const login = await enter();
            expect(await findingsOnEachScreen(page)).to.equal([]);
            const window = await openWindow(login);
            await login.getByText('Log in at The institute in the window that has opened').waitFor();
            expect(await findingsOnEachScreen(page)).to.equal([]);
            expect(await window.evaluate('window.opener')).to.be.null();

            const closed = window.waitForEvent('close');
            await atProvider(window);
            await login.waitFor({ state: 'detached' });
            await closed;
            await until(async () => (await stored())['content'] instanceof Object && JSON.stringify(await stored()).includes('Entered before'));

            expect(await (await ask('GET', '/objects/test/note?payload=chosen.txt')).text()).to.equal('chosen');
            // Neither a verifier nor a code is left anywhere.
            expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).to.equal('{}');
        });
    }

    it('can be given up, and another window opened; what the first one brings is of no use then', async () => {

        await logIn();
        const login = await enter();
        const first = await openWindow(login);
        await login.getByRole('button', { name: 'Do not wait for it' }).click();
        expect(await login.getByText('in the window that has opened').count()).to.equal(0);
        expect(await page.evaluate('document.activeElement.textContent')).to.equal('Log in at The institute');
        await atProvider(first);
        await first.getByText('does not wait for it any more').waitFor();
        expect(await accessibilityFindings(first)).to.equal([]);
        expect(first.url()).to.equal(`${test.url}/`);
        expect(await login.isVisible()).to.be.true();

        await first.close();
        await page.context().clearCookies({ name: /^_(session|interaction)/ });
        const second = await openWindow(login);
        await atProvider(second);
        await login.waitFor({ state: 'detached' });
        await until(async () => JSON.stringify(await stored()).includes('Entered before'));
    });

    it('does not give what was entered to somebody else who is logged in at the provider', async () => {

        await logIn();
        const login = await enter();
        const window = await openWindow(login);
        const closed = window.waitForEvent('close');
        await atProvider(window, 'bob-1');
        await closed;
        await login.getByText('bob@institute has logged in.').waitFor();
        expect(await findingsOnEachScreen(page)).to.equal([]);
        await holds(page.getByLabel('Title'), 'Entered before the session ended');
        expect(JSON.stringify(await stored())).to.not.include('Entered before');

        await page.context().clearCookies({ name: /^_(session|interaction)/ });
        await atProvider(await openWindow(login));
        await login.waitFor({ state: 'detached' });
        await until(async () => JSON.stringify(await stored()).includes('Entered before'));
        expect(await (await ask('GET', '/objects/test/note?payload=chosen.txt')).text()).to.equal('chosen');
    });

    it('says in the dialog that somebody has cancelled it at the provider', async () => {

        await logIn();
        const login = await enter();
        const window = await openWindow(login);
        const closed = window.waitForEvent('close');
        await window.getByRole('link', { name: /cancel/i }).click();
        await login.getByText('The login was cancelled.').waitFor();
        await closed;

        await holds(page.getByLabel('Title'), 'Entered before the session ended');
    });

    it('says that no window was opened, and what is lost by leaving the page', async () => {

        await logIn();
        const login = await enter();
        await page.evaluate('window.open = () => null');
        await login.getByRole('button', { name: 'Log in at The institute' }).click();
        await login.getByText('The browser has not opened a window.').waitFor();
        expect(await findingsOnEachScreen(page)).to.equal([]);

        page.on('dialog', (dialog) => void dialog.accept());
        await login.getByRole('button', { name: 'Leave this page and log in at The institute' }).click();
        await atProvider(page);
        await page.getByRole('button', { name: 'ann@institute' }).waitFor();
    });

    it('takes nothing that another page brings, by whatever address', async () => {

        await logIn();
        const login = await enter();
        const window = await openWindow(login);
        const sessions: string[] = [];
        page.context().on('request', (request) => request.method() === 'POST' && request.url().endsWith('/session') && sessions.push(request.url()));

        const hostile = await page.context().newPage();
        for (const query of ['login_window=guessed&login_code=code', 'login_window=&login_code=code', 'login_window=guessed&login_error=access_denied', 'login_window=guessed']) {
            await hostile.goto(`${test.url}/?${query}`);
            await hostile.getByText('does not wait for it any more').waitFor();
            expect(hostile.url()).to.equal(`${test.url}/`);
        }

        expect(sessions).to.equal([]);
        expect(await login.getByRole('alert').count()).to.equal(0);

        // The login that the page has begun goes on.
        await atProvider(window);
        await login.waitFor({ state: 'detached' });
    });
});
