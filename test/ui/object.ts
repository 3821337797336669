/** The screen of an object in a real browser: content, files, relations, rights, versions, methods, and what can go wrong. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, holdRequests, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

const reference = (types: readonly string[]): object => ({ type: 'string', cordra: { type: { handleReference: { types } } } });

const DATASET = {
    type: 'object', required: ['title'], properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } },
        description: { type: 'string', contentMediaType: 'text/markdown' }, homepage: { type: 'string', format: 'uri' },
        creators: { type: 'array', items: reference(['Person']) }, partOf: reference(['Dataset']),
        values: { type: 'array', title: 'Measured values', items: { type: 'object', properties: { station: { type: 'string' }, value: { type: 'number' } } } }
    }
};

const CODE = `exports.methods = { count(object, context) { return { words: object.content.title.split(' ').length * context.params.factor }; } };
exports.methods.count.description = { summary: 'count words', params: { type: 'object', properties: { factor: { type: 'integer', default: 2 } } } };`;

/** A picture of one dot. */
const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const SEA = '{"title":"Sea temperatures","description":"# About\\n\\nMonthly **means**. <img src=x onerror=alert(1)>","homepage":"https://example.org/sea",' +
    '"creators":["test/ada"],"partOf":"test/parent","values":[{"station":"Kiel","value":7.10},{"station":"Turku","value":12345678901234567890}],' +
    '"unknown":{"key":"kept"},"link":"javascript:alert(1)"}';

