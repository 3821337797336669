/** Files that are sent by the web UI: the page is not closed unasked meanwhile, and what was stopped too late is not said to be unsaved. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, holdRequests, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

const FILE = { name: 'sent.txt', mimeType: 'text/plain', buffer: Buffer.from('all of it') };

describe('files that the web UI sends', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    beforeEach(async () => {

        await ui.ask('DELETE', '/objects/test/sent');
        await ui.ask('POST', '/objects?type=Document&handle=test/sent', { name: 'before' });
        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('are sent on while another screen is shown, and the page asks before it is closed', async () => {

        await page.goto(`${ui.url}/#objects/test/sent?tab=files`);
        await page.getByText('Drop files here').waitFor();
        const open = await holdRequests(page, (request) => request.method() === 'PUT');
        await page.locator('input[type=file]').first().setInputFiles(FILE);
        await page.getByRole('button', { name: 'Cancel' }).waitFor();
        await page.getByRole('link', { name: 'Types', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
        expect(ui.questions).to.equal(0);

        await page.close({ runBeforeUnload: true });
        await until(() => ui.questions === 1);
        open();
        await announced(page, 'The file is stored');

        expect(await (await ui.ask('GET', '/objects/test/sent?payload=sent.txt')).text()).to.equal('all of it');
        // Nothing is sent any more.
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
        expect(ui.questions).to.equal(1);
    });

    it('may be stored when the editor is stopped after all of it was sent, and the next attempt is no conflict', async () => {

        ui.watched.expected.push(/412/);
        await page.goto(`${ui.url}/#objects/test/sent?edit`);
        await page.getByRole('heading', { level: 1, name: 'Edit' }).waitFor();
        await page.locator('input[type=file]').first().setInputFiles(FILE);
        // Everything is sent, and the page does not hear of the response.
        await page.evaluate(`(() => {
            const { send, addEventListener } = XMLHttpRequest.prototype;
            window.undo = () => Object.assign(XMLHttpRequest.prototype, { send, addEventListener });
            XMLHttpRequest.prototype.send = function (body) {
                this.upload.addEventListener('load', () => document.body.dataset.sent = 'yes');
                send.call(this, body);
            };
            XMLHttpRequest.prototype.addEventListener = function (type, ...rest) {
                if (type !== 'load') {
                    addEventListener.call(this, type, ...rest);
                }
            };
        })()`);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.locator('body[data-sent]').waitFor();
        await until(async () => (await ui.ask('GET', '/objects/test/sent?payload=sent.txt')).status === 200);
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        await page.getByRole('main').getByRole('alert').waitFor();
        expect(await page.getByRole('main').getByRole('alert').innerText()).to.include('the service may still store it');

        await page.evaluate('window.undo()');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await announced(page, 'Saved');

        expect(await (await ui.ask('GET', '/objects/test/sent?payload=sent.txt')).text()).to.equal('all of it');
    });
});
