/** Groups with thousands of members and rights with hundreds of entries in the web UI: a part is shown, the rest is found, and nothing is lost. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { measureCosts } from '../support/page-costs.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

/** Number of entries that lists show at first, and with a step. */
const FIRST = 50;
const STEP = 200;

/** More than have labels at a time. */
const MANY = Array.from({ length: 6000 }, (_, i) => `test/many-${i}`);

const MEMBERS = ['test/known', ...Array.from({ length: 3000 }, (_, i) => `test/member-${i}`)];

const WRITERS = Array.from({ length: 300 }, (_, i) => `test/writer-${i}`);

/** A group whose members need not exist. */
const CREW = {
    type: 'object', properties: {
        name: { type: 'string', cordra: { preview: { isPrimary: true } } }, users: { type: 'array', items: { type: 'string' }, cordra: { auth: 'usersList' } }
    }
};

describe('long lists of people in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const removals = (within: Locator): Locator => within.getByRole('button', { name: /^Remove/ });

    const usersOf = async (id: string): Promise<readonly string[]> => (await (await ui.ask('GET', `/objects/${id}`)).json() as { users: string[] }).users;

    before(async () => {

        const made = async (path: string, body: unknown): Promise<void> => {

            const response = await ui.ask('POST', path, body);
            expect(response.status, await response.clone().text()).to.equal(200);
        };

        await made('/objects?type=User&handle=test/known', { username: 'Zora of the archive', password: 'a long password' });
        expect((await ui.ask('PUT', '/schemas/Crew', CREW)).status).to.equal(200);
        await made('/objects?type=Crew&handle=test/team', { name: 'team', users: [...MEMBERS.slice(1), 'test/known'] });
        await made('/objects?type=Crew&handle=test/crowd', { name: 'crowd', users: MANY });
        await made('/objects?type=Document&handle=test/shared', { id: '', name: 'shared', description: '' });
        expect((await ui.ask('PUT', '/acls/test/shared', { readers: ['public'], writers: WRITERS })).status).to.equal(200);
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('show a part of the members of a group, find others by id and by name, and keep what is not shown', async () => {

        await page.goto(`${ui.url}/#admin/groups`);
        await page.getByRole('button', { name: '3,001 members: team' }).click();
        const dialog = page.getByRole('dialog');
        await until(async () => await removals(dialog).count() === FIRST);
        expect(await accessibilityFindings(page)).to.equal([]);
        await dialog.getByRole('button', { name: `Show ${STEP} more` }).click();
        expect(await removals(dialog).count()).to.equal(FIRST + STEP);

        const filter = dialog.getByLabel('Filter the list');
        await filter.fill('member-2999');
        await dialog.getByRole('button', { name: 'Remove test/member-2999' }).click();
        await dialog.getByText('No entry matches.').waitFor();
        await filter.fill('ARCHIVE');
        await dialog.getByRole('link', { name: 'Zora of the archive' }).waitFor();
        expect(await removals(dialog).count()).to.equal(1);
        await filter.press('Enter');

        await filter.fill('');
        const field = dialog.getByRole('combobox', { name: 'Add a user or group' });
        for (const added of ['test/new', 'test/member-2999']) {
            await field.fill(added);
            await field.press('Enter');
            await dialog.getByRole('button', { name: `Remove ${added}` }).waitFor();
        }

        await dialog.getByRole('button', { name: 'Save' }).click();
        await announced(page, 'team is saved.');

        expect(await usersOf('test/team')).to.equal([...MEMBERS.slice(1, -1), 'test/known', 'test/new', 'test/member-2999']);
    });

    it('react soon, also with more members than have names', async () => {

        const { cheaply } = await measureCosts(ui.watched);
        await page.goto(`${ui.url}/#admin/groups`);
        const dialog = page.getByRole('dialog');
        const open = page.getByRole('button', { name: '6,000 members: crowd' });
        await open.waitFor();
        await cheaply('the members', () => open.click());
        await removals(dialog).first().waitFor();
        await cheaply('the filter', () => dialog.getByLabel('Filter the list').fill('many-5'));
        await cheaply('more of what matches', () => dialog.getByRole('button', { name: /^Show/ }).click());
        await cheaply('a removal', () => removals(dialog).first().click());
        await dialog.getByRole('button', { name: 'Save' }).click();
        await announced(page, 'crowd is saved.');

        expect(await usersOf('test/crowd')).to.equal(MANY.filter((id) => id !== 'test/many-5'));
    });

    it('show a part of who has a right, and keep the rest when one is removed', async () => {

        await page.goto(`${ui.url}/#objects/test/shared?tab=rights`);
        const row = page.getByRole('row', { name: /change and delete/ });
        await row.getByRole('button', { name: `Show ${STEP} more` }).waitFor();
        expect(await row.getByRole('link').count()).to.equal(FIRST);

        await row.getByRole('button', { name: 'Change who may change and delete' }).click();
        await until(async () => await removals(row).count() === FIRST);
        await row.getByLabel('Filter the list').fill('writer-299');
        await row.getByRole('button', { name: 'Remove test/writer-299' }).click();
        await row.getByRole('button', { name: 'Save' }).click();
        await until(async () => (await (await ui.ask('GET', '/acls/test/shared')).json() as { writers: string[] }).writers.length === WRITERS.length - 1);

        expect(await (await ui.ask('GET', '/acls/test/shared')).json()).to.include({ writers: WRITERS.slice(0, -1) });
    });
});
