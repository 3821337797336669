/** Controls of forms that are operated as users do, and what is stored then: times, choices, several types, tuples, JSON, own properties, order, secrets. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holds, logInAsAdmin } from '../support/browser.js';
import { ROOT } from '../support/doc-pages.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SHEET = {
    type: 'object',
    properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } },
        when: { type: 'string', format: 'date-time', title: 'When' },
        marks: { type: 'array', title: 'Marks', items: { type: 'string', enum: ['old', 'torn', 'rare'] } },
        size: { type: ['string', 'integer', 'null'], title: 'Size' },
        owner: { type: ['string', 'null'], title: 'Owner' },
        place: { type: 'array', title: 'Place', prefixItems: [{ type: 'string', title: 'Room' }, { type: 'integer', title: 'Floor' }] },
        form: { title: 'Form', enum: [{ a: 1 }, { a: 2 }] },
        tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
        named: { type: 'object', title: 'Named', properties: { own: { type: 'string', title: 'Own' } }, patternProperties: { '^n-': { type: 'integer' } }, additionalProperties: { type: 'string' } },
        closed: { type: 'object', title: 'Closed', patternProperties: { '^n-': { type: 'integer' } }, additionalProperties: false },
        pin: { type: 'string', title: 'Pin', format: 'password' },
        code: { type: 'string', title: 'Code', cordra: { secureProperty: true } }
    }
};

const START = { title: 'a', tags: ['one', 'two', 'three'], named: { own: 'x', more: 'y' }, code: 'a secret' };

/** For each keyword of the validator a property whose value it permits, but not any other. Those of schemas inside stand with what uses them. */
const KEYWORDS: Readonly<Record<string, readonly [schema: object, json: string]>> = {
    'type': [{ type: ['string', 'null'] }, 'null'], 'enum': [{ enum: [1, 'b', { c: 1 }] }, '{"c":1}'], 'const': [{ const: { a: [1] } }, '{"a":[1]}'],
    'multipleOf': [{ multipleOf: 0.01 }, '19.99'], 'maximum': [{ maximum: 3 }, '2.50'], 'minimum': [{ minimum: -1 }, '1e3'],
    'exclusiveMaximum': [{ exclusiveMaximum: 3 }, '12e-1'], 'exclusiveMinimum': [{ minimum: 1, exclusiveMinimum: true }, '12345678901234567890'],
    'maxLength': [{ maxLength: 3 }, '"äöü"'], 'minLength': [{ minLength: 0 }, '""'], 'maxItems': [{ maxItems: 2 }, '[]'], 'minItems': [{ minItems: 1 }, '["a",1.0,null]'],
    'maxProperties': [{ maxProperties: 1 }, '{"":0}'], 'minProperties': [{ minProperties: 1 }, '{"a":{"b":[]}}'],
    'maxContains': [{ contains: { const: 1 }, maxContains: 1 }, '[1,2]'], 'minContains': [{ contains: { const: 1 }, minContains: 0 }, '[2]'],
    'pattern': [{ pattern: '^[ab]+$' }, '"abab"'], 'format': [{ type: 'string', format: 'date-time' }, '"2026-01-02T03:04:05.678900+02:00"'],
    'uniqueItems': [{ uniqueItems: true }, '["b","a"]'], 'required': [{ required: ['a'] }, '{"b":1,"a":2}'],
    'dependentRequired': [{ dependentRequired: { a: ['b'] } }, '{"a":1,"b":2}'], 'properties': [{ properties: { a: { type: 'string' } } }, '{"a":"  spaces ","z":1}'],
    'definitions': [{ definitions: { a: { type: 'string' } } }, '"a"'], '$defs': [{ $defs: { a: { type: 'string' } } }, '[["a"]]'],
    'dependentSchemas': [{ dependentSchemas: { a: { properties: { b: { type: 'integer' } } } } }, '{"a":1,"b":2}'],
    'patternProperties': [{ patternProperties: { '^x': { type: 'integer' } } }, '{"x1":1,"y":"two\\nlines"}'], 'dependencies': [{ dependencies: { a: ['b'] } }, '{"a":1,"b":2}'],
    'additionalProperties': [{ additionalProperties: { type: 'boolean' } }, '{"b":true,"a":false}'], 'not': [{ not: { type: 'string' } }, '3'],
    'additionalItems': [{ items: [{ type: 'string' }], additionalItems: { type: 'integer' } }, '["a",1,2]'], 'propertyNames': [{ propertyNames: { maxLength: 2 } }, '{"ab":1}'],
    'contains': [{ contains: { type: 'integer' } }, '["a",1]'], 'if': [{ if: { type: 'object' }, then: { properties: { a: { const: 1 } } } }, '{"a":1}'],
    'then': [{ if: { required: ['a'] }, then: { required: ['b'] } }, '{"b":1,"a":1}'], 'else': [{ if: { required: ['a'] }, else: { required: ['b'] } }, '{"b":1}'],
    'unevaluatedProperties': [{ properties: { a: {} }, unevaluatedProperties: { type: 'integer' } }, '{"a":"","b":1}'],
    'unevaluatedItems': [{ prefixItems: [{}], unevaluatedItems: { type: 'integer' } }, '["a",1]'], 'items': [{ items: { type: 'object', properties: { a: { type: 'integer' } } } }, '[{"a":1},{}]'],
    'prefixItems': [{ prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '["a",1,"more"]'], 'allOf': [{ allOf: [{ minimum: 1 }, { maximum: 5 }] }, '4.0'],
    'anyOf': [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'integer' } } }] }, '{"a":1}'],
    'oneOf': [{ oneOf: [{ type: 'object', required: ['a'] }, { type: 'object', required: ['b'] }] }, '{"b":1}'], '$ref': [{ $ref: '#/$defs/short' }, '"ab"'],
    '$recursiveRef': [{ $recursiveRef: '#' }, '{"note":"inside"}'], '$dynamicRef': [{ $dynamicRef: '#/$defs/short' }, '"ab"']
};

