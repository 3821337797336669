/** The import of a file in place of all objects: the others are deleted after their number was entered. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accessibilityFindings, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('an import that deletes all other objects', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    const statusOf = async (id: string): Promise<number> => (await ui.ask('GET', `/objects/${id}`)).status;

    const found = async (query: string): Promise<{ readonly size: number; readonly results: readonly object[] }> =>
        await (await ui.ask('GET', `/search?query=${encodeURIComponent(query)}`)).json() as { size: number; results: object[] };

    it('begins only when their number is entered, and is still that', async () => {

        const { page } = ui;
        await ui.ask('POST', '/objects?type=Document&handle=test/other', { name: 'other' });
        const { results: types } = await found('type:Schema');
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#admin/transfer`);
        const file = [...types, { id: 'test/kept', type: 'Document', content: { name: 'of the file' } }].map((object) => `${JSON.stringify(object)}\n`).join('');
        await page.locator('.drop input[type=file]').setInputFiles({ name: 'objects.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(file) });
        await page.getByRole('radio', { name: /All or none/ }).check();
        const begin = page.getByRole('button', { name: 'Import', exact: true });
        const choose = async (): Promise<void> => page.getByRole('checkbox', { name: 'Delete all present objects first' }).check();
        const enter = async (): Promise<void> => {

            const { size } = await found('*:*');
            await page.getByLabel(`There are ${size} objects now`).fill(String(size));
        };

        await choose();
        await page.getByLabel(/^There are \d+ objects now/).fill('1');
        expect(await begin.isDisabled()).to.be.true();
        expect(await accessibilityFindings(page)).to.equal([]);

        await enter();
        await ui.ask('POST', '/objects?type=Document&handle=test/another', { name: 'another' });
        await begin.click();
        await page.getByText('Nothing was stored or deleted').waitFor();
        expect([await statusOf('test/kept'), await statusOf('test/other')]).to.equal([404, 200]);

        await choose();
        await enter();
        await begin.click();
        await page.getByText('All objects of the file are stored.').waitFor();
        expect([await statusOf('test/kept'), await statusOf('test/other'), await statusOf('test/another')]).to.equal([200, 404, 404]);
    });

    it('is not sent again unasked when its response is lost: it may be done', async () => {

        const { page } = ui;
        ui.watched.expected.push(/ERR_CONNECTION_RESET|status of 504/);
        await logInAsAdmin(page, ui.url);
        let requests = 0;
        await page.route((url) => url.pathname === '/uploadObjects', async (route) => {

            ++requests;
            const { status } = await route.fetch().then((response) => ({ status: response.status() }));
            expect(status).to.equal(200);
            await (requests === 1 ? route.abort('connectionreset') : route.fulfill({ status: 504, body: '<h1>Gateway Timeout</h1>' }));
        });
        await page.goto(`${ui.url}/#admin/transfer`);
        const buffer = Buffer.from('{"id":"test/lost","type":"Document","content":{"name":"of the file"}}\n');
        await page.locator('.drop input[type=file]').setInputFiles({ name: 'objects.ndjson', mimeType: 'application/x-ndjson', buffer });
        const begin = page.getByRole('button', { name: 'Import', exact: true });
        const box = page.getByRole('main').getByRole('alert');
        for (const times of [1, 2]) {
            await page.getByRole('radio', { name: /All or none/ }).check();
            await begin.click();
            await box.getByText('it may have stored the objects of the file').waitFor();

            expect([requests, await begin.count(), await statusOf('test/lost')]).to.equal([times, 0, 200]);
            expect(await box.getByRole('link').allInnerTexts()).to.equal(['Status', 'Audit log', 'The objects changed last']);
            expect(await accessibilityFindings(page)).to.equal([]);

            await page.getByRole('button', { name: 'I have looked: choose again' }).click();
            await begin.waitFor();
        }
    });

    it('is not said to be cancelled when it is cancelled after the file was sent: it may be done all the same', async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#admin/transfer`);
        // The lines of the second file are no whole export.
        ui.watched.expected.push(/status of 400/);
        // Everything is sent, and the page does not hear of the response.
        await page.evaluate(`(() => {
            const { addEventListener } = XMLHttpRequest.prototype;
            XMLHttpRequest.prototype.addEventListener = function (type, ...rest) {
                if (type !== 'load') {
                    addEventListener.call(this, type, ...rest);
                }
            };
        })()`);
        const begin = page.getByRole('button', { name: 'Import', exact: true });
        const box = page.getByRole('main').getByRole('alert');
        for (const [mode, id] of [[/All or none/, 'test/sent'], [/Restore an export/, 'test/restored']] as const) {
            const buffer = Buffer.from(`${mode.test('All or none') ? '' : '{"export":1}\n'}{"id":"${id}","type":"Document","content":{"name":"of the file"}}\n`);
            await page.locator('.drop input[type=file]').setInputFiles({ name: 'objects.ndjson', mimeType: 'application/x-ndjson', buffer });
            await page.getByRole('radio', { name: mode }).check();
            await begin.click();
            await page.getByText('The service is working').waitFor();
            await page.getByRole('button', { name: 'Cancel' }).click();
            await box.getByText('The import was cancelled after the whole file was sent').waitFor();

            expect(await begin.count()).to.equal(0);
            expect(await box.getByRole('link').allInnerTexts()).to.equal(['Status', 'Audit log', 'The objects changed last']);
            expect(await accessibilityFindings(page)).to.equal([]);

            await page.getByRole('button', { name: 'I have looked: choose again' }).click();
            await begin.waitFor();
        }
    });
});
