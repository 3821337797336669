/** Deletion of many objects in the web UI: what somebody has changed since it was found stays. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page, Request } from 'playwright-core';
import { hasBrowser, holdRequests, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const COUNT = 8;

const ids = Array.from({ length: COUNT }, (_, i) => `test/leaf-${i}`);

describe('the deletion of many objects', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const dialog = (): Locator => page.getByRole('dialog');

    const left = async (): Promise<readonly string[]> => (await (await ui.ask('GET', '/search?query=type:Leaf&ids')).json() as { results: string[] }).results;

    before(async () => {

        const schema = { type: 'object', properties: { title: { type: 'string' }, state: { type: 'string' } } };
        expect((await ui.ask('PUT', '/schemas/Leaf', schema)).status).to.equal(200);
    });

    beforeEach(async () => {

        const objects = ids.map((id) => ({ id, type: 'Leaf', content: { title: id, state: 'old' } }));
        expect((await ui.ask('POST', '/batchUpload', objects)).status).to.equal(200);
        ({ page } = ui);
        ui.watched.expected.push(/status of 412/);
        await logInAsAdmin(page, ui.url);
    });

    const change = async (id: string): Promise<void> => {

        expect((await ui.ask('PUT', `/objects/${id}`, { title: id, state: 'new' })).status).to.equal(200);
    };

    /** Confirms the deletion in the dialog, whose requests are held until the function to which this resolves is called. */
    const confirm = async (): Promise<() => void> => {

        const asked = new Set<Request>();
        const release = await holdRequests(page, (request) => {

            if (request.method() === 'DELETE') {
                asked.add(request);
            }

            return request.method() === 'DELETE';
        });
        await dialog().getByLabel('What to do').selectOption('delete');
        await dialog().getByLabel(`Enter ${COUNT} to confirm`).fill(String(COUNT));
        await dialog().getByRole('button', { name: `Delete ${COUNT} objects` }).click();
        await until(() => asked.size > 0);
        return release;
    };

    const isKept = async (id: string): Promise<void> => {

        await dialog().getByText('7 objects were deleted. 1 failed.').waitFor();
        await dialog().getByRole('row', { name: `${id} Somebody has changed it meanwhile` }).waitFor();

        expect(await dialog().getByRole('button', { name: 'Try those that failed again' }).count()).to.equal(0);
        expect(await left()).to.equal([id]);
    };

    it('keeps a result that was changed after it was found', async () => {

        await page.goto(`${ui.url}/#objects/?query=${encodeURIComponent('type:Leaf AND /state:old')}&view=table&size=5`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: `Select all ${COUNT} results` }).click();
        await page.getByRole('button', { name: 'Change …' }).click();
        const release = await confirm();
        await change('test/leaf-7');
        release();
        await isKept('test/leaf-7');
    });

    it('keeps a selected object that was changed after it was shown', async () => {

        await page.goto(`${ui.url}/#objects/?query=type:Leaf&view=table`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await change('test/leaf-3');
        await page.getByRole('button', { name: 'Change …' }).click();
        (await confirm())();
        await isKept('test/leaf-3');
    });

    it('counts an object as deleted whose deletion was sent again, as its response was lost', async () => {

        await page.goto(`${ui.url}/#objects/?query=type:Leaf&view=table`);
        await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
        await page.getByRole('button', { name: 'Change …' }).click();
        ui.watched.expected.push(/net::ERR|status of 404/);
        await page.route(/\/objects\/test\/leaf-2$/, async (route) => {

            await route.fetch();
            await route.abort('connectionreset');
        }, { times: 1 });
        await dialog().getByLabel('What to do').selectOption('delete');
        await dialog().getByLabel(`Enter ${COUNT} to confirm`).fill(String(COUNT));
        await dialog().getByRole('button', { name: `Delete ${COUNT} objects` }).click();
        await dialog().getByText(`${COUNT} objects were deleted.`).waitFor();

        expect(await left()).to.equal([]);
    });
});
