/** Pictures of every screen, taken as those of the documentation are. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser } from 'playwright-core';
import { accessibilityFindings, hasBrowser, logInAsAdmin, openPage, startBrowser } from '../support/browser.js';
import { ROOT } from '../support/doc-pages.js';
import { SCREEN_SETTINGS, screenAddresses, takeScreens } from '../support/screens.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the screens of the web UI', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let folder: string;

    before(async () => {

        [test, browser, folder] = await Promise.all([startServer(SCREEN_SETTINGS), startBrowser(), mkdtemp(join(tmpdir(), 'doip-gateway-screens-'))]);
    });

    after(async () => {

        await browser.close();
        await test.stop();
        await rm(folder, { recursive: true, force: true });
    });

    /** The object of the pictures. */
    let shown = '';

    /** What is wrong with screens on a phone, in a language of the browser. */
    const findingsIn = async (locale: string, fragments: readonly string[]): Promise<readonly string[]> => {

        const watched = await openPage(browser, test.url, { locale, viewport: { width: 360, height: 800 } });
        const { page } = watched;
        await logInAsAdmin(page, test.url);
        const findings: string[] = [];
        for (const fragment of fragments) {
            await page.goto(`${test.url}/#${fragment}`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
            await watched.idle();
            const width = await page.evaluate<number>('document.documentElement.scrollWidth');
            const language = await page.evaluate<string>('document.documentElement.lang');
            const all = [...width > 360 ? [`it is ${width} pixels wide`] : [], ...locale.startsWith(language) ? [] : [`its language is ${language}`], ...await accessibilityFindings(page)];
            findings.push(...all.map((each) => `${locale} #${fragment}: ${each}`));
        }

        await watched.close();
        return [...findings, ...watched.complaints];
    };

    const findingsInBoth = async (fragments: readonly string[]): Promise<readonly string[]> =>
        (await Promise.all(['de-DE', 'fr-FR'].map((locale) => findingsIn(locale, fragments)))).flat();

    it('of an empty service fit on phones in German and French', { timeout: 1_200_000 }, async () => {

        expect(await findingsInBoth([''])).to.equal([]);
    });

    it('are all in the documentation, with pictures that can be taken again, without complaints of the browser', { timeout: 1_200_000 }, async () => {

        const { id, files, complaints } = await takeScreens(browser, test, folder);
        shown = id;
        const stored = (await readdir(join(ROOT, 'docs/images'))).filter((name) => name.startsWith('ui-'));
        const pages = await Promise.all(['web-ui.md', 'screens.md'].map((name) => readFile(join(ROOT, 'docs', name), 'utf8')));

        expect(complaints).to.equal([]);
        expect([...files].sort()).to.equal(stored.sort());
        expect(files.filter((name) => !pages.some((text) => text.includes(`](images/${name})`)))).to.equal([]);

        // Every section and tab to which the pages link is among them.
        const addresses = screenAddresses(id);
        const watched = await openPage(browser, test.url);
        await logInAsAdmin(watched.page, test.url);
        for (const [address, pattern] of [['admin', /^#admin\//], [`objects/${id}`, /^#objects\/.*\?tab=/], ['schemas/Package', /^#schemas\/Package\?tab=/]] as const) {
            await watched.page.goto(`${test.url}/#${address}`);
            await watched.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await watched.idle();
            const links = await watched.page.getByRole('main').getByRole('link').all();
            const targets = (await Promise.all(links.map((link) => link.getAttribute('href')))).map((href) => decodeURIComponent(href ?? '')).filter((href) => pattern.test(href));

            expect(targets.length, address).to.be.least(4);
            expect(targets.filter((href) => !addresses.includes(href.slice(1))), address).to.equal([]);
        }

        await watched.close();
    });

    it('fit on phones in German and French, and are accessible', { timeout: 1_200_000 }, async () => {

        expect(await findingsInBoth([...new Set(screenAddresses(shown))])).to.equal([]);
    });
});
