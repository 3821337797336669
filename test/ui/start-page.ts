/** The size of the start page: what a browser loads before anything is shown, and what it leaves for later. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser } from 'playwright-core';
import { hasBrowser, logInAsAdmin, openPage, startBrowser } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { rawGet } from '../support/raw-get.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Bytes of JavaScript, compressed by gzip. */
const MAX_BYTES = 60 * 1024;

describe('the scripts of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    /** Bytes of the scripts of a screen, as a browser without any of them gets them. */
    const bytesOf = async (fragment: string, isThere: string, selector = 'main'): Promise<number> => {

        const watched = await openPage(browser, test.url);
        const { page } = watched;
        const scripts = new Set<string>();
        page.on('request', (request) => request.resourceType() === 'script' && scripts.add(new URL(request.url()).pathname));
        await logInAsAdmin(page, test.url);
        await page.goto(`${test.url}/#${fragment}`);
        await page.locator(selector).getByText(isThere).first().waitFor();
        await watched.idle();
        await watched.close();
        const responses = await Promise.all([...scripts].map((path) => rawGet(test.port, path, { 'accept-encoding': 'gzip' })));

        expect(scripts.size).to.be.above(1);
        expect(watched.complaints).to.equal([]);
        return responses.reduce((sum, { body }) => sum + body.length, 0);
    };

    it('are at most 60 KB for the start page of an empty service and of a full one, and for the search', async () => {

        expect(await bytesOf('', 'Make a type')).to.be.most(MAX_BYTES);
        const headers = { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` };
        await fetch(`${test.url}/objects?type=Document&handle=test/first`, { method: 'POST', headers, body: '{"name":"first"}' });

        expect(await bytesOf('', 'Recent changes')).to.be.most(MAX_BYTES);
        expect(await bytesOf('objects/?query=*:*%20-type:Schema', 'first')).to.be.most(MAX_BYTES);
    });

    it('are loaded for an editor of code only where there is one', async () => {

        const form = await bytesOf('objects/test/first?edit', 'Save');

        expect(await bytesOf('schemas/Document?tab=schema', 'properties', '.cm-content') - form).to.be.above(100_000);
        expect(form).to.be.below(2 * MAX_BYTES);
    });
});
