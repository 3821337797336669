/** An object of 1 MB in the web UI: its tabs, lists that are opened, and the change between form and JSON react without delay. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { measureCosts } from '../support/page-costs.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const ROWS = { type: 'array', title: 'Rows', items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } };

const LARGE = { title: 'A large object', rows: Array.from({ length: 4400 }, (_, i) => ({ a: 'a'.repeat(120), b: `${'b'.repeat(100)}${i}` })), extra: { words: Array.from({ length: 500 }, (_, i) => `word ${i}`) } };

describe('an object of 1 MB', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    before(async () => {

        expect(JSON.stringify(LARGE).length).to.be.above(1_000_000);
        await ui.ask('PUT', '/schemas/Large', { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, rows: ROWS } });
        const made = await ui.ask('POST', '/objects?type=Large&handle=test/large', LARGE);
        expect(made.status, await made.text()).to.equal(200);
        await ui.ask('POST', '/versions?objectId=test/large&versionId=test/large-first');
        await ui.ask('PUT', '/objects/test/large?jsonPointer=/title', '"Another title"');
    });

    it('has tabs, lists and an editor that react soon', { timeout: 1_200_000 }, async () => {

        const { page } = ui;
        const { costs, cheaply } = await measureCosts(ui.watched);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/test/large`);
        await page.getByRole('heading', { level: 1, name: 'Another title' }).waitFor();
        const tab = (name: string): Promise<void> => page.getByRole('main').getByRole('navigation').first().getByRole('link', { name: new RegExp(`^${name}`) }).click();
        await cheaply('more of a list of the content', () => page.getByRole('button', { name: /^Show/ }).first().click());
        for (const name of ['JSON', 'History', 'Rights', 'Relations', 'Content', 'JSON', 'History', 'Content']) {
            await cheaply(`the tab ${name}`, () => tab(name));
        }

        await page.goto(`${ui.url}/#objects/test/large?edit`);
        await page.getByLabel('Title', { exact: true }).waitFor();
        await cheaply('closing the list in the form', () => page.getByRole('button', { name: 'Rows', exact: true }).click());
        await cheaply('opening the list in the form', () => page.getByRole('button', { name: 'Rows', exact: true }).click());
        for (const round of [1, 2]) {
            await cheaply(`the JSON in the editor, ${round}`, () => page.getByRole('button', { name: 'JSON', exact: true }).click());
            await page.getByRole('textbox', { name: 'Content' }).waitFor();
            await cheaply(`the form in the editor, ${round}`, () => page.getByRole('button', { name: 'Form', exact: true }).click());
            await page.getByLabel('Title', { exact: true }).waitFor();
        }

        if (process.env['SHOW_COSTS']) {
            process.stderr.write(`${JSON.stringify(costs, null, 2)}\n`);
        }
    });
});
