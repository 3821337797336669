/** Searches that are saved in a browser with several pages, and without room for them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

const STORED = 'doip-gateway-searches';

describe('searches that are saved', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/?query=type:Document`);
    });

    const save = async (name: string): Promise<void> => {

        await page.getByRole('button', { name: 'Save the search' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name', { exact: true }).fill(name);
        await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    };

    const kept = (): Promise<string[]> => page.evaluate<string[]>(`JSON.parse(localStorage.getItem('${STORED}') ?? '{}').admin?.map(({ name }) => name) ?? []`);

    it('stay beside those of a page of which this one has not heard, as it was asleep', async () => {

        await save('mine');
        await announced(page, 'The search “mine” is saved.');
        // A page hears of others only, so this one does not hear of it.
        await page.evaluate(`localStorage.setItem('${STORED}', JSON.stringify({ admin: [...JSON.parse(localStorage.getItem('${STORED}')).admin, { name: 'theirs', params: 'query=x' }] }))`);
        await save('another');
        await announced(page, 'The search “another” is saved.');

        expect((await kept()).sort()).to.equal(['another', 'mine', 'theirs']);
        await page.getByRole('button', { name: 'Rename and delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete mine' }).click();
        await page.getByRole('dialog').getByRole('link', { name: 'mine', exact: true }).waitFor({ state: 'detached' });

        expect((await kept()).sort()).to.equal(['another', 'theirs']);
    });

    it('are not said to be saved where the browser has no room', async () => {

        await save('mine');
        await announced(page, 'The search “mine” is saved.');
        await page.evaluate(`(() => {

            for (let length = 5_000_000; length >= 1; length = Math.floor(length / 2)) {
                try {
                    localStorage.setItem('rest-' + length, 'x'.repeat(length));
                }
                catch {}
            }
        })()`);
        await save('too much');
        await page.getByRole('dialog').getByRole('alert').getByText('The search was not saved').waitFor();

        expect(await kept()).to.equal(['mine']);
    });
});
