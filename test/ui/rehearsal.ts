/** Code of a type that is tried on an object: the outcome is that of the object that is chosen. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { findingsOnEachScreen, hasBrowser, holdRequests, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };
const UPPER = 'exports.beforeSchemaValidation = (object) => { object.content.name = object.content.name.toUpperCase(); return object; };';
const RESOLVED = `${UPPER}\nexports.onObjectResolution = (object) => { object.content.name = "shown"; return object; };`;

describe('code that is tried on an object', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        for (const [name, javascript] of [['Upper', UPPER], ['Resolved', RESOLVED]] as const) {
            await ui.ask('POST', '/objects?type=Schema', { identifier: '', name, schema: SCHEMA, javascript });
        }

        for (const [type, id] of [['Upper', 'test/one'], ['Upper', 'test/two'], ['Resolved', 'test/resolved']] as const) {
            expect((await ui.ask('POST', `/objects?type=${type}&handle=${id}`, { name: 'x' })).status).to.equal(200);
        }
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const choose = async (id: string): Promise<void> => {

        const field = page.getByRole('combobox', { name: 'Object', exact: true });
        await field.fill(id);
        await field.press('Enter');
    };

    const run = async (): Promise<void> => page.getByRole('button', { name: 'Run' }).click();

    it('shows no outcome of another object, also not a late one', async () => {

        await page.goto(`${ui.url}/#schemas/Upper?tab=code`);
        await choose('test/one');
        await run();
        await page.getByText('The update would be stored').waitFor();
        await choose('test/two');
        await page.getByText('The update would be stored').waitFor({ state: 'detached' });

        await choose('test/one');
        let isAsked = false;
        const release = await holdRequests(page, (request) => {

            isAsked ||= request.method() === 'PUT';
            return request.method() === 'PUT';
        });
        await run();
        await until(() => isAsked);
        await choose('test/two');
        release();
        await ui.watched.idle();

        expect(await page.getByText('The update would be stored').count()).to.equal(0);
        await run();
        await page.getByText('The update would be stored').waitFor();
    });

    it('is tried as it is in the editor, and is not stored by that', async () => {

        ui.watched.expected.push(/400/);
        await page.goto(`${ui.url}/#schemas/Upper?tab=code`);
        const editor = page.getByRole('textbox', { name: 'JavaScript' });
        await editor.click();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.insertText('exports.beforeSchemaValidation = (object) => { object.content.name = "by the editor"; return object; };');
        await choose('test/one');
        await run();
        await page.getByText('The update would be stored').waitFor();
        await page.getByRole('status').getByText('by the editor').first().waitFor();
        expect(await findingsOnEachScreen(page)).to.equal([]);

        await editor.click();
        await page.keyboard.press('ControlOrMeta+End');
        await page.keyboard.insertText('\nexports.beforeSchemaValidation = (object) => object.none.at;');
        await page.getByText('The update would be stored').waitFor({ state: 'detached' });
        await run();
        await page.getByText(/failed: .* \(line 2, column \d+\)/).waitFor();

        const stored = await (await ui.ask('GET', '/search?query=type:Schema')).text();
        expect(stored).to.include('toUpperCase').and.not.include('by the editor');
        expect(await (await ui.ask('GET', '/objects/test/one')).json()).to.equal({ name: 'X' });
    });

    it('is tried on what is stored, not on what the code shows in place of it', async () => {

        const changes: string[] = [];
        page.on('request', (request) => request.method() === 'PUT' && changes.push(request.url()));
        await page.goto(`${ui.url}/#schemas/Resolved?tab=code`);
        await choose('test/resolved');
        await run();
        await page.getByText('The update would be stored').waitFor();
        await page.getByText('What the hooks changed is not known here').waitFor();

        expect(changes).to.equal([]);
        ui.watched.expected.push(/400/);
        const editor = page.getByRole('textbox', { name: 'JavaScript' });
        await editor.click();
        await page.keyboard.press('ControlOrMeta+End');
        await page.keyboard.insertText('\nexports.beforeSchemaValidation = (object) => { throw object.content.name; };');
        await run();
        await page.getByText('The update would be rejected').waitFor();
        await page.getByRole('alert').getByText('X', { exact: true }).waitFor();
    });
});
