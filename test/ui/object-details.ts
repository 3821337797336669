/** What an object offers beside its tabs: versions with or without its files, and the graph of its relations by the mouse. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SHEET = { type: 'object', properties: { title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } }, next: { type: 'string', cordra: { type: { handleReference: { types: ['Sheet'] } } } } } };

interface Box {
    readonly x: number;
    readonly y: number;
    readonly width: number;
}

describe('an object in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        await ui.ask('PUT', '/schemas/Sheet', SHEET);
        for (const [id, next] of [['c', 'd'], ['b', 'c'], ['a', 'b']] as const) {
            await ui.ask('POST', `/objects?type=Sheet&handle=test/${id}`, { title: `Sheet ${id}`, ...id === 'c' ? {} : { next: `test/${next}` } });
        }

        const form = new FormData();
        form.append('content', '{"title":"With a file"}');
        form.append('scan', new File(['bytes'], 'scan.txt', { type: 'text/plain' }));
        const made = await fetch(`${ui.url}/objects?type=Sheet&handle=test/file`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
        expect(made.status, await made.text()).to.equal(200);
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const publish = async (versionId: string, withFiles: boolean): Promise<readonly unknown[]> => {

        await page.goto(`${ui.url}/#objects/test/file`);
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Publish' }).click();
        const dialog = page.getByRole('dialog', { name: 'Publish a version' });
        await dialog.getByLabel('Id of the version (optional)').fill(versionId);
        await dialog.getByRole('checkbox', { name: 'with the files' }).setChecked(withFiles);
        await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        return (await (await ui.ask('GET', `/objects/${versionId}?full`)).json() as { readonly payloads?: readonly unknown[] }).payloads ?? [];
    };

    it('is published with its files or without them, and has them all the same', async () => {

        expect(await publish('test/with', true)).to.have.length(1);
        expect(await publish('test/without', false)).to.have.length(0);

        await page.goto(`${ui.url}/#objects/test/file?tab=files`);
        await page.getByText('scan.txt').first().waitFor();
    });

    it('has a graph that is dragged, zoomed by the wheel, and fanned out by a double click', async () => {

        await page.goto(`${ui.url}/#objects/test/a?tab=relations`);
        const node = (name: string): Locator => page.getByRole('button', { name: new RegExp(`^Sheet ${name}, Sheet`) });
        await node('b').waitFor();
        await page.getByText('Double click an object').waitFor();
        const boxOf = async (name: string): Promise<Box> => await node(name).locator('circle').boundingBox() ?? { x: 0, y: 0, width: 0 };
        // It is fitted, and can be moved, a moment after it is drawn.
        await page.locator('.graph svg > g:not([transform="translate(0,0) scale(1)"])').waitFor({ state: 'attached' });
        await ui.watched.idle();
        const drawing = await page.getByRole('group', { name: 'Graph' }).boundingBox() ?? { x: 0, y: 0, width: 0 };
        const before = await boxOf('b');
        const [x, y] = [drawing.x + 20, drawing.y + 20];
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 60, y + 30, { steps: 4 });
        await page.mouse.up();
        await until(async () => Math.abs((await boxOf('b')).x - before.x - 60) < 2 && Math.abs((await boxOf('b')).y - before.y - 30) < 2);
        await page.mouse.wheel(0, -200);
        await until(async () => (await boxOf('b')).width > before.width * 1.1);
        await page.mouse.wheel(0, 600);
        await until(async () => (await boxOf('b')).width < before.width * 0.9);
        await page.getByRole('button', { name: 'Show all' }).click();
        await until(async () => Math.abs((await boxOf('b')).x - before.x) < 2 && Math.abs((await boxOf('b')).width - before.width) < 1);

        expect(await node('c').count()).to.equal(0);

        await node('b').locator('circle').dblclick();
        await node('c').waitFor();
        await page.getByRole('heading', { name: 'Other relations in the graph' }).waitFor();
    });
});
