/** Types that are loaded from a file: what is shown of each is what becomes of it, whatever others do meanwhile. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

const CODE = 'exports.beforeSchemaValidation = (object) => object;';

const schemaWith = (title: string): object => ({ type: 'object', title, properties: { name: { type: 'string' } } });

describe('types that are loaded from a file', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const dialog = (): Locator => page.getByRole('dialog', { name: 'Load types from a file' });

    const json = async <T>(path: string): Promise<T> => await (await ui.ask('GET', path)).json() as T;

    const put = async (path: string, body: unknown): Promise<void> => {

        expect((await ui.ask('PUT', path, JSON.stringify(body))).status).to.equal(200);
    };

    const open = async (): Promise<void> => {

        await page.goto(`${ui.url}/#schemas`);
        await page.getByRole('button', { name: 'Load from a file' }).click();
    };

    const choose = async (content: unknown): Promise<void> => {

        await dialog().getByLabel('Choose a file').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) });
    };

    const item = (name: string): Locator => dialog().getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });

    const store = async (): Promise<void> => dialog().getByRole('button', { name: 'Store' }).click();

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('are new where their ids are those of types with other names, or of other objects, which stay', async () => {

        const content = { identifier: '', name: 'Book', schema: schemaWith('exported'), javascript: CODE };
        await ui.ask('POST', '/objects?type=Schema&handle=test/book-type', content);
        const exported = await json<object>('/objects/test/book-type?full');
        await put('/objects/test/book-type?jsonPointer=/name', 'Publication');
        await put('/objects/test/book-type?jsonPointer=/schema', schemaWith('changed'));
        await ui.ask('POST', '/objects?type=Document&handle=test/taken', { name: 'a document' });
        await open();
        await choose([exported, { id: 'test/taken', type: 'Schema', content: { ...content, name: 'Taken' } }, { id: 'test/free', type: 'Schema', content: { ...content, name: 'Free' } }]);
        await item('Book').getByText('new, with another id').waitFor();
        await item('Taken').getByText('new, with another id').waitFor();
        await item('Free').getByText('new', { exact: true }).waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);

        await store();
        await announced(page, '3 types are stored.');
        const { schemaIds } = await json<{ schemaIds: Record<string, string> }>('/design');
        const ids = new Map(Object.entries(schemaIds).map(([id, name]) => [name, id]));
        expect([ids.get('Publication'), ids.get('Free')]).to.equal(['test/book-type', 'test/free']);
        expect(ids.has('Book') && ids.has('Taken')).to.be.true();
        expect(await json('/objects/test/book-type')).to.include({ name: 'Publication', schema: schemaWith('changed'), javascript: CODE });
        expect(await json('/objects/test/taken')).to.include({ name: 'a document' });
        expect(await json(`/objects/${ids.get('Book')}`)).to.include({ name: 'Book', schema: schemaWith('exported'), javascript: CODE });
    });

    it('are compared with the types that there are when the file is read, and when it is stored', async () => {

        await open();
        await page.getByRole('main').getByText('Document', { exact: true }).first().waitFor();
        await put('/schemas/Late', schemaWith('theirs'));
        await choose({ Late: schemaWith('mine'), Soon: schemaWith('mine') });
        await item('Late').getByText('replaces').waitFor();
        await item('Soon').getByText('new', { exact: true }).waitFor();
        await put('/schemas/Soon', schemaWith('theirs since'));
        await store();
        await dialog().getByText('Nothing was stored').waitFor();
        await item('Soon').getByText('replaces').waitFor();

        expect([await json('/schemas/Late'), await json('/schemas/Soon')]).to.equal([schemaWith('theirs'), schemaWith('theirs since')]);

        await store();
        await announced(page, '2 types are stored.');
        expect([await json('/schemas/Late'), await json('/schemas/Soon')]).to.equal([schemaWith('mine'), schemaWith('mine')]);
    });

    it('are not stored over what others store in the last moment', async () => {

        ui.watched.expected.push(/status of 412/);
        await put('/schemas/Past', schemaWith('theirs'));
        await open();
        await choose({ Past: schemaWith('mine'), Next: schemaWith('mine') });
        await item('Past').getByText('replaces').waitFor();
        await page.route('**/uploadObjects', async (route) => {

            await put('/schemas/Past', schemaWith('theirs since'));
            await route.continue();
        }, { times: 1 });
        await store();
        await dialog().getByText('Nothing was stored').waitFor();

        expect([await json('/schemas/Past'), (await ui.ask('GET', '/schemas/Next')).status]).to.equal([schemaWith('theirs since'), 404]);

        await store();
        await announced(page, '2 types are stored.');
        expect([await json('/schemas/Past'), await json('/schemas/Next')]).to.equal([schemaWith('mine'), schemaWith('mine')]);
    });

    it('do not replace code and rules that others have stored since they were shown', async () => {

        await ui.ask('POST', '/objects?type=Schema&handle=test/coded-type', { identifier: '', name: 'Coded', schema: schemaWith('first') });
        const exported = await json<object>('/objects/test/coded-type?full');
        await open();
        await choose([exported]);
        await item('Coded').getByText('replaces').waitFor();
        await put('/objects/test/coded-type?jsonPointer=/javascript', CODE);
        await store();
        await dialog().getByText('Nothing was stored').waitFor();

        expect(await json('/objects/test/coded-type')).to.include({ javascript: CODE });
    });

    it('are listed up to a number, those that replace others first, and the rest is counted', async () => {

        await put('/schemas/Zoo', schemaWith('theirs'));
        await open();
        await choose({ ...Object.fromEntries(Array.from({ length: 502 }, (_, i) => [`Many${i}`, schemaWith(String(i))])), Zoo: schemaWith('mine') });
        await dialog().getByText('… and 3 more').waitFor();

        expect(await dialog().getByRole('listitem').count()).to.equal(500);
        expect(await dialog().getByRole('listitem').first().innerText()).to.match(/^Zoo\s*replaces$/);
    });
});
