/** The start page of the web UI: the first steps in an empty service, its demo data, and the overview of a full one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser } from 'playwright-core';
import { accessibilityFindings, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { freePorts } from '../support/free-ports.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

const AS_ADMIN = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`, 'content-type': 'application/json' };

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the start page of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        browser = await startBrowser();
    });

    after(() => browser.close());

    beforeEach(async () => {

        test = await startServer();
        watched = await openPage(browser, test.url);
    });

    afterEach(async () => {

        await watched.close();
        await test.stop();
        expect(watched.complaints).to.equal([]);
    });

    const logIn = ({ page } = watched, { url } = test): Promise<void> => logInAsAdmin(page, url);

    const expectAccessible = async (): Promise<void> => {

        for (const colorScheme of ['light', 'dark'] as const) {
            for (const width of [1280, 360]) {
                await watched.page.setViewportSize({ width, height: 800 });
                await watched.page.emulateMedia({ colorScheme });

                expect(await accessibilityFindings(watched.page), `${colorScheme} ${width}`).to.equal([]);
                expect(await watched.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${colorScheme} ${width}`).to.be.true();
            }
        }
    };

    it('asks for a login in an empty service, says which, and then shows the first steps', async () => {

        const { page } = watched;
        await page.goto(test.url);
        const main = page.getByRole('main');
        await main.getByText('npx doip-gateway set-admin-password').first().waitFor();
        await expectAccessible();
        await main.getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await main.getByRole('heading', { name: 'Make a type' }).waitFor();

        expect(await main.getByRole('link').evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash)))
            .to.equal(['#schemas', '#create/Document', '#admin/users']);
        await expectAccessible();
    });

    it('loads demo data, whose works are found with their painters, and then shows what there is', async () => {

        const { page } = watched;
        await logIn();
        await page.goto(test.url);
        await page.getByRole('button', { name: 'Load the demo data' }).click();
        await page.getByRole('link', { name: 'The Great Wave off Kanagawa' }).waitFor();
        await page.goto(`${test.url}/#`);
        const main = page.getByRole('main');
        await main.getByRole('heading', { name: 'Recent changes' }).waitFor();

        expect(await main.getByRole('region', { name: 'Objects by type' }).getByRole('listitem').allInnerTexts())
            .to.include(['Work\n15', 'Painter\n9', 'Museum\n7']);
        await main.getByRole('region', { name: 'Changed by me' }).getByRole('link').first().waitFor();
        // The last change of the demo data is a picture.
        const latest = main.getByRole('region', { name: 'Recent changes' }).getByRole('listitem').first();
        await latest.getByRole('link', { name: 'The Ten Largest, No. 7' }).waitFor();
        await latest.getByText('by').getByText('admin').waitFor();

        expect(await latest.innerText()).to.match(/Work.*(?:now|ago)/s);
        await expectAccessible();
        await main.getByRole('link', { name: 'Painter', exact: true }).click();
        await page.getByRole('link', { name: 'Hilma af Klint' }).waitFor();
    });

    it('says so when the service stops while it loads the demo data, and loads the rest later', async () => {

        const folder = await mkdtemp(join(tmpdir(), 'gateway-demo-'));
        const DATA_DIR = join(folder, 'data');
        let own = await startServer({ DATA_DIR, PORT: await freePorts() });
        const visit = await openPage(browser, own.url);
        visit.expected.push(/ERR_|status of 50\d/);
        const { page } = visit;
        await logIn(visit, own);
        await page.goto(own.url);
        let stopping: Promise<void> | null = null;
        await page.route(/demo-wanderer/, async (route) => {

            await (stopping ??= own.stop());
            await route.abort('connectionrefused');
        });
        await page.getByRole('button', { name: 'Load the demo data' }).click();
        await page.getByText('The service does not respond').first().waitFor();

        await page.unrouteAll();
        own = await startServer({ DATA_DIR, PORT: own.port });
        const answered = async (path: string, init: RequestInit = {}): Promise<unknown> => (await fetch(own.url + path, { ...init, headers: AS_ADMIN })).json();
        await answered('/objects/test/demo-wave', { method: 'PUT', body: '{"title":"My wave"}' });
        await answered('/objects/test/demo-fuji', { method: 'DELETE' });
        await page.reload();
        const main = page.getByRole('main');
        await main.getByRole('heading', { name: 'Some of the demo data are missing' }).waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);
        await page.context().setOffline(true);
        await main.getByRole('button', { name: 'Load what is missing' }).click();
        await main.getByRole('alert').getByText('The service does not respond').waitFor();
        await page.context().setOffline(false);
        await main.getByRole('button', { name: 'Load what is missing' }).click();
        await page.getByRole('link', { name: 'The Ten Largest, No. 7' }).waitFor();

        const found = await answered(`/search?query=${encodeURIComponent('id:test/demo*')}&pageSize=100&filter=${encodeURIComponent('["/id","/payloads"]')}`) as
            { readonly results: readonly { readonly id: string; readonly payloads?: readonly object[] }[] };
        const { size } = await answered('/search?query=type:Work&ids') as { readonly size: number };
        expect(found.results.length).to.equal(34);
        expect(size).to.equal(15);
        expect(found.results.filter(({ payloads = [] }) => payloads.length === 1).map(({ id }) => id).sort())
            .to.equal(['almond', 'ten-largest', 'wanderer', 'wave'].map((key) => `test/demo-${key}`));
        expect(await answered('/objects/test/demo-wave')).to.equal({ title: 'My wave' });
        await page.goto(`${own.url}/#`);
        await main.getByRole('heading', { name: 'Recent changes' }).waitFor();
        expect(await main.getByRole('button', { name: 'Load what is missing' }).count()).to.equal(0);
        await visit.close();
        await own.stop();
        await rm(folder, { recursive: true });
        expect(visit.complaints).to.equal([]);
    });
});
