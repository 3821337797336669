/** What is open on a screen of the web UI for a moment, to axe in dark on a phone and in light on a desk: menus, the explanation of a query, a new form. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { findingsOnEachScreen, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const NOTE = {
    type: 'object', required: ['title'], properties: {
        title: { type: 'string', title: 'Title' }, kind: { type: 'string', title: 'Kind', enum: ['a', 'b'] }, when: { type: 'string', format: 'date', title: 'When' }, on: { type: 'boolean', title: 'On' },
        tags: { type: 'array', title: 'Tags', items: { type: 'string' } }, next: { type: 'string', title: 'Next', cordra: { type: { handleReference: { types: ['Note'] } } } },
        parts: { type: 'array', title: 'Parts', items: { type: 'object', properties: { name: { type: 'string' }, more: { type: 'object' } } } }
    }
};

async function press(page: Page, name: string): Promise<void> {

    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('menuitem').first().waitFor();
}

/** What is open, the screen below it, and how it is opened. */
const CASES: readonly (readonly [title: string, fragment: string, open: (page: Page) => Promise<void>])[] = [
    ['the menu of new objects', 'schemas', (page) => press(page, 'New')], ['the menu of the account', 'schemas', (page) => press(page, 'admin')], ['the menu of an object', 'objects/test/note', (page) => press(page, 'More')],
    ['the explanation of a query', 'objects/?query=type:Note AND (/kind:a OR title:x)', async (page) => {

        await page.getByText('About this query').click();
        await page.locator('.explain-body').getByRole('listitem').first().waitFor();
    }],
    ['a new form', 'create/Note', async (page) => {

        await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
    }]
];

describe('what is open for a moment in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', NOTE);
        await ui.ask('POST', '/objects?type=Note&handle=test/note', { title: 'A note', kind: 'a' });
    });

    it('is accessible', { timeout: 1_200_000 }, async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        const findings: string[] = [];
        for (const [title, fragment, open] of CASES) {
            await page.setViewportSize({ width: 1280, height: 900 });
            await page.goto(`${ui.url}/#${encodeURI(fragment)}`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await ui.watched.idle();
            await open(page).catch((error: unknown) => Promise.reject(new Error(title, { cause: error })));
            await ui.watched.idle();
            findings.push(...(await findingsOnEachScreen(page)).map((each) => `${title}: ${each}`));
            await page.keyboard.press('Escape');
        }

        expect(findings).to.equal([]);
    });

    it('says which entries of a menu are selected', async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#schemas`);
        await press(page, 'admin');

        expect(await page.locator('[role=menuitem][aria-current=true]').allInnerTexts()).to.equal(['Appearance: As the system', 'English']);
    });
});
