/**
 * A real browser for tests of the web UI: Chromium of the system, if possible its form without windows, driven by playwright-core. Every page
 * is watched: an error in the console, an exception, a violation of the content security policy or a request to another origin fails the test.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { ADMIN_PASSWORD } from './gateway.js';
import { until } from './until.js';

const PATHS = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const FLAGS = [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--disable-dev-shm-usage'
];

const executable = PATHS.find((path) => path !== '' && existsSync(path));

/** True where there is a browser. In CI there is one, or the tests fail. */
export const hasBrowser = executable !== undefined || process.env['CI'] === 'true';

/** A page without requests for this time has what it needs, in milliseconds: it waits up to 400 after a key before it asks. */
const IDLE_MS = 1500;

/** Timeout for what the page shall show, in milliseconds: long, as the machine may be busy. */
const SHOWN_MS = 120_000;

/** How many times slower the scripts of pages run than they could, from the environment: tests shall pass on a slow machine too. */
const SLOWDOWN = Number(process.env['BROWSER_SLOWDOWN'] ?? 1);

/** Starts the browser. Close it in the end. @param flags further options of its command line */
export async function startBrowser(flags: readonly string[] = []): Promise<Browser> {

    if (executable === undefined) {
        throw new Error('no Chromium is installed: see CONTRIBUTING.md');
    }

    const { chromium } = await import('playwright-core');
    return chromium.launch({ executablePath: executable, args: [...FLAGS, ...flags], timeout: 120_000 });
}

/** A page and what went wrong on it. */
export interface WatchedPage {
    readonly page: Page;
    /** What the browser complained about, in the order of time. */
    readonly complaints: string[];
    /** Patterns of complaints that a test expects, such as the line that the browser writes about a response with status 404. */
    readonly expected: RegExp[];
    /** Waits until the page has nothing left to ask: what follows is then answered to the action of the test alone. */
    readonly idle: () => Promise<void>;
    readonly close: () => Promise<void>;
}

/** Opens a page in a profile of its own. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {

    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
    // Also for requests without a page, and for windows that pages open.
    context.setDefaultTimeout(SHOWN_MS);
    context.setDefaultNavigationTimeout(SHOWN_MS);
    return { ...await watchNewPage(context, origin), close: () => context.close() };
}

/** Opens another page in the profile of one: they share cookies and storage. */
export async function openBeside(page: Page, origin: string): Promise<WatchedPage> {

    return watchNewPage(page.context(), origin);
}

async function watchNewPage(context: BrowserContext, origin: string): Promise<WatchedPage> {

    const page = await context.newPage();
    if (SLOWDOWN > 1) {
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    }

    const complaints: string[] = [];
    const expected: RegExp[] = [];
    const complain = (text: string): void => {

        if (!expected.some((pattern) => pattern.test(text))) {
            complaints.push(text);
        }
    };

    page.on('console', (message) => message.type() === 'error' && complain(`console: ${message.text()} ${message.location().url}`));
    page.on('pageerror', (error) => complain(`exception: ${error.stack ?? error.message}`));
    page.on('request', (request) => {

        if (/^(https?|wss?):/.test(request.url()) && new URL(request.url()).origin !== new URL(origin).origin) {
            complain(`a request to another origin: ${request.url()}`);
        }
    });
    await page.addInitScript('addEventListener("securitypolicyviolation", (event) => ' +
        'console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));');
    return { page, complaints, expected, idle: idleness(page), close: () => page.close() };
}

/** Follows the requests of a page; returns what waits until there are none. */
function idleness(page: Page): () => Promise<void> {

    const running = new Set<Request>();
    let count = 0;
    let last = performance.now();
    const end = (request: Request): void => {

        running.delete(request);
        last = performance.now();
    };

    page.on('request', (request) => {

        ++count;
        running.add(request);
    });
    // The browser does not always say that a body has ended; what follows from it is asked for within the time of waiting.
    page.on('response', (response) => end(response.request()));
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    const isIdle = async (): Promise<boolean> => {

        const before = count;
        // By a timer of the page: what it does after a pause of its own, and with what has arrived, comes first. It may open another address meanwhile.
        const hasWaited = await page.evaluate(`new Promise((resolve) => setTimeout(() => resolve(true), ${IDLE_MS}))`).catch(() => false);
        return hasWaited === true && running.size === 0 && count === before && performance.now() - last > IDLE_MS;
    };

    return () => until(isIdle).catch((error: unknown) => {

        throw new Error(`the page still asks: ${[...running].map((request) => `${request.method()} ${request.url()}`).join(', ')}`, { cause: error });
    });
}

/** Holds requests of a page, until the function to which it resolves is called. */
export async function holdRequests(page: Page, isHeld: (request: Request) => boolean): Promise<() => void> {

    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {

        release = resolve;
    });
    await page.route('**/*', async (route) => {

        if (isHeld(route.request())) {
            await released;
        }

        // The page may have given it up meanwhile.
        await route.continue().catch(() => undefined);
    });
    return () => release();
}

/** Logs a page in as the administrator of a service, by the cookie of the web UI. */
export async function logInAsAdmin(page: Page, url: string): Promise<void> {

    const login = await page.request.post(`${url}/session`, {
        headers: { 'X-Requested-With': 'doip-gateway' }, data: { username: 'admin', password: ADMIN_PASSWORD }
    });
    if (!login.ok()) {
        throw new Error(`the login was answered with ${login.status()}`);
    }
}

/** Fills the storage of the browser to the last character. */
export async function fillStorage(page: Page): Promise<void> {

    await page.evaluate(`(() => {
        let text = '';
        for (let length = 2 ** 23; length >= 1;) {
            try {
                localStorage.setItem('other', text + 'x'.repeat(length));
                text += 'x'.repeat(length);
            }
            catch {
                length /= 2;
            }
        }
    })()`);
}

/** Waits for one of the messages in the corner of a page, which screen readers read. The page itself may hold the same words. */
export async function announced(page: Page, text: string): Promise<void> {

    await page.locator('.messages[role=status][aria-live=polite]').getByText(text).first().waitFor();
}

/** Waits until a field has a value: what a page shows follows an event with the next frame. */
export async function holds(field: Locator, value: string): Promise<void> {

    await until(async () => await field.inputValue() === value);
}

/** A finding of axe. */
interface Finding {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Returns what axe finds on a page against WCAG 2.2 AA, one line for each place. */
export async function accessibilityFindings(page: Page): Promise<string[]> {

    // By the protocol of the developer tools, which the content security policy does not concern.
    await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await page.evaluate(`axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations']
    }).then(({ violations }) => violations)`);
    return (found as readonly Finding[]).flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`));
}

/** Returns what axe finds on a page in dark on a phone, and in light on a desk, and whether it is wider than the screen. */
export async function findingsOnEachScreen(page: Page): Promise<string[]> {

    const findings: string[] = [];
    for (const [colorScheme, width] of [['dark', 360], ['light', 1280]] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
        const all = [...await accessibilityFindings(page), ...shown > width ? [`it is ${shown} pixels wide`] : []];
        findings.push(...all.map((each) => `${colorScheme} ${width}: ${each}`));
    }

    return findings;
}

/** What a button copies. */
export async function copiedBy(page: Page, copy: () => Promise<void>): Promise<string> {

    await page.evaluate('navigator.clipboard.writeText("")');
    await copy();
    let code = '';
    await until(async () => {

        code = await page.evaluate<string>('navigator.clipboard.readText()');
        return code !== '';
    });
    return code;
}
