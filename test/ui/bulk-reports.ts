/** Reports of changes of many objects in the web UI: what was deleted, removed from objects and from lists, and what is tried again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SCHEMA = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, shelf: { type: 'string', title: 'Shelf' } } };

const IDS = ['test/a', 'test/b', 'test/c'];

describe('the report of a change of many objects', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const dialog = (): Locator => page.getByRole('dialog');

    const json = async (path: string): Promise<unknown> => (await ui.ask('GET', path)).json();

    before(async () => {

        expect((await ui.ask('PUT', '/schemas/Sheet', SCHEMA)).status).to.equal(200);
    });

    beforeEach(async () => {

        for (const id of IDS) {
            await ui.ask('PUT', `/objects/${id}?type=Sheet`, { title: id, shelf: 'one' });
            await ui.ask('POST', `/objects?type=Sheet&handle=${id}`, { title: id, shelf: 'one' });
            await ui.ask('PUT', `/acls/${id}`, { readers: ['public', 'test/ann'] });
        }

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/?query=type:Sheet&view=table`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('group', { name: '3 selected' }).getByRole('button', { name: 'Change …' }).click();
    });

    const choose = (action: string): Promise<unknown> => dialog().getByRole('combobox', { name: /^What to do/ }).selectOption({ label: action });

    it('says what was deleted, and that one was gone already', async () => {

        ui.watched.expected.push(/status of 404/);
        await ui.ask('DELETE', '/objects/test/b');
        await choose('Delete the objects');
        await dialog().getByLabel('Enter 3 to confirm').fill('3');
        await dialog().getByRole('button', { name: 'Delete 3 objects' }).click();
        const report = dialog().getByRole('status');
        await report.getByText('2 objects were deleted.').waitFor();
        const saved = page.waitForEvent('download');
        await dialog().getByRole('button', { name: 'Report as CSV' }).click();
        const text = await readFile(await (await saved).path(), 'utf8');

        expect(await report.innerText()).not.to.include('changed');
        expect(text).to.include(['test/a,deleted', 'test/c,deleted', 'test/b,failed']);
        expect(text).not.to.include('changed');
        expect(await Promise.all(IDS.map(async (id) => (await ui.ask('GET', `/objects/${id}`)).status))).to.equal([404, 404, 404]);
    });

    it('follows the removal of a property', async () => {

        await choose('Remove a property');
        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/shelf');
        await dialog().getByRole('button', { name: 'Change 3 objects' }).click();
        await dialog().getByText('3 objects were changed.').waitFor();

        expect(await Promise.all(IDS.map((id) => json(`/objects/${id}`)))).to.equal(IDS.map((title) => ({ title })));
    });

    it('says which rights were so already when somebody is removed from them', async () => {

        await ui.ask('PUT', '/acls/test/a', { readers: ['public'], writers: ['test/ann'] });
        await choose('Remove somebody from the rights');
        await dialog().getByRole('combobox', { name: /^Who/ }).fill('test/ann');
        await dialog().getByRole('combobox', { name: /^Who/ }).press('Enter');
        await dialog().getByRole('button', { name: 'Change 3 objects' }).click();
        await dialog().getByText('2 objects were changed. 1 was so already.').waitFor();

        expect(await Promise.all(IDS.map((id) => json(`/acls/${id}`)))).to.equal([{ readers: ['public'], writers: ['test/ann'] }, { readers: ['public'] }, { readers: ['public'] }]);
    });

    it('offers another attempt for those that failed, and for these alone', async () => {

        ui.watched.expected.push(/status of 400/);
        const sent: string[] = [];
        await page.route(/jsonPointer=/, (route) => {

            const isFirst = !sent.includes('test/b');
            const id = decodeURIComponent(new URL(route.request().url()).pathname).replace(/^\/objects\//, '');
            sent.push(id);
            return id === 'test/b' && isFirst ? route.fulfill({ status: 400, json: { message: 'it is too hot' } }) : route.continue();
        });
        await choose('Set a property');
        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/shelf');
        await dialog().getByLabel('Value').fill('two');
        await dialog().getByRole('button', { name: 'Change 3 objects' }).click();
        await dialog().getByText('2 objects were changed. 1 failed.').waitFor();
        await dialog().getByText('it is too hot').waitFor();
        await dialog().getByRole('button', { name: 'Try those that failed again' }).click();
        await dialog().getByText('3 objects were changed.').waitFor();

        expect(sent.filter((id) => id !== 'test/b').sort()).to.equal(['test/a', 'test/c']);
        expect(await Promise.all(IDS.map((id) => json(`/objects/${id}`)))).to.equal(IDS.map((title) => ({ title, shelf: 'two' })));
    });
});
