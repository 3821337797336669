/**
 * `npm run screenshots`: pictures of the screens of the web UI, which `docs/web-ui.md` shows, from a service with some of the installed packages
 * as objects.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { loadPackages } from '../demo/load.js';
import { installedPackages } from '../demo/packages.js';
import { logInAsAdmin, openPage, startBrowser } from './browser.js';
import { ROOT } from './doc-pages.js';
import { ADMIN_PASSWORD } from './gateway.js';
import { startServer } from './server.js';

const FOLDER = join(ROOT, 'docs/images');

/** The package that is shown: it has many relations. */
const SHOWN = '@hapi/hapi@';

/** Users who are listed. */
const USERS = ['ann', 'ben', 'chloe', 'dmitri'] as const;

/** A picture: its name, what the page shows, and how. */
interface Screen {
    readonly name: string;
    readonly hash: string;
    readonly width?: number;
    readonly scheme?: 'dark';
    /** A text that is there when the screen is complete. */
    readonly text: string;
    /** Time until then that nothing on the screen tells, in milliseconds. */
    readonly settleMs?: number;
}

const screensOf = (id: string): readonly Screen[] => [
    { name: 'home', hash: '', text: 'Package' },
    { name: 'search', hash: 'objects/?query=type:Package', text: 'License' },
    { name: 'search-narrow', hash: 'objects/?query=type:Package&view=cards', width: 390, scheme: 'dark', text: 'Package' },
    { name: 'object', hash: `objects/${id}`, text: 'Dependencies' },
    { name: 'files', hash: `objects/${id}?tab=files`, text: 'readme' },
    { name: 'relations', hash: `objects/${id}?tab=relations`, scheme: 'dark', text: 'Refers to' },
    { name: 'rights', hash: `objects/${id}?tab=rights`, text: 'everyone' },
    { name: 'edit', hash: `objects/${id}?edit`, text: 'Save' },
    { name: 'type', hash: 'schemas/Package', text: 'Name and settings' },
    { name: 'users', hash: 'admin/users', text: USERS[0] },
    { name: 'status', hash: 'admin/status', scheme: 'dark', text: 'Memory', settleMs: 8000 }
];

/** Takes one picture as the administrator. */
async function take(browser: Browser, url: string, { name, hash, width = 1280, scheme, text, settleMs = 500 }: Screen): Promise<void> {

    const { page, close } = await openPage(browser, url, {
        viewport: { width, height: width < 500 ? 800 : 860 }, ...scheme ? { colorScheme: scheme } : {}, deviceScaleFactor: 1
    });
    await logInAsAdmin(page, url);
    await page.goto(`${url}/#${hash}`, { waitUntil: 'networkidle' });
    await page.getByRole('main').getByText(text).first().waitFor();
    await page.waitForTimeout(settleMs);
    await page.screenshot({ path: join(FOLDER, `ui-${name}.png`) });
    await close();
    console.log(name);
}

async function main(): Promise<void> {

    mkdirSync(FOLDER, { recursive: true });
    const test = await startServer();
    const browser = await startBrowser();
    try {
        const packages = installedPackages(join(ROOT, 'node_modules')).filter(({ key }) => /^(?:@hapi|@codemirror|d3|joi)/.test(key));
        const keys = new Set(packages.map(({ key }) => key));
        const connected = packages.map((each) => ({ ...each, dependencies: each.dependencies.filter((key) => keys.has(key)) }));
        const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
        await loadPackages(connected, { url: test.url, authorization, prefix: 'test' });
        for (const username of USERS) {
            await fetch(`${test.url}/objects?type=User&handle=test/${username}`, {
                method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify({ username, password: `password of ${username}` })
            });
        }

        const shown = packages.find(({ key }) => key.startsWith(SHOWN))?.key ?? '';
        for (const screen of screensOf(`test/${shown}`)) {
            await take(browser, test.url, screen);
        }
    }
    finally {
        await browser.close();
        await test.stop();
    }
}

void main();
