/** What the tabs of an object say and give to take away: the rules behind rights, Markdown of strangers, code to copy. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFindings, copiedBy, hasBrowser, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ROOT } from '../support/doc-pages.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const run = promisify(execFile);

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

const SCHEMA = { type: 'object', properties: { title: { type: 'string', cordra: { preview: { isPrimary: true } } } } };

const RULES = {
    schemaAcls: { Report: { defaultAclRead: ['test/readers'], defaultAclWrite: ['creator'], aclMethods: { instance: { print: ['authenticated'] } } } }
};

/** A picture of one dot. */
const DOT = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const MARKDOWN = `# Readme

Some **bold** text.

<script>document.title = 'run'</script>
<img src=x onerror="document.title = 'run'">
<iframe src="https://evil.example/frame"></iframe>
<svg onload="document.title = 'run'"></svg>

[script](javascript:document.title='run') [also](JaVaScRiPt:document.title='run') [data](data:text/html,<script>1</script>) [fine](https://example.org/fine)

![tracker](https://evil.example/pixel.png) ![dot](${DOT}) ![beside](beside.png)

![page](data:text/html,<script>1</script>) ![again](DATA:text/html;base64,PGI+) ![mail](mailto:a@example.org) ![plain](HTTP://example.org/plain.png)

| a | b |
|---|---|
| 1 | <b onclick=alert(1)>2</b> |
`;

