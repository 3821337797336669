/** Objects and files that type code changes when they are read: what it shows is not stored in place of what is stored. */

import { isDeepStrictEqual } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, afterEach } = lab;

const SCHEMA = { type: 'object', properties: { title: { type: 'string', title: 'Title' }, text: { type: 'string', title: 'Text' } } };
const TEAM = {
    type: 'object', properties: { name: { type: 'string', cordra: { preview: { isPrimary: true } } }, users: { type: 'array', items: { type: 'string' }, cordra: { auth: 'usersList' } } }
};
const OBJECT_CODE = 'exports.onObjectResolution = (object) => { object.content.title = "shown"; return object; };';
const TEAM_CODE = 'exports.onObjectResolution = (object) => { object.content.users = []; return object; };';
const FILE_CODE = 'exports.onPayloadResolution = (object, { directIo }) => { directIo.writeOutputString("shown"); };';

describe('what type code makes of an object when it is read', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const acl = async (): Promise<unknown> => (await ui.ask('GET', '/acls/test/shown')).json();
    // A row has its new text before the rights are stored.
    const becomes = (rights: object): Promise<void> => until(async () => isDeepStrictEqual(await acl(), rights));

    const setCode = async (name: string, javascript: string): Promise<void> => {

        const { results: [type] } = await (await ui.ask('GET', `/search?query=type:Schema%20AND%20/name:${name}`)).json() as { results: { id: string }[] };
        expect((await ui.ask('PUT', `/objects/${type?.id}?jsonPointer=/javascript`, JSON.stringify(javascript))).status).to.equal(200);
    };

    /** The content that is stored: a change that is rehearsed does not read it by the code. */
    const stored = async (id: string): Promise<unknown> => {

        const { content: { probe, ...content } } = await (await ui.ask('PUT', `/objects/${id}?jsonPointer=/probe&dryRun&full`, '1')).json() as { content: { probe: unknown } };
        expect(probe).to.equal(1);
        return content;
    };

    before(async () => {

        await ui.ask('POST', '/objects?type=Schema', { identifier: '', name: 'Team', schema: TEAM, javascript: TEAM_CODE });
        for (const [name, javascript] of [['Shown', OBJECT_CODE], ['Filed', FILE_CODE], ['Plain', '']] as const) {
            await ui.ask('POST', '/objects?type=Schema', { identifier: '', name, schema: SCHEMA, javascript });
        }

        await ui.ask('POST', '/objects?type=Shown&handle=test/shown', { title: 'stored' });
        await ui.ask('POST', '/versions?objectId=test/shown&versionId=test/shown-1');
        const form = new FormData();
        form.append('content', '{"title": "of a file"}');
        form.append('data.txt', new File(['stored'], 'data.txt', { type: 'text/plain' }));
        await fetch(`${ui.url}/objects?type=Filed&handle=test/filed`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('has rights that are changed one after the other, and not over a change of somebody else', async () => {

        ui.watched.expected.push(/status of 412/);
        await ui.ask('PUT', '/acls/test/shown', { readers: ['public'], writers: ['creator'] });
        await page.goto(`${ui.url}/#objects/test/shown?tab=rights`);
        const change = async (right: string, entry: string): Promise<void> => {

            await page.getByRole('button', { name: `Change who may ${right}`, exact: true }).click();
            await page.getByRole('button', { name: `Remove ${entry}` }).click();
        };

        const save = async (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();
        await change('read', 'everyone');
        await save();
        await announced(page, 'The rights are saved.');
        await page.getByRole('row', { name: /^read only admin/ }).waitFor();
        await change('change and delete', 'who created it');
        await save();
        await page.getByRole('row', { name: /^change and delete only admin/ }).waitFor();
        await becomes({ readers: [], writers: [] });

        await ui.ask('PUT', '/acls/test/shown', { readers: ['public'], writers: ['creator'] });
        await page.reload();
        await change('read', 'everyone');
        await ui.ask('PUT', '/acls/test/shown', { readers: ['public'], writers: [] });
        await save();
        await page.getByRole('alert').getByText('Somebody else has changed this object meanwhile.').waitFor();
        expect(await acl()).to.equal({ readers: ['public'], writers: [] });
        await page.getByRole('row', { name: /^change and delete only admin/ }).waitFor();
        await save();
        await page.getByRole('row', { name: /^read only admin/ }).waitFor();
        await becomes({ readers: [], writers: [] });
    });

    it('is not stored by a change of its type, nor by a version that is restored', async () => {

        await page.goto(`${ui.url}/#objects/test/shown`);
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Move to another type' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('The code of this type changes objects when they are read.').waitFor();
        await dialog.getByLabel('New type').selectOption('Plain');
        await dialog.getByText('The content is valid for Plain.').waitFor();

        expect(await dialog.getByRole('button', { name: 'Move', exact: true }).isDisabled()).to.be.true();
        expect(await accessibilityFindings(page)).to.equal([]);
        await page.goto(`${ui.url}/#objects/test/shown?tab=history`);
        await page.reload();
        await page.getByRole('button', { name: 'Restore' }).click();
        await dialog.getByText('The code of this type changes objects when they are read.').waitFor();

        expect(await dialog.getByRole('button', { name: 'Restore' }).isDisabled()).to.be.true();
    });

    it('is stored by the editor with consent alone, and over the version that was read', async () => {

        ui.watched.expected.push(/status of 412/);
        await ui.ask('POST', '/objects?type=Shown&handle=test/edited', { title: 'stored', text: 'before' });
        await page.goto(`${ui.url}/#objects/test/edited?edit`);
        await page.getByText('The code of this type changes objects when they are read.').waitFor();
        await page.getByRole('textbox', { name: 'Text' }).fill('mine');
        await page.keyboard.press('Control+s');
        await page.getByRole('alert').getByText('Nothing is saved yet').waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);
        expect(await stored('test/edited')).to.equal({ title: 'stored', text: 'before' });

        await page.getByRole('checkbox', { name: 'Store what is shown here' }).check();
        await ui.ask('PUT', '/objects/test/edited', { title: 'stored', text: 'theirs' });
        await page.keyboard.press('Control+s');
        const conflict = page.getByRole('alertdialog');
        await conflict.getByText('theirs', { exact: true }).waitFor();
        expect(await stored('test/edited')).to.equal({ title: 'stored', text: 'theirs' });

        await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
        await announced(page, 'Saved');
        expect(await stored('test/edited')).to.equal({ title: 'shown', text: 'mine' });
    });

    it('is stored with consent alone by somebody who logs in after the form was opened', async () => {

        ui.watched.expected.push(/status of 40[13]/);
        await ui.ask('POST', '/objects?type=Shown&handle=test/opened', { title: 'stored', text: 'before' });
        await ui.ask('PUT', '/acls/test/opened', { readers: ['public'], writers: [] });
        await page.goto(`${ui.url}/#objects/test/opened?edit`);
        await page.context().clearCookies();
        await page.reload();
        const text = page.getByRole('textbox', { name: 'Text' });
        await text.fill('mine');
        await page.getByRole('button', { name: 'Log in', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name or id').fill('admin');
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByText('The code of this type changes objects when they are read.').waitFor();

        expect(await text.inputValue()).to.equal('mine');
        await page.keyboard.press('Control+s');
        await page.getByRole('alert').getByText('Nothing is saved yet').waitFor();
        expect(await stored('test/opened')).to.equal({ title: 'stored', text: 'before' });
    });

    it('is said to be what a copy begins with', async () => {

        await page.goto(`${ui.url}/#create/Shown?from=test/shown`);
        await page.getByText('The copy begins with what the code shows').waitFor();

        expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).to.equal('shown');
        expect(await page.getByRole('checkbox', { name: 'Store what is shown here' }).count()).to.equal(0);
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await announced(page, 'Created');
    });

    it('is not stored as the members of a group', async () => {

        await ui.ask('POST', '/objects?type=Team&handle=test/team', { name: 'team', users: ['test/ann'] });
        await page.goto(`${ui.url}/#admin/groups`);
        await page.getByRole('button', { name: '0 members: team' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('The code of this type changes objects when they are read.').waitFor();

        expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).to.be.true();
        expect(await stored('test/team')).to.equal({ name: 'team', users: ['test/ann'] });
    });

    it('does not hide which version is published or deleted', async () => {

        ui.watched.expected.push(/status of 412/);
        await ui.ask('POST', '/objects?type=Shown&handle=test/versioned', { title: 'stored' });
        for (const [item, action] of [['Publish a version', 'Publish'], ['Delete', 'Delete']] as const) {
            await page.goto(`${ui.url}/#objects/test/versioned`);
            await page.reload();
            await page.getByRole('button', { name: 'More', exact: true }).click();
            await page.getByRole('menuitem', { name: item }).click();
            const dialog = page.getByRole('dialog');
            await dialog.getByRole('button', { name: action, exact: true }).waitFor();
            await ui.ask('PUT', '/objects/test/versioned', { title: `changed before ${action}` });
            await dialog.getByRole('button', { name: action, exact: true }).click();
            await dialog.getByRole('alert').getByText('Somebody else has changed this object meanwhile').waitFor();
        }

        expect(await (await ui.ask('GET', '/versions?objectId=test/versioned')).json() as unknown[]).to.have.length(1);
    });

    it('is not stored by another name of a file', async () => {

        await page.goto(`${ui.url}/#objects/test/filed?tab=files`);
        await page.getByRole('button', { name: 'More about data.txt' }).click();
        await page.getByRole('menuitem', { name: 'Rename' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox').first().fill('other.txt');
        await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
        await dialog.getByRole('alert').getByText('The code of this type changes').waitFor();
        await setCode('Filed', '');

        expect(await (await ui.ask('GET', '/objects/test/filed?payload=data.txt')).text()).to.equal('stored');
        await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
        await announced(page, 'The file is renamed.');
        expect(await (await ui.ask('GET', '/objects/test/filed?payload=other.txt')).text()).to.equal('stored');
    });

    describe('of types and of the design', () => {

        const CODE = 'exports.onObjectResolution = (object) => { object.content.description = "shown"; return object; };';

        const setBuiltIn = async (type?: string): Promise<void> => {

            const builtIn = type === undefined ? {} : { [type]: { javascript: CODE } };
            expect((await ui.ask('PUT', '/objects/design?jsonPointer=/builtInTypes', builtIn)).status).to.equal(200);
        };

        const change = async (id: string, description: string): Promise<void> => {

            expect((await ui.ask('PUT', `/objects/${id}?jsonPointer=/description`, JSON.stringify(description))).status).to.equal(200);
        };

        /** What is stored, which the service tells without the code. */
        const described = async (id: string): Promise<unknown> => {

            await setBuiltIn();
            return (await (await ui.ask('GET', `/objects/${id}`)).json() as { description: unknown }).description;
        };

        const save = async (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

        before(async () => {

            await ui.ask('POST', '/objects?type=Schema&handle=test/typed', { identifier: '', name: 'Typed', schema: SCHEMA, description: 'stored' });
        });

        afterEach(async () => setBuiltIn());

        it('is stored by the editor of a type with consent alone, and over the version that was read', async () => {

            ui.watched.expected.push(/status of 412/);
            await setBuiltIn('Schema');
            await page.goto(`${ui.url}/#schemas/Typed`);
            await page.getByText('The code of this type changes objects when they are read.').waitFor();
            await page.getByText('Name and settings').click();
            await page.getByLabel('Description', { exact: true }).fill('mine');
            await save();
            await page.getByRole('alert').getByText('Nothing is saved yet').waitFor();
            expect(await accessibilityFindings(page)).to.equal([]);

            await page.getByRole('checkbox', { name: 'Store what is shown here' }).check();
            await change('test/typed', 'theirs');
            await save();
            const overwrite = page.getByRole('button', { name: 'Overwrite' });
            await overwrite.waitFor();
            expect(await described('test/typed')).to.equal('theirs');

            await setBuiltIn('Schema');
            await overwrite.click();
            await announced(page, 'The type Typed is saved.');
            await page.getByLabel('Description', { exact: true }).fill('mine again');
            // The message about the former change may still be there.
            await save();
            await until(async () => await described('test/typed') === 'mine again');
        });

        it('is not stored by a copy of a type, nor by a schema of a file, and a type is deleted as it was read', async () => {

            ui.watched.expected.push(/status of 412/);
            await setBuiltIn('Schema');
            await page.goto(`${ui.url}/#schemas`);
            await page.getByRole('button', { name: 'New type' }).click();
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel(/^Name/).fill('Copied');
            await dialog.getByRole('radio', { name: 'another type' }).check();
            await dialog.getByLabel('Type', { exact: true }).fill('Typed');
            await dialog.getByRole('button', { name: 'Create' }).click();
            await dialog.getByRole('alert').getByText('The code of this type changes objects when they are read.').waitFor();
            await page.keyboard.press('Escape');

            await page.getByRole('button', { name: 'Load from a file' }).click();
            await dialog.locator('input[type=file]').setInputFiles({ name: 'types.json', mimeType: 'application/json', buffer: Buffer.from('{"Typed": {"type": "object"}}') });
            await dialog.getByText('The code of this type changes objects when they are read.').waitFor();
            expect(await dialog.getByRole('button', { name: 'Store' }).isDisabled()).to.be.true();
            await page.keyboard.press('Escape');

            await page.goto(`${ui.url}/#schemas/Typed`);
            await page.getByRole('button', { name: 'More actions' }).click();
            await page.getByRole('menuitem', { name: 'Delete the type' }).click();
            await dialog.getByText('There are no objects of this type.').waitFor();
            await change('test/typed', 'changed meanwhile');
            await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
            await dialog.getByRole('alert').getByText('Somebody else has saved this type meanwhile.').waitFor();
            expect(await described('test/typed')).to.equal('changed meanwhile');
        });

        it('is stored by the sections of the design with consent alone, and over the version that was read', async () => {

            ui.watched.expected.push(/status of 412/);
            await setBuiltIn('CordraDesign');
            await page.goto(`${ui.url}/#admin/design`);
            await page.getByText('The code of this type changes objects when they are read.').waitFor();
            await page.getByLabel('Title of the repository').fill('mine');
            await save();
            await page.getByRole('alert').getByText('Nothing is saved yet').waitFor();
            await page.getByRole('checkbox', { name: 'Store what is shown here' }).check();
            await ui.ask('PUT', '/objects/design?jsonPointer=/uiConfig', { title: 'theirs' });
            await save();
            await page.getByRole('button', { name: 'Overwrite' }).click();
            await announced(page, 'The design is saved.');

            expect(await described('design')).to.equal('shown');
        });
    });
});
