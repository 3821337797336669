/** The rules of the design in the administration: those that apply although nobody has written them, and changes of two administrators. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

describe('the design in the administration', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const design = async (): Promise<Record<string, unknown>> => (await ui.ask('GET', '/objects/design')).json() as Promise<Record<string, unknown>>;

    beforeEach(async () => {

        ({ page } = ui);
        ui.watched.expected.push(/status of 412/);
        await logInAsAdmin(page, ui.url);
    });

    const save = async (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

    it('shows the rules that apply without any of its own, and keeps the others when one is changed', async () => {

        await ui.ask('DELETE', '/objects/design?jsonPointer=/authConfig');
        expect((await design())['authConfig']).to.be.undefined();
        await page.goto(`${ui.url}/#admin/rights`);
        const create = page.getByRole('group', { name: 'Create', exact: true });
        await page.getByRole('group', { name: 'Read', exact: true }).getByText('everybody').first().waitFor();
        await create.getByRole('button', { name: 'Remove authenticated' }).click();
        await save();
        await announced(page, 'The design is saved.');

        const { defaultAcls, schemaAcls } = (await design())['authConfig'] as { defaultAcls: unknown; schemaAcls: object };
        expect(defaultAcls).to.equal({ defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: [] });
        expect(Object.keys(schemaAcls)).to.include(['User', 'Schema']);
    });

    it('does not bring back rules that somebody has removed since the page was opened', async () => {

        const closed = { defaultAcls: { defaultAclRead: ['admin'], defaultAclWrite: ['admin'], aclCreate: ['admin'] }, schemaAcls: {} };
        await ui.ask('PUT', '/objects/design?jsonPointer=/authConfig', closed);
        await page.goto(`${ui.url}/#schemas`);
        await page.getByRole('main').getByRole('link', { name: 'Document', exact: true }).waitFor();
        await ui.ask('DELETE', '/objects/design?jsonPointer=/authConfig');
        await page.evaluate('location.hash = "#admin/rights"');
        await page.getByRole('group', { name: 'Create', exact: true }).getByRole('button', { name: 'Remove authenticated' }).click();
        await save();
        await announced(page, 'The design is saved.');

        const { defaultAcls } = (await design())['authConfig'] as { defaultAcls: unknown };
        expect(defaultAcls).to.equal({ defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: [] });
    });

    it('has rules for types: added, changed with those for methods kept, and removed', async () => {

        const methods = { instance: { default: ['authenticated'] } };
        const rules = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['public'], aclMethods: methods };
        await ui.ask('PUT', '/objects/design?jsonPointer=/authConfig', { defaultAcls: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: [] }, schemaAcls: { User: rules, Group: rules } });
        await page.goto(`${ui.url}/#admin/rights`);
        const ofType = (name: string): Locator => page.locator('details').filter({ has: page.locator('summary', { hasText: new RegExp(`^${name}$`) }) });
        await page.getByLabel('Add rules for a type').fill('Document');
        await page.getByRole('button', { name: 'Add', exact: true }).last().click();
        await ofType('Document').locator('summary').click();
        await ofType('Document').getByRole('button', { name: 'Restrict … Find by searching' }).click();
        await ofType('User').locator('summary').click();
        await ofType('User').getByText('Methods have rules as well').waitFor();
        await ofType('User').getByRole('group', { name: 'Create', exact: true }).getByRole('button', { name: 'Remove public' }).click();
        await ofType('Group').locator('summary').click();
        await ofType('Group').getByRole('button', { name: 'Remove the rules of Group' }).click();
        await save();
        await announced(page, 'The design is saved.');

        const { schemaAcls } = (await design())['authConfig'] as { schemaAcls: unknown };
        expect(schemaAcls).to.equal({ User: { ...rules, aclCreate: [] }, Document: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: [], aclSearch: [] } });
        await ui.ask('DELETE', '/objects/design?jsonPointer=/authConfig');
    });

    it('stores the settings of handles, and keeps the others', async () => {

        await ui.ask('PUT', '/objects/design?jsonPointer=/handleMintingConfig', { prefix: 'test', ignoreHandleErrors: true });
        await page.goto(`${ui.url}/#admin/handles`);
        await page.getByLabel('Prefix of new ids').fill('20.500.1');
        await page.getByLabel(/^Address of the service/).fill('https://repo.example/');
        await save();
        await announced(page, 'The design is saved.');

        expect((await design())['handleMintingConfig']).to.equal({ prefix: '20.500.1', ignoreHandleErrors: true, baseUri: 'https://repo.example/' });
        expect((await (await ui.ask('POST', '/objects?type=Document&full', { name: 'a document' })).json() as { id: string }).id).to.startWith('20.500.1/');

        await page.getByLabel('Prefix of new ids').fill('test');
        await page.getByLabel(/^Address of the service/).fill('');
        await save();
        await until(async () => JSON.stringify((await design())['handleMintingConfig']) === '{"prefix":"test","ignoreHandleErrors":true}');
    });

    it('keeps the other settings of searches when the language is removed', async () => {

        await ui.ask('PUT', '/objects/design?jsonPointer=/search', { language: 'de', other: ['kept'] });
        await page.goto(`${ui.url}/#admin/design`);
        await page.getByLabel('Language of texts (code)').fill('');
        await save();
        await announced(page, 'The design is saved.');

        expect((await design())['search']).to.equal({ other: ['kept'] });
    });

    /** Edits the design as JSON, and saves it over a change of somebody else. */
    const conflict = async (): Promise<void> => {

        await page.goto(`${ui.url}/#admin/design?tab=json`);
        const editor = page.getByRole('textbox', { name: 'The design as JSON' });
        await editor.click();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText('{"uiConfig": {"title": "mine"}}');
        await ui.ask('PUT', '/objects/design', { uiConfig: { title: 'theirs' } });
        await save();
        await page.getByRole('button', { name: 'Overwrite' }).waitFor();
        await editor.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(' not JSON yet');
        await until(async () => (await editor.innerText()).includes('not JSON yet'));
    };

    it('is not overwritten with what its text was before a syntax error, and marks the tab of it', async () => {

        await conflict();
        await page.getByRole('button', { name: 'Overwrite' }).click();
        await page.getByRole('alert').getByText('This is not valid JSON.').waitFor();
        expect((await design())['uiConfig']).to.equal({ title: 'theirs' });
        await page.getByRole('link', { name: 'Form', exact: true }).click();
        await page.getByRole('link', { name: 'JSON 1 error', exact: true }).waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('gives back what was typed when the version of somebody else was taken', async () => {

        await conflict();
        await page.getByRole('button', { name: 'Take theirs' }).click();
        const editor = page.getByRole('textbox', { name: 'The design as JSON' });
        await until(async () => (await editor.innerText()).includes('theirs'));
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('mine') && (await editor.innerText()).includes('not JSON yet'));
        await page.getByRole('button', { name: 'Discard changes' }).click();
        await until(async () => (await editor.innerText()).includes('theirs'));
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await until(async () => (await editor.innerText()).includes('mine') && (await editor.innerText()).includes('not JSON yet'));
    });
});
