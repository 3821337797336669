/**
 * `npm run bench:ui`: the web UI as its users wait for it, in Chromium: bytes of the start page, time to the first results, and time from a key
 * to the next frame in large forms. The service, the browser and the client share the machine.
 *
 *     npm run bench:ui -- --objects 1000000 --rounds 10
 *     npm run bench:ui -- --objects 1000000 --data DIR     keeps the objects in DIR, and takes those that are there
 */

import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { openPage, startBrowser } from '../support/browser.js';
import { ROOT } from '../support/doc-pages.js';
import { until } from '../support/until.js';
import { loggedIn, PASSWORD, prepare, send, type Target } from './calls.js';
import { MeasuredProcess } from './measured-process.js';

const CLI = join(__dirname, '../../bundle/main.js');
const STATIC = join(ROOT, 'dist/ui/static');

/** File in a data folder that is kept, written when all objects are stored. */
const COMPLETE = 'bench-ui-complete';

const FIELDS = 200;
const LARGE_BYTES = 1_000_000;
/** Keys that are pressed in a form. */
const KEYS = 40;

/** Bytes of the modules and styles that a page loads, compressed by gzip, as the service sends them to the oldest browsers. */
async function bytesOf(browser: Browser, url: string, hash: string): Promise<string> {

    const { page, close } = await openPage(browser, url);
    const names = new Set<string>();
    page.on('request', (request) => {

        const [, name] = /\/ui\/([^/?]+\.(?:js|css))$/.exec(request.url()) ?? [];
        if (name !== undefined) {
            names.add(name);
        }
    });
    await page.goto(`${url}/${hash}`, { waitUntil: 'networkidle' });
    await close();
    const bytes = (ending: string): number => [...names].filter((name) => name.endsWith(ending)).reduce((sum, name) => sum + compressedBytes(name), 0);
    const kib = (ending: string): string => (bytes(ending) / 1024).toFixed(1);
    return `${kib('.js')} KiB of JavaScript, ${kib('.css')} KiB of styles`;
}

function compressedBytes(name: string): number {

    try {
        return readFileSync(join(STATIC, `${name}.gz`)).length;
    }
    catch {
        return readFileSync(join(STATIC, name)).length;
    }
}

/** Notes when the first link to an object is part of the page. */
const WATCH = `(() => {
    const look = () => {
        if (!window.firstResult && document.querySelector('main a[href^="#objects/"]:not([href^="#objects/?"])')) {
            requestAnimationFrame(() => { window.firstResult ??= performance.now(); });
        }
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
})()`;

/** Milliseconds from the start of the navigation to the frame with the first results, with an empty cache and with a filled one. */
async function timesToResults(browser: Browser, url: string, rounds: number): Promise<{ readonly cold: number[]; readonly warm: number[] }> {

    const times = { cold: [] as number[], warm: [] as number[] };
    for (let round = 0; round < rounds; ++round) {
        const { page, close } = await openPage(browser, url);
        await page.addInitScript(WATCH);
        for (const kind of ['cold', 'warm'] as const) {
            await page.goto('about:blank');
            await page.goto(`${url}/#objects/?query=${encodeURIComponent(`/series:s${round}`)}`);
            // A function, since the policy of the page lets no text be evaluated.
            times[kind].push(await (await page.waitForFunction(() => (globalThis as { firstResult?: number }).firstResult)).jsonValue() as number);
        }

        await close();
    }

    return times;
}

/** Milliseconds from a key to the next frame, as the browser's event timing reports them. */
async function timesToPaint(page: Page): Promise<number[]> {

    await page.evaluate(`window.paints = [];
        new PerformanceObserver((list) => window.paints.push(...list.getEntries().filter(({ name }) => name === 'keydown').map(({ duration }) => duration)))
            .observe({ type: 'event', durationThreshold: 16, buffered: false });`);
    for (let key = 0; key < KEYS; ++key) {
        await page.keyboard.press('abcdefghij'[key % 10] ?? 'a');
        await page.waitForTimeout(100);
    }

    const seen: number[] = await page.evaluate('window.paints');
    // Events that take less than 16 ms are not reported.
    return [...seen, ...Array.from({ length: KEYS - seen.length }, () => 16)];
}

/** Opens a form for a new object as the administrator, and measures its first text field. */
async function formTimes(browser: Browser, url: string, address: string): Promise<number[]> {

    const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
    const { page, close } = await openPage(browser, url, { extraHTTPHeaders: { authorization } });
    await page.goto(`${url}/#${address}`);
    const field = page.locator('main form').getByRole('textbox').first();
    await field.waitFor();
    await field.focus();
    const times = await timesToPaint(page);
    await close();
    return times;
}

async function makeTypes(target: Target): Promise<void> {

    const { token } = await loggedIn(target);
    const authorization = `Bearer ${token}`;
    const properties = Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`field${n}`, { type: 'string', title: `Field ${n}`, maxLength: 1000 }]));
    await send(target, { method: 'PUT', path: '/schemas/Wide', body: JSON.stringify({ type: 'object', properties }), authorization });
    const large = { type: 'object', properties: { name: { type: 'string' }, rows: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } } } };
    await send(target, { method: 'PUT', path: '/schemas/Large', body: JSON.stringify(large), authorization });
    const text = 'x'.repeat(400);
    const rows = Array.from({ length: LARGE_BYTES / 420 }, () => ({ text }));
    await send(target, { method: 'POST', path: '/objects?type=Large&handle=test/large', body: JSON.stringify({ name: 'large', rows }), authorization });
}

function quantile(values: readonly number[], share: number): string {

    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(0);
}

function row(name: string, values: readonly number[]): void {

    console.log(`| ${name} | ${quantile(values, 0.5)} | ${quantile(values, 0.95)} | ${quantile(values, 1)} |`);
}

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { objects: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '10' }, data: { type: 'string' } } });
    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const data = values.data ?? join(folder, 'data');
    const isFilled = existsSync(join(data, COMPLETE));
    const env = { DATA_DIR: data, PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD };
    const server = await MeasuredProcess.start(CLI, ['serve'], env, [], openSync(join(folder, 'log'), 'w'));
    const browser = await startBrowser();
    try {
        const target = { name: 'service', server, agent: new Agent({ keepAlive: true }), objects: Number(values.objects) };
        // A large index takes longer to load than the page does; until then the page says that searches are not possible yet.
        await until(async () => (await fetch(`${server.url}/health/ready`)).ok);
        if (!isFilled) {
            await makeTypes(await prepare(target));
            writeFileSync(join(data, COMPLETE), '');
        }

        const { url } = server;
        console.log(`start page: ${await bytesOf(browser, url, '')}`);
        console.log(`search: ${await bytesOf(browser, url, '#objects/?query=*:*')}\n`);
        console.log('| milliseconds | median | 95 % | longest |\n|---|---|---|---|');
        const { cold, warm } = await timesToResults(browser, url, Number(values.rounds));
        row(`first results of ${values.objects} objects, empty cache`, cold);
        row('the same, files in the cache', warm);
        row(`key to frame, form of ${FIELDS} fields`, await formTimes(browser, url, 'create/Wide'));
        row('key to frame, form of an object of 1 MB', await formTimes(browser, url, 'objects/test/large?edit'));
    }
    finally {
        await browser.close();
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

void main();
