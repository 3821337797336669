/** Help in the editor of a type: completion of code, and the form as editors will see it, with a real object. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, fillStorage, hasBrowser, holdRequests, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the editor of a type', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await ask('PUT', '/schemas/Sheet', { type: 'object', properties: { name: { type: 'string', title: 'Name of the sheet', cordra: { preview: { isPrimary: true } } } } });
        await ask('POST', '/objects?type=Sheet&handle=test/baltic', { name: 'The Baltic', scale: '1:25000' });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
        // Dry runs of code that is not complete yet.
        watched.expected.push(/status of 400/);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const openCode = async (): Promise<Locator> => {

        await page.goto(`${test.url}/#schemas/Sheet?tab=code`);
        const editor = page.getByRole('textbox', { name: 'JavaScript code of the type' });
        await editor.click();
        return editor;
    };

    const isOffered = (label: string): Promise<void> => page.getByRole('option', { name: new RegExp(`^${label}`) }).first().waitFor();

    for (const [title, typed, label] of [
        ['hooks', 'exports.beforeSt', 'beforeStorage'], ['the functions of the module cordra', 'cordra.se', 'search'], ['those of the module cordraUtil', 'cordraUtil.esc', 'escapeForQuery'],
        ['members of the context', 'context.us', 'userId'], ['members of an object', 'object.co', 'content']
    ] as const) {
        it(`completes ${title}`, async () => {

            const editor = await openCode();
            await page.keyboard.type(typed);
            await isOffered(label);
            // The editor takes no choice right after the list has come up, as a key may have been meant for the text.
            await page.waitForTimeout(200);
            await page.keyboard.press('Enter');

            await editor.getByText(label).first().waitFor();
        });
    }

    it('shows the form of a type while it changes, empty and with an object, of which nothing is stored', async () => {

        await page.goto(`${test.url}/#schemas/Sheet`);
        await page.getByRole('textbox', { name: 'Name of the new field' }).fill('scale');
        await page.getByRole('button', { name: 'Add a field' }).click();
        await page.getByRole('link', { name: 'Preview' }).click();
        await holds(page.getByLabel('Name of the sheet'), '');
        await page.getByRole('combobox', { name: 'Show with the object' }).fill('baltic');
        await page.getByRole('option', { name: /Baltic/ }).click();
        await holds(page.getByLabel('Name of the sheet'), 'The Baltic');
        await holds(page.getByLabel(/^scale/i), '1:25000');
        await page.getByLabel('Name of the sheet').fill('Not stored');
        await page.getByRole('button', { name: 'Discard' }).first().waitFor();

        expect(await (await ask('GET', '/objects/test/baltic')).json()).to.equal({ name: 'The Baltic', scale: '1:25000' });
        expect(JSON.stringify(await (await ask('GET', '/schemas/Sheet')).json())).to.not.include('scale');
    });

    const schemaOf = async (): Promise<Record<string, unknown>> => await (await ask('GET', '/schemas/Draft')).json() as Record<string, unknown>;

    /** Opens the schema of a type, and types at its end. */
    const openSchema = async (text: string): Promise<Locator> => {

        await ask('PUT', '/schemas/Draft', { type: 'object', title: 'before' });
        await page.goto(`${test.url}/#schemas/Draft?tab=schema`);
        const editor = page.locator('.cm-content');
        await editor.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(text);
        await until(async () => (await editor.innerText()).includes(text.trim()));
        return editor;
    };

    it('keeps a schema with a syntax error after a conflict, and does not overwrite anything with what was there before the error', async () => {

        watched.expected.push(/status of 412/);
        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "mine"}');
        await ask('PUT', '/schemas/Draft', { type: 'object', title: 'theirs' });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const overwrite = page.getByRole('button', { name: /overwrite/i });
        await overwrite.waitFor();
        await editor.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' not JSON yet');
        await overwrite.click();
        await page.getByRole('main').getByRole('alert').filter({ hasText: /JSON/ }).waitFor();

        expect(await editor.innerText()).to.include(' not JSON yet');
        expect((await schemaOf())['title']).to.equal('theirs');

        await editor.click();
        await page.keyboard.press('Control+End');
        for (let count = 0; count < ' not JSON yet'.length; ++count) {
            await page.keyboard.press('Backspace');
        }

        await overwrite.click();
        await until(async () => (await schemaOf())['title'] === 'mine');
    });

    it('marks the tab of a schema with a syntax error on the others', async () => {

        await openSchema(' not JSON yet');
        await page.goto(`${test.url}/#schemas/Draft?tab=rights`);
        await page.getByRole('link', { name: 'Schema 1 error', exact: true }).click();
        await page.getByRole('button', { name: 'Discard' }).click();
        await page.getByRole('main').getByRole('link', { name: 'Schema', exact: true }).waitFor();
    });

    it('gives back what was discarded, also with a syntax error', async () => {

        const editor = await openSchema(' not JSON yet');
        await page.getByRole('button', { name: 'Discard changes' }).click();
        await until(async () => !(await editor.innerText()).includes('not JSON yet'));
        await page.reload();
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('not JSON yet'));
        await page.getByRole('link', { name: 'Schema 1 error', exact: true }).waitFor();

        expect((await schemaOf())['title']).to.equal('before');
    });

    it('keeps what was typed as a draft when the version of somebody else is taken, and gives it back', async () => {

        watched.expected.push(/status of 412/);
        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "mine", "maximum": 1.0}');
        const take = async (title: string): Promise<void> => {

            await ask('PUT', '/schemas/Draft', { type: 'object', title });
            await page.getByRole('button', { name: 'Save', exact: true }).click();
            await page.getByRole('button', { name: 'Take theirs' }).click();
            await until(async () => (await editor.innerText()).includes(title));
        };

        await take('theirs');
        expect(await editor.innerText()).to.not.include('mine');
        expect(await accessibilityFindings(page)).to.equal([]);

        // It outlives the page, and so does a text with a syntax error.
        await page.reload();
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('"title": "mine", "maximum": 1.0'));
        await page.getByRole('link', { name: 'Rights', exact: true }).first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await announced(page, 'saved');
        expect(await (await ask('GET', '/schemas/Draft')).text()).to.equal('{"type":"object","title":"mine","maximum":1.0}');
        await page.reload();
        await editor.waitFor();
        await watched.idle();

        expect(await page.getByRole('button', { name: 'Restore the draft' }).count()).to.equal(0);
    });

    it('asks before it is left while what was typed before the version of somebody else was taken is kept nowhere else', async () => {

        watched.expected.push(/status of 412/);
        let questions = 0;
        page.on('dialog', (dialog) => {

            ++questions;
            void dialog.dismiss();
        });
        const editor = await openSchema(' ');
        await fillStorage(page);
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "hours of work"}');
        await ask('PUT', '/schemas/Draft', { type: 'object', title: 'theirs' });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('button', { name: 'Take theirs' }).click();
        await until(async () => (await editor.innerText()).includes('theirs'));
        const leave = async (): Promise<void> => page.getByRole('link', { name: 'Types', exact: true }).first().click();
        await leave();
        await until(() => questions === 1);
        await page.getByRole('button', { name: 'Discard the draft' }).click();
        await page.getByRole('button', { name: 'Discard the draft' }).waitFor({ state: 'detached' });
        await leave();
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();

        expect(questions).to.equal(1);
    });

    it('keeps a schema with a syntax error as a draft when the version of somebody else is taken, and what is typed since when that is taken back', async () => {

        watched.expected.push(/status of 412/);
        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "mine"}');
        await ask('PUT', '/schemas/Draft', { type: 'object', title: 'theirs' });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('button', { name: 'Take theirs' }).waitFor();
        await editor.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' not JSON yet');
        await page.getByRole('button', { name: 'Take theirs' }).click();
        await until(async () => (await editor.innerText()).includes('theirs'));
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "later"}');
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('mine') && (await editor.innerText()).includes(' not JSON yet'));
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('later'));
        await page.getByRole('button', { name: 'Discard the draft' }).click();

        expect(await page.getByRole('button', { name: 'Restore the draft' }).count()).to.equal(0);
        expect((await schemaOf())['title']).to.equal('theirs');
    });

    it('keeps what is typed while it is renamed, and shows it by its new name', async () => {

        const editor = await openSchema(' ');
        await page.goto(`${test.url}/#schemas/Draft?tab=fields`);
        await page.getByText('Name and settings').click();
        await page.getByRole('textbox', { name: /^Name/ }).first().fill('Renamed');
        const open = await holdRequests(page, (request) => request.method() === 'PUT' && !request.url().includes('dryRun'));
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.goto(`${test.url}/#schemas/Draft?tab=schema`);
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "typed on"}');
        open();
        await announced(page, 'saved');
        await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();

        expect(await editor.innerText()).to.include('typed on');

        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => (await (await ask('GET', '/schemas/Renamed')).json() as { title?: string }).title === 'typed on');
    });

    it('keeps rules with a syntax error over other tabs, and does not store those before the error', async () => {

        await openSchema(' ');
        await page.goto(`${test.url}/#schemas/Draft?tab=rights`);
        await page.getByRole('button', { name: 'Give the type rules of its own' }).click();
        await page.getByText('As JSON').click();
        const rules = page.getByRole('textbox', { name: 'Rules as JSON' });
        await rules.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' not JSON yet');
        await page.getByRole('status').filter({ hasText: /not valid JSON/ }).first().waitFor();
        expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).to.be.true();

        await page.getByRole('link', { name: /^Code/ }).click();
        await page.getByRole('textbox', { name: 'JavaScript code of the type' }).waitFor();
        await page.getByRole('link', { name: 'Rights 1 error', exact: true }).waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);
        expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).to.be.true();
        await page.getByRole('main').getByRole('link', { name: /^Rights/ }).click();
        await until(async () => (await rules.innerText()).includes(' not JSON yet'));

        // The editor stays open while the text becomes JSON again.
        await rules.click();
        await page.keyboard.press('Control+End');
        for (let count = 0; count < ' not JSON yet'.length; ++count) {
            await page.keyboard.press('Backspace');
        }

        await page.keyboard.type(' ');
        await until(async () => !(await rules.innerText()).includes('JSON'));
        await page.getByRole('main').getByRole('link', { name: 'Rights', exact: true }).waitFor();
        await until(async () => page.getByRole('button', { name: 'Save', exact: true }).isEnabled());
        await page.keyboard.type('not JSON again');
        await page.getByRole('button', { name: 'Discard' }).click();
        await until(async () => !(await page.getByRole('main').innerText()).includes('not JSON again'));
    });

    it('goes on from what it has saved, also when that cannot be read afterwards', async () => {

        watched.expected.push(/ERR_FAILED/);
        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "first"}');
        let isAway = false;
        await page.route((url) => url.pathname.startsWith('/objects/') && !url.searchParams.has('dryRun'), async (route) => {

            isAway ||= route.request().method() === 'PUT';
            await (isAway && route.request().method() === 'GET' ? route.abort() : route.fallback());
        });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await announced(page, 'saved');
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "second"}');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => (await schemaOf())['title'] === 'second');
        expect(await page.getByRole('button', { name: /overwrite/i }).count()).to.equal(0);
    });

    it('keeps what is typed while it is saved', async () => {

        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "first"}');
        let open = (): void => undefined;
        const opened = new Promise<void>((resolve) => {

            open = resolve;
        });
        await page.route((url) => url.pathname.startsWith('/objects/') && !url.searchParams.has('dryRun'), async (route) => {

            if (route.request().method() === 'PUT') {
                await opened;
            }

            await route.fallback();
        });
        const sent = page.waitForRequest((request) => request.method() === 'PUT' && !request.url().includes('dryRun'));
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await sent;
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "second"}');
        open();
        await announced(page, 'saved');
        await watched.idle();

        expect((await schemaOf())['title']).to.equal('first');
        expect(await editor.innerText()).to.include('second');

        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => (await schemaOf())['title'] === 'second');
    });

    it('does not store what is typed while it is saved over what somebody else saves in that moment', async () => {

        watched.expected.push(/status of 412/);
        const editor = await openSchema(' ');
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "mine"}');
        let open = (): void => undefined;
        const opened = new Promise<void>((resolve) => {

            open = resolve;
        });
        await page.route((url) => url.pathname.startsWith('/objects/') && !url.searchParams.has('dryRun'), async (route) => {

            if (route.request().method() !== 'PUT') {
                await route.fallback();
                return;
            }

            const response = await route.fetch();
            await opened;
            await route.fulfill({ response });
        });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => (await schemaOf())['title'] === 'mine');
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"type": "object", "title": "mine, typed on"}');
        expect((await ask('PUT', '/schemas/Draft', { type: 'object', title: 'theirs' })).status).to.equal(200);
        open();
        await announced(page, 'saved');
        await watched.idle();
        await page.unrouteAll({ behavior: 'wait' });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Somebody else has saved this type meanwhile.').waitFor();

        expect((await schemaOf())['title']).to.equal('theirs');
    });
});
