/** Dialogs that no other test shows to axe: of types, versions, searches and keys. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { findingsOnEachScreen, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const LONG = 'a-very-long-name-of-something-'.repeat(8);

interface Case {
    readonly title: string;
    readonly fragment: string;
    /** Opens the dialog, and waits for what it shows. */
    readonly open: (page: Page) => Promise<void>;
}

const CASES: readonly Case[] = [
    {
        title: 'the objects that do not fit a changed schema', fragment: 'schemas/Note',
        open: async (page) => {

            await page.getByRole('checkbox', { name: 'Required: text' }).check();
            await page.getByRole('button', { name: 'Check the objects' }).click();
            await page.getByRole('dialog').getByRole('link', { name: /test\/note/ }).first().waitFor();
        }
    },
    {
        title: 'the version that is restored', fragment: 'objects/test/note?tab=history',
        open: async (page) => {

            await page.getByRole('button', { name: 'Restore', exact: true }).first().click();
            await page.getByRole('dialog', { name: 'Restore this version?' }).waitFor();
        }
    },
    {
        title: 'the search that is saved', fragment: 'objects/?query=type:Note',
        open: async (page) => {

            await page.getByRole('button', { name: 'Save the search' }).click();
            await page.getByRole('dialog').waitFor();
        }
    },
    {
        title: 'the type of a new object', fragment: 'objects/test/note',
        open: async (page) => {

            await page.getByRole('banner').getByRole('button', { name: 'New' }).click();
            await page.getByRole('dialog', { name: 'New object of the type' }).waitFor();
        }
    },
    {
        title: 'the key that is revoked', fragment: 'admin/keys',
        open: async (page) => {

            await page.getByRole('button', { name: `Revoke the key ${LONG.slice(0, 90)}` }).click();
            await page.getByRole('dialog').waitFor();
        }
    },
    {
        title: 'the members of a group', fragment: 'admin/groups',
        open: async (page) => {

            await page.getByRole('button', { name: /1 member/ }).click();
            await page.getByRole('dialog').getByRole('button', { name: /^Remove/ }).waitFor();
        }
    }
];

describe('accessible dialogs', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        const send = async (method: string, path: string, body?: unknown): Promise<void> => {

            const response = await fetch(test.url + path, {
                method, headers: { 'authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'content-type': 'application/json' }, ...body === undefined ? {} : { body: JSON.stringify(body) }
            });
            expect(response.status, `${method} ${path}: ${await response.text()}`).to.equal(200);
        };

        await send('PUT', '/schemas/Note', { type: 'object', properties: { title: { type: 'string' }, text: { type: 'string' } } });
        await send('POST', '/objects?type=Note&handle=test/note', { title: LONG });
        await send('POST', `/objects?type=Note&handle=test/note-${LONG}`, { title: LONG });
        await send('POST', `/versions?objectId=test/note&versionId=test/version-${LONG}`);
        await send('POST', `/objects?type=User&handle=test/${LONG}`, { username: LONG, password: 'a long password' });
        await send('POST', '/objects?type=Group', { groupName: LONG, description: LONG, users: [`test/${LONG}`] });
        await send('POST', '/auth/keys', { name: LONG.slice(0, 90) });
        await send('PUT', '/objects/design?jsonPointer=/uiConfig', { numTypesForCreateDropdown: 0 });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        await logInAsAdmin(watched.page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    for (const { title, fragment, open } of CASES) {
        it(`show ${title}, in light and dark, wide and narrow`, async () => {

            await watched.page.goto(`${test.url}/#${fragment}`);
            await watched.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await open(watched.page);
            await watched.idle();

            expect(await watched.page.getByRole('dialog').count()).to.equal(1);
            expect(await findingsOnEachScreen(watched.page)).to.equal([]);
        });
    }
});
