/** What the search and the screen of an object say when something goes wrong: no network, a service that restarts, a session that ends, objects that go. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { createSqlite, type TestDatabase } from '../support/database.js';
import { freePorts } from '../support/free-ports.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
const AWAY = /service does not (respond|answer)/;
const AGAIN = 'The page tries again by itself';
const BUILDING = 'the search index is being built, try again later';

/** What a screen asks for first. */
const isAsked = ({ pathname }: URL): boolean => /\/search$|\/objects\/test\/steady$/.test(pathname);

const BOOK = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } } } };

describe('the web UI, when something goes wrong,', { skip: !hasBrowser }, () => {

    let database: TestDatabase;
    let service: ServiceProcess;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    async function send(method: string, path: string, body?: string): Promise<string> {

        const response = await fetch(service.url + path, { method, headers: { Authorization: AUTHORIZATION }, ...body === undefined ? {} : { body } });
        const text = await response.text();
        expect(response.status, `${method} ${path}: ${text}`).to.equal(200);
        return text;
    }

    before(async () => {

        [database, browser] = await Promise.all([createSqlite(), startBrowser()]);
        service = await startProcess(database, { PORT: String(await freePorts()) });
        await send('PUT', '/schemas/Book', JSON.stringify(BOOK));
        await send('POST', '/objects?type=Book&handle=test/steady', '{"title":"Steady"}');
    });

    after(async () => {

        await browser.close();
        await service.kill();
        await database.dispose();
    });

    beforeEach(async () => {

        watched = await openPage(browser, service.url);
        ({ page } = watched);
        await logInAsAdmin(page, service.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    it('says on the search that there is no network, keeps what was typed, and goes on by itself when it is back', async () => {

        watched.expected.push(/ERR_INTERNET_DISCONNECTED/);
        await page.goto(`${service.url}/#objects/?query=type:Book`);
        await page.getByRole('link', { name: 'Steady' }).waitFor();
        await page.context().setOffline(true);
        const box = page.getByRole('combobox', { name: /^Search/ });
        await box.fill('steady');
        await box.press('Enter');
        const alert = page.getByRole('main').getByRole('alert');
        await alert.getByText(AWAY).waitFor();

        await holds(box, 'steady');
        expect(await accessibilityFindings(page)).to.equal([]);
        await page.context().setOffline(false);
        await page.getByRole('link', { name: 'Steady' }).waitFor();
    });

    it('says on an object that there is no network, and shows it by itself when it is back', async () => {

        watched.expected.push(/ERR_INTERNET_DISCONNECTED/);
        await page.goto(`${service.url}/#objects/test/steady`);
        await page.getByRole('heading', { level: 1, name: 'Steady' }).waitFor();
        await page.context().setOffline(true);
        await page.goto(`${service.url}/#objects/test/other`);
        await page.getByRole('main').getByRole('alert').getByText(AWAY).waitFor();
        await page.goto(`${service.url}/#objects/test/steady`);
        await page.getByRole('main').getByRole('alert').getByText(AWAY).waitFor();
        await page.context().setOffline(false);
        await page.getByRole('heading', { level: 1, name: 'Steady' }).waitFor();
    });

    it('goes on by itself with a service that was restarted, in the same session', async () => {

        // The end of the service may cut a response, such as that with the types.
        watched.expected.push(/ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET|ERR_INCOMPLETE/);
        await page.goto(`${service.url}/#objects/?query=type:Book`);
        await page.getByRole('link', { name: 'Steady' }).waitFor();
        const { port } = new URL(service.url);
        await service.kill();
        const box = page.getByRole('combobox', { name: /^Search/ });
        await box.fill('type:Book AND steady');
        await box.press('Enter');
        const alert = page.getByRole('main').getByRole('alert');
        await alert.getByText(AWAY).waitFor();
        await alert.getByText(AGAIN).waitFor();
        service = await startProcess(database, { PORT: port });
        await page.getByRole('link', { name: 'Steady' }).click();
        await page.getByRole('link', { name: 'Edit', exact: true }).waitFor();
    });

    for (const [what, path, fragment] of [
        ['the types', '/design', 'objects/test/steady?edit'], ['who is logged in', '/session', 'objects/test/steady?edit'], ['results', '/search', 'objects/?query=type:Book'],
        ['an object', '/objects/test/steady', 'objects/test/steady']
    ] as const) {
        it(`reads ${what} again by itself when the response was cut`, async () => {

            // As by a service that ends meanwhile.
            await page.addInitScript(`{
                const { fetch } = window;
                let isCut = false;
                window.fetch = async (input, init) => {
                    const response = await fetch(input, init);
                    if (isCut || new URL(String(input), location.href).pathname !== ${JSON.stringify(path)}) {
                        return response;
                    }
                    isCut = true;
                    document.documentElement.dataset.cut = 'yes';
                    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) });
                    return new Response(body, { status: 200, headers: response.headers });
                };
            }`);
            await page.goto(`${service.url}/#${fragment}`);
            await page.reload();
            await page.locator('html[data-cut]').waitFor({ state: 'attached' });
            await page.getByRole('main').getByText('Steady').first().waitFor();
            await page.getByRole('main').getByRole('alert').waitFor({ state: 'detached' });
        });
    }

    for (const [screen, fragment, shown] of [
        ['the start page', '', 'Recent changes'], ['the search', 'objects/?query=type:Book', '1 object'], ['an object', 'objects/test/steady', 'Steady'],
        ['the editor', 'objects/test/steady?edit', 'Edit Steady']
    ] as const) {
        it(`says on ${screen} that the service is starting, and asks again when it has said, but not sooner`, async () => {

            watched.expected.push(/503/);
            const asked: number[] = [];
            let isSeen = false;
            await page.route(isAsked, async (route) => {

                asked.push(performance.now());
                await (asked.length < 3 || !isSeen ? route.fulfill({ status: 503, headers: { 'Retry-After': '2' }, json: { message: BUILDING } }) : route.fallback());
            });
            await page.goto(`${service.url}/#${fragment}`);
            const alert = page.getByRole('main').getByRole('alert');
            await alert.getByText('The service is not ready. It may be starting.').waitFor();
            await alert.getByText(BUILDING).waitFor();
            await alert.getByText(AGAIN).waitFor();

            expect(await accessibilityFindings(page)).to.equal([]);
            isSeen = true;
            await page.getByRole('main').getByRole('heading', { name: shown }).waitFor();
            const [first = 0, second = 0, third = 0] = asked;
            expect([second - first, third - second].map((ms) => ms >= 2000), `${asked.join()}`).to.equal([true, true]);
        });
    }

    it('asks at once when the user wants it, and no more after the user has left', async () => {

        watched.expected.push(/503/);
        let asked = 0;
        await page.route(/\/objects\/test\/steady/, async (route) => {

            asked += 1;
            await route.fulfill({ status: 503, headers: { 'Retry-After': asked === 1 ? '3600' : '1' }, json: { message: BUILDING } });
        });
        await page.goto(`${service.url}/#objects/test/steady`);
        const again = page.getByRole('main').getByRole('button', { name: 'Try again' });
        await page.getByText(/in 3,[56]\d\d seconds/).waitFor();

        expect(asked).to.equal(1);
        await again.click();
        await until(() => asked >= 3);
        await page.goto(`${service.url}/#schemas`);
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
        await watched.idle();
        const atLeaving = asked;
        await page.waitForTimeout(3000);

        expect(asked).to.equal(atLeaving);
    });

    it('reads who is logged in and what there is when the service was away at the start of the page', async () => {

        watched.expected.push(/503/);
        let asked = 0;
        let isSeen = false;
        await page.route(/\/(session|design)$/, async (route) => {

            asked += 1;
            await (asked <= 4 || !isSeen ? route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { message: BUILDING } }) : route.fallback());
        });
        await page.goto(`${service.url}/#create/Book`);
        const notice = page.locator('.messages').getByText('the page goes on when the service is back');
        await notice.waitFor();
        isSeen = true;
        await page.getByRole('textbox', { name: 'Title' }).waitFor();
        await notice.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'admin' }).waitFor();
    });

    it('asks for a login when a session has ended during a search, and searches again', async () => {

        watched.expected.push(/401/);
        await page.goto(`${service.url}/#objects/?query=type:Book`);
        await page.getByRole('link', { name: 'Steady' }).waitFor();
        await watched.idle();
        const [cookie] = await page.context().cookies();
        await fetch(`${service.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        const box = page.getByRole('combobox', { name: /^Search/ });
        await box.fill('steady');
        await box.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByRole('link', { name: 'Steady' }).waitFor();

        await holds(box, 'steady');
    });

    it('says that a result was deleted since the search, and searches anew', async () => {

        watched.expected.push(/404/);
        await send('POST', '/objects?type=Book&handle=test/fading', '{"title":"Fading"}');
        await page.goto(`${service.url}/#objects/?query=${encodeURIComponent('/title:fading')}`);
        const link = page.getByRole('link', { name: 'Fading' });
        await link.waitFor();
        await send('DELETE', '/objects/test/fading');
        await link.click();
        await page.getByRole('heading', { level: 1, name: 'There is no object “test/fading”' }).waitFor();
        await page.goBack();
        await page.getByRole('heading', { level: 1, name: 'Nothing was found for' }).waitFor();
    });

    it('says that an object was deleted while its rights were edited, and keeps what was entered', async () => {

        watched.expected.push(/40[49]|412/);
        await send('POST', '/objects?type=Book&handle=test/leaving', '{"title":"Leaving"}');
        await page.goto(`${service.url}/#objects/test/leaving?tab=rights`);
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await page.getByRole('button', { name: 'Remove everyone' }).click();
        await send('DELETE', '/objects/test/leaving');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').first().waitFor();

        expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(1);
        expect(await page.getByRole('button', { name: 'Remove everyone' }).count()).to.equal(0);
    });

    it('shows the progress of an update of handles again after the service was away', async () => {

        watched.expected.push(/status of 503/);
        let answer: object = { status: 200, json: { inProgress: true, total: 9, progress: 3, startTime: 1, exceptionCount: 0 } };
        await page.route(/\/updateHandles$/, (route) => route.fulfill(answer));
        await page.goto(`${service.url}/#admin/handles`);
        await page.getByRole('progressbar').waitFor();
        answer = { status: 503, json: { message: 'The service is starting.' } };
        const alert = page.getByRole('main').getByRole('alert');
        await alert.waitFor();
        answer = { status: 200, json: { inProgress: false, total: 9, progress: 9, startTime: 1, exceptionCount: 0 } };
        await page.getByText('9 of 9 records are updated').waitFor();

        expect(await alert.count()).to.equal(0);
    });

    it('keeps what was entered about an object while that cannot be read again', async () => {

        watched.expected.push(/503/);
        await send('POST', '/objects?type=Book&handle=test/kept', '{"title":"Kept"}');
        await page.goto(`${service.url}/#objects/test/kept?tab=rights`);
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        const entry = page.getByRole('button', { name: 'Remove everyone' });
        await entry.click();
        await send('PUT', '/objects/test/kept', '{"title":"Changed"}');
        await page.route(/\/objects\/test\/kept\?/, (route) => (route.request().method() === 'GET' ?
            route.fulfill({ status: 503, headers: { 'Retry-After': '3600' }, json: { message: BUILDING } }) : route.fallback()));
        await page.evaluate('dispatchEvent(new Event("focus"))');
        await page.getByRole('button', { name: 'Show the new state' }).click();
        const away = page.getByRole('main').getByText('The service is not ready. It may be starting.');
        await away.waitFor();

        expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(1);
        expect(await entry.count()).to.equal(0);

        await page.unrouteAll({ behavior: 'wait' });
        await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: 'Changed' }).waitFor();
        await away.waitFor({ state: 'detached' });

        expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(1);
        expect(await entry.count()).to.equal(0);
    });

    it('says that an object was deleted while it was edited, and keeps what was typed', async () => {

        watched.expected.push(/40[49]|412/);
        await send('POST', '/objects?type=Book&handle=test/going', '{"title":"Going"}');
        await page.goto(`${service.url}/#objects/test/going?edit`);
        const title = page.getByRole('textbox', { name: 'Title' });
        await title.fill('Typed before it was gone');
        await send('DELETE', '/objects/test/going');
        await page.keyboard.press('Control+s');
        await page.getByRole('main').getByRole('alert').getByText('This object has been deleted meanwhile.').waitFor();

        await holds(title, 'Typed before it was gone');
        expect(await accessibilityFindings(page)).to.equal([]);
    });
});
