/** Changes of many objects in the web UI: what is set, and what becomes of a change that the user leaves. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { hasBrowser, holdRequests, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SCHEMA = `{"type":"object","properties":{"title":{"type":"string","title":"Title","cordra":{"preview":{"isPrimary":true}}},"ti":{"type":"string","title":"Ti"},
    "grade":{"title":"Grade","enum":[1,2.50,"none"]},"place":{"type":"object","properties":{"city":{"type":"string"}}},
    "of":{"type":"string","title":"Of","cordra":{"type":{"handleReference":{"types":["Sheet"],"prepend":"test/"}}}}}}`;

describe('a change of many objects', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const dialog = (): Locator => page.getByRole('dialog');

    const stored = async (): Promise<string> => (await ui.ask('GET', '/objects/test/one')).text();

    before(async () => {

        expect((await ui.ask('PUT', '/schemas/Sheet', SCHEMA)).status).to.equal(200);
    });

    beforeEach(async () => {

        await ui.ask('DELETE', '/objects/test/one');
        await ui.ask('POST', '/objects?type=Sheet&handle=test/one', { title: 'one' });
        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/?query=type:Sheet&view=table`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('group', { name: '1 selected' }).getByRole('button', { name: 'Change …' }).click();
    });

    const change = async (): Promise<void> => {

        await dialog().getByRole('button', { name: 'Change 1 object' }).click();
        await dialog().getByText('1 object was changed.').first().waitFor();
    };

    it('does not empty a property whose value was not entered', async () => {

        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/title');

        expect(await dialog().getByRole('button', { name: 'Change 1 object' }).isDisabled()).to.be.true();
        await dialog().getByRole('checkbox', { name: 'Enter JSON' }).check();
        await dialog().getByRole('textbox', { name: 'Value' }).fill('""');
        await change();

        expect(await stored()).to.equal('{"title":""}');
    });

    it('sets a choice to the value that the type has, with its digits', async () => {

        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/grade');
        await dialog().getByRole('combobox', { name: /^Value/ }).selectOption('2.50');
        await change();

        expect(await stored()).to.equal('{"title":"one","grade":2.50}');
    });

    it('sets a reference to what its value is of the id', async () => {

        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/of');
        const field = dialog().getByRole('combobox', { name: 'Value' });
        await field.fill('other/one');
        await field.press('Enter');
        expect(await dialog().getByRole('button', { name: 'Change 1 object' }).isDisabled()).to.be.true();

        await field.fill('test/one');
        await field.press('Enter');
        await change();

        expect(await stored()).to.equal('{"title":"one","of":"one"}');
    });

    it('sets what was entered last, however soon Enter follows', async () => {

        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/title');
        await dialog().getByRole('textbox', { name: 'Value' }).fill('on');
        await until(async () => dialog().getByRole('button', { name: 'Change 1 object' }).isEnabled());
        // Both come before the next frame.
        await page.evaluate(`(async () => {

            const field = document.activeElement;
            field.value = 'once';
            field.dispatchEvent(new Event('input', { bubbles: true }));
            for (let turn = 0; turn < 20; ++turn) {
                await null;
            }

            field.form.requestSubmit();
        })()`);
        await dialog().getByText('1 object was changed.').first().waitFor();

        expect(await stored()).to.equal('{"title":"once"}');
    });

    it('takes a pointer that is typed, also where its beginning is another property', async () => {

        await dialog().getByLabel('JSON pointer of the property').pressSequentially('/title');
        await dialog().getByRole('textbox', { name: 'Value (JSON)' }).fill('"typed"');
        await change();

        expect(await stored()).to.equal('{"title":"typed"}');
    });

    it('is not left without a question while it runs', async () => {

        await dialog().getByRole('combobox', { name: /^Property/ }).selectOption('/title');
        await dialog().getByLabel('Value').fill('two');
        let isAsked = false;
        const release = await holdRequests(page, (request) => {

            isAsked ||= request.method() === 'PUT';
            return request.method() === 'PUT';
        });
        await dialog().getByRole('button', { name: 'Change 1 object' }).click();
        await until(() => isAsked);
        await page.evaluate('location.hash = "#schemas"');
        await until(() => ui.questions === 1);
        await until(() => new URL(page.url()).hash.startsWith('#objects/?query=type:Sheet'));
        release();
        await dialog().getByText('1 object was changed.').first().waitFor();
        await page.evaluate('location.hash = "#schemas"');
        await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();

        expect(ui.questions).to.equal(1);
        expect(await stored()).to.equal('{"title":"two"}');
    });
});
