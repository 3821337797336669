/** Versions that are restored: over the state of the object that was shown, and as they are stored. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const SCHEMA = { type: 'object', properties: { title: { type: 'string', title: 'Title' } } };
const CODE = 'exports.onObjectResolution = (object) => { object.content.title = "shown"; return object; };';

describe('a version that is restored in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const titleOf = async (id: string): Promise<string> => (await (await ui.ask('GET', `/objects/${id}`)).json() as { readonly title: string }).title;

    const write = async (id: string, title: string): Promise<void> => {

        expect((await ui.ask('PUT', `/objects/${id}`, { title })).status).to.equal(200);
    };

    before(async () => {

        for (const [name, javascript] of [['Plain', ''], ['Shown', CODE]] as const) {
            await ui.ask('POST', '/objects?type=Schema', { identifier: '', name, schema: SCHEMA, javascript });
        }
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    const dialog = (): Locator => page.getByRole('dialog');

    const ask = async (): Promise<void> => {

        await page.getByRole('button', { name: 'Restore' }).click();
        await dialog().getByRole('button', { name: 'Restore' }).waitFor();
    };

    const isShown = async (text: string): Promise<void> => page.getByRole('region', { name: 'Difference' }).getByText(`"title": "${text}"`).waitFor();

    for (const [title, id, screen] of [['the object', 'test/plain', 'test/plain'], ['one of its versions', 'test/other', 'test/other-1']] as const) {
        it(`takes the place of no change that was not shown, on the screen of ${title}`, async () => {

            await ui.ask('POST', `/objects?type=Plain&handle=${id}`, { title: 'first' });
            await ui.ask('POST', `/versions?objectId=${id}&versionId=${id}-1`);
            await write(id, 'second');
            await page.goto(`${ui.url}/#objects/${screen}?tab=history`);
            await isShown('second');
            await write(id, 'of somebody else');
            await ask();
            await dialog().getByText('Somebody else has changed this object meanwhile').waitFor();

            expect(await dialog().getByRole('button', { name: 'Restore' }).isDisabled()).to.be.true();
            expect(await accessibilityFindings(page)).to.equal([]);

            await page.keyboard.press('Escape');
            await isShown('of somebody else');
            await ask();
            await dialog().getByText('The rights are the same.').waitFor();
            expect(await titleOf(id)).to.equal('of somebody else');

            await dialog().getByRole('button', { name: 'Restore' }).click();
            await announced(page, 'The version is restored');
            expect(await titleOf(id)).to.equal('first');
        });
    }

    it('is not stored as the code of its type shows it, when the object is of another type now', async () => {

        await ui.ask('POST', '/objects?type=Shown&handle=test/moved', { title: 'stored' });
        await ui.ask('POST', '/versions?objectId=test/moved&versionId=test/moved-1');
        expect((await ui.ask('PUT', '/objects/test/moved?type=Plain', { title: 'moved' })).status).to.equal(200);
        await page.goto(`${ui.url}/#objects/test/moved?tab=history`);
        await ask();
        await dialog().getByText('The code of this type changes objects when they are read.').waitFor();

        expect(await dialog().getByRole('button', { name: 'Restore' }).isDisabled()).to.be.true();
        expect(await titleOf('test/moved')).to.equal('moved');
    });
});
