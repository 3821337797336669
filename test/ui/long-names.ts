/** Names of 64 KB on the screens that show objects beside others: nothing is wider than the screen. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const LONG = 'W'.repeat(65_536);

const SHEET = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, kind: { type: 'string', title: `Kind ${LONG}`, enum: [LONG, 'plain'], cordra: { preview: { showInPreview: true } } },
        tags: { type: 'array', title: 'Tags', items: { type: 'string' } }, next: { type: 'string', title: 'Next', cordra: { type: { handleReference: { types: ['Sheet'] } } } }
    }
};

/** Fragments, with what is there when the screen is complete. */
const SCREENS = [
    ['', '.home-changes'], ['objects/?query=type:Sheet&view=table', '.facet'], ['objects/?query=type:Sheet&view=cards', '.facet'], ['objects/test/one?edit', 'main form, main .form-field'],
    ['objects/test/two?tab=relations', '.graph .node'], ['objects/test/two?tab=rights', 'main table'], ['admin/groups', 'main table, main ul'], ['schemas/Sheet', 'main select']
] as const;

describe('names of 64 KB in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    const send = async (method: string, path: string, body: unknown): Promise<void> => {

        const response = await ui.ask(method, path, body);
        expect(response.status, `${method} ${path}: ${(await response.text()).slice(0, 300)}`).to.equal(200);
    };

    before(async () => {

        await send('PUT', '/schemas/Sheet', SHEET);
        await send('POST', '/objects?type=Sheet&handle=test/one', { title: LONG, kind: LONG, tags: [LONG, 'short'] });
        await send('POST', '/objects?type=Sheet&handle=test/two', { title: 'Two', next: 'test/one' });
        await send('POST', '/objects?type=Group&handle=test/group', { groupName: LONG, description: LONG.slice(0, 2000), users: [] });
        await send('PUT', '/acls/test/two', { readers: ['test/group'], writers: [] });
    });

    const widthsOf = async (page: Page, width: number): Promise<readonly string[]> => {

        await page.setViewportSize({ width, height: 800 });
        const wide: string[] = [];
        for (const [fragment, complete] of SCREENS) {
            await page.goto(`${ui.url}/#${fragment}`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
            await page.locator(complete).first().waitFor({ state: 'attached' });
            await ui.watched.idle();
            const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
            wide.push(...shown > width ? [`#${fragment} is ${shown} pixels wide at ${width}`] : []);
        }

        return wide;
    };

    it('leave every screen as wide as it is', { timeout: 1_200_000 }, async () => {

        await logInAsAdmin(ui.page, ui.url);

        expect([...await widthsOf(ui.page, 1280), ...await widthsOf(ui.page, 360)]).to.equal([]);
    });
});
