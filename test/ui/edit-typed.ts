/** What was typed and is no value yet: it is not lost unseen, and nothing that is no longer shown holds up saving. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holdRequests, holds, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SHEET = {
    type: 'object',
    properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } },
        scale: { type: 'number', title: 'Scale', maximum: 100 },
        day: { type: 'string', format: 'date', title: 'Day' },
        at: { type: 'string', format: 'date-time', title: 'At' },
        words: { type: 'array', title: 'Words', items: { type: 'string' } },
        about: { type: 'string', title: 'About', cordra: { type: { handleReference: { types: ['Sheet'] } } } },
        also: { type: 'array', title: 'Also', items: { type: 'string', cordra: { type: { handleReference: { types: ['Sheet'] } } } } },
        part: { type: 'string', title: 'Part', cordra: { type: { handleReference: { types: ['Sheet'], prepend: 'test/' } } } },
        paper: {
            title: 'Paper', oneOf: [
                { title: 'Measured', type: 'object', properties: { weight: { type: 'number', title: 'Weight' } }, required: ['weight'] },
                { title: 'Named', type: 'object', properties: { name: { type: 'string', title: 'Name of the paper' } }, required: ['name'] }
            ]
        },
        isOld: { type: 'boolean', title: 'Old' }
    },
    if: { properties: { isOld: { const: true } }, required: ['isOld'] },
    then: { properties: { age: { type: 'number', title: 'Age' } } }
};

describe('what is typed into a form of the web UI, and is no value yet,', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const stored = async (): Promise<unknown> => (await ui.ask('GET', '/objects/test/sheet')).json();

    before(async () => {

        await ui.ask('PUT', '/schemas/Sheet', SHEET);
        await ui.ask('POST', '/objects?type=Sheet&handle=test/other', { title: 'The other one' });
    });

    beforeEach(async () => {

        await ui.ask('DELETE', '/objects/test/sheet');
        await ui.ask('POST', '/objects?type=Sheet&handle=test/sheet', { title: 'a', scale: 1 });
        ({ page } = ui);
        // Dry runs while there are faults.
        ui.watched.expected.push(/status of 400/);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/test/sheet?edit`);
        await page.getByRole('heading', { level: 1, name: 'Edit' }).waitFor();
    });

    const save = async (): Promise<void> => page.keyboard.press('Control+s');

    it('is part of what the keys for saving store, where a list takes it over when it is left', async () => {

        await page.getByRole('textbox', { name: 'Add to “Words”' }).fill('typed last');
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'a', scale: 1, words: ['typed last'] });
    });

    it('stays in the field of a reference, and keeps the object from being saved without it', async () => {

        await page.getByRole('combobox', { name: 'About' }).fill('the oth');
        await page.getByLabel('Title', { exact: true }).fill('b');
        await page.getByText('This is no object yet').first().waitFor();
        await holds(page.getByRole('combobox', { name: 'About' }), 'the oth');
        await save();
        await page.getByText('Some fields hold text that is no value').waitFor();

        expect(await stored()).to.equal({ title: 'a', scale: 1 });

        await page.getByRole('combobox', { name: 'About' }).fill('test/other');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('link', { name: 'The other one' }).waitFor();
        await page.getByRole('combobox', { name: 'Add to “Also”' }).fill('hdl:test/other');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('link', { name: 'The other one' }).nth(1).waitFor();
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'b', scale: 1, about: 'test/other', also: ['test/other'] });
    });

    it('gives the focus back to nobody who has left the field with an id, and words with a slash are no reference', async () => {

        await page.getByRole('combobox', { name: 'About' }).fill('AC/DC');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByText('This is no object yet').first().waitFor();
        await page.getByRole('combobox', { name: 'About' }).fill('test/other');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('link', { name: 'The other one' }).waitFor();
        await page.keyboard.type('typed on');
        await holds(page.getByLabel('Title', { exact: true }), 'atyped on');

        // An emptied search over a stored reference shows that again.
        await page.getByRole('button', { name: 'Change: About' }).click();
        await page.getByRole('combobox', { name: 'About' }).fill('foo');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByText('This is no object yet').first().waitFor();
        await page.getByRole('combobox', { name: 'About' }).fill('');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('link', { name: 'The other one' }).waitFor();
    });

    it('is taken as a reference into the list as it is when the object is found', async () => {

        await ui.ask('PUT', '/objects/test/sheet', { title: 'a', scale: 1, also: ['test/other'] });
        await page.reload();
        const link = page.getByRole('link', { name: 'The other one' });
        await link.waitFor();
        const release = await holdRequests(page, (request) => new URL(request.url()).pathname === '/search');
        await page.getByRole('combobox', { name: 'Add to “Also”' }).fill('test/other');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByText('This is no object yet').first().waitFor();
        await page.getByRole('button', { name: 'Remove “The other one”' }).click();
        await link.waitFor({ state: 'detached' });
        release();
        await link.waitFor();
        await page.getByLabel('Title', { exact: true }).fill('b');
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'b', scale: 1, also: ['test/other'] });
    });

    it('is no reference where the ids of the field begin otherwise, nor is such an object offered', async () => {

        await ui.ask('POST', '/objects?type=Sheet&handle=other/other', { title: 'The other one elsewhere' });
        const field = page.getByRole('combobox', { name: 'Part', exact: true });
        await field.fill('the other');
        await page.getByRole('option', { name: 'test/other' }).waitFor();
        expect(await page.getByRole('option', { name: /elsewhere/ }).count()).to.equal(0);

        await field.fill('other/other');
        await ui.watched.idle();
        expect(await page.getByRole('option', { name: 'other/other' }).count()).to.equal(0);

        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByText('objects whose ids begin with test/').first().waitFor();
        await save();
        await page.getByText('Some fields hold text that is no value').waitFor();
        await field.fill('test/other');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('link', { name: 'The other one', exact: true }).waitFor();
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'a', scale: 1, part: 'other' });
        await ui.ask('DELETE', '/objects/other/other');
    });

    it('goes with the field of a reference that is emptied', async () => {

        await page.getByRole('combobox', { name: 'About' }).fill('nothing');
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByText('This is no object yet').first().waitFor();
        await page.getByRole('combobox', { name: 'About' }).fill('');
        await page.getByLabel('Title', { exact: true }).fill('b');
        await page.getByText('This is no object yet').waitFor({ state: 'hidden' });
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'b', scale: 1 });
    });

    it('is not lost by another view, or by leaving, unasked', async () => {

        await page.getByLabel('Scale', { exact: true }).fill('about one');
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.getByText('Some fields hold text that is no value').waitFor();
        // The list of what is wrong leads to the field.
        await page.getByRole('button', { name: /^scale: This is not a number/ }).click();
        await until(async () => page.evaluate<boolean>('document.activeElement.value === "about one"'));
        await page.getByRole('link', { name: 'Types', exact: true }).click();
        await until(() => ui.questions === 1);
        await holds(page.getByLabel('Scale', { exact: true }), 'about one');
    });

    it('stays where its part of the form is closed and opened again', async () => {

        await page.getByLabel('Kind of “Paper”').selectOption('Measured');
        await page.getByRole('textbox', { name: /^Weight/ }).fill('heavy');
        await page.getByRole('button', { name: /^Paper/ }).click();
        await page.getByRole('textbox', { name: /^Weight/ }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: /^Paper/ }).click();
        await holds(page.getByRole('textbox', { name: /^Weight/ }), 'heavy');
    });

    it('holds up nothing when its field has gone: by another kind, or by a value on which it depended', async () => {

        await page.getByLabel('Kind of “Paper”').selectOption('Measured');
        await page.getByRole('textbox', { name: /^Weight/ }).fill('heavy');
        await page.getByLabel('Kind of “Paper”').selectOption('Named');
        await page.getByRole('textbox', { name: /^Name of the paper/ }).fill('Bristol');
        await page.getByRole('checkbox', { name: 'Old' }).check();
        await page.getByLabel('Age', { exact: true }).fill('very');
        await page.getByText('This is not a number').first().waitFor();
        await page.getByRole('checkbox', { name: 'Old' }).uncheck();
        await page.getByLabel('Age', { exact: true }).waitFor({ state: 'detached' });
        await save();
        await announced(page, 'Saved');

        expect(await stored()).to.equal({ title: 'a', scale: 1, paper: { name: 'Bristol' }, isOld: false });
    });

    it('keeps the object from being saved without a date that is typed in part', async () => {

        const day = page.getByLabel('Day', { exact: true });
        await day.focus();
        await page.keyboard.type('1212');
        await save();
        await page.getByText('Some fields hold text that is no value').waitFor();
        await page.getByText('This is not a whole date').first().waitFor();
        expect(await day.getAttribute('aria-invalid')).to.equal('true');
        expect(await accessibilityFindings(page)).to.equal([]);
        expect(await stored()).to.equal({ title: 'a', scale: 1 });

        await page.keyboard.type('12122024');
        await page.getByText('This is not a whole date').first().waitFor({ state: 'hidden' });
        await page.getByLabel('At', { exact: true }).focus();
        await page.keyboard.type('1212');
        await page.keyboard.press('Enter');
        await page.getByText('This is not a whole date').first().waitFor();
        expect(await stored()).to.equal({ title: 'a', scale: 1 });

        await page.getByLabel('At', { exact: true }).fill('2024-12-12T15:30');
        await page.getByText('This is not a whole date').first().waitFor({ state: 'hidden' });
        await save();
        await announced(page, 'Saved');
        const { at, ...others } = await stored() as { readonly at: string };
        expect(others).to.equal({ title: 'a', scale: 1, day: '2024-12-12' });
        expect(at).to.startWith('2024-12-12T');
    });

    it('is no removal of a date, of which only the year was deleted', async () => {

        await ui.ask('PUT', '/objects/test/sheet', { title: 'a', scale: 1, day: '2024-05-01' });
        await page.reload();
        const day = page.getByLabel('Day', { exact: true });
        await holds(day, '2024-05-01');
        await day.focus();
        for (const key of ['ArrowRight', 'ArrowRight', 'Backspace']) {
            await page.keyboard.press(key);
        }

        await page.getByText('This is not a whole date').first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Some fields hold text that is no value').waitFor();
        expect(await stored()).to.equal({ title: 'a', scale: 1, day: '2024-05-01' });

        // What is typed goes on where it was.
        await day.focus();
        for (const key of ['ArrowRight', 'ArrowRight', '2', '0', '2', '5']) {
            await page.keyboard.press(key);
        }

        await holds(day, '2025-05-01');
        for (const key of ['Backspace', 'ArrowLeft', 'Backspace', 'ArrowLeft', 'Backspace']) {
            await page.keyboard.press(key);
        }

        await save();
        await announced(page, 'Saved');
        expect(await stored()).to.equal({ title: 'a', scale: 1 });
    });

    it('removes no limit of a field in the editor of a type', async () => {

        await page.goto(`${ui.url}/#schemas/Sheet`);
        await page.getByRole('button', { name: 'Details of scale' }).click();
        const limit = page.getByLabel('Maximum', { exact: true });
        await holds(limit, '100');
        await limit.press('End');
        await limit.pressSequentially('e');
        await page.getByText('This is not a number').waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);

        await page.getByRole('heading', { level: 1 }).click();
        await holds(limit, '100');
        await page.getByText('This is not a number').waitFor({ state: 'hidden' });
        await limit.fill('');
        await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Discard changes', exact: true }).click();
        await holds(limit, '100');
    });
});
