/** Files that the web UI reads and stores again: under another name, or as they were in a version. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

/** Objects that the service sends as they are, and compressed, which the tag of the response tells. */
const SIZES = [['short', 1, 'identity'], ['long', 5000, 'gzip']] as const;

describe('files that the web UI reads and stores again', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const read = async (id: string, name: string): Promise<string> => (await ui.ask('GET', `/objects/${id}?payload=${name}`)).text();

    const names = async (id: string): Promise<readonly string[]> =>
        (await (await ui.ask('GET', `/objects/${id}?full`)).json() as { payloads: { name: string }[] }).payloads.map(({ name }) => name);

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', { type: 'object', properties: { title: { type: 'string', title: 'Title' } } });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    for (const [title, length, encoding] of SIZES) {
        it(`keep their bytes where the object is ${title}`, async () => {

            const id = `test/${title}`;
            const form = new FormData();
            form.append('content', JSON.stringify({ title: 'x'.repeat(length) }));
            form.append('data.txt', new File(['stored'], 'data.txt', { type: 'text/plain' }));
            await fetch(`${ui.url}/objects?type=Note&handle=${id}`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
            await ui.ask('POST', `/versions?objectId=${id}&versionId=${id}-1&clonePayloads=true`);
            expect((await ui.ask('GET', `/objects/${id}?full=true`)).headers.get('content-encoding') ?? 'identity').to.equal(encoding);

            await page.goto(`${ui.url}/#objects/${id}?tab=files`);
            await page.getByRole('button', { name: 'More about data.txt' }).click();
            await page.getByRole('menuitem', { name: 'Rename' }).click();
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Name of the file in the object').fill('moved.txt');
            await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
            await announced(page, 'The file is renamed.');
            expect([await names(id), await read(id, 'moved.txt')]).to.equal([['moved.txt'], 'stored']);

            await page.goto(`${ui.url}/#objects/${id}?tab=history`);
            await page.getByRole('button', { name: 'Restore' }).click();
            await dialog.getByText('These files, which the version does not have, are deleted: moved.txt').waitFor();
            await dialog.getByRole('button', { name: 'Restore' }).click();
            await announced(page, 'The version is restored');

            expect([await names(id), await read(id, 'data.txt')]).to.equal([['data.txt'], 'stored']);
        });
    }
});