describe('the screen of an object', { skip: !hasBrowser }, () => {

    let test: TestServer;
    let browser: Browser;
    let watched: WatchedPage;
    let page: Page;

    async function send(method: string, path: string, body?: string | FormData): Promise<string> {

        const response = await fetch(test.url + path, { method, headers: { Authorization: AUTHORIZATION }, ...body === undefined ? {} : { body } });
        const text = await response.text();
        expect(response.status, `${method} ${path}: ${text}`).to.equal(200);
        return text;
    }

    async function create(type: string, id: string, content: object | string): Promise<void> {

        await send('POST', `/objects?type=${type}&handle=${encodeURIComponent(id)}`, typeof content === 'string' ? content : JSON.stringify(content));
    }

    async function open(fragment: string): Promise<void> {

        await page.goto(`${test.url}/#objects/${fragment}`);
    }

    before(async () => {

        [test, browser] = await Promise.all([startServer(), startBrowser()]);
        await send('PUT', '/schemas/Person', JSON.stringify({ type: 'object', properties: { name: { type: 'string', cordra: { preview: { isPrimary: true } } } } }));
        await create('Schema', 'test/dataset-type', { identifier: '', name: 'Dataset', schema: DATASET, javascript: CODE });
        await create('Person', 'test/ada', { name: 'Ada Lovelace' });
        await create('User', 'test/alice', { username: 'alice', password: 'a long password' });
        await create('Dataset', 'test/parent', { title: 'Baltic observations' });
        await create('Dataset', 'test/sea', SEA);
        await create('Dataset', 'test/part', { title: 'A part of it', partOf: 'test/sea' });
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url, { extraHTTPHeaders: { Authorization: AUTHORIZATION } });
        ({ page } = watched);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    it('shows Markdown as it is that would take minutes, or is nested deeper than the stack', async () => {

        await create('Dataset', 'test/slow', { title: 'Slow', description: '_a'.repeat(100_000), notes: 'shown too' });
        await create('Dataset', 'test/nested', { title: 'Nested', description: '>'.repeat(9000), notes: 'shown too' });
        for (const [id, start] of [['test/slow', '_a_a_a'], ['test/nested', '>>>>>>']] as const) {
            await open(id);
            await page.locator('.text').getByText(start).first().waitFor();
            await page.getByText('shown too').waitFor();
        }
    });

    it('forgets the labels of objects that the next user may not read', async () => {

        await create('Person', 'test/hidden', { name: 'Hidden Person' });
        await create('Dataset', 'test/of-hidden', { title: 'By a hidden person', creators: ['test/hidden'] });
        await send('PUT', '/acls/test/hidden', '{"readers": [], "writers": []}');
        await page.context().setExtraHTTPHeaders({});
        await open('test/of-hidden');
        await page.getByRole('link', { name: 'test/hidden', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.getByLabel('Name or id').fill('admin');
        await page.getByLabel('Password').fill(ADMIN_PASSWORD);
        await page.getByRole('dialog').getByRole('button', { name: 'Log in', exact: true }).click();
        await page.getByRole('link', { name: 'Hidden Person', exact: true }).waitFor();
        await page.getByRole('banner').getByRole('button', { name: 'admin' }).click();
        await page.getByRole('menuitem', { name: 'Log out' }).click();
        await page.getByRole('link', { name: 'test/hidden', exact: true }).waitFor();
    });

    it('shows content by its schema: titles, labels of references, exact numbers, Markdown, and what the schema does not know', async () => {

        await open('test/sea');
        await page.getByRole('heading', { level: 1, name: 'Sea temperatures' }).waitFor();
        const content = page.getByRole('article');
        await content.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
        await content.getByRole('link', { name: 'Baltic observations' }).waitFor();
        await content.getByRole('heading', { name: 'About' }).waitFor();

        expect(await content.getByRole('cell', { name: '7.10', exact: true }).count()).to.equal(1);
        expect(await content.getByRole('cell', { name: '12345678901234567890' }).count()).to.equal(1);
        expect(await content.getByText('kept').count()).to.equal(1);
        expect(await content.getByText('<img src=x onerror=alert(1)>').count()).to.equal(1);
        expect(await content.getByRole('link', { name: 'https://example.org/sea' }).getAttribute('href')).to.equal('https://example.org/sea');
        expect(await content.getByRole('link', { name: 'javascript' }).count()).to.equal(0);
    });

    it('has no accessibility findings on any tab, in light and dark, wide and narrow', async () => {

        await send('POST', '/versions?objectId=test/parent&versionId=test/parent-1');
        const tabs: readonly (readonly [address: string, ready: string])[] = [
            ['test/sea', 'Monthly'], ['test/sea?tab=files', 'no files'], ['test/sea?tab=relations', 'Double click'], ['test/sea?tab=rights', 'Who may do what'],
            ['test/parent?tab=history', 'Both are the same'], ['test/sea?tab=methods', 'count words'], ['test/sea?tab=json', 'Read it by a program']
        ];
        for (const [address, ready] of tabs) {
            await open(address);
            await page.getByText(ready).first().waitFor();
            for (const colorScheme of ['light', 'dark'] as const) {
                for (const width of [1280, 360]) {
                    await page.setViewportSize({ width, height: 800 });
                    await page.emulateMedia({ colorScheme });

                    expect(await accessibilityFindings(page), `${address} ${colorScheme} ${width}`).to.equal([]);
                    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), `${address} ${width}`).to.be.most(0);
                }
            }
        }
    });

    it('adds, previews, renames, replaces and deletes files, and keeps the numbers of the content', async () => {

        await create('Dataset', 'test/files', '{"title":"With files","exact":1.10}');
        await open('test/files?tab=files');
        await page.getByRole('button', { name: 'choose files' }).waitFor();
        await page.locator('input[type=file]').first().setInputFiles({ name: 'data.csv', mimeType: 'text/csv', buffer: Buffer.from('station,value\nKiel,"7,1"\n') });
        await page.getByRole('cell', { name: '7,1' }).waitFor();
        await page.getByRole('button', { name: 'More about data.csv' }).click();
        await page.getByRole('menuitem', { name: 'Rename' }).click();
        await page.getByLabel('Name of the file in the object').fill('table');
        await page.getByRole('button', { name: 'Rename' }).click();
        await page.getByRole('button', { name: 'More about table' }).waitFor();

        expect(await send('GET', '/objects/test/files?payload=table')).to.equal('station,value\nKiel,"7,1"\n');
        expect(await send('GET', '/objects/test/files')).to.contain('"exact":1.10');

        await page.locator('input[type=file]').first().setInputFiles({ name: 'table', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') });
        await page.getByRole('button', { name: 'Replace', exact: true }).click();
        await page.getByText('may hold scripts').first().waitFor();
        await page.getByText('<script>alert(1)</script>').first().waitFor();
        await page.getByRole('button', { name: 'More about table' }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('This object has no files').first().waitFor();
    });

    it('shows the progress of an upload, which can be cancelled without a change', async () => {

        await create('Dataset', 'test/upload', { title: 'Upload' });
        await open('test/upload?tab=files');
        await page.getByRole('button', { name: 'choose files' }).waitFor();
        // The browser sends 200 kB a second.
        const tools = await page.context().newCDPSession(page);
        await tools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 });
        await page.locator('input[type=file]').first().setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(20_000_000) });
        await page.getByRole('progressbar', { name: 'large.bin' }).waitFor();
        await page.getByText(/large\.bin: .* of 20 MB/).first().waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('The upload was cancelled').first().waitFor();
        await page.getByRole('button', { name: 'choose files' }).waitFor();

        expect(JSON.parse(await send('GET', '/objects/test/upload?full'))).to.not.include('payloads');
    });

    it('reads only the beginning of a large text, and shows pictures', async () => {

        const form = new FormData();
        form.append('content', '{"title":"Previews"}');
        form.append('log', new File([`first line\n${'line\n'.repeat(200_000)}last line`], 'log.txt', { type: 'text/plain' }));
        form.append('dot', new File([DOT], 'dot.png', { type: 'image/png' }));
        await send('POST', '/objects?type=Dataset&handle=test/previews', form);
        await open('test/previews?tab=files');
        await page.getByRole('button', { name: 'Preview: log' }).click();
        await page.getByText('The first 262.1 kB of 1 MB').first().waitFor();

        expect(await page.getByText('last line').count()).to.equal(0);

        await page.getByRole('button', { name: 'Preview: dot' }).click();
        // It has a size before it is loaded.
        await until(async () => await page.getByRole('img', { name: 'dot.png' }).evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth) === 1);
    });

    it('shows what is related as a list and a graph, which fans out by keyboard', async () => {

        await open('test/parent?tab=relations');
        await page.getByRole('heading', { name: 'Referred to by' }).waitFor();
        await page.getByRole('link', { name: 'Sea temperatures' }).waitFor();

        expect(await page.getByRole('button', { name: 'Ada Lovelace, Person' }).count()).to.equal(0);

        await page.getByRole('button', { name: 'Sea temperatures, Dataset' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Ada Lovelace, Person' }).waitFor();
        await page.getByLabel('Property').selectOption('/partOf');
        await page.getByRole('button', { name: 'Ada Lovelace, Person' }).waitFor({ state: 'detached' });
    });

    it('explains rights, changes them, checks somebody, and goes back to the rules of the type', async () => {

        await create('Dataset', 'test/private', { title: 'Private' });
        await open('test/private?tab=rights');
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await page.getByRole('button', { name: 'Remove everyone' }).click();
        await page.getByRole('combobox', { name: 'Add a user' }).fill('alic');
        await page.getByRole('option', { name: 'alice' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('link', { name: 'alice' }).waitFor();

        expect(JSON.parse(await send('GET', '/acls/test/private'))).to.equal({ readers: ['test/alice'] });

        await page.getByRole('combobox', { name: 'User' }).fill('alic');
        await page.getByRole('option', { name: 'alice' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.getByRole('option', { name: 'alice', selected: true }).waitFor();
        await page.keyboard.press('Enter');
        await page.getByText('✓ may read', { exact: true }).first().waitFor();
        await page.getByText('✗ may not change and delete').first().waitFor();
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await page.getByRole('button', { name: 'Back to the rules' }).click();
        await page.getByRole('row', { name: 'read everyone' }).waitFor();

        expect(JSON.parse(await send('GET', '/acls/test/private'))).to.equal({});
    });

    it('does not overwrite the rights that somebody else has changed meanwhile', async () => {

        watched.expected.push(/412/);
        await create('Dataset', 'test/contested', { title: 'Contested' });
        await open('test/contested?tab=rights');
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await send('PUT', '/acls/test/contested', '{"readers":["test/ada"]}');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Somebody else has changed this object meanwhile').first().waitFor();

        expect(JSON.parse(await send('GET', '/acls/test/contested'))).to.equal({ readers: ['test/ada'] });
    });

    it('makes a change of rights to the list that somebody else has changed meanwhile, and shows it before it is saved again', async () => {

        watched.expected.push(/412/);
        await create('Dataset', 'test/both', { title: 'Both' });
        await send('PUT', '/acls/test/both', '{"readers":["public"]}');
        await open('test/both?tab=rights');
        await page.getByRole('button', { name: 'Change who may read', exact: true }).click();
        await page.getByRole('combobox', { name: 'Add a user' }).fill('alic');
        await page.getByRole('option', { name: 'alice' }).click();
        await send('PUT', '/acls/test/both', '{"readers":["test/ada"]}');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('button', { name: 'Remove everyone' }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Remove Ada Lovelace' }).waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('link', { name: 'alice' }).waitFor();

        expect(JSON.parse(await send('GET', '/acls/test/both'))).to.equal({ readers: ['test/ada', 'test/alice'] });
    });

    it('publishes a version, shows the difference and restores it with exact numbers', async () => {

        await create('Dataset', 'test/versioned', '{"title":"First","exact":1.10}');
        await open('test/versioned?tab=history');
        await page.getByRole('button', { name: 'Publish a version' }).click();
        await page.getByLabel('Id of the version').fill('test/versioned-1');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        await page.getByRole('link', { name: 'test/versioned-1' }).waitFor();
        await send('PUT', '/objects/test/versioned', '{"title":"Second","exact":2}');
        await page.reload();
        await page.getByRole('cell', { name: '"title": "Second"' }).waitFor();
        await page.getByRole('cell', { name: '"title": "First"' }).waitFor();
        const release = await holdRequests(page, (request) => request.url().includes('/objects/test/versioned-1'));
        await page.getByRole('button', { name: 'Restore' }).click();
        const restore = page.getByRole('dialog').getByRole('button', { name: 'Restore' });

        expect(await restore.isDisabled()).to.equal(true);
        release();
        await restore.click();
        await page.getByText('Both are the same').first().waitFor();

        expect(await send('GET', '/objects/test/versioned')).to.equal('{"title":"First","exact":1.10}');

        await open('test/versioned-1');
        await page.getByText('This is a version of').first().waitFor();
    });

    it('calls a method with the input that it describes', async () => {

        await open('test/sea?tab=methods');
        await page.getByText('count words').click();
        await page.getByLabel('factor').fill('3');
        await page.getByRole('button', { name: 'Call count' }).click();
        await page.getByText('"words": 6').first().waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);

        await page.getByRole('button', { name: 'As JSON' }).click();
        await page.getByText('"factor"').first().waitFor();
        await page.getByRole('button', { name: 'Call count' }).click();
        await page.getByText('"words": 6').first().waitFor();
    });

    it('says what refers to an object before it is deleted', async () => {

        await create('Dataset', 'test/target', { title: 'Target' });
        await create('Dataset', 'test/pointing', { title: 'It points', partOf: 'test/target' });
        await open('test/target');
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByText('1 object refers to it').first().waitFor();
        await page.getByRole('dialog').getByRole('link', { name: 'It points' }).waitFor();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.waitForURL(/#objects\/\?query/);

        expect((await fetch(`${test.url}/objects/test/target`)).status).to.equal(404);
    });

    it('says when an object was changed or deleted while it was shown', async () => {

        watched.expected.push(/404/);
        await create('Dataset', 'test/moving', { title: 'Before' });
        await open('test/moving');
        await page.getByRole('heading', { name: 'Before' }).waitFor();
        await send('PUT', '/objects/test/moving', '{"title":"After"}');
        const renew = page.getByRole('button', { name: 'Show the new state' });
        // The page may not listen yet.
        await until(async () => {

            await page.evaluate('dispatchEvent(new Event("focus"))');
            return renew.isVisible();
        });
        await renew.click();
        await page.getByRole('heading', { name: 'After' }).waitFor();
        // Also just after another question, and twice at once.
        await page.evaluate('dispatchEvent(new Event("focus"))');
        await send('DELETE', '/objects/test/moving');
        await page.evaluate('dispatchEvent(new Event("focus")); dispatchEvent(new Event("focus"))');
        await page.getByText('has been deleted since').first().waitFor();
    });

    it('shows hostile texts as text, and finds objects by ids with any characters', async () => {

        const id = 'test/odd id#?%2F';
        await create('Dataset', id, { title: '"><img src=x onerror=alert(1)>', note: `\u05e9\u05dc\u05d5\u05dd ${'x'.repeat(65_536)}` });
        await open(`test/${encodeURIComponent('odd id#?%2F')}`);
        await page.getByRole('heading', { level: 1, name: '"><img src=x onerror=alert(1)>' }).waitFor();
        await page.getByRole('button', { name: 'Show all' }).waitFor();

        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).to.be.most(0);
        expect(await accessibilityFindings(page)).to.equal([]);
    });

    it('shows an object of 1 MB step by step', async () => {

        const rows = Array.from({ length: 1300 }, (_, index) => ({ index, text: `row ${index} ${'text '.repeat(160)}`, deep: { a: [index] } }));
        await create('Dataset', 'test/big', { title: 'Large', rows });
        await open('test/big');
        await page.getByText('1,300 entries').click();
        await page.getByRole('button', { name: 'Show 40 more' }).waitFor();

        expect(await page.getByText('row 19 ').count()).to.equal(1);
        expect(await page.getByText('row 20 ').count()).to.equal(0);
    });

    it('says that there is no such object, or that a login is needed', async () => {

        watched.expected.push(/40[14]/);
        await open('test/nothing');
        await page.getByRole('heading', { name: 'There is no object “test/nothing”' }).waitFor();

        expect(await accessibilityFindings(page)).to.equal([]);

        await create('Dataset', 'test/secret', { title: 'Secret' });
        await send('PUT', '/acls/test/secret', '{"readers":[]}');
        await page.goto('about:blank');
        await page.context().setExtraHTTPHeaders({});
        await open('test/secret');
        await page.getByRole('heading', { name: 'You have to log in' }).waitFor();
    });
});
