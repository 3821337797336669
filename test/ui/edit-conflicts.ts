/** The JSON of an editor while it has a syntax error: it is kept, also where somebody else has saved the object meanwhile, and nothing else is saved for it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { until } from '../support/until.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

const NOTE = { type: 'object', properties: { title: { type: 'string', title: 'Title' }, text: { type: 'string', title: 'Text' } } };

describe('JSON with a syntax error in the editor', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    const send = async (method: string, path: string, body?: unknown): Promise<unknown> => (await ui.ask(method, path, body)).json();

    before(async () => {

        await send('PUT', '/schemas/Note', NOTE);
    });

    beforeEach(async () => {

        await send('DELETE', '/objects/test/note');
        await send('POST', '/objects?type=Note&handle=test/note', { title: 'before', text: 'before' });
        ({ page } = ui);
        ui.watched.expected.push(/412/);
        ui.answer = 'accept';
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/test/note?edit`);
        await page.getByLabel('Title', { exact: true }).fill('mine');
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.locator('.cm-content').waitFor();
    });

    const stored = (): Promise<unknown> => send('GET', '/objects/test/note');

    const shows = async (...parts: readonly string[]): Promise<void> => {

        await until(async () => {

            const text = await page.locator('.cm-content').innerText();
            return parts.every((part) => text.includes(part));
        });
    };

    const type = async (text: string): Promise<void> => {

        await page.locator('.cm-content').click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type(text);
        await shows(text);
    };

    /** A conflict, after which the JSON gets a syntax error. */
    const conflict = async (): Promise<Locator> => {

        await send('PUT', '/objects/test/note', { title: 'before', text: 'theirs' });
        await page.keyboard.press('Control+s');
        const box = page.getByRole('alertdialog');
        await box.waitFor();
        await type(' not JSON yet');
        return box;
    };

    for (const way of ['Overwrite with mine', 'Merge both']) {
        it(`is said and stays after a conflict with “${way}”, and nothing is saved`, async () => {

            const box = await conflict();
            await box.getByRole('button', { name: way }).click();
            await page.getByText('The JSON has a syntax error. Correct it first.').waitFor();
            await shows('"mine"', ' not JSON yet');
            expect(await stored()).to.equal({ title: 'before', text: 'theirs' });
            expect(await accessibilityFindings(page)).to.equal([]);

            await page.locator('.cm-content').click();
            await page.keyboard.press('Control+End');
            for (let count = 0; count < ' not JSON yet'.length; ++count) {
                await page.keyboard.press('Backspace');
            }

            await box.getByRole('button', { name: way }).click();
            await box.waitFor({ state: 'detached' });
            if (way === 'Merge both') {
                await shows('"mine"', '"theirs"');
                await page.keyboard.press('Control+s');
            }

            await announced(page, 'Saved');
            expect(await stored()).to.equal({ title: 'mine', text: way === 'Merge both' ? 'theirs' : 'before' });
        });
    }

    it('is offered again as a draft after “Take theirs”, and nothing is saved', async () => {

        const box = await conflict();
        await box.getByRole('button', { name: 'Take theirs' }).click();
        await shows('"before"', '"theirs"');
        expect(await page.locator('.cm-content').innerText()).to.not.include('not JSON yet');

        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await shows('"mine"', ' not JSON yet');
        await page.keyboard.press('Control+s');
        await page.getByText('The JSON has a syntax error. Correct it first.').waitFor();

        expect(await stored()).to.equal({ title: 'before', text: 'theirs' });
    });

    it('stays after “Keep editing”', async () => {

        const box = await conflict();
        await box.getByRole('button', { name: 'Keep editing' }).click();
        await box.waitFor({ state: 'detached' });

        await shows('"mine"', ' not JSON yet');
    });

    it('is kept as a draft, also of a page that is closed', async () => {

        await type(' not JSON yet');
        await until(async () => (await page.evaluate<string>('JSON.stringify(localStorage)')).includes(' not JSON yet'));
        await page.reload();
        await page.getByRole('button', { name: 'Restore the draft' }).click();
        await shows('"mine"', ' not JSON yet');
    });

    it('stays when it is typed while the text before it is saved', async () => {

        let open = (): void => undefined;
        const opened = new Promise<void>((resolve) => {

            open = resolve;
        });
        await page.route((url) => url.pathname === '/objects/test/note' && !url.searchParams.has('dryRun'), async (route) => {

            if (route.request().method() === 'PUT') {
                await opened;
            }

            await route.fallback();
        });
        await page.keyboard.press('Control+s');
        await page.getByRole('button', { name: /^Saving/ }).waitFor();
        await type(' not JSON yet');
        open();
        await until(async () => (await stored() as { title: string }).title === 'mine');
        await page.getByRole('button', { name: 'Save', exact: true }).waitFor();

        await shows(' not JSON yet');
    });

    it('does not keep the buttons of the editor from being seen and used, wherever the page is scrolled to', async () => {

        await page.setViewportSize({ width: 1280, height: 300 });
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        await until(async () => await page.evaluate<number>('scrollY') > 100);
        const names = await page.evaluate<string[]>(`[...document.querySelectorAll('.edit-head button')].map((button) => {

            const { left, top, width, height } = button.getBoundingClientRect();
            return button.contains(document.elementFromPoint(left + width / 2, top + height / 2)) ? '' : button.textContent;
        })`);

        expect(names.filter((name) => name !== '')).to.equal([]);
    });
});
