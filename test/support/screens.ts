/**
 * Pictures of every screen of the web UI, from a service with some of the installed packages as objects. `docs/web-ui.md` and `docs/screens.md` show them.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { loadPackages } from '../demo/load.js';
import { installedPackages } from '../demo/packages.js';
import { logInAsAdmin, openPage } from './browser.js';
import { ROOT } from './doc-pages.js';
import { ADMIN_PASSWORD } from './gateway.js';
import type { TestServer } from './server.js';

/** The package that is shown: it has many relations. */
const SHOWN = '@hapi/hapi@';

/** Users who are listed. */
const USERS = ['ann', 'ben', 'chloe', 'dmitri'] as const;

/** Pictures that are taken at a time: most of it is waiting. */
const AT_ONCE = 3;

/** What the service of the pictures needs: its audit log is shown. */
export const SCREEN_SETTINGS = { AUDIT_DAYS: 30 } as const;

/** A picture: its name, what the page shows, and how. */
interface Screen {
    readonly name: string;
    readonly hash: string;
    readonly width?: number;
    readonly scheme?: 'dark';
    readonly language?: 'de' | 'fr';
    /** A text that is there when the screen is complete. */
    readonly text: string;
    /** Time until then that nothing on the screen tells, in milliseconds. */
    readonly settleMs?: number;
}

const EMPTY: Screen = { name: 'welcome', hash: '', text: 'Load the demo data' };

const screensOf = (id: string): readonly Screen[] => [
    { name: 'home', hash: '', text: 'Package' },
    { name: 'search', hash: 'objects/?query=type:Package', text: 'License' },
    { name: 'search-french', hash: 'objects/?query=type:Package', language: 'fr', text: 'License' },
    { name: 'search-narrow', hash: 'objects/?query=type:Package&view=cards', width: 390, scheme: 'dark', text: 'Package' },
    { name: 'object', hash: `objects/${id}`, text: 'Dependencies' },
    { name: 'files', hash: `objects/${id}?tab=files`, text: 'readme' },
    { name: 'relations', hash: `objects/${id}?tab=relations`, scheme: 'dark', text: 'Refers to' },
    { name: 'rights', hash: `objects/${id}?tab=rights`, text: 'everyone' },
    { name: 'history', hash: `objects/${id}?tab=history`, text: 'Difference' },
    { name: 'methods', hash: `objects/${id}?tab=methods`, text: 'countWords' },
    { name: 'json', hash: `objects/${id}?tab=json`, text: 'Read it by a program' },
    { name: 'edit', hash: `objects/${id}?edit`, text: 'Save' },
    { name: 'edit-german', hash: `objects/${id}?edit`, language: 'de', text: 'Speichern' },
    { name: 'create', hash: 'create/Package', scheme: 'dark', text: 'Create' },
    { name: 'types', hash: 'schemas', text: 'Package' },
    { name: 'type', hash: 'schemas/Package?tab=fields', text: 'Name and settings' },
    { name: 'type-schema', hash: 'schemas/Package?tab=schema', text: 'properties' },
    { name: 'type-code', hash: 'schemas/Package?tab=code', scheme: 'dark', text: 'countWords' },
    { name: 'type-rights', hash: 'schemas/Package?tab=rights', text: 'Package' },
    { name: 'type-preview', hash: 'schemas/Package?tab=preview', text: 'Package' },
    { name: 'administration', hash: 'admin', text: 'Accounts: passwords' },
    { name: 'users', hash: 'admin/users', text: USERS[0] },
    { name: 'groups', hash: 'admin/groups', text: 'curators' },
    { name: 'keys', hash: 'admin/keys', text: 'nightly harvest' },
    { name: 'account', hash: 'admin/account', text: 'this one' },
    { name: 'design', hash: 'admin/design', text: 'Title of the repository' },
    { name: 'rights-by-default', hash: 'admin/rights', text: 'Rules by type' },
    { name: 'handles', hash: 'admin/handles', text: 'No handle server' },
    { name: 'transfer', hash: 'admin/transfer', text: 'Export' },
    { name: 'status', hash: 'admin/status', scheme: 'dark', text: 'Memory', settleMs: 8000 },
    { name: 'index', hash: 'admin/index', text: 'Index again' },
    { name: 'audit', hash: 'admin/audit', text: 'Verify the log' },
    { name: 'interface', hash: 'admin/api', text: '/objects' }
];

