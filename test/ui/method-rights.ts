/** The tab for rights of an object, as far as it is about methods: who may call which, by which rule, and its change. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { announced, findingsOnEachScreen, hasBrowser } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const CODE = 'exports.methods = { print: () => "printed", burn: () => "burnt" };';

describe('rights to call methods in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const passwordOf = (name: string): string => (name === 'admin' ? ADMIN_PASSWORD : `password of ${name}`);

    const ask = async (name: string, method: string, path: string, body?: unknown): Promise<Response> => fetch(ui.url + path, {
        method, headers: { Authorization: `Basic ${btoa(`${name}:${passwordOf(name)}`)}` }, ...body === undefined ? {} : { body: JSON.stringify(body) }
    });

    const open = async (name: string): Promise<void> => {

        await page.request.post(`${ui.url}/session`, { headers: { 'X-Requested-With': 'doip-gateway' }, data: { username: name, password: passwordOf(name) } });
        await page.goto(`${ui.url}/#objects/test/report?tab=rights`);
        await page.getByRole('rowheader', { name: 'read', exact: true }).waitFor();
        await ui.watched.idle();
    };

    const cellsOf = async (right: string): Promise<string[]> => {

        const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: right, exact: true }) });
        await row.waitFor();
        return await row.getByRole('cell').allTextContents();
    };

    const acl = async (): Promise<unknown> => (await ask('admin', 'GET', '/acls/test/report')).json();

    const choose = async (method: string): Promise<void> => {

        await page.getByRole('button', { name: 'Rule for a method' }).click();
        await page.getByRole('menuitem', { name: method }).click();
        await page.getByRole('button', { name: 'Save' }).waitFor();
    };

    const add = async (name: string): Promise<void> => {

        await page.getByRole('combobox', { name: /^Add a user/ }).fill(name);
        await page.getByRole('option', { name }).first().click();
    };

    before(async () => {

        await ask('admin', 'POST', '/objects?type=Schema', { identifier: '', name: 'Report', schema: { type: 'object' }, javascript: CODE });
        for (const username of ['ann', 'bob']) {
            await ask('admin', 'POST', `/objects?type=User&handle=test/${username}`, { username, password: passwordOf(username) });
        }
    });

    beforeEach(async () => {

        await ask('admin', 'DELETE', '/objects/test/report');
        await ask('admin', 'POST', '/objects?type=Report&handle=test/report', {});
        await ask('admin', 'PUT', '/objects/design?jsonPointer=/authConfig', {});
        ({ page } = ui);
    });

    it('are shown, given for one method by the object, checked, and taken back', async () => {

        await open('admin');
        expect(await cellsOf('call methods')).to.equal(['who may change', 'by default', '']);

        await choose('print');
        await page.getByRole('button', { name: 'Remove who may change' }).click();
        await add('all who are logged in');
        expect(await findingsOnEachScreen(page)).to.equal([]);
        await page.getByRole('button', { name: 'Save' }).click();
        await announced(page, 'The rights are saved.');

        expect(await cellsOf('call print')).to.equal(['all who are logged in', 'by this object', 'Change']);
        expect(await cellsOf('call other methods')).to.equal(['who may change', 'by default', '']);
        expect(await acl()).to.equal({ methods: { print: ['authenticated'] } });
        const statuses = await Promise.all(['print', 'burn'].map(async (method) => (await ask('bob', 'POST', `/call?objectId=test/report&method=${method}`, null)).status));
        expect(statuses).to.equal([200, 403]);
        await page.getByRole('combobox', { name: 'User' }).fill('bob');
        await page.getByRole('option', { name: 'bob' }).click();
        await page.getByText('✓ may call print').waitFor();
        expect(await findingsOnEachScreen(page)).to.equal([]);

        await choose('burn');
        await add('bob');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
        expect(await cellsOf('call burn')).to.equal(['who may changebob', 'by this object', 'Change']);
        await page.getByRole('button', { name: 'Change who may call print' }).click();
        await page.getByRole('button', { name: 'Back to the rules of the type' }).click();
        await page.getByRole('rowheader', { name: 'call print', exact: true }).waitFor({ state: 'detached' });

        expect(await acl()).to.equal({ methods: { burn: ['writers', 'test/bob'] } });
    });

    it('are not given by a writer who lacks them, which is said', async () => {

        ui.watched.expected.push(/403/);
        await ask('admin', 'PUT', '/objects/design?jsonPointer=/authConfig', { schemaAcls: { Report: { defaultAclRead: ['public'], defaultAclWrite: ['test/ann'], aclMethods: { instance: { print: ['test/bob'] } } } } });
        await open('ann');
        expect(await cellsOf('call print')).to.equal(['others that you may not see', 'by the rules of Report', 'Change']);
        expect(await cellsOf('call other methods')).to.equal(['others that you may not see', 'by the rules of Report', '']);

        await page.getByRole('button', { name: 'Change who may call print' }).click();
        await page.getByText('The rule names others whom you may not see').waitFor();
        expect(await findingsOnEachScreen(page)).to.equal([]);
        await add('all who are logged in');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('main').getByRole('alert').waitFor();

        expect(await acl()).to.equal({});
    });

    it('are shown without their change to those who only read', async () => {

        await ask('admin', 'PUT', '/acls/test/report', { readers: ['public'], methods: { print: ['readers'] } });
        await open('bob');

        expect(await cellsOf('call print')).to.equal(['who may read', 'by this object']);
        expect(await page.getByRole('button', { name: /^(Rule for a method|Change)/ }).count()).to.equal(0);
    });
});
