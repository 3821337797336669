/** Numbers in the schemas of types, digit for digit: where types are changed and compared, and in the forms that are made of them. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, holds, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

/** Members with numbers that JavaScript would write differently. */
const COUNT = '"count":{"type":"integer","title":"Count","minimum":1.0,"maximum":12345678901234567890,"default":98765432109876543}';
const GRADE = '"grade":{"title":"Grade","enum":[1.0,2.50,1e3]}';
const ALWAYS = '"always":{"title":"Always","const":1.10}';
const SCHEMA = `{"type":"object","properties":{"name":{"type":"string","title":"Name"},${COUNT},${GRADE},${ALWAYS}},"required":["always"]}`;

describe('the numbers of a type', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;
    let folder = '';

    const stored = async (): Promise<string> => (await ui.ask('GET', '/schemas/Precise')).text();

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'exact-types-'));
    });

    after(async () => {

        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        expect((await ui.ask('PUT', '/schemas/Precise', SCHEMA)).status).to.equal(200);
        expect(await stored()).to.equal(SCHEMA);
        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const save = async (): Promise<void> => {

        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await announced(page, 'The type Precise is saved.');
    };

    it('keep their digits when its description is changed', async () => {

        await page.goto(`${ui.url}/#schemas/Precise`);
        await page.getByText('Name and settings').click();
        await page.getByRole('textbox', { name: 'Description' }).fill('with exact numbers');
        await save();
        const [type] = (await (await ui.ask('GET', '/search?query=type:Schema%20AND%20/name:Precise')).json() as { results: { content: { description: string } }[] }).results;

        expect(type?.content.description).to.equal('with exact numbers');
        expect(await stored()).to.equal(SCHEMA);
    });

    it('keep their digits when fields are changed in the table, where they are shown with all of them', async () => {

        await page.goto(`${ui.url}/#schemas/Precise`);
        await page.getByRole('button', { name: 'Details of count' }).click();
        await holds(page.getByLabel('Maximum', { exact: true }), '12345678901234567890');
        await holds(page.getByLabel('Minimum', { exact: true }), '1.0');
        await page.getByLabel('Label', { exact: true }).fill('Number of copies');
        await page.getByLabel('Minimum', { exact: true }).fill('0.50');
        await page.getByRole('checkbox', { name: 'Required: grade' }).check();
        await save();

        expect(await stored()).to.equal(SCHEMA.replace('"title":"Count","minimum":1.0', '"title":"Number of copies","minimum":0.50')
            .replace('["always"]', '["always","grade"]'));
    });

    it('are those that a new object gets as defaults, constants and choices', async () => {

        await page.goto(`${ui.url}/#create/Precise`);
        await holds(page.getByLabel('Count', { exact: true }), '98765432109876543');
        await page.getByLabel('Name', { exact: true }).fill('exact');
        await page.getByLabel('Grade', { exact: true }).selectOption({ label: '2.50' });
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'exact' }).waitFor();
        const id = decodeURIComponent(new URL(page.url()).hash.replace('#objects/', ''));

        expect(await (await ui.ask('GET', `/objects/${id}`)).text()).to.contain('98765432109876543').and.contain('2.50').and.contain('1.10');
    });

    it('equal those of an object that has fewer or more digits after the point', async () => {

        const content = '{"name":"other digits","count":7,"grade":1000,"always":1.1}';
        expect((await ui.ask('POST', '/objects?type=Precise&handle=test/digits', content)).status).to.equal(200);
        await page.goto(`${ui.url}/#objects/test/digits?edit`);
        const grade = page.getByLabel('Grade', { exact: true });
        await grade.waitFor();

        expect(await grade.locator('option:checked').innerText()).to.equal('1e3');
        expect(await page.getByRole('checkbox', { name: /^Always/ }).isChecked()).to.be.true();
        await page.getByLabel('Count', { exact: true }).fill('8');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => (await (await ui.ask('GET', '/objects/test/digits')).text()).includes('"count":8'));

        expect(await (await ui.ask('GET', '/objects/test/digits')).text()).to.equal(content.replace('7', '8'));
    });

    it('are compared by all digits when types are loaded from a file', async () => {

        const other = SCHEMA.replace('12345678901234567890', '12345678901234567891');
        const [same, changed] = [join(folder, 'same.json'), join(folder, 'changed.json')];
        await Promise.all([writeFile(same, `{"Precise":${SCHEMA}}`), writeFile(changed, `{"Precise":${other}}`)]);
        await page.goto(`${ui.url}/#schemas`);
        await page.getByRole('button', { name: 'Load from a file' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('input[type=file]').setInputFiles(same);
        await dialog.getByText('unchanged').waitFor();
        await dialog.locator('input[type=file]').setInputFiles(changed);
        await dialog.getByText('replaces').waitFor();
        await dialog.getByRole('button', { name: 'Store' }).click();
        await announced(page, '1 type is stored.');

        expect(await stored()).to.equal(other);
    });
});
