/** Changes of the web UI that are answered with 401: that of a session that has ended is sent again after a login, that of type code is not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, hasBrowser, holds, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

/** Writes, and then says what a service says to somebody who is not logged in. */
const CODE = `
const cordra = require('cordra');
const write = () => {
    cordra.create({ type: 'Document', content: { name: 'written' } });
    throw new cordra.CordraError({ message: 'no, says the code', error: 'invalid_token', sessionEnded: true }, 401);
};
exports.beforeSchemaValidation = (object, { isDryRun }) => (isDryRun || object.content.title !== 'write' ? object : write());
exports.beforeDelete = write;
exports.methods = { write };`;

describe('changes of the web UI that are answered with 401', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => await (await ui.ask(method, path, body)).json() as T;

    const written = async (): Promise<number> => (await ask<{ size: number }>('GET', `/search?query=${encodeURIComponent('type:Document')}&ids`)).size;

    before(async () => {

        const schema = { type: 'object', properties: { title: { type: 'string', title: 'Title' } } };
        await ask('POST', '/objects?type=Schema', { identifier: '', name: 'Coded', schema, javascript: CODE });
        await ask('PUT', '/schemas/Note', schema);
        await ask('POST', '/objects?type=Coded&handle=test/coded', { title: 'before' });
    });

    beforeEach(async () => {

        ({ page } = ui);
        ui.watched.expected.push(/401/);
        await logInAsAdmin(page, ui.url);
    });

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${ui.url}/#${fragment}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await ui.watched.idle();
    };

    const isRefusedOnce = async (): Promise<void> => {

        const earlier = await written();
        await page.getByRole('button', { name: /^(Call write|Save|Delete)$/ }).last().click();
        await page.getByText('no, says the code').first().waitFor();
        await ui.watched.idle();

        expect(await page.getByRole('dialog', { name: 'Your session has ended' }).count()).to.equal(0);
        expect(await written() - earlier).to.equal(1);
    };

    it('are not sent again when a method has said so after it has written', async () => {

        await open('objects/test/coded?tab=methods');
        await page.getByRole('group').filter({ hasText: 'write' }).locator('summary').first().click();
        await isRefusedOnce();
    });

    it('are not sent again when the code of the type has said so, and keep what was entered', async () => {

        await open('objects/test/coded?edit');
        await page.getByLabel('Title', { exact: true }).fill('write');
        await ui.watched.idle();
        await isRefusedOnce();
        await holds(page.getByLabel('Title', { exact: true }), 'write');
    });

    it('are not sent again with files either', async () => {

        await open('objects/test/coded?edit');
        await page.getByLabel('Title', { exact: true }).fill('write');
        await page.locator('input[type=file]').first().setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('bytes') });
        await ui.watched.idle();
        await isRefusedOnce();
    });

    it('are not sent again for a deletion', async () => {

        await open('objects/test/coded');
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByText(/refers to it/i).first().waitFor();
        await isRefusedOnce();
    });

    it('are made by nobody else when the cookie is gone, even where everybody may write: a login is asked for first', async () => {

        await ask('POST', '/objects?type=Note&handle=test/open', { title: 'before' });
        await ask('PUT', '/acls/test/open', { readers: ['public'], writers: ['public'] });
        await open('objects/test/open?edit');
        await page.getByLabel('Title', { exact: true }).fill('after');
        await ui.watched.idle();
        await page.context().clearCookies();
        await page.keyboard.press('Control+s');
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.waitFor();

        expect(await ask('GET', '/objects/test/open')).to.equal({ title: 'before' });

        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await announced(page, 'Saved');

        const { content, metadata } = await ask<{ content: unknown; metadata: { modifiedBy: string } }>('GET', '/objects/test/open?full');
        expect([content, metadata.modifiedBy]).to.equal([{ title: 'after' }, 'admin']);
    });

});
