/** Types in a real browser: the list, new types, the editor with fields, schema, code, rights and preview. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holdRequests, holds, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the screens about types', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        // Dry runs of what is not valid yet, and conflicts.
        watched.expected.push(/status of 4(?:00|12)/);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const ask = async (method: string, path: string, body?: unknown): Promise<Response> => fetch(test.url + path, {
        method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    const schemaOf = async (type: string): Promise<Record<string, unknown>> => await (await ask('GET', `/schemas/${type}`)).json() as Record<string, unknown>;

    const show = async (fragment: string): Promise<Page> => {

        const { page } = watched;
        await page.goto(test.url + fragment);
        await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click();
        const dialog = page.getByRole('dialog', { name: 'Log in' });
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        return page;
    };

    it('makes a type from a table, and opens it', async () => {

        const page = await show('/#schemas');
        await page.getByRole('button', { name: 'New type' }).click();
        const dialog = page.getByRole('dialog', { name: 'New type' });
        await dialog.getByLabel(/^Name/).fill('Book');
        await dialog.getByRole('radio', { name: 'a table (CSV)' }).check();
        await dialog.getByRole('textbox', { name: /First lines of the table/ }).fill('Title,Year\nTess,1891\n');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { name: 'Book' }).waitFor();
        await page.getByRole('textbox', { name: 'Name of the field: Year' }).waitFor();

        expect((await schemaOf('Book'))['properties']).to.include(['Title', 'Year']);
    });

    it('makes a type from an example, from a template and from another type', async () => {

        const page = await show('/#schemas');
        const make = async (name: string, source: string, fill: (dialog: Locator) => Promise<unknown>): Promise<Record<string, unknown>> => {

            await page.goto(`${test.url}/#schemas`);
            await page.getByRole('button', { name: 'New type' }).click();
            const dialog = page.getByRole('dialog', { name: 'New type' });
            await dialog.getByLabel(/^Name/).fill(name);
            await dialog.getByRole('radio', { name: source }).check();
            await fill(dialog);
            await dialog.getByRole('button', { name: 'Create' }).click();
            await page.getByRole('heading', { name, exact: true }).waitFor();
            return schemaOf(name);
        };

        const example = '{"sender": "Ann", "pages": 2, "stamps": [{"value": 1.5}]}';
        const made = await make('Letter', 'an example', (dialog) => dialog.getByRole('textbox', { name: /Example object/ }).fill(example));
        expect(made['properties']).to.include({ pages: { type: 'integer' } });
        expect(Object.keys(made['properties'] as object)).to.equal(['sender', 'pages', 'stamps']);

        const { templates } = await (await ask('GET', '/schemaTemplates')).json() as { readonly templates: Record<string, unknown> };
        const [template = ''] = Object.keys(templates);
        expect<unknown>(await make('Templated', 'a template', (dialog) => dialog.getByRole('combobox', { name: 'Template' }).selectOption(template))).to.equal(templates[template]);
        expect<unknown>(await make('Postcard', 'another type', (dialog) => dialog.getByLabel('Type', { exact: true }).fill('Letter'))).to.equal(made);
    });

    it('says what is wrong with an example, and keeps it', async () => {

        const page = await show('/#schemas');
        await page.getByRole('button', { name: 'New type' }).click();
        const dialog = page.getByRole('dialog', { name: 'New type' });
        await dialog.getByLabel(/^Name/).fill('Broken');
        await dialog.getByRole('radio', { name: 'an example' }).check();
        await dialog.getByRole('textbox', { name: /Example object/ }).fill('{"a": }');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.getByText('This is not JSON').waitFor();

        await holds(dialog.getByRole('textbox', { name: /Example object/ }), '{"a": }');
        expect((await ask('GET', '/schemas/Broken')).status).to.equal(404);
    });

    it('loads many types from a file, all or none', async () => {

        await ask('PUT', '/schemas/Present', { type: 'object', properties: { a: { type: 'string' } } });
        const page = await show('/#schemas');
        const load = async (schemas: object | string): Promise<Locator> => {

            await page.getByRole('button', { name: 'Load from a file' }).click();
            const dialog = page.getByRole('dialog', { name: 'Load types from a file' });
            const buffer = Buffer.from(typeof schemas === 'string' ? schemas : JSON.stringify(schemas));
            await dialog.getByLabel('Choose a file').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer });
            return dialog;
        };

        const types = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`Loaded${i}`, { type: 'object', properties: { n: { type: 'integer', maximum: i } } }]));
        const faulty = await load({ ...types, Faulty: { type: 'strin' } });
        await faulty.getByRole('button', { name: 'Store' }).click();
        await faulty.getByRole('alert').getByText('type').waitFor();
        expect((await ask('GET', '/schemas/Loaded1')).status).to.equal(404);
        await page.keyboard.press('Escape');

        const dialog = await load({ ...types, Present: { type: 'object', properties: { a: { type: 'string' } } } });
        await dialog.getByRole('listitem').filter({ hasText: 'Present' }).getByText('unchanged').waitFor();
        await dialog.getByRole('button', { name: 'Store' }).click();
        await announced(page, '30 types are stored.');
        expect<unknown>(await schemaOf('Loaded29')).to.equal(types['Loaded29']);

        const broken = await load('{"A": ');
        await broken.getByText('The file cannot be read').waitFor();
    });

    it('checks objects in steps, with progress, until it is stopped', async () => {

        await ask('PUT', '/schemas/Many', { type: 'object', properties: { n: { type: 'integer' } } });
        await ask('POST', '/batchUpload', Array.from({ length: 420 }, (_, n) => ({ type: 'Many', content: { n } })));
        const page = await show('/#schemas/Many');
        await page.getByRole('checkbox', { name: 'Required: n' }).check();
        const release = await holdRequests(page, (request) => /schemaCheck\?.*after=/.test(request.url()));
        await page.getByRole('button', { name: 'Check the objects' }).click();
        const dialog = page.getByRole('dialog', { name: 'Do the objects fit the new schema?' });
        await dialog.getByText('200 of 420 objects are checked').first().waitFor();
        await dialog.getByRole('button', { name: 'Stop' }).click();
        await dialog.getByText('Stopped after 200 of 420 objects.').waitFor();
        release();
        await dialog.getByRole('button', { name: 'Close' }).last().click();
        await page.unrouteAll({ behavior: 'ignoreErrors' });

        await page.getByRole('button', { name: 'Check the objects' }).click();
        await dialog.getByText('All 420 objects fit.').waitFor();
    });

    it('shows errors of the schema at their lines', async () => {

        await ask('PUT', '/schemas/Lines', { type: 'object', properties: { a: { type: 'string' } } });
        const page = await show('/#schemas/Lines?tab=schema');
        const editor = page.getByRole('textbox', { name: 'JSON schema of the type' });
        await editor.click();
        await page.keyboard.press('Control+a');
        await page.keyboard.insertText('{\n  "type": "object",\n  "properties": {"a": {"type": "strin"}}\n}');
        await page.locator('.cm-line', { has: page.locator('.cm-lintRange-error') }).filter({ hasText: 'strin' }).waitFor();
    });

    it('shows 10,000 types in pages, finds each of them, and asks nothing for each', async () => {

        const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`Type ${String(i).padStart(5, '0')}`, { type: 'object' }]));
        const page = await show('/#');
        await page.route(/\/design$/, async (route) => {

            const { schemas, ...design } = await (await route.fetch()).json() as { readonly schemas: object };
            await route.fulfill({ json: { ...design, schemas: { ...schemas, ...many } } });
        });
        await page.route(/\/session$/, async (route) => {

            const session = await (await route.fetch()).json() as { readonly typesPermittedToCreate: readonly string[] };
            await route.fulfill({ json: { ...session, typesPermittedToCreate: [...session.typesPermittedToCreate, ...Object.keys(many)] } });
        });
        const requests: string[] = [];
        page.on('request', (request) => requests.push(request.url()));
        await page.goto(`${test.url}/#schemas`);
        await page.reload();
        await page.getByRole('row').nth(50).waitFor();

        expect(await page.getByRole('row').count()).to.equal(51);
        expect(requests.filter((url) => !/static|\.js|\.css/.test(url)).length).to.be.below(15);
        expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(1500);

        await page.getByRole('searchbox', { name: 'Filter by name' }).fill('Type 09999');
        await page.getByRole('link', { name: 'Type 09999' }).waitFor();
        await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'New', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('combobox').fill('Type 0500');
        expect(await dialog.locator('datalist option').count()).to.equal(10);
        await dialog.getByRole('combobox').fill('Type 05000');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { name: 'New object: Type 05000' }).waitFor();
        await page.goto(`${test.url}/#objects/?query=${encodeURIComponent('type:"Type 05000"')}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(3000);
    });

    it('changes fields, says which objects do not fit, and saves', async () => {

        await ask('PUT', '/schemas/Sheet', { 'type': 'object', 'x-kept': 1, 'properties': { name: { type: 'string', cordra: { preview: { isPrimary: true } } } } });
        await ask('POST', '/objects?type=Sheet&handle=test/fits', { name: 'Fits', scale: '1:1' });
        await ask('POST', '/objects?type=Sheet&handle=test/misfit', { name: 'Misfit' });
        const page = await show('/#schemas/Sheet');
        await page.getByRole('textbox', { name: 'Name of the new field' }).fill('scale');
        await page.getByRole('button', { name: 'Add a field' }).click();
        await page.getByRole('checkbox', { name: 'Required: scale' }).check();
        await page.getByText('The service accepts the type.').first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Do the objects fit the new schema?' });
        await dialog.getByText('1 of 2 objects fit').first().waitFor();
        await dialog.getByRole('link', { name: 'Misfit' }).waitFor();
        await dialog.getByRole('button', { name: 'Save all the same' }).click();
        await page.getByText('The type Sheet is saved.').first().waitFor();

        expect(await schemaOf('Sheet')).to.equal({
            'type': 'object', 'x-kept': 1, 'required': ['scale'], 'properties': { name: { type: 'string', cordra: { preview: { isPrimary: true } } }, scale: { type: 'string' } }
        });
    });

    it('does not take another table in place of a schema with a syntax error', async () => {

        await ask('PUT', '/schemas/Faulty', { type: 'object', properties: { name: { type: 'string' } } });
        const page = await show('/#schemas/Faulty?tab=schema');
        await page.locator('.cm-content').click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' not JSON yet');
        await page.getByRole('navigation').getByRole('link', { name: 'Fields' }).click();

        expect(await page.getByRole('checkbox', { name: 'Required: name' }).isDisabled()).to.be.true();

        await page.getByRole('navigation').getByRole('link', { name: 'Schema' }).click();
        await page.locator('.cm-content').getByText('not JSON yet').waitFor();
    });

    it('stays open when the choice of a file is cancelled', async () => {

        const page = await show('/#schemas');
        await page.getByRole('button', { name: 'Load from a file' }).click();
        const dialog = page.getByRole('dialog');
        const input = dialog.locator('input[type=file]').first();
        await input.waitFor({ state: 'attached' });
        await page.evaluate('document.querySelector("dialog input[type=file]").dispatchEvent(new Event("cancel", { bubbles: true }))');
        await page.keyboard.press('Tab');

        expect(await dialog.isVisible()).to.be.true();
    });

    it('shows errors of code at line and column, and stores code only when it compiles', async () => {

        await ask('PUT', '/schemas/Coded', { type: 'object', properties: { name: { type: 'string' } } });
        await ask('POST', '/objects?type=Coded&handle=test/coded', { name: 'low' });
        const page = await show('/#schemas/Coded?tab=code');
        const editor = page.getByRole('textbox', { name: 'JavaScript code of the type' });
        await editor.click();
        await page.keyboard.insertText('const ok = 1;');
        await page.keyboard.press('Enter');
        await page.keyboard.insertText('const broken = ;');
        await page.getByText(/line 2, column \d+: SyntaxError/).first().waitFor();
        await page.keyboard.press('Control+a');
        await page.keyboard.press('Delete');
        await page.keyboard.insertText('exports.beforeSchemaValidation = function (object) { object.content.name = object.content.name.toUpperCase(); return object; };');
        await page.getByText('The service accepts the type.').first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('The type Coded is saved.').first().waitFor();
        await page.getByRole('combobox', { name: 'Object', exact: true }).fill('low');
        await page.getByRole('option', { name: /test\/coded|low/ }).click();
        await page.getByRole('button', { name: 'Run' }).click();
        await page.getByRole('row', { name: /\/name.*low.*LOW/ }).waitFor();

        expect(await (await ask('GET', '/objects/test/coded')).json()).to.include({ name: 'low' });
    });

    it('shows a conflict with its difference instead of overwriting', async () => {

        await ask('PUT', '/schemas/Shared', { type: 'object', properties: { a: { type: 'string' } } });
        const page = await show('/#schemas/Shared');
        await page.getByRole('checkbox', { name: 'Required: a' }).check();
        await ask('PUT', '/schemas/Shared', { type: 'object', properties: { a: { type: 'string' }, theirs: { type: 'number' } } });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Somebody else has saved this type meanwhile.').first().waitFor();
        await page.getByRole('button', { name: 'Show the difference' }).click();
        await page.getByRole('row', { name: /\/schema\/properties\/theirs/ }).waitFor();

        expect((await schemaOf('Shared'))['properties']).to.include('theirs');

        await page.getByRole('button', { name: 'Take theirs' }).click();
        await page.getByRole('textbox', { name: 'Name of the field: theirs' }).waitFor();
    });

    it('asks before it deletes a type, with the number of its objects', async () => {

        await ask('PUT', '/schemas/Old', { type: 'object' });
        await ask('POST', '/objects?type=Old', {});
        const page = await show('/#schemas/Old');
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete the type' }).click();
        await page.getByText('1 object has this type.').first().waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('heading', { name: 'Types' }).waitFor();

        expect((await ask('GET', '/schemas/Old')).status).to.equal(404);
    });

    it('is read-only for those who may not change types', async () => {

        const { page } = watched;
        await page.goto(`${test.url}/#schemas/Document`);
        await page.getByText('You may look at this type, but not change it.').first().waitFor();

        expect(await page.getByRole('checkbox', { name: 'Required: name' }).isDisabled()).to.be.true();
        expect(await page.getByRole('button', { name: 'Add a field' }).count()).to.equal(0);
        expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).to.equal(0);
    });

    it('has no accessibility findings on any tab, in light and dark, wide and narrow, with hostile names', async () => {

        await ask('PUT', '/schemas/Hostile', { type: 'object', properties: { '<img src=x onerror=alert(1)>': { type: 'string', title: '<script>alert(1)</script>' }, ['x'.repeat(2000)]: { type: 'array', items: { type: 'object', properties: {} } }, 'עברית': { enum: [1] } } });
        const page = await show('/#schemas/Hostile');
        for (const fragment of ['/#schemas', ...['fields', 'schema', 'code', 'rights', 'preview'].map((tab) => `/#schemas/Hostile?tab=${tab}`)]) {
            await page.goto(test.url + fragment);
            await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await page.getByText('Loading …').first().waitFor({ state: 'detached' });
            for (const [colorScheme, width] of [['light', 1280], ['dark', 360]] as const) {
                await page.setViewportSize({ width, height: 800 });
                await page.emulateMedia({ colorScheme });

                expect(await accessibilityFindings(page), `${fragment} ${colorScheme} ${width}`).to.equal([]);
                expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), `${fragment} ${width}: wider than the screen`).to.be.at.most(0);
            }
        }
    });
});
