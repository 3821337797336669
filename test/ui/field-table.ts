/** The table of fields of a type in the web UI: each of its controls, and the schema that is stored then. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holds, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SCHEMA = {
    'type': 'object', 'x-kept': 1, 'required': ['a', 'b'],
    'properties': { a: { type: 'string', title: 'A', cordra: { preview: { isPrimary: true } } }, b: { 'type': 'string', 'x-own': [1] }, c: { type: 'object', properties: { d: { type: 'integer' } } } }
};

describe('the table of fields', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const stored = async (): Promise<{ readonly properties: Record<string, unknown> }> => await (await ui.ask('GET', '/schemas/Sheet')).json() as { readonly properties: Record<string, unknown> };

    before(async () => {

        await ui.ask('PUT', '/schemas/Other', { type: 'object', properties: { name: { type: 'string' } } });
    });

    beforeEach(async () => {

        expect((await ui.ask('PUT', '/schemas/Sheet', SCHEMA)).status).to.equal(200);
        ({ page } = ui);
        // Dry runs of what is not valid yet.
        ui.watched.expected.push(/status of 400/);
        await logInAsAdmin(page, ui.url);
        await open();
    });

    const open = async (): Promise<void> => {

        await page.goto(`${ui.url}/#schemas`);
        await page.goto(`${ui.url}/#schemas/Sheet`);
        await page.getByRole('textbox', { name: 'Name of the field: a' }).waitFor();
    };

    const row = (name: string): Locator => page.getByRole('listitem').filter({ has: page.getByRole('textbox', { name: `Name of the field: ${name}`, exact: true }) });

    const add = async (name: string): Promise<void> => {

        await page.getByRole('textbox', { name: 'Name of the new field' }).fill(name);
        await page.getByRole('button', { name: 'Add a field' }).click();
        await row(name).waitFor();
    };

    const kind = (name: string, label: string): Promise<unknown> => page.getByRole('combobox', { name: `Kind: ${name}`, exact: true }).selectOption({ label });

    const enter = async (name: string, label: string, ...values: readonly string[]): Promise<void> => {

        for (const value of values) {
            await row(name).getByRole('textbox', { name: label, exact: true }).or(row(name).getByRole('combobox', { name: label, exact: true })).fill(value);
            await row(name).getByRole('button', { name: `Add: ${label}` }).click();
        }
    };

    const save = async (): Promise<void> => {

        await page.getByText('The service accepts the type.').first().waitFor();
        // The message about a former change may still be there.
        const stored = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await stored;
        await announced(page, 'The type Sheet is saved.');
    };

    it('names objects by one field or by none, and shows fields in previews', async () => {

        await page.getByRole('radio', { name: 'Title: b' }).check();
        await page.getByRole('checkbox', { name: 'In previews: b' }).check();
        await page.getByRole('checkbox', { name: 'In previews: a' }).check();
        await page.getByRole('checkbox', { name: 'Required: a' }).uncheck();
        await save();

        expect(await stored()).to.equal({
            ...SCHEMA, required: ['b'], properties: {
                ...SCHEMA.properties, a: { type: 'string', title: 'A', cordra: { preview: { showInPreview: true } } },
                b: { ...SCHEMA.properties.b, cordra: { preview: { isPrimary: true, showInPreview: true } } }
            }
        } as never);

        await page.getByRole('button', { name: 'Use no field as the title' }).click();
        await page.getByRole('checkbox', { name: 'In previews: b' }).uncheck();
        await save();

        expect((await stored()).properties['b']).to.equal(SCHEMA.properties.b);
    });

    it('moves, renames and removes fields, with what is required', async () => {

        await page.getByRole('button', { name: 'Move b up' }).click();
        await page.getByRole('button', { name: 'Move b down' }).click();
        await page.getByRole('button', { name: 'Move b down' }).click();
        const name = page.getByRole('textbox', { name: 'Name of the field: b' });
        await name.fill('a');
        await page.getByText('There is a field of this name.').waitFor();
        await name.press('Tab');
        await holds(name, 'b');
        await name.fill('named anew');
        await name.press('Enter');
        await row('named anew').waitFor();
        await page.getByRole('button', { name: 'Remove a', exact: true }).click();
        await save();

        expect(JSON.stringify(await stored())).to.equal(JSON.stringify({
            'type': 'object', 'x-kept': 1, 'required': ['named anew'], 'properties': { 'c': SCHEMA.properties.c, 'named anew': SCHEMA.properties.b }
        }));
    });

    it('keeps the focus when a field is renamed', async () => {

        for (const [from, to, key, focused] of [['b', 'by Tab', 'Tab', 'Kind: by Tab'], ['c', 'by Enter', 'Enter', 'Name of the field: by Enter']] as const) {
            const name = page.getByRole('textbox', { name: `Name of the field: ${from}`, exact: true });
            await name.fill(to);
            await name.press(key);
            await row(to).waitFor();

            expect(await page.locator(':focus').getAttribute('aria-label')).to.equal(focused);
        }
    });

    it('writes choices, references, what the service fills in, and limits', async () => {

        await add('choice');
        await kind('choice', 'Choice');
        await enter('choice', 'Choices', 'red', 'blue', 'gone');
        await row('choice').getByRole('button', { name: 'Remove gone' }).click();
        await add('refs');
        await kind('refs', 'Reference');
        await page.getByRole('checkbox', { name: 'List: refs' }).check();
        await enter('refs', 'Types of the objects', 'Other');
        await row('refs').getByLabel('Most entries').fill('3');
        await add('made');
        await kind('made', 'Filled in by the service');
        await row('made').getByRole('combobox', { name: 'Value' }).selectOption({ label: 'Who created it' });
        await add('code');
        await row('code').getByLabel('Label').fill('The code');
        await row('code').getByLabel('Help text').fill('Letters and digits');
        await row('code').getByLabel('Least characters').fill('2');
        await row('code').getByLabel('Pattern (regular expression)').fill('^[a-z0-9]+$');

        expect(await accessibilityFindings(page)).to.equal([]);

        await save();

        expect((await stored()).properties).to.equal({
            ...SCHEMA.properties,
            choice: { type: 'string', enum: ['red', 'blue'] },
            refs: { type: 'array', items: { type: 'string', cordra: { type: { handleReference: { types: ['Other'] } } } }, maxItems: 3 },
            made: { type: 'string', cordra: { type: { autoGeneratedField: 'createdBy' } } },
            code: { type: 'string', title: 'The code', description: 'Letters and digits', minLength: 2, pattern: '^[a-z0-9]+$' }
        });
    });

    it('changes kinds, and has what was there when the kind is the former one again', async () => {

        const kinds: readonly (readonly [label: string, schema: object])[] = [
            ['Text of several lines', { type: 'string', format: 'textarea' }], ['Number', { type: 'number' }], ['Whole number', { type: 'integer' }], ['Yes or no', { type: 'boolean' }],
            ['Date', { type: 'string', format: 'date' }], ['Date and time', { type: 'string', format: 'date-time' }], ['Web address', { type: 'string', format: 'uri' }]
        ];
        for (const [index, [label]] of kinds.entries()) {
            await add(`k${index}`);
            await kind(`k${index}`, label);
        }

        await page.getByRole('checkbox', { name: 'List: k1' }).check();
        await page.getByRole('checkbox', { name: 'List: k2' }).check();
        await page.getByRole('checkbox', { name: 'List: k2' }).uncheck();
        await kind('c', 'Text');
        await kind('c', 'Object with fields');
        await save();

        expect((await stored()).properties).to.equal({
            ...SCHEMA.properties, ...Object.fromEntries(kinds.map(([, schema], index) => [`k${index}`, index === 1 ? { type: 'array', items: schema } : schema]))
        });
    });

    it('leads to the fields of objects inside, also of lists, and back', async () => {

        await page.getByRole('button', { name: 'Details of c' }).click();
        await page.getByRole('button', { name: 'Fields of c' }).click();
        await row('d').waitFor();
        await add('e');
        await kind('e', 'Object with fields');
        await page.getByRole('checkbox', { name: 'List: e' }).check();
        await row('e').getByRole('button', { name: 'Fields of e' }).click();
        await page.getByText('The type has no fields yet.').waitFor();
        await add('f');
        await page.getByRole('checkbox', { name: 'Required: f' }).check();

        expect(await page.getByRole('radio').count()).to.equal(0);

        await page.getByRole('button', { name: 'Back to c' }).click();
        await page.getByRole('checkbox', { name: 'Required: d' }).check();
        await page.getByRole('button', { name: 'Back to Sheet' }).click();
        await row('a').waitFor();
        await save();

        expect((await stored()).properties['c']).to.equal({
            type: 'object', required: ['d'],
            properties: { d: { type: 'integer' }, e: { type: 'array', items: { type: 'object', properties: { f: { type: 'string' } }, required: ['f'] } } }
        });
    });
});
