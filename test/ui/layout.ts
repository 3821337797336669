/** Layout of screens of the web UI: nothing stands alone in a row, and nothing moves when something else is selected. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

/** What is asked of an element. */
interface Boxed {
    readonly getBoundingClientRect: () => { readonly top: number; readonly bottom: number };
}

/** Vertical centres of elements, in pixels. */
const centres = async (elements: Locator): Promise<readonly number[]> =>
    Promise.all((await elements.all()).map(async (each) => Math.round(await each.evaluate((element) => {

        const { top, bottom } = (element as unknown as Boxed).getBoundingClientRect();
        return (top + bottom) / 2;
    }))));

describe('the layout of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab, { AUDIT_DAYS: 3 });
    let page: Page;

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', { type: 'object', properties: { title: { type: 'string' } } });
        await ui.ask('POST', '/objects?type=Note', { title: 'A note' });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const show = async (fragment: string): Promise<void> => {

        await page.goto(`${ui.url}/#${fragment}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await ui.watched.idle();
    };

    it('has all filters of the audit log in one row of a desk', async () => {

        await show('admin/audit');
        const rows = await centres(page.locator('.audit-filter :is(input, select)'));

        expect(rows).to.have.length(5);
        expect(new Set(rows).size).to.equal(1);
    });

    it('has a button for the file of an import, and no control of the browser', async () => {

        await show('admin/transfer');
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'choose a file' }).click()]);
        await chooser.setFiles({ name: 'objects.json', mimeType: 'application/json', buffer: Buffer.from('[]') });
        await page.locator('.drop').getByText('objects.json').waitFor();

        expect(await page.locator('input[type=file]:visible').count()).to.equal(0);
    });

    for (const width of [360, 390]) {
        it(`has the tools of a search in rows with each other at ${width} pixels`, async () => {

            await page.setViewportSize({ width, height: 800 });
            await show('objects/?query=type:Note&sort=type');
            const tools = page.locator('.toolbar');
            const rows = await centres(tools.locator('> label > select, > button, > .segmented'));
            const count = (row: number): number => rows.filter((other) => Math.abs(other - row) < 10).length;

            expect(rows).to.have.length(5);
            expect(rows.filter((row) => count(row) === 1)).to.equal([]);
        });
    }

    it('has the sections of the administration at the same places, whichever is selected', async () => {

        const links = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
        const found = new Set<string>();
        for (const section of ['users', 'transfer', 'rights', 'audit']) {
            await show(`admin/${section}`);
            const places = await centres(links);
            found.add(places.map((place) => place - (places[0] ?? 0)).join());
        }

        expect(await links.count()).to.be.above(8);
        expect(found.size).to.equal(1);
    });
});
