/** A service and a browser for a suite of the web UI, and for each test a page of its own, of which the browser must not complain. */

import { expect } from '@hapi/code';
import type { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';
import { openPage, startBrowser, type WatchedPage } from './browser.js';
import { ADMIN_PASSWORD } from './gateway.js';
import { startServer, type TestServer } from './server.js';

/** What the tests of a suite have. */
export class UiSuite {

    test!: TestServer;
    browser!: Browser;
    /** The page of the present test. */
    watched!: WatchedPage;
    /** Questions that the browser has asked in the present test, and how they are answered. */
    questions = 0;
    answer: 'accept' | 'dismiss' = 'dismiss';

    get url(): string {

        return this.test.url;
    }

    get page(): Page {

        return this.watched.page;
    }

    /** Sends a request as the administrator, with a body as JSON, or as a text of JSON. */
    async ask(method: string, path: string, body?: unknown): Promise<Response> {

        return await fetch(this.url + path, {
            method, headers: { 'Authorization': `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'Content-Type': 'application/json' },
            ...body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
        });
    }
}

type Hooks = Pick<ReturnType<typeof script>, 'before' | 'after' | 'beforeEach' | 'afterEach'>;

/** Starts both for the suite in which this is called; its own hooks come after these. */
export function startUi({ before, after, beforeEach, afterEach }: Hooks, settings: Record<string, unknown> = {}): UiSuite {

    const ui = new UiSuite();
    before(async () => {

        [ui.test, ui.browser] = await Promise.all([startServer(settings), startBrowser()]);
    });
    after(async () => {

        await ui.browser?.close();
        await ui.test?.stop();
    });
    beforeEach(async () => {

        ui.watched = await openPage(ui.browser, ui.url);
        [ui.questions, ui.answer] = [0, 'dismiss'];
        ui.page.on('dialog', (dialog) => {

            ++ui.questions;
            void dialog[ui.answer]();
        });
    });
    afterEach(async () => {

        await ui.watched.close();
        expect(ui.watched.complaints).to.equal([]);
    });
    return ui;
}
