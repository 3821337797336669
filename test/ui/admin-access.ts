/** What administrators do to the access of others and to the design by its form, and what they see of the index and of jobs. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

const PASSWORD = 'password of ann';

describe('the administration of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    beforeEach(async () => {

        ({ page } = ui);
        await ui.ask('DELETE', '/objects/test/ann');
        expect((await ui.ask('POST', '/objects?type=User&handle=test/ann', { username: 'ann', password: PASSWORD })).status).to.equal(200);
        await logInAsAdmin(page, ui.url);
    });

    const show = async (section: string): Promise<void> => {

        await page.goto(`${ui.url}/#admin/${section}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    };

    const dialog = (): Locator => page.getByRole('dialog');

    const menu = async (item: string): Promise<void> => {

        await page.getByRole('button', { name: 'Actions of ann' }).click();
        await page.getByRole('menuitem', { name: item }).click();
    };

    it('deletes a user', async () => {

        await show('users');
        await menu('Delete …');
        await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
        await announced(page, 'ann is deleted.');
        await page.getByRole('button', { name: 'Actions of ann' }).waitFor({ state: 'detached' });

        expect((await ui.ask('GET', '/objects/test/ann')).status).to.equal(404);
    });

    it('lists and ends the sessions and keys of another user, but not those of anybody else', async () => {

        const token = async (): Promise<string> => {

            const response = await fetch(`${ui.url}/auth/token`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ grant_type: 'password', username: 'ann', password: PASSWORD }) });
            return (await response.json() as { readonly access_token: string }).access_token;
        };

        const works = async (credentials: string): Promise<boolean> => (await fetch(`${ui.url}/check-credentials`, { headers: { Authorization: `Bearer ${credentials}` } })).ok;
        const tokens = [await token(), await token(), await token()];
        const { key } = await (await ui.ask('POST', '/auth/keys', { name: 'harvest', userId: 'test/ann' })).json() as { readonly key: string };
        const own = await (await ui.ask('POST', '/auth/keys', { name: 'mine' })).json() as { readonly key: string };

        await show('users');
        await menu('Sessions and keys …');
        const ends = dialog().getByRole('button', { name: /^End the session of/ });
        await until(async () => await ends.count() === 3);
        await ends.first().click();
        await announced(page, 'The session has ended.');
        await until(async () => await ends.count() === 2);

        expect((await Promise.all(tokens.map(works))).filter(Boolean)).to.have.length(2);
        expect(await dialog().getByText('mine', { exact: true }).count()).to.equal(0);
        expect(await accessibilityFindings(page)).to.equal([]);

        await dialog().getByRole('button', { name: 'End all', exact: true }).click();
        await dialog().getByText('There is no session.').waitFor();

        expect(await Promise.all(tokens.map(works))).to.equal([false, false, false]);

        await dialog().getByRole('button', { name: 'Revoke the key harvest' }).click();
        await dialog().last().getByRole('button', { name: 'Revoke', exact: true }).last().click();
        await announced(page, 'The key harvest is revoked.');
        await dialog().getByText('There are no keys.').waitFor();

        expect([await works(key), await works(own.key)]).to.equal([false, true]);
    });

    it('stores what the form of the design has: first page, ids, people, navigation, settings', async () => {

        await ui.ask('PUT', '/objects/design?jsonPointer=/uiConfig', { title: 'Before', ownKey: 1, aclUiSearchTypes: ['User', 'Group'], navBarLinks: [{ type: 'typeDropdown', title: 'Only', maxItems: 3 }] });
        await show('design');
        await page.getByLabel('Query of the first page').fill('type:User');
        await page.getByLabel('First page (fragment)').fill('objects/?query=type:User');
        await page.getByLabel('Types in the menu for new objects').fill('7');
        await page.getByRole('button', { name: 'Remove Group' }).click();
        await page.getByLabel('Types of people and groups', { exact: true }).fill('Person');
        await page.getByRole('button', { name: 'Add: Types of people and groups' }).click();
        await page.getByRole('checkbox', { name: 'People may choose the whole id' }).check();
        await page.getByRole('checkbox', { name: 'Hide the type in the editor' }).check();
        await page.getByRole('checkbox', { name: 'Versions may be changed' }).check();
        await page.getByRole('button', { name: 'Add a link' }).click();
        const link = page.getByRole('group', { name: '2', exact: true });
        await link.getByLabel('Kind').selectOption({ label: 'Address' });
        await link.getByLabel('Query or address').fill('https://example.org/');
        await link.getByLabel('Text').fill('Elsewhere');
        await page.getByRole('button', { name: 'Add a link' }).click();
        await page.getByRole('group', { name: '3', exact: true }).getByLabel('Query or address').fill('type:User');
        await page.getByRole('group', { name: '3', exact: true }).getByLabel('Text').fill('People');
        await page.getByRole('button', { name: 'Move People up' }).click();
        await page.getByRole('button', { name: 'Remove Only' }).click();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await announced(page, 'The design is saved.');
        const design = await (await ui.ask('GET', '/objects/design')).json() as Record<string, unknown>;

        expect(design['enableVersionEdits']).to.be.true();
        expect(design['uiConfig']).to.include({
            title: 'Before', ownKey: 1, initialQuery: 'type:User', initialFragment: 'objects/?query=type:User', numTypesForCreateDropdown: 7, aclUiSearchTypes: ['User', 'Person'],
            allowUserToSpecifyHandleOnCreate: true, hideTypeInObjectEditor: true,
            navBarLinks: [{ type: 'query', title: 'People', query: 'type:User' }, { type: 'url', title: 'Elsewhere', query: '*:*', url: 'https://example.org/' }]
        });
        await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name: 'Elsewhere' }).waitFor();

        await page.getByRole('checkbox', { name: 'Versions may be changed' }).uncheck();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await until(async () => !(await (await ui.ask('GET', '/objects/design')).text()).includes('enableVersionEdits'));
        await ui.ask('DELETE', '/objects/design?jsonPointer=/uiConfig');
    });

    it('shows the figures of the index, how far it is built, and jobs that wait, run and have failed', async () => {

        const answer = await (await ui.ask('GET', '/status')).json() as { readonly index: object };
        const createdOn = Date.now() - 60_000;
        const jobs = [
            { type: 'search.reindex', state: 'failed', createdOn, error: 'the disk is full' }, { type: 'search.reindex', state: 'running', createdOn, progress: { total: 2000, progress: 1500 } },
            { type: 'payloads.text', state: 'waiting', createdOn }, { type: 'unheard.of', state: 'odd', createdOn }
        ];
        const index = { ...answer.index, isUp: false, documents: 12_345, segments: 7, pendingChanges: 42, reindexing: { done: 250, total: 1000 } };
        await page.route(/\/status(\?|$)/, (route) => route.fulfill({ json: { ...answer, index, jobs, database: { kind: 'sqlite', bytes: 1_500_000, freeBytes: 2e9 }, payloads: { count: 1234, bytes: 5e6, hasMore: true } } }));
        await show('index');
        const progress = page.getByRole('progressbar').first();
        await progress.waitFor();

        const [value, max] = await progress.evaluate((element) => [(element as unknown as HTMLProgress).value, (element as unknown as HTMLProgress).max]);

        expect([value, max]).to.equal([250, 1000]);
        expect(await page.locator('dl.admin-facts').innerText()).to.match(/Documents\s+12,345\s+Segments\s+7\s+Changes to be indexed\s+42/);
        expect(await page.getByRole('row').allInnerTexts()).to.have.length(3);

        await show('status');
        const rows = page.getByRole('region', { name: 'Jobs' }).getByRole('row');
        await rows.filter({ hasText: 'index objects again' }).filter({ hasText: 'failed' }).getByText('the disk is full').waitFor();
        await rows.filter({ hasText: 'running' }).getByText('1,500 / 2,000').waitFor();
        await rows.filter({ hasText: 'read the text of files' }).getByText('waiting').waitFor();
        await rows.filter({ hasText: 'unheard.of' }).getByText('odd').waitFor();
        const facts = (await page.locator('.figures').innerText()).replaceAll(/\s+/g, ' ');

        expect(facts).to.include(['sqlite', '1.5 MB', '2 GB', '> 1,234 · > 5 MB', 'not ready', '12,345', '250 / 1,000', '42']);
        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('finds what was audited by user, outcome and time', async () => {

        const asked: URLSearchParams[] = [];
        await page.route(/Op\.Audit\.List|\/doip\?/, (route) => {

            asked.push(new URL(route.request().url()).searchParams);
            return route.continue();
        });
        await show('audit');
        await page.getByLabel('User', { exact: true }).fill('test/ann');
        await page.getByLabel('User', { exact: true }).press('Enter');
        await page.getByLabel('Outcome').selectOption({ label: 'denied' });
        await page.getByLabel('From', { exact: true }).fill('2026-01-02T03:04');
        await page.getByLabel('Until', { exact: true }).fill('2026-01-03T03:04');
        const last = (): Record<string, unknown> => JSON.parse(asked.at(-1)?.get('attributes') ?? '{}') as Record<string, unknown>;
        await until(() => last()['to'] !== undefined);
        const [from, to] = await page.evaluate<number[]>('[new Date(2026, 0, 2, 3, 4).getTime(), new Date(2026, 0, 3, 3, 4).getTime()]');

        expect(last()).to.include({ userId: 'test/ann', outcome: 'denied', from, to });
    });
});

interface HTMLProgress {
    readonly value: number;
    readonly max: number;
}
