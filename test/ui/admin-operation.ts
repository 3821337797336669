/** The operation of the service in the administration of the web UI: export and import, index, handles, sessions, status and the audit log. */

import { readFile } from 'node:fs/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holdRequests, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { TestHandleServer } from '../support/handle-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the operation of the service in the administration', { skip: !hasBrowser }, () => {

    const handles = new TestHandleServer();
    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    const statusOf = async (id: string): Promise<number> => (await ask('GET', `/objects/${id}`)).status;

    before(async () => {

        await handles.start();
        const settings = { BASE_URI: 'https://repo.example/', HANDLE_SERVER_URL: handles.url, HANDLE_SERVER_IDENTITY: '300:test/ADMIN', HANDLE_SERVER_SECRET: 'key' };
        [test, browser] = await Promise.all([startServer(settings), startBrowser()]);
        await ask('POST', '/objects?type=Document&handle=test/first', { name: 'first' });
        await ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'password of ann' });
    });

    after(async () => {

        await browser.close();
        await test.stop();
        await handles.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        page = watched.page;
        // A picker of files is a window of the system, which tests cannot operate.
        await page.addInitScript('Object.defineProperty(window, "showSaveFilePicker", { value: undefined })');
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const show = async (section: string): Promise<void> => {

        await page.goto(`${test.url}/#admin/${section}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    };

    const drop = async (name: string, text: string): Promise<void> => {

        const dataTransfer = await page.evaluateHandle(`(() => {

            const transfer = new DataTransfer();
            transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
            return transfer;
        })()`);
        await page.locator('.drop').dispatchEvent('drop', { dataTransfer });
        await page.locator('.drop').getByText(name).waitFor();
    };

    const lines = (...objects: readonly object[]): string => objects.map((object) => `${JSON.stringify(object)}\n`).join('');

    const documentOf = (id: string, name: unknown): object => ({ id, type: 'Document', content: { name } });

    it('updates all handles at the handle server', async () => {

        await show('handles');
        handles.records.clear();
        await page.getByRole('button', { name: 'Update', exact: true }).click();
        await page.getByText(/\d+ of \d+ records are updated/).waitFor();
        await until(() => handles.records.has('test/first'));
    });

    it('counts the handles that wait for the handle server, and those that it has refused, which an update sends again', async () => {

        const counts = async (): Promise<string[]> => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Outbox', exact: true }) }).locator('dd').allTextContents();
        // After some failures the service leaves the handle server alone for up to a minute.
        const counted = async (waiting: number, refused: number): Promise<void> => until(async () => (await counts()).join() === `${waiting},${refused}`, 120_000);
        await show('handles');
        await counted(0, 0);
        handles.trouble = ({ handle }) => (handle === 'test/refused' ? 400 : handle === 'test/later' ? 503 : null);
        await ask('POST', '/objects?type=Document&handle=test/refused', { name: 'refused' });
        await counted(1, 1);
        await ask('POST', '/objects?type=Document&handle=test/later', { name: 'later' });
        await counted(2, 1);

        expect(await accessibilityFindings(page)).to.equal([]);
        handles.trouble = () => null;
        await page.getByRole('button', { name: 'Update', exact: true }).click();
        await counted(0, 0);

        expect([...handles.records.keys()]).to.include(['test/refused', 'test/later']);
    });

    it('exports all objects as a file, and restores it', async () => {

        await show('transfer');
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export', exact: true }).click()]);
        await page.getByText('The export is complete').waitFor();
        const text = await readFile(await download.path(), 'utf8');

        expect(download.suggestedFilename()).to.match(/^export-.*\.ndjson$/);
        expect(text).to.contain('"test/first"').and.match(/\{"end":true[^\n]*\}\s*$/);

        await ask('DELETE', '/objects/test/first');
        await drop('export.ndjson', text);
        await until(async () => page.getByRole('radio', { name: /Restore an export/ }).isChecked());
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText(/^1 created, 0 changed, \d+ unchanged\.$/).waitFor();
        expect(await statusOf('test/first')).to.equal(200);
    });

    it('shows how much of an export has arrived, and saves none that is cancelled or breaks off', async () => {

        await page.addInitScript(`(() => {

            const { fetch } = window;
            let count = 0;
            window.fetch = (input, init) => (String(input.url ?? input).includes('Op.Export') ? Promise.resolve(new Response(new ReadableStream({
                start(controller) {

                    init?.signal?.addEventListener('abort', () => controller.error(init.signal.reason));
                    controller.enqueue(new Uint8Array(1_500_000));
                    if (++count === 2) {
                        setTimeout(() => controller.error(new TypeError('the connection is lost')), 100);
                    }
                }
            }))) : fetch(input, init));
        })()`);
        const saved: string[] = [];
        page.on('download', (download) => saved.push(download.suggestedFilename()));
        await show('transfer');
        await page.getByRole('button', { name: 'Export', exact: true }).click();
        await page.getByText('1.5 MB received').first().waitFor();

        expect(await page.getByRole('button', { name: 'Export', exact: true }).isDisabled()).to.be.true();

        await page.getByRole('button', { name: 'Cancel', exact: true }).click();
        await page.getByRole('progressbar').waitFor({ state: 'detached' });

        expect(await page.getByRole('button', { name: 'Export', exact: true }).isEnabled()).to.be.true();
        expect(await page.getByRole('main').getByRole('alert').count()).to.equal(0);

        await page.getByRole('button', { name: 'Export', exact: true }).click();
        await page.getByRole('alert').getByText('The export broke off. The file is not complete.').waitFor();

        expect(saved).to.equal([]);
    });

    it('says how many payloads of an export are damaged', async () => {

        await page.route(/Op\.Export/, (route) => route.fulfill({ contentType: 'application/x-ndjson', body: '{"export":1}\n{"end":true,"objects":9,"damaged":2}\n' }));
        await show('transfer');
        await page.getByRole('button', { name: 'Export', exact: true }).click();
        await page.getByRole('alert').getByText('The export is complete, but without 2 payloads, which are damaged in the repository.').waitFor();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
    });

    it('says so when an export is damaged', async () => {

        watched.expected.push(/status of 4\d\d/);
        await show('transfer');
        await drop('notes.ndjson', `{"export": 1}\n${lines(documentOf('test/of-notes', 'x'))}not json\n`);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.locator('form .error, table').first().waitFor();

        expect(await page.getByText('objects are stored').count()).to.equal(0);
    });

    it('imports a file that is dropped, in steps with progress that can be cancelled', async () => {

        await show('transfer');
        await drop('objects.ndjson', lines(...Array.from({ length: 1200 }, (_, i) => documentOf(`test/step-${i}`, `number ${i}`))));
        let batches = 0;
        const release = await holdRequests(page, (request) => request.url().includes('batchUpload') && (batches += 1) === 2);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.locator('progress[value]:not([value="0"])').waitFor();
        await until(() => batches === 2);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('The import was cancelled').waitFor();
        release();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        expect([await statusOf('test/step-0'), await statusOf('test/step-1199')]).to.equal([200, 404]);

        await page.getByRole('button', { name: 'Go on', exact: true }).click();
        await page.getByText('1,200 objects are stored.').waitFor();
        expect(await statusOf('test/step-1199')).to.equal(200);
    });

    it('asks before a running import is left, and goes on with it afterwards, so that no object without an id is stored twice', async () => {

        const asked: string[] = [];
        let mayLeave = false;
        page.on('dialog', (dialog) => {

            asked.push(dialog.message());
            void (mayLeave ? dialog.accept() : dialog.dismiss());
        });
        await show('transfer');
        await drop('no-ids.ndjson', lines(...Array.from({ length: 700 }, () => ({ type: 'Document', content: { name: 'nameless' } }))));
        let batches = 0;
        const release = await holdRequests(page, (request) => request.url().includes('batchUpload') && (batches += 1) === 2);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await until(() => batches === 2);
        await page.getByRole('link', { name: 'Status', exact: true }).click();
        await until(() => asked.length === 1);

        expect(await page.getByRole('heading', { name: 'Import and export', level: 1 }).count()).to.equal(1);
        mayLeave = true;
        await page.getByRole('link', { name: 'Status', exact: true }).click();
        await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor();
        release();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.getByRole('link', { name: 'Import and export', exact: true }).click();
        await page.locator('.drop').getByText('no-ids.ndjson').waitFor();
        await page.getByRole('button', { name: 'Go on', exact: true }).click();
        await page.getByText('700 objects are stored.').waitFor();
        const found = await (await ask('GET', '/search?query=/name:nameless&ids&pageSize=1')).json() as { size: number };

        expect(asked).to.equal(Array.from({ length: 2 }, () => 'The import is running. Stop it and leave this page?'));
        expect(found.size).to.equal(700);
    });

    it('discards an import that was stopped, after a question where something is stored, and keeps it when another file is imported meanwhile', async () => {

        await show('transfer');
        await drop('half.ndjson', lines(...Array.from({ length: 700 }, () => ({ type: 'Document', content: { name: 'halfway' } }))));
        let batches = 0;
        const release = await holdRequests(page, (request) => request.url().includes('batchUpload') && (batches += 1) === 2);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await until(() => batches === 2);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('The import was cancelled').waitFor();
        release();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await drop('whole.ndjson', lines(documentOf('test/whole', 'whole')));
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText('1 object is stored.', { exact: true }).waitFor();
        const list = page.getByRole('listitem').filter({ hasText: 'half.ndjson' });

        expect(await list.innerText()).to.contain('At least 500 objects are stored.');
        expect(await accessibilityFindings(page)).to.equal([]);
        await list.getByRole('button', { name: 'Go on with half.ndjson' }).click();
        await page.getByRole('button', { name: 'Go on', exact: true }).waitFor();
        await list.getByRole('button', { name: 'Discard half.ndjson' }).click();
        const question = page.getByRole('dialog', { name: 'Discard the import of half.ndjson?' });
        await question.getByRole('button', { name: 'Cancel' }).click();
        expect(await list.count()).to.equal(1);
        await list.getByRole('button', { name: 'Discard half.ndjson' }).click();
        await question.getByRole('button', { name: 'Discard', exact: true }).click();
        await list.waitFor({ state: 'detached' });

        expect(await page.locator('.drop').getByText('half.ndjson').count()).to.equal(0);
        await page.getByRole('link', { name: 'Status', exact: true }).click();
        await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor();
        await page.getByRole('link', { name: 'Import and export', exact: true }).click();
        await page.locator('.drop').waitFor();
        expect(await page.getByRole('main').getByText('half.ndjson').count()).to.equal(0);
    });

    it('says what a proxy has rejected a file with', async () => {

        watched.expected.push(/status of 413/);
        await show('transfer');
        await drop('objects.ndjson', lines(documentOf('test/too-large', 'x')));
        await page.getByRole('radio', { name: /All or none/ }).check();
        await page.route('**/uploadObjects*', (route) => route.fulfill({ status: 413, contentType: 'text/html', body: '<html><h1>Request Entity Too Large</h1></html>' }));
        await page.getByRole('button', { name: 'Import', exact: true }).click();

        expect(await page.getByRole('main').getByRole('alert').textContent()).to.include('413').and.not.include('JSON');
    });

    it('stores all objects of a file or none, and names the one that is wrong', async () => {

        watched.expected.push(/status of 400/);
        await show('transfer');
        await drop('objects.ndjson', lines(documentOf('test/u1', 'good'), documentOf('test/u2', 'good'), documentOf('test/u3', 7)));
        await page.getByRole('radio', { name: /All or none/ }).check();
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText('Nothing was stored.').waitFor();
        await page.getByRole('row', { name: /^3 .*\/name: must be a string/ }).waitFor();
        expect([await statusOf('test/u1'), await statusOf('test/u3')]).to.equal([404, 404]);
        expect(await accessibilityFindings(page)).to.equal([]);

        await drop('objects.ndjson', lines(documentOf('test/u1', 'good'), documentOf('test/u3', 'better')));
        await page.getByRole('radio', { name: /All or none/ }).check();
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText('All objects of the file are stored.').waitFor();
        expect([await statusOf('test/u1'), await statusOf('test/u3')]).to.equal([200, 200]);
    });

    it('says what is wrong with a file that is no JSON', async () => {

        await show('transfer');
        await drop('objects.json', '[{"id": ');
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByRole('main').getByRole('alert').waitFor();

        expect(await page.getByText('objects are stored').count()).to.equal(0);
    });

    it('indexes objects again, and lists the job', async () => {

        await show('index');
        await page.getByRole('radio', { name: 'Results of a query' }).check();
        await page.getByLabel('Query', { exact: true }).fill('type:Document');
        await page.getByRole('button', { name: 'Index again' }).click();
        await announced(page, 'The objects are indexed.');
        await page.getByRole('row', { name: /index objects again done/ }).first().waitFor();
    });

    it('shows files, sessions and handles in the status', async () => {

        await show('status');
        const main = page.getByRole('main');
        for (const name of ['Sessions', 'Files', 'Database', 'Handles to be registered']) {
            await main.getByText(name, { exact: true }).waitFor();
        }
    });

    it('asks for no login by itself when the session ends while the status is shown', async () => {

        watched.expected.push(/status of 401/);
        await show('status');
        await page.getByRole('main').getByText('Sessions', { exact: true }).waitFor();
        await page.context().clearCookies();
        await page.getByRole('main').getByRole('alert').waitFor();

        expect(await page.getByRole('dialog').count()).to.equal(0);
    });

    it('draws what the status has measured since the page was opened', async () => {

        const measured: number[] = [];
        page.on('response', async (response) => {

            if (new URL(response.url()).pathname === '/status') {
                measured.push((await response.json() as { memory: { rssBytes: number } }).memory.rssBytes);
            }
        });
        await show('status');
        const points = async (name: RegExp): Promise<[number, number][]> => {

            const [line] = await page.getByRole('img', { name }).locator('polyline').all();
            return (await line?.getAttribute('points') ?? '').split(' ').filter((each) => each !== '').map((each) => each.split(',').map(Number) as [number, number]);
        };

        await until(async () => (await points(/^Memory/)).length >= 3);
        const drawn = await points(/^Memory/);
        await until(() => measured.length >= drawn.length);
        const top = Math.max(...measured.slice(0, drawn.length));

        expect(drawn.map(([x]) => x)).to.equal(drawn.map((none, index) => Math.round(index * 2000 / (drawn.length - 1)) / 10));
        drawn.forEach(([, y], index) => expect(y, `${index}`).to.be.about(42 - 40 * measured[index]! / top, 0.1));
        for (const name of [/^Heap/i, /loop/i]) {
            expect((await points(name)).length, `${name}`).to.be.least(2);
        }
    });

    it('ends the sessions of another browser', async () => {

        const other = await openPage(browser, test.url);
        await logInAsAdmin(other.page, test.url);
        await show('account');
        await page.getByRole('region', { name: 'Sessions' }).getByText('this one').waitFor();
        await page.getByRole('button', { name: 'End all others' }).click();
        await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
        const active = await (await other.page.request.get(`${test.url}/session`, { headers: { 'X-Requested-With': 'doip-gateway' } })).json() as { active: boolean };
        await other.close();

        expect(active.active).to.be.false();
        expect(await page.getByRole('heading', { name: 'My account' }).count()).to.equal(1);
    });

    it('says how to turn on the audit log', async () => {

        await show('audit');
        await page.getByText('AUDIT_DAYS=90').waitFor();
    });
});
