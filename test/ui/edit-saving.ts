/** Saving in the editor of the web UI when something fails: a file, the session, the network, the service. Nothing that was entered is lost. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { freePorts } from '../support/free-ports.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const NOTE = { type: 'object', required: ['title'], properties: { title: { type: 'string', title: 'Title' }, text: { type: 'string', title: 'Text' } } };

/** Bytes of a payload that the service takes; one more is too many. */
const MAX_BYTES = 2_000_000;

describe('saving in the editor of the web UI', { skip: !hasBrowser }, () => {

    let folder: string;
    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const start = async (port: number): Promise<void> => {

        test = await startServer({ DATA_DIR: join(folder, 'data'), PORT: port, MAX_PAYLOAD_BYTES: MAX_BYTES });
    };

    const send = async (method: string, path: string, body?: string): Promise<Response> => {

        const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
        return fetch(test.url + path, { method, ...body === undefined ? {} : { body }, headers: { authorization, 'content-type': 'application/json' } });
    };

    const stored = async (id: string): Promise<unknown> => (await send('GET', `/objects/${id}`)).json();

    const payloadsOf = async (id: string): Promise<string[]> => {

        const { payloads = [] } = await (await send('GET', `/objects/${id}?full`)).json() as { readonly payloads?: readonly { readonly name: string }[] };
        return payloads.map(({ name }) => name);
    };

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-saving-'));
        [browser] = await Promise.all([startBrowser(), start(await freePorts())]);
        await send('PUT', '/schemas/Note', JSON.stringify(NOTE));
    });

    after(async () => {

        await browser.close();
        await test.stop();
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        await send('DELETE', '/objects/test/note');
        await send('POST', '/objects?type=Note&handle=test/note', '{"title":"before"}');
        watched = await openPage(browser, test.url);
        page = watched.page;
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${test.url}/${fragment}`);
        await page.getByLabel('Title', { exact: false }).first().waitFor();
    };

    const enter = async (title: string): Promise<void> => page.getByLabel('Title', { exact: false }).first().fill(title);

    const titleField = async (): Promise<string> => page.getByLabel('Title', { exact: false }).first().inputValue();

    const addFiles = async (...files: readonly (readonly [name: string, size: number])[]): Promise<void> => {

        await page.locator('.edit-files input').setInputFiles(files.map(([name, size]) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') })));
    };

    const save = async (): Promise<void> => page.keyboard.press('Control+s');

    it('shows the progress of an upload that can be stopped, and sent again', async () => {

        const tools = await page.context().newCDPSession(page);
        await tools.send('Network.enable');
        const limit = async (bytesPerSecond: number): Promise<unknown> => tools.send('Network.emulateNetworkConditions',
            { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond });
        await open('#objects/test/note?edit');
        await enter('with a file');
        await addFiles(['large.txt', 1_500_000]);
        await limit(20_000);
        await save();
        await page.locator('.edit-files progress[value]:not([value="0"])').waitFor();
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        await page.getByText('You have stopped it').first().waitFor();

        expect(await stored('test/note')).to.equal({ title: 'before' });
        expect(await titleField()).to.equal('with a file');

        await limit(-1);
        await save();
        await announced(page, 'Saved');
        expect(await stored('test/note')).to.equal({ title: 'with a file' });
        expect(await payloadsOf('test/note')).to.equal(['large.txt']);
    });

    it('saves the content and the other files when the service refuses one, names it, and sends it again on demand', async () => {

        watched.expected.push(/413|ERR_CONNECTION/);
        await open('#objects/test/note?edit');
        await enter('two files');
        await addFiles(['small.txt', 10], ['too-large.txt', MAX_BYTES + 1]);
        await save();
        const missing = page.locator('.edit-files .error');
        await missing.getByText('too-large.txt').waitFor();

        expect(await page.getByRole('alert').first().textContent()).to.contain('not all files: too-large.txt');
        expect(await stored('test/note')).to.equal({ title: 'two files' });
        expect(await payloadsOf('test/note')).to.equal(['small.txt']);
        expect(await accessibilityFindings(page)).to.equal([]);

        await enter('three changes');
        await missing.getByRole('button', { name: 'Send again' }).click();
        await until(async () => (await stored('test/note') as { title: string }).title === 'three changes');
        await missing.getByText('too-large.txt').waitFor();
        await page.getByRole('button', { name: 'Remove “too-large.txt”' }).click();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('heading', { name: 'three changes' }).waitFor();
        expect(await payloadsOf('test/note')).to.equal(['small.txt']);
    });

    it('creates an object whose file is refused once, and goes on with that object', async () => {

        watched.expected.push(/413|ERR_CONNECTION/);
        await open('#create/Note');
        await enter('only one of it');
        await addFiles(['too-large.txt', MAX_BYTES + 1]);
        await save();
        await page.locator('.edit-files .error').getByText('too-large.txt').waitFor();
        await page.getByRole('button', { name: 'Remove “too-large.txt”' }).click();
        await addFiles(['small.txt', 10]);
        await save();
        await page.getByRole('heading', { name: 'only one of it' }).waitFor();
        const { results } = await (await send('GET', '/search?query=%2Btype:Note%20%2B/title:only')).json() as { readonly results: readonly { readonly id: string }[] };

        expect(results.length).to.equal(1);
        expect(await payloadsOf(results[0]!.id)).to.equal(['small.txt']);
    });

    it('asks for a login when the session ended before an upload, and then sends it', async () => {

        watched.expected.push(/401/);
        await open('#objects/test/note?edit');
        await enter('after a login');
        await addFiles(['small.txt', 10]);
        await watched.idle();
        await page.context().clearCookies();
        await save();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await page.keyboard.press('Enter');
        await announced(page, 'Saved');

        expect(await stored('test/note')).to.equal({ title: 'after a login' });
        expect(await payloadsOf('test/note')).to.equal(['small.txt']);
    });

    it('keeps everything when the network is lost, and saves once it is back', async () => {

        watched.expected.push(/ERR_INTERNET_DISCONNECTED/);
        await open('#objects/test/note?edit');
        await enter('from the tunnel');
        await addFiles(['small.txt', 10]);
        await page.context().setOffline(true);
        await save();
        await page.getByRole('alert').getByText('The service does not respond').waitFor();

        expect(await titleField()).to.equal('from the tunnel');

        await page.context().setOffline(false);
        await save();
        await announced(page, 'Saved');
        expect(await stored('test/note')).to.equal({ title: 'from the tunnel' });
        expect(await payloadsOf('test/note')).to.equal(['small.txt']);
    });

    it('keeps everything while the service restarts, without another login', async () => {

        watched.expected.push(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|50\d/);
        await open('#objects/test/note?edit');
        await test.stop();
        await enter('over the restart');
        await save();
        await page.getByRole('alert').getByText('The service does not respond').waitFor();

        expect(await titleField()).to.equal('over the restart');

        await start(test.port);
        await save();
        await announced(page, 'Saved');
        expect(await stored('test/note')).to.equal({ title: 'over the restart' });
    });

    const isCreation = ({ pathname, searchParams }: URL): boolean => pathname === '/objects' && searchParams.has('type') && !searchParams.has('dryRun');

    /** Lets the service answer the next request to create an object, and cuts the connection before the response arrives. */
    const cutResponse = async (more: () => Promise<void> = async () => undefined): Promise<void> => {

        await page.route(isCreation, async (route) => {

            expect((await route.fetch()).status()).to.equal(200);
            await more();
            await route.abort('connectionreset');
        }, { times: 1 });
    };

    const idsOf = async (title: string): Promise<string[]> => {

        const { results } = await (await send('GET', `/search?query=${encodeURIComponent(`+type:Note +/title:"${title}"`)}&ids`)).json() as { results: string[] };
        return results;
    };

    it('finds the new object whose response was lost by its content, and creates no other one', async () => {

        watched.expected.push(/ERR_CONNECTION_RESET/);
        await send('POST', '/objects?type=Note', '{"title":"twin"}');
        await open('#create/Note');
        await enter('twin');
        await addFiles(['small.txt', 10]);
        await cutResponse();
        await save();
        await announced(page, 'Created');
        await page.getByRole('heading', { level: 1, name: 'twin' }).waitFor();

        const ids = await idsOf('twin');
        expect(ids.length).to.equal(2);
        const shown = decodeURIComponent(new URL(page.url()).hash.replace('#objects/', ''));
        expect(ids).to.include(shown);
        expect(await payloadsOf(shown)).to.equal(['small.txt']);
    });

    it('says that it is not known whether a new object was stored, and looks before it sends it again, also after it was edited', async () => {

        watched.expected.push(/ERR_CONNECTION_RESET|ERR_INTERNET_DISCONNECTED/);
        await open('#create/Note');
        await enter('once');
        await cutResponse(async () => page.context().setOffline(true));
        await save();
        await page.getByRole('alert').getByText('It is not known whether it has created the object').waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);
        await enter('once, and more');
        await save();
        await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
        await page.getByRole('alert').getByText('It is not known whether it has created the object').waitFor();
        await page.context().setOffline(false);
        await save();
        await page.getByText('what you have typed since is not yet').first().waitFor();

        expect(await idsOf('once')).to.have.length(1);
        await save();
        await announced(page, 'Saved');
        const [id = ''] = await idsOf('once');

        expect(await idsOf('once')).to.have.length(1);
        expect(await stored(id)).to.equal({ title: 'once, and more' });
    });

    it('says that a new object was not stored when the request was lost, and creates it once when it is sent again', async () => {

        watched.expected.push(/ERR_CONNECTION_RESET/);
        await send('DELETE', '/objects/test/note');
        await open('#create/Note');
        await enter('lost on the way');
        await page.route(isCreation, (route) => route.abort('connectionreset'), { times: 1 });
        await save();
        await page.getByRole('alert').getByText('the service has not created it, as far as you may see').waitFor();
        await save();
        await announced(page, 'Created');

        expect(await idsOf('lost on the way')).to.have.length(1);
    });

    it('shows what the user has created since, when the service has stored another content than was sent', async () => {

        watched.expected.push(/ERR_CONNECTION_RESET/);
        // What earlier tests have created in the same second would be shown as well.
        const { results } = await (await send('GET', '/search?query=type:Note&ids&pageSize=-1')).json() as { results: string[] };
        await Promise.all(results.map((id) => send('DELETE', `/objects/${id}`)));
        await open('#create/Note');
        await enter('mine');
        await page.route(isCreation, async (route) => {

            await send('POST', '/objects?type=Note&handle=test/other', '{"title":"other"}');
            await route.abort('connectionreset');
        }, { times: 1 });
        await save();
        const alert = page.getByRole('alert');
        await alert.getByText('look whether it is the object').waitFor();

        expect(await alert.getByRole('link').evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash))).to.equal(['#objects/test/other']);
        expect(await accessibilityFindings(page)).to.equal([]);
        await save();
        await announced(page, 'Created');
        expect(await idsOf('mine')).to.have.length(1);
    });

    it('finds the new object whose response was lost by the id that the user has given', async () => {

        watched.expected.push(/ERR_CONNECTION_RESET/);
        const content = await (await send('GET', '/objects/design')).json() as { readonly uiConfig?: object };
        await send('PUT', '/objects/design', JSON.stringify({ ...content, uiConfig: { ...content.uiConfig, allowUserToSpecifyHandleOnCreate: true } }));
        await open('#create/Note');
        await enter('by its id');
        await page.getByLabel('Id (optional)').fill('test/given');
        await cutResponse();
        await save();
        await announced(page, 'Created');
        await page.getByRole('heading', { level: 1, name: 'by its id' }).waitFor();
        await send('PUT', '/objects/design', JSON.stringify(content));

        expect(await idsOf('by its id')).to.equal(['test/given']);
    });

    it('shows a conflict where somebody else has saved what the JSON was before it was edited last', async () => {

        watched.expected.push(/412/);
        // Of so long a text the JSON is read when its user pauses.
        const text = 'long '.repeat(6000);
        await send('PUT', '/objects/test/note', JSON.stringify({ title: 'before', text }));
        await open('#objects/test/note?edit');
        await enter('mine');
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.locator('.cm-content').click();
        for (const key of ['Control+Home', 'ArrowDown', 'End', 'ArrowLeft', 'ArrowLeft']) {
            await page.keyboard.press(key);
        }

        await send('PUT', '/objects/test/note', JSON.stringify({ title: 'mine', text }));
        await page.evaluate(`(() => {

            document.execCommand('insertText', false, ' and last');
            document.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, cancelable: true }));
        })()`);
        const box = page.getByRole('alertdialog');
        await box.waitFor();
        await box.getByRole('button', { name: 'Overwrite with mine' }).click();
        await announced(page, 'Saved');

        expect(await stored('test/note')).to.equal({ title: 'mine and last', text });
    });

    it('stays open when the user types on while it saves', async () => {

        await page.route(/objects\/test\/note\?full/, async (route) => {

            if (route.request().method() === 'PUT') {
                await enter('typed on');
            }

            await route.continue();
        });
        await open('#objects/test/note?edit');
        await enter('typed first');
        await save();
        await page.getByText('what you have typed since is not yet').first().waitFor();

        expect(await stored('test/note')).to.equal({ title: 'typed first' });
        expect(await titleField()).to.equal('typed on');

        await page.unrouteAll();
        await save();
        await announced(page, 'Saved');
        expect(await stored('test/note')).to.equal({ title: 'typed on' });
    });
});