/** What was taken. */
interface Pictures {
    /** The object that they show. */
    readonly id: string;
    /** Names of the files. */
    readonly files: readonly string[];
    /** What the browser complained about. */
    readonly complaints: readonly string[];
}

/** The fragments of which there are pictures, for the object that they show. */
export function screenAddresses(id: string): readonly string[] {

    return screensOf(id).map(({ hash }) => hash);
}

/** Fills an empty service, and takes a picture of each screen as the administrator. */
export async function takeScreens(browser: Browser, { url }: TestServer, folder: string): Promise<Pictures> {

    mkdirSync(folder, { recursive: true });
    const complaints: string[] = [];
    const files: string[] = [];
    const take = async ({ name, hash, width = 1280, scheme, language, text, settleMs = 0 }: Screen): Promise<void> => {

        const watched = await openPage(browser, url, {
            viewport: { width, height: width < 500 ? 800 : 860 }, ...scheme ? { colorScheme: scheme } : {}, ...language ? { locale: `${language}-${language.toUpperCase()}` } : {}, deviceScaleFactor: 1
        });
        const { page } = watched;
        await logInAsAdmin(page, url);
        await page.goto(`${url}/#${hash}`);
        await page.getByRole('main').getByText(text).first().waitFor();
        await watched.idle();
        await page.waitForTimeout(settleMs);
        const file = `ui-${name}.png`;
        await page.screenshot({ path: join(folder, file) });
        await watched.close();
        files.push(file);
        complaints.push(...watched.complaints.map((each) => `${name}: ${each}`));
    };

    await take(EMPTY);
    const id = await fill(url);
    const queue = screensOf(id).values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {

        for (const screen of queue) {
            await take(screen);
        }
    }));
    return { id, files, complaints };
}

/** Creates what the pictures show; resolves to the id of the object in the middle of it. */
async function fill(url: string): Promise<string> {

    const packages = installedPackages(join(ROOT, 'node_modules')).filter(({ key }) => /^(?:@hapi|@codemirror|d3|joi)/.test(key));
    const keys = new Set(packages.map(({ key }) => key));
    const connected = packages.map((each) => ({ ...each, dependencies: each.dependencies.filter((key) => keys.has(key)) }));
    const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
    const send = async (method: string, path: string, body?: unknown): Promise<void> => {

        const response = await fetch(url + path, {
            method, headers: { authorization, 'content-type': 'application/json' }, ...body === undefined ? {} : { body: JSON.stringify(body) }
        });
        if (!response.ok) {
            throw new Error(`${method} ${path}: ${await response.text()}`);
        }
    };

    await loadPackages(connected, { url, authorization, prefix: 'test' });
    for (const username of USERS) {
        await send('POST', `/objects?type=User&handle=test/${username}`, { username, password: `password of ${username}` });
    }

    await send('POST', '/objects?type=Group&handle=test/curators', { groupName: 'curators', description: 'They look after the packages.', users: ['test/ann', 'test/ben'] });
    await send('POST', '/auth/keys', { name: 'nightly harvest', userId: 'test/ann', readOnly: true, expiresInDays: 90 });
    const id = `test/${packages.find(({ key }) => key.startsWith(SHOWN))?.key ?? ''}`;
    await send('POST', `/versions?objectId=${encodeURIComponent(id)}&versionId=${encodeURIComponent(`${id}-first`)}`);
    await send('PUT', `/objects/${encodeURIComponent(id)}?jsonPointer=/description`, 'A framework for HTTP servers');
    return id;
}