describe('tabs of an object', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    async function send(method: string, path: string, body?: unknown): Promise<void> {

        const data = body instanceof FormData ? { body } : body === undefined ? {} : { body: JSON.stringify(body) };
        const response = await fetch(test.url + path, { method, headers: { Authorization: AUTHORIZATION }, ...data });
        expect(response.status, `${method} ${path}: ${await response.text()}`).to.equal(200);
    }

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Report', SCHEMA);
        for (const username of ['ann', 'bob']) {
            await send('POST', `/objects?type=User&handle=test/${username}`, { username, password: `password of ${username}` });
        }

        await send('POST', '/objects?type=Group&handle=test/readers', { groupName: 'readers', description: 'who may read', users: ['test/bob'] });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url, { permissions: ['clipboard-read', 'clipboard-write'] });
        ({ page } = watched);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    const cellsOf = async (right: string): Promise<string[]> => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: right, exact: true }) })
        .getByRole('cell').allTextContents();

    /** A property of each element, and an attribute. */
    const attributes = async (elements: Locator, property: string, attribute: string): Promise<(readonly [unknown, string | null])[]> =>
        Promise.all((await elements.all()).map(async (each) => [await each.evaluate((element, name) => (element as unknown as Record<string, unknown>)[name], property), await each.getAttribute(attribute)]));

    const check = async (name: string): Promise<Locator> => {

        await page.getByRole('combobox', { name: 'User' }).fill(name);
        await page.getByRole('option', { name }).click();
        const verdicts = page.getByRole('complementary', { name: 'Check somebody' }).getByRole('status').filter({ has: page.getByRole('list') });
        await verdicts.waitFor();
        return verdicts;
    };

    it('say by which rule each right is given: by default, by the type, by the object, and to somebody by which entry', async () => {

        await send('POST', '/objects?type=Report&handle=test/ruled', { title: 'Ruled' });
        await page.goto(`${test.url}/#objects/test/ruled?tab=rights`);
        await page.getByRole('rowheader', { name: 'read', exact: true }).waitFor();

        expect(await cellsOf('read')).to.equal(['everyone', 'by default', 'Change']);
        expect(await cellsOf('read files')).to.equal(['as read', 'by default', 'Change']);
        expect(await cellsOf('change and delete')).to.equal(['who created it', 'by default', 'Change']);

        await send('PUT', '/objects/design?jsonPointer=/authConfig', RULES);
        await send('PUT', '/acls/test/ruled', { writers: ['test/ann'] });
        await page.reload();
        await page.getByRole('rowheader', { name: 'call print', exact: true }).waitFor();

        expect(await cellsOf('read')).to.equal(['readers', 'by the rules of Report', 'Change']);
        expect(await cellsOf('change and delete')).to.equal(['ann', 'by this object', 'Change']);
        expect(await cellsOf('call print')).to.equal(['all who are logged in', 'by the rules of Report', 'Change']);

        const verdicts = await check('bob');
        await verdicts.getByText('Groups: readers').waitFor();

        expect(await verdicts.getByRole('listitem').allTextContents()).to.equal([
            '✓ may read by “readers”', '✓ may read files by “readers”', '✗ may not change and delete is in none of: ann',
            '✓ may call print by “all who are logged in”'
        ]);
        await check('ann');
        await verdicts.getByText('in no group').waitFor();

        expect(await verdicts.getByRole('listitem').allTextContents()).to.equal([
            '✓ may read by “ann”', '✓ may read files by “ann”', '✓ may change and delete by “ann”', '✓ may call print by “all who are logged in”'
        ]);
    });

    it('show a Markdown file without running or loading anything of it', async () => {

        const form = new FormData();
        form.append('content', '{"title":"With a readme"}');
        form.append('readme', new File([MARKDOWN], 'README.md', { type: 'text/markdown' }));
        await send('POST', '/objects?type=Report&handle=test/readme', form);
        await page.goto(`${test.url}/#objects/test/readme?tab=files`);
        const shown = page.locator('.markdown');
        await shown.getByRole('heading', { name: 'Readme' }).waitFor();
        await watched.idle();

        expect(await shown.locator('strong').allTextContents()).to.equal(['bold']);
        expect(await shown.locator('script, iframe, svg, b, [onerror], [onload], [onclick]').count()).to.equal(0);
        expect(await shown.getByText('<script>document.title').count()).to.equal(1);
        expect(await attributes(shown.locator('a'), 'textContent', 'href')).to.equal([
            ['script', null], ['also', null], ['data', null], ['fine', 'https://example.org/fine'], ['tracker', 'https://evil.example/pixel.png'], ['beside', 'beside.png'],
            ['plain', 'HTTP://example.org/plain.png']
        ]);
        expect(await shown.getByText('page again mail plain', { exact: true }).count()).to.equal(1);
        expect(await attributes(shown.locator('img'), 'naturalWidth', 'src')).to.equal([[1, DOT]]);
        expect(await shown.getByRole('cell').allTextContents()).to.equal(['1', '<b onclick=alert(1)>2</b>']);
        for (const each of await shown.locator('a').filter({ hasText: /script|also|data/ }).all()) {
            await each.click();
        }

        expect(await page.title()).to.contain('With a readme');
        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('show what a method has returned, also where that is no JSON although it says so', async () => {

        await page.route(/\/listMethods\?/, (route) => route.fulfill({ json: ['count'] }));
        await page.route(/\/call\?/, (route) => route.fulfill({ contentType: 'application/json', body: 'done: 7 words' }));
        await page.goto(`${test.url}/#objects/test/ann?tab=methods`);
        await page.locator('summary').getByText('count', { exact: true }).click();
        await page.getByRole('button', { name: 'Call count' }).click();
        await page.getByRole('status').getByText('done: 7 words', { exact: true }).waitFor();
    });

    it('send the defaults of a method with all digits', async () => {

        const params = '{"type":"object","properties":{"factor":{"type":"number","default":1.10},"limit":{"type":"integer","default":12345678901234567890}}}';
        await page.route(/\/listMethods\?/, (route) => route.fulfill({ contentType: 'application/json', body: `[{"name":"count","summary":"count words","params":${params}}]` }));
        await page.goto(`${test.url}/#objects/test/ann?tab=methods`);
        await page.route(/\/call\?/, (route) => route.fulfill({ json: { words: 7 } }));
        await page.getByText('count words').click();
        const sent = page.waitForRequest(/\/call\?/);
        await page.getByRole('button', { name: 'Call count' }).click();

        expect((await sent).postData()?.replace(/\s/g, '')).to.equal('{"factor":1.10,"limit":12345678901234567890}');
        await page.getByText('"words": 7').waitFor();
    });

    it('give code that reads the object: curl, JavaScript and Python, for an id with any characters', async () => {

        const id = 'test/it\'s "odd" $HOME `id` é#?%2F';
        await send('POST', `/objects?type=Report&handle=${encodeURIComponent(id)}`, { title: 'Read by a program' });
        await page.goto(`${test.url}/#objects/${id.split('/').map(encodeURIComponent).join('/')}?tab=json`);
        await page.getByRole('heading', { name: 'Read it by a program' }).waitFor();
        const copied = async (name: string): Promise<string> => {

            await page.getByRole('button', { name, exact: true }).click();
            const code = await copiedBy(page, () => page.getByRole('button', { name: `Copy for ${name}` }).click());
            await page.getByText('Copied.').first().waitFor();
            expect(code).to.contain('USERNAME');
            return code.replaceAll('USERNAME', 'admin').replaceAll('PASSWORD', ADMIN_PASSWORD);
        };

        // curl asks for the password where it is not named.
        const { stdout } = await run('sh', ['-c', (await copied('curl')).replace('-u admin', `-sS -u 'admin:${ADMIN_PASSWORD}'`)]);
        expect(JSON.parse(stdout)).to.include({ id, type: 'Report', content: { title: 'Read by a program' } });

        const { stdout: byModule } = await run(process.execPath, ['--input-type=module', '-e', await copied('JavaScript')], { cwd: ROOT });
        expect(byModule).to.contain('title: \'Read by a program\'');

        const python = await copied('Python');
        const hasPython = await run('python3', ['-c', 'import requests']).then(() => true, () => false);
        if (hasPython) {
            expect((await run('python3', ['-c', python])).stdout).to.contain('Read by a program');
        }
        else {
            expect(python).to.startWith('import requests\n');
        }

        await page.getByRole('button', { name: 'Copy the JSON' }).click();
        await page.waitForFunction('navigator.clipboard.readText().then((text) => text.startsWith("{"))');
        expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).to.include({ id, type: 'Report' });
    });
});
