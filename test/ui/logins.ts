/** Logins of the web UI that are not by password, in a real browser: by a private key, and at a real OpenID Connect provider. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holds, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { AUDIENCE, startProvider, type TestProvider } from '../support/login-provider.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

describe('logins of the web UI without a password', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let provider: TestProvider;
    let folder: string;
    let watched: WatchedPage;
    let page: Page;

    before(async () => {

        provider = await startProvider({ 'ann-1': { preferred_username: 'ann', groups: ['curators'] } });
        folder = await mkdtemp(join(tmpdir(), 'gateway-ui-logins-'));
        await writeFile(join(folder, 'providers.json'), JSON.stringify([
            { issuer: provider.issuer, audience: AUDIENCE, groups: { curators: 'test/curators' }, name: 'institute', title: 'The institute', clientId: 'browser' }
        ]));
        [test, browser] = await Promise.all([startServer({ OIDC_PROVIDERS: join(folder, 'providers.json') }), startBrowser()]);
        await provider.allow(`${test.url}/auth/callback/institute`);
    });

    after(async () => {

        await browser.close();
        await Promise.all([test.stop(), provider.stop()]);
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const openDialog = async (): Promise<Locator> => {

        await page.goto(`${test.url}/#nowhere`);
        await page.getByRole('button', { name: 'Log in' }).first().click();
        return page.getByRole('dialog', { name: 'Log in' });
    };

    /** The pages of the provider are of another origin, want a font of a third one, and are not ours to judge. */
    const allowProvider = async (): Promise<void> => {

        watched.expected.push(new RegExp(`${provider.issuer.replaceAll('.', '\\.')}|fonts\\.googleapis\\.com`));
        await page.route('https://fonts.googleapis.com/**', (route) => route.abort());
    };

    const logInByKey = async (key: string): Promise<Locator> => {

        const dialog = await openDialog();
        await dialog.getByRole('button', { name: 'Log in with a private key' }).click();
        await dialog.getByLabel('Id of the user').fill('admin');
        await dialog.getByLabel('Private key (JWK)').fill(key);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        return dialog;
    };

    const headers = { Authorization: AUTHORIZATION };

    const design = async (): Promise<object> => await (await fetch(`${test.url}/objects/design`, { headers })).json() as object;

    const trustKey = async (key: object): Promise<void> => {

        const response = await fetch(`${test.url}/objects/design`, { method: 'PUT', headers, body: JSON.stringify({ ...await design(), adminPublicKey: key }) });
        expect(response.status, await response.text()).to.equal(200);
    };

    const KEYS = [
        ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })], ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })]
    ] as const;
    for (const [kind, generate] of KEYS) {
        it(`sign an assertion by a private key of the kind ${kind}, which does not leave the browser`, async () => {

            const { publicKey, privateKey } = generate();
            const secret = privateKey.export({ format: 'jwk' });
            await trustKey(publicKey.export({ format: 'jwk' }));
            const sent: string[] = [];
            page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''} ${JSON.stringify(request.headers())}`));
            await logInByKey(JSON.stringify(secret));
            await page.getByRole('link', { name: 'Administration' }).waitFor();
            await page.reload();
            await page.getByRole('link', { name: 'Administration' }).waitFor();

            expect(sent.some((each) => each.includes('"assertion"'))).to.be.true();
            expect(sent.filter((each) => each.includes(secret.d ?? 'no key'))).to.equal([]);
            expect(await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).to.not.include(secret.d ?? 'no key');
        });
    }

    it('renew a session by the key of its user, whose id is there, and lose nothing', async () => {

        watched.expected.push(/401/);
        const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        await trustKey(publicKey.export({ format: 'jwk' }));
        const key = JSON.stringify(privateKey.export({ format: 'jwk' }));
        await logInByKey(key);
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        await page.goto(`${test.url}/#schemas`);
        await page.getByRole('button', { name: 'New type' }).click();
        await page.getByRole('dialog').getByLabel(/^Name/).fill('Renewed');
        const [cookie] = await page.context().cookies(test.url);
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
        const renewal = page.getByRole('dialog', { name: 'Your session has ended' });
        await renewal.getByRole('button', { name: 'Log in with a private key' }).click();
        await holds(renewal.getByLabel('Id of the user'), 'admin');
        await renewal.getByLabel('Private key (JWK)').fill(key);
        await renewal.getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('heading', { name: 'Renewed', exact: true }).waitFor();
    });

    it('are asked for again after a change of the key of the administrator on a page, which is stored and ends the session', async () => {

        watched.expected.push(/401/);
        const [former, next] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' })) as [KeyPairKeyObjectResult, KeyPairKeyObjectResult];
        await trustKey(former.publicKey.export({ format: 'jwk' }));
        await logInByKey(JSON.stringify(former.privateKey.export({ format: 'jwk' })));
        await page.getByRole('link', { name: 'Administration' }).waitFor();
        await page.goto(`${test.url}/#admin/design?tab=json`);
        await page.getByRole('textbox', { name: 'The design as JSON' }).click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText(JSON.stringify({ ...await design(), adminPublicKey: next.publicKey.export({ format: 'jwk' }) }));
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const renewal = page.getByRole('dialog', { name: 'Your session has ended' });
        await renewal.getByRole('button', { name: 'Log in with a private key' }).click();
        await renewal.getByLabel('Private key (JWK)').fill(JSON.stringify(next.privateKey.export({ format: 'jwk' })));
        await renewal.getByRole('button', { name: 'Log in', exact: true }).click();
        await renewal.waitFor({ state: 'detached' });
        await announced(page, 'The design is saved.');

        expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).to.equal(0);
    });

    it('say what is wrong with a key, keep it in the form, and have no accessibility findings', async () => {

        watched.expected.push(/401/);
        const dialog = await logInByKey('-----BEGIN PRIVATE KEY-----');
        await dialog.getByRole('alert').getByText('The key is not JSON.').waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
        const key = JSON.stringify(privateKey.export({ format: 'jwk' }));
        await dialog.getByLabel('Private key (JWK)').fill(key);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.getByRole('alert').getByText(/wrong|key/i).waitFor();

        await holds(dialog.getByLabel('Private key (JWK)'), key);
    });

    it('lead to the pages of a provider and back to where the user was', async () => {

        await allowProvider();
        await page.goto(`${test.url}/#objects/?query=anything`);
        await page.getByRole('button', { name: 'Log in' }).first().click();
        await page.getByRole('dialog', { name: 'Log in' }).getByRole('button', { name: 'Log in at The institute' }).click();
        await page.locator('input[name=login]').fill('ann-1');
        await page.locator('input[name=password]').fill('any');
        await page.locator('button[type=submit]').click();
        await page.getByRole('button', { name: /continue/i }).click();
        await page.getByRole('button', { name: 'ann@institute' }).waitFor();

        expect(new URL(page.url()).hash).to.equal('#objects/?query=anything');
        expect(new URL(page.url()).search).to.equal('');
        const [cookie] = (await page.context().cookies(test.url)).filter(({ name }) => name === 'doip-session');

        expect(cookie).to.include({ httpOnly: true, sameSite: 'Strict' });
        // Neither the verifier nor a token is left in the browser.
        expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).to.equal('{}');
        expect(await page.evaluate<string>('JSON.stringify(localStorage)')).to.not.include(cookie?.value ?? '');
    });

    it('say that a login at a provider was cancelled', async () => {

        await allowProvider();
        await page.goto(`${test.url}/#objects/?query=anything`);
        await page.getByRole('button', { name: 'Log in' }).first().click();
        await page.getByRole('dialog', { name: 'Log in' }).getByRole('button', { name: 'Log in at The institute' }).click();
        await page.locator('input[name=login]').waitFor();
        await page.getByRole('link', { name: /cancel/i }).click();
        await page.locator('.messages').getByText(/cancelled/).waitFor();

        expect(new URL(page.url()).hash).to.equal('#objects/?query=anything');
    });
});
