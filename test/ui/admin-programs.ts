/** The administration of programs in a real browser: the page of the interface, and API keys of all users. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, copiedBy, findingsOnEachScreen, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const run = promisify(execFile);

/** A method that returns the bytes it gets. */
const ECHO = 'exports.methods = { echo: async (object, { directIo }) => ({ bytes: await directIo.getInputAsString() }) };';

describe('programs in the administration', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;
    let folder = '';

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        folder = await mkdtemp(join(tmpdir(), 'api-files-'));
        await ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'password of ann' });
        await ask('POST', '/objects?type=Schema', { identifier: '', name: 'Echo', schema: { type: 'object' }, javascript: ECHO });
        await ask('POST', '/objects?type=Echo&handle=test/echo', {});
    });

    after(async () => {

        await browser.close();
        await test.stop();
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url, { permissions: ['clipboard-read', 'clipboard-write'] });
        ({ page } = watched);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    /** Opens a request of the interface. */
    const open = async (method: string, path: string): Promise<Locator> => {

        await page.goto(`${test.url}/#admin/api?q=${encodeURIComponent(`${method} ${path}`)}`);
        const operation = page.locator('details').filter({ has: page.locator('.api-method', { hasText: method }) })
            .filter({ has: page.locator('code', { hasText: new RegExp(`^${path.replace(/[{}]/g, '\\$&')}$`) }) });
        await operation.locator('summary').click();
        return operation;
    };

    const send = async (operation: Locator): Promise<string> => {

        await operation.getByRole('button', { name: 'Send' }).click();
        await operation.getByText(/Status \d+ in/).waitFor();
        return await operation.getByRole('status').innerText();
    };

    const runCopied = async (operation: Locator): Promise<string> => {

        const code = await copiedBy(page, () => operation.getByRole('button', { name: 'Copy as curl' }).click());
        await announced(page, 'Copied.');
        expect(code).to.startWith('curl -u USER ');
        return (await run('sh', ['-c', code.replace('-u USER', `-sS -u 'admin:${ADMIN_PASSWORD}'`)], { cwd: folder })).stdout;
    };

    it('creates, changes and deletes an object by requests of the interface, which do the same by curl', async () => {

        watched.expected.push(/412/);
        const create = await open('POST', '/objects');

        expect(await create.getByRole('textbox').evaluateAll((all) => all.filter((each) => (each as unknown as { labels: readonly { textContent: string }[] }).labels[0]?.textContent.trim() === '').length))
            .to.equal(0);
        await create.getByLabel(/^type/).fill('Document');
        await create.getByLabel(/^handle/).fill('test/by form');
        await create.getByLabel(/^Body/).fill('{"name": "it\'s @new $HOME"}');

        expect(await send(create)).to.contain('Status 200').and.to.contain('it\'s @new $HOME');
        expect(await (await ask('GET', '/objects/test/by%20form')).json()).to.include({ name: 'it\'s @new $HOME' });
        await create.getByLabel(/^handle/).fill('test/by curl');

        expect(JSON.parse(await runCopied(create))).to.include({ name: 'it\'s @new $HOME' });
        expect(await (await ask('GET', '/objects/test/by%20curl')).json()).to.include({ name: 'it\'s @new $HOME' });

        const change = await open('PUT', '/objects/{id}');
        await change.getByLabel(/^id/).fill('test/by form');
        await change.getByLabel(/^If-Match/).fill('"of nothing"');
        await change.getByLabel(/^Body/).fill('{"name": "changed"}');

        expect(await send(change)).to.contain('Status 412');
        expect(JSON.parse(await runCopied(change))).to.include('message');
        await change.getByLabel(/^If-Match/).fill('*');

        expect(await send(change)).to.contain('Status 200').and.to.contain('changed');
        expect(await (await ask('GET', '/objects/test/by%20form')).json()).to.include({ name: 'changed' });
        expect(await findingsOnEachScreen(page)).to.equal([]);

        const remove = await open('DELETE', '/objects/{id}');
        await remove.getByText('This request may change data.').waitFor();
        await remove.getByLabel(/^id/).fill('test/by form');

        expect(await send(remove)).to.contain('Status 200');
        await remove.getByLabel(/^id/).fill('test/by curl');
        await runCopied(remove);

        expect([(await ask('GET', '/objects/test/by%20form')).status, (await ask('GET', '/objects/test/by%20curl')).status]).to.equal([404, 404]);
    });

    it('sends files in the parts of a form, and as a body of their own, and does the same by curl', async () => {

        await writeFile(join(folder, 'a "scan"; 1.txt'), 'bytes of the scan');
        const create = await open('POST', '/objects');
        await create.getByLabel(/^type/).fill('Document');
        await create.getByLabel(/^handle/).fill('test/with files');
        await create.getByLabel('Media type').selectOption('multipart/form-data');
        await create.getByLabel('content', { exact: true }).fill('{"name": "@with \'files\'"}');
        await create.getByLabel('acl', { exact: true }).fill('{"readers": ["public"]}');
        await create.locator('input[type=file]').setInputFiles(join(folder, 'a "scan"; 1.txt'));
        await create.locator('input[type=file]').setInputFiles({ name: 'drop.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
        await create.getByRole('button', { name: 'Remove drop.bin' }).click();
        await create.getByLabel(/^Name of the part with a "scan"; 1.txt/).fill('scan');

        expect(await findingsOnEachScreen(page)).to.equal([]);
        expect(await send(create)).to.contain('Status 200');
        await create.getByLabel(/^handle/).fill('test/files by curl');
        await runCopied(create);
        for (const id of ['test/with%20files', 'test/files%20by%20curl']) {
            const { content, acl, payloads } = await (await ask('GET', `/objects/${id}?full`)).json() as { content: { name: string }; acl: unknown; payloads: unknown };
            expect([content.name, acl, payloads]).to.equal([
                '@with \'files\'', { readers: ['public'] }, [{ name: 'scan', filename: 'a "scan"; 1.txt', mediaType: 'text/plain', size: 17 }]
            ]);
            expect(await (await ask('GET', `/objects/${id}?payload=scan`)).text()).to.equal('bytes of the scan');
        }

        const change = await open('PUT', '/objects/{id}');
        await change.getByLabel(/^id/).fill('test/with files');
        await change.getByLabel('Media type').selectOption('multipart/form-data');
        await change.getByLabel('content', { exact: true }).fill('{"name": "changed"}');
        await change.locator('input[type=file]').setInputFiles({ name: 'scan', mimeType: 'text/plain', buffer: Buffer.from('other bytes') });
        expect(await send(change)).to.contain('Status 200');
        expect(await (await ask('GET', '/objects/test/with%20files?payload=scan')).text()).to.equal('other bytes');

        const call = await open('POST', '/call');
        await call.getByLabel(/^objectId/).fill('test/echo');
        await call.getByLabel(/^method/).fill('echo');
        await call.getByLabel('Media type').selectOption('application/octet-stream');
        await call.getByLabel('File instead of a text').setInputFiles(join(folder, 'a "scan"; 1.txt'));
        expect(await send(call)).to.contain('"bytes of the scan"');
        expect(await runCopied(call)).to.contain('bytes of the scan');
        expect(await findingsOnEachScreen(page)).to.equal([]);
    });

    it('sends a request on behalf of a user whom it names, and does not send one without what it needs', async () => {

        const read = await open('GET', '/check-credentials');
        await read.getByLabel(/^As-User/).fill('test/ann');

        expect(await send(read)).to.contain('"username": "ann"');
        expect(JSON.parse(await runCopied(read))).to.include({ username: 'ann' });
        const create = await open('POST', '/objects');
        await create.getByRole('button', { name: 'Send' }).click();

        expect(await create.getByLabel(/^type/).evaluate((field) => (field as unknown as { validity: { valueMissing: boolean } }).validity.valueMissing)).to.be.true();
        expect(await create.getByRole('status').count()).to.equal(0);
    });

    it('says which forms of bodies and responses there are, also those that it cannot send', async () => {

        const create = await open('POST', '/doip/0.DOIP/Op.Create');
        await create.getByText(/may also have several segments, as multipart\/mixed/).waitFor();

        expect(await create.getByLabel('Media type').locator('option').allInnerTexts()).to.equal(['application/json', 'application/octet-stream', 'multipart/form-data']);
        const form = new FormData();
        form.append('content', '{"name": "of segments"}');
        form.append('data', new Blob(['bytes of the element']), 'data.txt');
        await fetch(`${test.url}/objects?type=Document&handle=test/segments`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
        const read = await open('GET', '/doip/0.DOIP/Op.Retrieve');
        await read.getByText('Media types of the response: application/json, application/octet-stream, multipart/mixed.').waitFor();
        await read.getByLabel(/^targetId/).fill('test/segments');
        await read.getByLabel(/^attributes.includeElementData/).fill('true');

        expect(await send(read)).to.contain('multipart/mixed; boundary=').and.contain('of segments').and.contain('bytes of the element');
        expect(await findingsOnEachScreen(page)).to.equal([]);
        const search = await open('GET', '/search');
        await search.getByText('Media types of the response: application/json.').waitFor();

        expect(await search.getByText(/multipart/).count()).to.equal(0);
    });

    it('shows no more keys when those after the last one have been revoked', async () => {

        const all = async (): Promise<{ readonly id: string; readonly name: string; readonly userId: string }[]> =>
            (await (await ask('GET', '/auth/keys?all=true')).json() as { keys: { id: string; name: string; userId: string }[] }).keys;
        const revoke = async ({ id, userId }: { readonly id: string; readonly userId: string }): Promise<unknown> => ask('DELETE', `/auth/keys/${id}?userId=${userId}`);
        await Promise.all((await all()).map(revoke));
        for (const name of ['one', 'two']) {
            await ask('POST', '/auth/keys', { name });
        }

        const [first, second] = await all();
        // Pages of one key instead of a hundred.
        await page.route(/\/auth\/keys\?all=true/, (route) => route.continue({ url: route.request().url().replace('pageSize=100', 'pageSize=1') }));
        await page.goto(`${test.url}/#admin/keys`);
        await page.getByRole('button', { name: `Revoke the key ${first?.name}` }).waitFor();
        const more = page.getByRole('button', { name: 'Show more' });
        await more.waitFor();
        await revoke(second ?? { id: '', userId: '' });
        await more.click();
        await more.waitFor({ state: 'detached' });

        expect(await page.getByRole('button', { name: /^Revoke the key / }).count()).to.equal(1);
    });

    const statusOf = async (key: string): Promise<number> => (await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Bearer ${key}` } })).status;

    it('makes a key for another user, shows it once, and revokes it among those of all', async () => {

        await ask('POST', '/auth/keys', { name: 'of admin' });
        await page.goto(`${test.url}/#admin/keys`);
        await page.getByRole('row', { name: /of admin/ }).waitFor();
        await page.getByRole('combobox', { name: 'Keys of a user' }).fill('ann');
        await page.getByRole('option', { name: 'ann' }).click();
        await page.getByText('There are no keys.').waitFor();
        await page.getByRole('button', { name: 'New key' }).click();
        const dialog = page.getByRole('dialog', { name: 'New key' });
        await dialog.getByLabel(/^Name/).fill('harvest');
        await dialog.getByLabel('Only reading').check();
        await dialog.getByLabel(/^Valid for/).fill('7');
        await dialog.getByRole('button', { name: 'Create' }).click();
        const shown = page.getByRole('dialog', { name: 'The new key' });
        const key = await shown.locator('code').innerText();

        expect(await accessibilityFindings(page)).to.equal([]);
        await shown.getByRole('button', { name: 'Copy' }).click();
        await announced(page, 'Copied.');
        expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key);

        await shown.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('row', { name: /harvest ann only reading never in 7 days/ }).waitFor();
        const user = await (await fetch(`${test.url}/check-credentials`, { headers: { Authorization: `Bearer ${key}` } })).json() as { username: string };
        expect(user.username).to.equal('ann');
        const refused = await fetch(`${test.url}/objects?type=Document`, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body: '{"name":"x"}' });
        expect(refused.status).to.equal(403);

        await page.reload();
        await page.getByRole('row', { name: /of admin/ }).waitFor();
        await page.getByRole('row', { name: /harvest ann/ }).waitFor();
        expect(await page.content()).to.not.contain(key);
        expect(await (await ask('GET', '/auth/keys?all=true')).text()).to.not.contain(key);

        await page.getByRole('button', { name: 'Revoke the key harvest' }).click();
        await page.getByRole('dialog', { name: 'Revoke the key harvest?' }).getByRole('button', { name: 'Revoke' }).click();
        await announced(page, 'The key harvest is revoked.');
        await page.getByRole('row', { name: /harvest/ }).waitFor({ state: 'detached' });

        expect(await page.getByRole('row', { name: /of admin/ }).count()).to.equal(1);
        expect(await statusOf(key)).to.equal(401);
    });
});
