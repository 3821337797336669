/** What is entered in the tabs of an object stays: it is not dropped unasked, nor is the reader interrupted. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { hasBrowser, holds, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const CODE = `exports.methods = { count(object, context) { return context.params; } };
exports.methods.count.description = { summary: 'count words', params: { type: 'object', properties: { factor: { type: 'integer', default: 2 } } } };`;

describe('the tabs of an object', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        await ui.ask('POST', '/objects?type=Schema', { identifier: '', name: 'Report', schema: { type: 'object' }, javascript: CODE });
        await ui.ask('POST', '/objects?type=Report&handle=test/report', {});
        await ui.ask('POST', '/objects?type=Report&handle=test/private', {});
        await ui.ask('PUT', '/acls/test/private', { readers: [], writers: [] });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await logInAsAdmin(page, ui.url);
    });

    it('ask before entries of a right are dropped that are not saved', async () => {

        await page.goto(`${ui.url}/#objects/test/report?tab=rights`);
        const everyone = page.getByRole('button', { name: 'Remove everyone' });
        const goElsewhere = async (): Promise<void> => page.evaluate('location.hash = "#objects/test/report?tab=history"');
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await everyone.click();
        await everyone.waitFor({ state: 'detached' });
        await goElsewhere();
        await until(() => ui.questions === 1);
        await page.locator('.account-menu > button').click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await until(() => ui.questions === 2);
        await page.getByRole('button', { name: 'Save', exact: true }).waitFor();

        expect(await everyone.count()).to.equal(0);

        ui.answer = 'accept';
        await goElsewhere();
        await page.getByRole('button', { name: 'Publish a version' }).waitFor();
        // Nothing is asked where nothing was changed.
        await page.goto(`${ui.url}/#objects/test/report?tab=rights`);
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await everyone.waitFor();
        await goElsewhere();
        await page.getByRole('button', { name: 'Publish a version' }).waitFor();

        expect(ui.questions).to.equal(3);
    });

    it('do not show the input of a method as JSON while it has a text that is no value', async () => {

        await page.goto(`${ui.url}/#objects/test/report?tab=methods`);
        await page.getByText('count words').click();
        const factor = page.getByLabel('factor');
        await holds(factor, '2');
        await factor.press('End');
        await factor.pressSequentially('e');
        await page.getByText('This is not a whole number').first().waitFor();
        await page.getByRole('button', { name: 'As JSON' }).click();
        await page.getByRole('main').getByRole('alert').getByText('Some fields hold text that is no value').waitFor();
        await holds(factor, '2e');
        await factor.fill('3');
        await page.getByText('This is not a whole number').first().waitFor({ state: 'hidden' });
        await page.getByRole('button', { name: 'As JSON' }).click();
        await page.getByText('"factor"').first().waitFor();
    });

    it('ask for no login when somebody comes back to them after the end of the session', async () => {

        ui.watched.expected.push(/401/);
        await page.goto(`${ui.url}/#objects/test/private`);
        await page.getByRole('heading', { level: 1, name: 'test/private' }).waitFor();
        await ui.watched.idle();
        await page.context().clearCookies();
        const asked = page.waitForResponse((response) => response.request().method() === 'HEAD');
        await page.evaluate('dispatchEvent(new Event("focus"))');

        expect((await asked).status()).to.equal(401);

        await ui.watched.idle();

        expect(await page.getByRole('dialog').count()).to.equal(0);
    });
});