describe('controls of a form of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const stored = async (path = '/objects/test/sheet'): Promise<Record<string, unknown>> => await (await ui.ask('GET', path)).json() as Record<string, unknown>;

    before(async () => {

        expect((await ui.ask('PUT', '/schemas/Sheet', SHEET)).status).to.equal(200);
    });

    beforeEach(async () => {

        await ui.ask('DELETE', '/objects/test/sheet');
        expect((await ui.ask('POST', '/objects?type=Sheet&handle=test/sheet', START)).status).to.equal(200);
        ({ page } = ui);
        // Dry runs while there are faults.
        ui.watched.expected.push(/status of 400/);
        await logInAsAdmin(page, ui.url);
    });

    const edit = async (id = 'test/sheet'): Promise<void> => {

        await page.goto(`${ui.url}/#objects/${id}?edit`);
        await page.getByRole('heading', { level: 1, name: 'Edit' }).waitFor();
    };

    const save = async (): Promise<void> => {

        // The message about a former change may still be there.
        const stored = page.waitForResponse((response) => response.request().method() === 'PUT' && !response.url().includes('dryRun') && response.ok());
        await page.keyboard.press('Control+s');
        await stored;
        await announced(page, 'Saved');
    };

    const group = (name: string): Locator => page.getByRole('group', { name, exact: true });

    it('store times in UTC, constants that are ticked, and nothing for what is emptied', async () => {

        await edit();
        await page.getByLabel('When', { exact: true }).fill('2026-03-04T05:06');
        await page.getByText(/Your local time; it is stored as/).waitFor();
        await group('Marks').getByRole('checkbox', { name: 'rare' }).check();
        await group('Marks').getByRole('checkbox', { name: 'old' }).check();
        await group('Marks').getByRole('checkbox', { name: 'rare' }).uncheck();
        await save();
        const time = await page.evaluate<string>('new Date(2026, 2, 4, 5, 6).toISOString()');

        expect(await stored()).to.equal({ ...START, code: '', when: time, marks: ['old'] });

        await edit();
        await holds(page.getByLabel('When', { exact: true }), '2026-03-04T05:06');
        await page.getByLabel('When', { exact: true }).fill('');
        await save();

        expect(await stored()).to.equal({ ...START, code: '', marks: ['old'] });
    });

    it('store values of several types, and null', async () => {

        await edit();
        const type = page.getByRole('combobox', { name: 'Type of “Size”' });
        await type.selectOption({ label: 'Text' });
        await page.getByLabel('Size', { exact: true }).fill('large');
        await type.selectOption({ label: 'Whole number' });
        await page.getByLabel('Size', { exact: true }).fill('12');
        await page.getByRole('combobox', { name: 'Type of “Owner”' }).selectOption({ label: 'No value' });
        await save();

        expect(await stored()).to.equal({ ...START, code: '', size: 12, owner: null });

        await edit();
        await type.selectOption({ label: 'No value' });
        await page.getByRole('combobox', { name: 'Type of “Owner”' }).selectOption({ label: 'Text' });
        await page.getByLabel('Owner', { exact: true }).fill('Ann');
        await save();

        expect(await stored()).to.equal({ ...START, code: '', size: null, owner: 'Ann' });

        await edit();
        await type.selectOption({ label: 'Not set' });
        await page.getByRole('combobox', { name: 'Type of “Owner”' }).selectOption({ label: 'Not set' });
        await save();

        expect(await stored()).to.equal({ ...START, code: '' });
    });

    it('keep all digits of a number that becomes a text', async () => {

        await ui.ask('PUT', '/objects/test/sheet', `{"title":"a","size":12345678901234567890}`);
        await edit();
        await page.getByRole('combobox', { name: 'Type of “Size”' }).selectOption({ label: 'Text' });
        await holds(page.getByLabel('Size', { exact: true }), '12345678901234567890');
        await save();

        expect((await stored())['size']).to.equal('12345678901234567890');
    });

    it('store lists whose entries have schemas of their own, and JSON where no other control fits', async () => {

        await edit();
        const add = page.getByRole('button', { name: 'Add to “Place”' });
        await add.click();
        await page.getByLabel('Room', { exact: true }).fill('Hall');
        await add.click();
        await page.getByLabel('Floor', { exact: true }).fill('2');
        const json = page.getByRole('textbox', { name: 'JSON of “Form”' });

        expect(await page.getByText('This value does not fit the type').count()).to.equal(0);

        await json.fill('{"a": 3}');
        await page.getByText('This value does not fit the type').waitFor();
        await page.getByText(/must be one of/).first().waitFor();
        await json.fill('{"a": 2');
        await page.getByText(/line 1, column/i).first().waitFor();
        await json.fill('{"a": 2}');
        await save();

        expect(await stored()).to.equal({ ...START, code: '', place: ['Hall', 2], form: { a: 2 } });
        await edit();
        await holds(json, '{\n  "a": 2\n}');
        expect(await page.getByText('This value does not fit the type').count()).to.equal(0);
    });

    it('add, rename and remove properties that the schema does not name, by its patterns', async () => {

        await edit();
        const named = group('Named');
        const own = (box: Locator, name: string): Locator => box.locator('.form-additional').filter({ has: page.getByRole('button', { name: `Remove “${name}”` }) });
        const value = (box: Locator, name: string): Locator => own(box, name).locator('.form-field input');
        const create = async (box: Locator, label: string, name: string): Promise<void> => {

            await box.getByRole('textbox', { name: `Name of a new property: ${label}` }).fill(name);
            await box.getByRole('button', { name: 'Add property' }).click();
        };

        await create(named, 'Named', 'more');
        await named.getByText('This property exists already.').waitFor();
        await create(named, 'Named', 'n-1');
        await value(named, 'n-1').fill('7');
        await create(named, 'Named', 'text');
        await value(named, 'text').fill('free');
        const key = (name: string): Locator => own(named, name).getByRole('textbox', { name: 'Name of the property' });
        await key('more').fill('own');
        await key('more').press('Tab');
        await named.getByRole('alert').getByText('This property exists already.').waitFor();
        await key('more').fill('other');
        await key('more').press('Tab');
        await named.getByRole('button', { name: 'Remove “other”' }).waitFor();
        await named.getByRole('button', { name: 'Remove “text”' }).click();
        await group('Closed').getByRole('button', { name: 'Closed', exact: true }).click();
        await create(group('Closed'), 'Closed', 'x');
        await group('Closed').getByText('The type does not permit this property.').waitFor();
        await create(group('Closed'), 'Closed', 'n-2');
        await value(group('Closed'), 'n-2').fill('8');

        expect(await accessibilityFindings(page)).to.equal([]);

        await save();

        expect(await stored()).to.equal({ ...START, code: '', named: { 'own': 'x', 'other': 'y', 'n-1': 7 }, closed: { 'n-2': 8 } });
    });

    it('say which names of properties are not taken, instead of saving without them', async () => {

        await edit();
        const named = group('Named');
        const name = named.getByRole('textbox', { name: 'Name of a new property: Named' });
        await name.fill('colour');
        expect(await named.getByText('No property has this name yet').count()).to.equal(0);

        await page.keyboard.press('Control+s');
        await page.getByText('Some fields hold text that is no value').waitFor();
        await named.getByRole('alert').getByText('No property has this name yet').waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);

        // The list of what is wrong leads to the field.
        await page.getByLabel('Title', { exact: true }).focus();
        await page.getByRole('button', { name: /^named: No property has this name yet/ }).click();
        await until(async () => page.evaluate<boolean>('document.activeElement.value === "colour"'));
        await page.keyboard.press('Escape');
        await until(() => ui.questions === 1);
        await holds(name, 'colour');
        await named.getByRole('button', { name: 'Add property' }).click();
        await named.getByRole('button', { name: 'Remove “colour”' }).waitFor();
        await holds(name, '');

        // An empty name is none that could be lost.
        await named.getByRole('button', { name: 'Add property' }).click();
        await named.getByText('Enter a name.').waitFor();
        const key = named.locator('.form-additional').filter({ has: page.getByRole('button', { name: 'Remove “more”' }) }).getByRole('textbox', { name: 'Name of the property' });
        await key.fill('own');
        await page.keyboard.press('Control+s');
        await page.getByText('Some fields hold text that is no value').waitFor();
        await named.getByText('This property exists already.').waitFor();
        await holds(key, 'own');
        await key.fill('other');
        await save();

        expect((await stored())['named']).to.equal({ own: 'x', other: 'y', colour: '' });
        expect((await stored())['title']).to.equal('a');
    });

    it('put entries into another order', async () => {

        await edit();
        const tags = group('Tags');
        await tags.getByRole('button', { name: 'Reorder' }).click();
        await tags.getByRole('button', { name: 'Move back: one' }).click();
        await announced(page, '“one” is at position 2 now');
        await tags.getByRole('button', { name: 'Move back: one' }).click();
        await tags.getByRole('button', { name: 'Move forward: three' }).click();
        await until(async () => (await tags.getByRole('listitem').allInnerTexts()).map((text) => text.trim()).join() === 'three,two,one');
        await save();

        expect((await stored())['tags']).to.equal(['three', 'two', 'one']);
    });

    it('keep a secret that is stored where none is entered', async () => {

        await ui.ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: 'password of ann' });
        await edit('test/ann');
        await page.getByLabel(/^Username/i).fill('anna');
        await save();
        const isKnown = async (name: string, password: string): Promise<boolean> => (await fetch(`${ui.url}/check-credentials`, { headers: { Authorization: `Basic ${btoa(`${name}:${password}`)}` } })).ok;

        expect(await isKnown('anna', 'password of ann')).to.be.true();

        await edit('test/ann');
        await page.getByLabel(/^Password/).fill('another password');
        await page.getByRole('button', { name: 'Show: Password' }).click();
        await page.getByLabel(/^Password/).fill('the last password');
        await save();

        expect(await isKnown('anna', 'password of ann')).to.be.false();
        expect(await isKnown('anna', 'the last password')).to.be.true();
    });

    it('remove a value of the format for passwords that is emptied, as the service would store an empty one', async () => {

        await ui.ask('PUT', '/objects/test/sheet', { ...START, pin: '1234' });
        await edit();
        const [pin, code] = [page.getByLabel('Pin', { exact: true }), page.getByLabel('Code', { exact: true })];
        await holds(pin, '1234');
        expect([await pin.getAttribute('placeholder'), await code.getAttribute('placeholder')]).to.equal(['', 'Leave empty to keep the present value']);

        await pin.fill('');
        await code.fill('another secret');
        await code.fill('');
        await save();

        expect(await stored()).to.equal({ ...START, code: '' });

        // A new object has no secret that could be kept.
        await page.goto(`${ui.url}/#create/Sheet`);
        await code.fill('a secret');
        expect(await code.getAttribute('placeholder')).to.equal('');
    });

    it('change nothing of values by each keyword that the service knows', async () => {

        const source = readFileSync(join(ROOT, 'lib/types/schema/vocabulary.ts'), 'utf8');
        const known = [...source.matchAll(/^ {4}\['[\w-]+', \d{1,4}, \d{4}, '([^']+)'\]/gm)].flatMap(([, names = '']) => names.split(' '));

        expect(known.length).to.be.above(40);
        expect(known.filter((keyword) => !(keyword in KEYWORDS))).to.equal([]);

        const properties = Object.fromEntries(Object.entries(KEYWORDS).map(([keyword, [schema]]) => [`of ${keyword}`, schema]));
        const type = { type: 'object', $defs: { short: { type: 'string', maxLength: 2 } }, properties: { note: { type: 'string', title: 'Note' }, ...properties } };
        expect(await (await ui.ask('PUT', '/schemas/Every', type)).json()).to.equal({ msg: 'success' });
        const text = (note: string): string => `{"note":"${note}",${Object.entries(KEYWORDS).map(([keyword, [, json]]) => `"of ${keyword}":${json}`).join()}}`;
        const made = await ui.ask('POST', '/objects?type=Every&handle=test/every', text('before'));
        expect(made.status, await made.text()).to.equal(200);
        const before = await (await ui.ask('GET', '/objects/test/every')).text();
        await edit('test/every');
        await page.getByLabel('Note', { exact: true }).first().fill('after');
        await save();

        expect(before).to.equal(text('before'));
        expect(await (await ui.ask('GET', '/objects/test/every')).text()).to.equal(text('after'));
        await edit('test/every');
        expect(await page.getByText('This value does not fit the type').count()).to.equal(0);
        await ui.ask('DELETE', '/objects/test/every');
    });
});
