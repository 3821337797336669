/** Users and groups in the administration: what is stored of them, and what others have changed meanwhile. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const CREW = {
    type: 'object', properties: {
        name: { type: 'string', cordra: { preview: { isPrimary: true } } },
        users: { type: 'array', items: { type: 'string' }, cordra: { auth: { type: 'usersList', prepend: 'test/' } } }
    }
};

const STRICT = {
    type: 'object', properties: {
        username: { type: 'string', cordra: { preview: { isPrimary: true }, auth: 'username' } }, password: { type: 'string', minLength: 8, cordra: { auth: 'password' } },
        isTemporary: { type: 'boolean', cordra: { auth: 'requirePasswordChange' } }
    }
};

describe('users and groups in the administration', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const dialog = (): Locator => page.getByRole('dialog');

    const json = async <T>(path: string): Promise<T> => await (await ui.ask('GET', path)).json() as T;

    before(async () => {

        await ui.ask('PUT', '/schemas/Crew', CREW);
        await ui.ask('PUT', '/schemas/Strict', STRICT);
        const javascript = 'exports.onObjectResolution = (object) => object;';
        await ui.ask('POST', '/objects?type=Schema', { identifier: '', name: 'Shown', schema: STRICT, javascript });
        for (const [id, username, type] of [
            ['test/7', 'seven of here', 'User'], ['other/7', 'seven of elsewhere', 'User'], ['test/gone', 'leaver', 'User'], ['test/weak', 'weak', 'Strict'], ['test/shown', 'shown', 'Shown']
        ] as const) {
            expect((await ui.ask('POST', `/objects?type=${type}&handle=${id}`, { username, password: 'a long password' })).status).to.equal(200);
        }
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('has members in a group whose ids have its prefix alone', async () => {

        await page.goto(`${ui.url}/#admin/groups`);
        await page.getByRole('button', { name: 'New group' }).click();
        await dialog().getByLabel('Type').selectOption('Crew');
        await dialog().getByLabel('Name', { exact: true }).fill('crew');
        await dialog().getByText('Ids of members begin with test/.').waitFor();
        const field = dialog().getByRole('combobox', { name: 'Add a user or group' });
        await field.fill('other/7');
        await field.press('Enter');
        await field.fill('seven');
        await dialog().getByRole('option', { name: /of here/ }).waitFor();

        expect(await dialog().getByRole('option', { name: /elsewhere/ }).count()).to.equal(0);
        expect(await dialog().getByRole('button', { name: /^Remove/ }).count()).to.equal(0);
        await dialog().getByRole('option', { name: /of here/ }).click();
        await dialog().getByRole('button', { name: /^Remove/ }).waitFor();
        expect(await accessibilityFindings(page)).to.equal([]);
        await dialog().getByRole('button', { name: 'Create' }).click();
        await page.getByRole('button', { name: '1 member: crew' }).click();
        await field.fill('other/7');
        await field.press('Enter');
        await field.fill('test/weak');
        await field.press('Enter');
        await until(async () => await dialog().getByRole('button', { name: /^Remove/ }).count() === 2);
        await dialog().getByRole('button', { name: 'Save' }).click();
        await announced(page, 'crew is saved.');

        const { results: [group] } = await json<{ results: { content: { users: string[] } }[] }>('/search?query=type:Crew');
        expect(group?.content.users).to.equal(['7', 'weak']);
    });

    it('names the member that a group of another type cannot have', async () => {

        await page.goto(`${ui.url}/#admin/groups`);
        await page.getByRole('button', { name: 'New group' }).click();
        await dialog().getByLabel('Type').selectOption('Group');
        await dialog().getByLabel('Name', { exact: true }).fill('mixed');
        const field = dialog().getByRole('combobox', { name: 'Add a user or group' });
        await field.fill('other/7');
        await field.press('Enter');
        await dialog().getByRole('button', { name: /^Remove/ }).waitFor();
        await dialog().getByLabel('Type').selectOption('Crew');
        await dialog().getByRole('button', { name: 'Create' }).click();
        await dialog().getByText('other/7 cannot be a member').waitFor();

        expect((await json<{ size: number }>('/search?query=/name:mixed')).size).to.equal(0);
    });

    it('changes nothing of a user whose new password is refused', async () => {

        const before = await json('/objects/test/weak?full');
        ui.watched.expected.push(/status of 400/);
        await page.goto(`${ui.url}/#admin/users`);
        await page.getByRole('button', { name: 'Actions of weak' }).click();
        await page.getByRole('menuitem', { name: 'Set password' }).click();
        await dialog().getByLabel('New password', { exact: true }).fill('abc');
        await dialog().getByRole('button', { name: 'Save' }).click();
        await dialog().getByRole('alert').waitFor();
        expect(await json('/objects/test/weak?full')).to.equal(before);

        await dialog().getByLabel('New password', { exact: true }).fill('another long password');
        await dialog().getByRole('button', { name: 'Save' }).click();
        await announced(page, 'The password of weak is set.');
        expect(await json('/objects/test/weak')).to.include({ username: 'weak', isTemporary: true });
    });

    it('says that the password is set where the rest could not be stored', async () => {

        ui.watched.expected.push(/status of 500/);
        await page.route((url) => url.searchParams.get('jsonPointer') === '/isTemporary', (route) =>
            route.fulfill({ status: 500, contentType: 'application/json', body: '{"message": "no space"}' }));
        await page.goto(`${ui.url}/#admin/users`);
        await page.getByRole('button', { name: 'Actions of shown' }).click();
        await page.getByRole('menuitem', { name: 'Set password' }).click();
        await dialog().getByLabel('New password', { exact: true }).fill('another long password');
        await dialog().getByRole('button', { name: 'Save' }).click();
        await dialog().getByText('The password is set, but not whether it must be changed at the next login: no space').waitFor();
    });

    for (const [section, id, name, pointer, value] of [
        ['users', 'test/gone', 'leaver', '/requirePasswordChange', 'true'], ['groups', 'test/fading', 'fading', '/description', '"changed"']
    ] as const) {
        it(`does not delete what somebody has changed since the list of ${section} was read`, async () => {

            await ui.ask('POST', '/objects?type=Crew&handle=test/fading', { name: 'fading', users: [] });
            ui.watched.expected.push(/status of 412/);
            await page.goto(`${ui.url}/#admin/${section}`);
            const open = async (): Promise<void> => {

                await page.getByRole('button', { name: `Actions of ${name}` }).click();
                await page.getByRole('menuitem', { name: 'Delete' }).click();
            };

            await open();
            expect((await ui.ask('PUT', `/objects/${id}?jsonPointer=${pointer}`, value)).status).to.equal(200);
            await dialog().getByRole('button', { name: 'Delete' }).click();
            await dialog().getByText(`Somebody else has changed ${name} meanwhile`).waitFor();
            expect((await ui.ask('GET', `/objects/${id}`)).status).to.equal(200);

            await dialog().getByRole('button', { name: 'Cancel' }).click();
            await ui.watched.idle();
            await open();
            await dialog().getByRole('button', { name: 'Delete' }).click();
            await announced(page, `${name} is deleted.`);
            expect((await ui.ask('GET', `/objects/${id}`)).status).to.equal(404);
        });
    }
});
