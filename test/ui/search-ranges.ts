/** What the search shows and limits without the keyboard: ranges of numbers and days, cards with what types show, the order on a phone. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { findingsOnEachScreen, hasBrowser, holds, logInAsAdmin, openPage } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const shown = (schema: object): object => ({ ...schema, cordra: { preview: { showInPreview: true } } });

const FIND = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, year: shown({ type: 'integer', title: 'Year' }), weight: { type: 'number', title: 'Weight' },
        found: shown({ type: 'string', format: 'date', title: 'Found' }), seen: { type: 'string', format: 'date-time', title: 'Seen' },
        code: { type: 'string', title: 'Code', cordra: { preview: { showInPreview: true, excludeTitle: true } } }
    }
};

const NOTE = { type: 'object', properties: { name: { type: 'string', title: 'Name' }, mood: shown({ type: 'string', title: 'Mood' }), secret: shown({ type: 'string', title: 'Secret', format: 'password' }) } };

const FINDS = 8;

const DAY_MS = 86_400_000;

const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

describe('a search of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        await ui.ask('PUT', '/schemas/Find', FIND);
        await ui.ask('PUT', '/schemas/Note', NOTE);
        const finds = Array.from({ length: FINDS }, (none, i) => ({
            id: `test/find-${i}`, type: 'Find', content: { title: `Find ${i}`, year: 1900 + 10 * i, weight: i / 4, found: dayAgo(3 * i), seen: `2024-0${i + 1}-15T23:30:00.000Z`, code: `C-${i}` }
        }));
        const response = await ui.ask('POST', '/uploadObjects', [...finds, { id: 'test/note', type: 'Note', content: { name: 'A note', mood: 'calm', secret: 'hidden' } }]);
        expect(response.status).to.equal(200);
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${ui.url}/#objects/?${fragment}`);
    };

    const expectFound = async (count: number): Promise<void> => {

        await page.getByRole('heading', { level: 1, name: new RegExp(`^${count} objects? `) }).waitFor();
    };

    const facet = async (name: string): Promise<Locator> => {

        const found = page.locator('details.facet').filter({ has: page.locator('summary', { hasText: new RegExp(`^${name}$`) }) });
        if (await found.getAttribute('open') === null) {
            await found.locator('summary').click();
        }

        return found;
    };

    const limit = async (name: string, from: string, to: string): Promise<void> => {

        const range = await facet(name);
        await range.getByLabel('From').fill(from);
        await range.getByLabel('To').fill(to);
        await range.getByRole('button', { name: 'Apply' }).click();
    };

    const address = (): string => decodeURIComponent(page.url().replaceAll('+', ' '));

    const chips = (): Promise<string[]> => page.getByRole('list', { name: 'Filters' }).getByRole('button', { name: /^Remove the filter/ }).allInnerTexts();

    it('is limited to a range of numbers, both included, which the address has', async () => {

        await open('query=type:Find&view=table');
        await expectFound(FINDS);
        await limit('Year', '1920', '1940');
        await expectFound(3);

        expect(address()).to.include('filter=/year:[1920 TO 1940]');
        expect(await chips()).to.equal(['Year: 1920 – 1940']);

        await page.reload();
        await expectFound(3);
        const range = await facet('Year');
        await holds(range.getByLabel('From'), '1920');
        await holds(range.getByLabel('To'), '1940');
        await range.getByLabel('To').fill('');
        await range.getByRole('button', { name: 'Apply' }).click();
        await expectFound(FINDS - 2);

        expect(await chips()).to.equal(['Year: since 1920']);

        await limit('Weight', '', '1.25');
        await expectFound(4);
        await limit('Year', '', '');
        await expectFound(6);

        expect(await chips()).to.equal(['Weight: until 1.25']);

        await page.getByRole('button', { name: 'Remove the filter Weight: until 1.25' }).click();
        await expectFound(FINDS);
    });

    it('is limited to days: typed ones, and those of the last week', async () => {

        await open('query=type:Find&view=table');
        await limit('Found', dayAgo(3), dayAgo(0));
        await expectFound(2);
        await (await facet('Found')).getByRole('button', { name: 'Last 7 days' }).click();
        await expectFound(3);

        expect(address()).to.include(`filter=/found:[${dayAgo(7)} TO *]`);

        await page.reload();
        await expectFound(3);
        await holds((await facet('Found')).getByLabel('From'), dayAgo(7));
        await page.getByRole('button', { name: /^Remove the filter Found/ }).click();
        await expectFound(FINDS);

        // The last day of a range of times is included to its end.
        await limit('Seen', '2024-02-15', '2024-03-15');
        await expectFound(2);
        await holds((await facet('Seen')).getByLabel('To'), '2024-03-15');
        await page.getByRole('button', { name: /^Remove the filter Seen/ }).click();
        await (await facet('Modified')).getByRole('button', { name: 'Last 24 hours' }).click();
        await expectFound(FINDS);
        await limit('Modified', '2001-01-01', '2001-12-31');
        await page.getByRole('heading', { level: 1, name: /^Nothing was found/ }).waitFor();
        await holds((await facet('Modified')).getByLabel('To'), '2001-12-31');
    });

    it('is limited to days where the user is; those of addresses that were saved before are read', async () => {

        const tokyo = await openPage(ui.browser, ui.url, { timezoneId: 'Asia/Tokyo' });
        ({ page } = tokyo);
        await logInAsAdmin(page, ui.url);
        await open('query=type:Find&view=table');
        await limit('Seen', '2024-02-16', '2024-03-16');
        await expectFound(2);

        expect(address()).to.include('filter=/seen:[2024-02-15T15:00:00Z TO 2024-03-16T15:00:00Z}');
        expect(await chips()).to.equal(['Seen: Feb 16, 2024 – Mar 16, 2024']);

        await page.reload();
        await expectFound(2);
        await holds((await facet('Seen')).getByLabel('From'), '2024-02-16');
        await holds((await facet('Seen')).getByLabel('To'), '2024-03-16');
        await limit('Modified', '', '2024-03-16');
        await page.getByRole('heading', { level: 1, name: /^Nothing was found/ }).waitFor();

        expect(address()).to.include('filter=objmodified:[* TO 20240316150000000}');

        await holds((await facet('Modified')).getByLabel('To'), '2024-03-16');
        await open('query=type:Find&filter=/seen:[2024-02-15 TO 2024-03-16}&filter=objmodified:[20240216 TO *]');
        await expectFound(2);
        await holds((await facet('Seen')).getByLabel('To'), '2024-03-15');
        await holds((await facet('Modified')).getByLabel('From'), '2024-02-16');
        await open('query=type:Find&filter=/seen:[2024-02-15T23:00:00Z TO *]');
        await expectFound(7);

        expect((await chips()).join()).to.match(/^Seen: since Feb 16, 2024,? .*8:00/);

        await tokyo.close();
        expect(tokyo.complaints).to.equal([]);
    });

    it('shows in cards what the type shows, and says in tables of several types what each shows', async () => {

        await open('query=type:Find&sort=/year&view=table');
        await page.getByRole('button', { name: 'Cards', exact: true }).click();
        const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Find 2', exact: true }) });
        await card.getByText('1920', { exact: true }).waitFor();

        expect(await page.getByRole('button', { name: 'Cards', exact: true }).getAttribute('aria-pressed')).to.equal('true');
        expect(address()).to.include('view=cards');
        expect((await card.locator('.preview').innerText()).replace(/\s+/g, ' ')).to.match(/^Year: 1920 ?Found: .*\d{4} ?C-2$/);

        await page.getByRole('button', { name: 'Table', exact: true }).click();
        await page.getByRole('columnheader', { name: 'Year' }).waitFor();
        await open('query=id:"test/note" OR id:"test/find-2"&view=table');
        const row = page.getByRole('row').filter({ hasText: 'Find 2' });
        await row.getByText('Year:').waitFor();

        expect((await row.locator('.preview').innerText()).replace(/\s+/g, ' ')).to.match(/^Year: 1920 ?Found: .*\d{4} ?C-2$/);
        await page.getByRole('row').filter({ hasText: 'A note' }).locator('.preview').getByText('Mood:').waitFor();
        expect((await page.getByRole('row').filter({ hasText: 'A note' }).locator('.preview').innerText()).trim()).to.equal('Mood: calm');
    });

    it('is sorted by a menu on a phone, in both directions', async () => {

        await page.setViewportSize({ width: 360, height: 800 });
        await open('query=type:Find');
        const titles = (): Promise<string[]> => page.locator('.result-title').allInnerTexts();
        const order = Array.from({ length: FINDS }, (none, i) => `Find ${i}`);
        await page.locator('.result-card').first().waitFor();
        const menu = page.getByRole('combobox', { name: 'Sort by' });
        await menu.selectOption({ label: 'Year' });
        await until(async () => (await titles()).join() === order.join());
        await page.getByRole('button', { name: 'Direction: Ascending' }).click();
        await until(async () => (await titles()).join() === [...order].reverse().join());

        expect(address()).to.include('sort=/year DESC');

        await page.reload();
        await until(async () => (await titles()).join() === [...order].reverse().join());
        await menu.selectOption({ label: 'Modified' });
        await page.getByRole('button', { name: 'Direction: Descending' }).waitFor();

        expect(address()).to.include('sort=objmodified DESC');
        expect(await findingsOnEachScreen(page)).to.equal([]);
    });
});
