/** Changes of objects and their files on the screen of an object: versions that are restored, clones, other types, files that are dropped, previews. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFindings, announced, hasBrowser, holds, logInAsAdmin, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { PDF, RECORD_VIDEO, wav } from '../support/media.js';
import { startServer, type TestServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

const DATASET = {
    type: 'object', required: ['title'], properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true } } },
        partOf: { type: 'string', cordra: { type: { handleReference: { types: ['Dataset'] } } } }
    }
};

const REPORT = { type: 'object', required: ['title'], properties: { title: { type: 'string', maxLength: 10, cordra: { preview: { isPrimary: true } } } } };

describe('changes on the screen of an object', { skip: !hasBrowser }, () => {

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

    async function create(id: string, content: string, files: Readonly<Record<string, readonly [string | Buffer, mediaType: string]>> = {}): Promise<void> {

        const form = new FormData();
        form.append('content', content);
        Object.entries(files).forEach(([name, [bytes, type]]) => form.append(name, new File([bytes], name, { type })));
        await send('POST', `/objects?type=Dataset&handle=${encodeURIComponent(id)}`, form);
    }

    async function open(fragment: string): Promise<void> {

        await page.goto(`${test.url}/#objects/${fragment}`);
    }

    async function choose(item: string): Promise<void> {

        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: item }).click();
    }

    before(async () => {

        [test, browser] = await Promise.all([startServer({ MAX_RELATED_OBJECTS: 3 }), startBrowser()]);
        await send('PUT', '/schemas/Dataset', JSON.stringify(DATASET));
        await send('PUT', '/schemas/Report', JSON.stringify(REPORT));
    });

    after(async () => {

        await browser.close();
        await test.stop();
    });

    beforeEach(async () => {

        watched = await openPage(browser, test.url);
        ({ page } = watched);
        await logInAsAdmin(page, test.url);
    });

    afterEach(async () => {

        await watched.close();
        expect(watched.complaints).to.equal([]);
    });

    it('restores the content, the files and, if it is wanted, the rights of a version', async () => {

        await create('test/kept', '{"title":"First","exact":1.10}', { 'same.txt': ['old', 'text/plain'], 'gone.txt': ['only then', 'text/x-log'] });
        await send('PUT', '/acls/test/kept', '{"readers":["public"],"writers":[]}');
        await send('POST', '/versions?objectId=test/kept&versionId=test/kept-1&clonePayloads=true');
        const form = new FormData();
        form.append('content', '{"title":"Second"}');
        form.append('same.txt', new File(['new'], 'same.txt', { type: 'text/plain' }));
        form.append('later.txt', new File(['later'], 'later.txt', { type: 'text/plain' }));
        await send('PUT', '/objects/test/kept?payloadToDelete=gone.txt', form);
        await send('PUT', '/acls/test/kept', '{"readers":["authenticated"],"writers":[]}');
        await open('test/kept?tab=history');
        await page.getByRole('button', { name: 'Restore' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('These files, which the version does not have, are deleted: later.txt').waitFor();

        expect(await dialog.getByLabel('Restore the 2 files of the version').isChecked()).to.be.true();
        expect(await accessibilityFindings(page)).to.equal([]);
        await dialog.getByLabel('Restore the rights as well').check();
        await dialog.getByRole('button', { name: 'Restore' }).click();
        await announced(page, 'The version is restored');
        const { content, acl, payloads } = JSON.parse(await send('GET', '/objects/test/kept?full')) as Record<string, unknown>;

        expect(content).to.equal({ title: 'First', exact: 1.1 });
        expect(await send('GET', '/objects/test/kept')).to.include('"exact":1.10');
        expect(acl).to.equal({ readers: ['public'], writers: [] });
        expect((payloads as readonly { readonly name: string; readonly mediaType: string }[]).map(({ name, mediaType }) => `${name} ${mediaType}`).sort())
            .to.equal(['gone.txt text/x-log', 'same.txt text/plain']);
        expect(await send('GET', '/objects/test/kept?payload=same.txt')).to.equal('old');
    });

    it('keeps the files of an object when the version that is restored has none, and says so', async () => {

        await create('test/without', '{"title":"First"}', { 'data.txt': ['data', 'text/plain'] });
        await send('POST', '/versions?objectId=test/without&versionId=test/without-1&clonePayloads=false');
        await send('PUT', '/objects/test/without', '{"title":"Second"}');
        await open('test/without?tab=history');
        await page.getByRole('button', { name: 'Restore' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('The file of the object stays as it is.').waitFor();
        await dialog.getByText('The rights are the same.').waitFor();
        await dialog.getByRole('button', { name: 'Restore' }).click();
        await announced(page, 'The version is restored');

        expect(await send('GET', '/objects/test/without')).to.equal('{"title":"First"}');
        expect(await send('GET', '/objects/test/without?payload=data.txt')).to.equal('data');
    });

    it('does not restore over a change that somebody else has made meanwhile', async () => {

        watched.expected.push(/412/);
        await create('test/raced', '{"title":"First"}');
        await send('POST', '/versions?objectId=test/raced&versionId=test/raced-1');
        await send('PUT', '/objects/test/raced', '{"title":"Second"}');
        await open('test/raced?tab=history');
        await page.getByRole('button', { name: 'Restore' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('The rights are the same.').waitFor();
        await send('PUT', '/objects/test/raced', '{"title":"Third"}');
        await dialog.getByRole('button', { name: 'Restore' }).click();
        await dialog.getByRole('alert').getByText('Somebody else has changed this object meanwhile').waitFor();

        expect(await send('GET', '/objects/test/raced')).to.equal('{"title":"Third"}');
    });

    it('publishes and deletes no other version than the one that is shown', async () => {

        watched.expected.push(/412/);
        await create('test/seen', '{"title":"First"}');
        await open('test/seen?tab=history');
        await page.getByRole('button', { name: 'Publish a version' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox').fill('test/seen-1');
        await send('PUT', '/objects/test/seen', '{"title":"Second"}');
        await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
        await dialog.getByRole('alert').getByText('Somebody else has changed this object meanwhile').waitFor();

        expect(JSON.parse(await send('GET', '/versions?objectId=test/seen'))).to.have.length(1);

        await page.reload();
        await page.getByRole('button', { name: 'Publish a version' }).click();
        await dialog.getByRole('textbox').fill('test/seen-1');
        await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });

        expect(await send('GET', '/objects/test/seen-1')).to.equal('{"title":"Second"}');
    });

    it('clones an object into a form, and stores nothing before that is saved', async () => {

        await create('test/original #1', '{"title":"Original","exact":1.10}');
        await open('test/original%20%231');
        await choose('Clone');
        await page.waitForURL(/#create\/Dataset\?from=/);
        const title = page.getByRole('textbox', { name: 'Title' });

        await holds(title, 'Original');
        expect((JSON.parse(await send('GET', '/search?query=type:Dataset AND /title:original&ids')) as { readonly size: number }).size).to.equal(1);
        await title.fill('A copy');
        await page.getByRole('button', { name: /^(Create|Save)$/ }).first().click();
        await page.getByRole('heading', { level: 1, name: 'A copy' }).waitFor();
        const { results } = JSON.parse(await send('GET', '/search?query=/title:copy&ids')) as { readonly results: readonly string[] };

        expect(await send('GET', `/objects/${results[0]}`)).to.equal('{"title":"A copy","exact":1.10}');
    });

    it('moves an object to another type, after saying whether its content is valid there', async () => {

        watched.expected.push(/400/);
        await create('test/moved', '{"title":"A title that is too long"}');
        await open('test/moved');
        await choose('Move to another type');
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('New type').selectOption('Report');
        await dialog.getByText('The content is not valid for Report').waitFor();
        await dialog.getByText('/title', { exact: true }).waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await send('PUT', '/objects/test/moved', '{"title":"Short"}');
        await page.reload();
        await choose('Move to another type');
        await dialog.getByLabel('New type').selectOption('Report');
        await dialog.getByText('The content is valid for Report.').waitFor();
        await dialog.getByRole('button', { name: 'Move' }).click();
        await page.getByRole('article').getByRole('link', { name: 'Report', exact: true }).first().waitFor();

        expect(JSON.parse(await send('GET', '/objects/test/moved?full'))).to.include({ type: 'Report' });
    });

    it('stores files that are dropped', async () => {

        await create('test/dropped', '{"title":"Dropped"}');
        await open('test/dropped?tab=files');
        const zone = page.getByText('Drop files here');
        await zone.waitFor();
        const transfer = await page.evaluateHandle(`(() => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(['first'], 'one.txt', { type: 'text/plain' }));
            transfer.items.add(new File(['second'], 'zwei \u05d0.txt', { type: 'text/plain' }));
            return transfer;
        })()`);
        await zone.dispatchEvent('dragenter', { dataTransfer: transfer });
        await zone.dispatchEvent('dragover', { dataTransfer: transfer });
        await zone.dispatchEvent('drop', { dataTransfer: transfer });
        await announced(page, '2 files are stored');

        expect(await send('GET', '/objects/test/dropped?payload=one.txt')).to.equal('first');
        expect(await send('GET', `/objects/test/dropped?payload=${encodeURIComponent('zwei \u05d0.txt')}`)).to.equal('second');
    });

    it('does not give a file the name of another one', async () => {

        await create('test/names', '{"title":"Names"}', { 'a.txt': ['of a', 'text/plain'], 'b.txt': ['of b', 'text/plain'] });
        await open('test/names?tab=files');
        await page.getByRole('button', { name: 'More about a.txt' }).click();
        await page.getByRole('menuitem', { name: 'Rename' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name of the file in the object').fill(' b.txt');
        await dialog.getByRole('button', { name: 'Rename' }).click();
        await dialog.getByRole('alert').getByText('The object has another file of the name b.txt').waitFor();

        expect(await send('GET', '/objects/test/names?payload=a.txt')).to.equal('of a');
        expect(await send('GET', '/objects/test/names?payload=b.txt')).to.equal('of b');
    });

    it('does not say that nothing has changed when an upload is cancelled after all of it was sent', async () => {

        await create('test/sent', '{"title":"Sent"}');
        await open('test/sent?tab=files');
        await page.getByText('Drop files here').waitFor();
        // Everything is sent, and the page does not hear of the response.
        await page.evaluate(`(() => {
            const { send } = XMLHttpRequest.prototype;
            XMLHttpRequest.prototype.send = function (body) {
                this.upload.addEventListener('load', () => document.body.dataset.sent = 'yes');
                send.call(this, body);
            };
            const { addEventListener } = XMLHttpRequest.prototype;
            XMLHttpRequest.prototype.addEventListener = function (type, ...rest) {
                if (type !== 'load') {
                    addEventListener.call(this, type, ...rest);
                }
            };
        })()`);
        await page.locator('input[type=file]').first().setInputFiles({ name: 'sent.txt', mimeType: 'text/plain', buffer: Buffer.from('all of it') });
        await page.locator('body[data-sent]').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await announced(page, 'the service may still store it');
    });

    it('asks for a login when the session has ended before an upload, and then goes on with the same files', async () => {

        watched.expected.push(/401/);
        await create('test/late', '{"title":"Late"}');
        await open('test/late?tab=files');
        await page.getByText('Drop files here').waitFor();
        await watched.idle();
        const [cookie] = await page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        await page.locator('input[type=file]').first().setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('not lost') });
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
        await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
        await announced(page, 'The file is stored');

        expect(await send('GET', '/objects/test/late?payload=late.txt')).to.equal('not lost');
    });

    it('says that there was no upload when the user does not log in again', async () => {

        watched.expected.push(/401/);
        await create('test/given-up', '{"title":"Given up"}');
        await open('test/given-up?tab=files');
        await page.getByText('Drop files here').waitFor();
        await watched.idle();
        const [cookie] = await page.context().cookies();
        await fetch(`${test.url}/auth/revoke`, { method: 'POST', body: new URLSearchParams({ token: cookie?.value ?? '' }) });
        await page.locator('input[type=file]').first().setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('not stored') });
        await page.getByRole('dialog', { name: 'Your session has ended' }).getByRole('button', { name: 'Close' }).click();
        await page.locator('.message.error').waitFor();
        await page.getByText('Drop files here').waitFor();

        expect(JSON.parse(await send('GET', '/objects/test/given-up?full'))).to.not.include('payloads');
    });

    it('plays audio and video, and shows PDF in a frame', async () => {

        const video = Buffer.from(await page.evaluate<string>(RECORD_VIDEO), 'base64');
        await create('test/media', '{"title":"Media"}', { 'tone.wav': [wav(), 'audio/wav'], 'colours.webm': [video, 'video/webm'], 'paper.pdf': [PDF, 'application/pdf'] });
        await open('test/media?tab=files');
        for (const [name, measure, expected] of [['tone.wav', 'duration', 0.1], ['colours.webm', 'videoWidth', 64]] as const) {
            await page.getByRole('button', { name: `Preview: ${name}` }).click();
            const player = page.getByLabel(name, { exact: true });
            await player.waitFor();
            const read = await player.evaluate((element, member) => new Promise<number>((resolve, reject) => {

                const media = element as unknown as Record<string, number> & {
                    readonly error: { readonly message: string } | null; addEventListener(type: string, done: () => void): void;
                };
                const report = (): void => (media.error ? reject(new Error(media.error.message)) : resolve(media[member] ?? 0));
                media.addEventListener('error', report);
                media.addEventListener('loadedmetadata', report);
                if ((media['readyState'] ?? 0) >= 1 || media.error) {
                    report();
                }
            }), measure);

            expect(read, name).to.be.about(expected, 0.05);
        }

        const [response] = await Promise.all([
            page.waitForResponse((each) => each.url().includes('payload=paper.pdf')), page.getByRole('button', { name: 'Preview: paper.pdf' }).click()
        ]);

        expect([response.status(), response.headers()['content-type']]).to.equal([200, 'application/pdf']);
        expect(await page.getByTitle('paper.pdf').evaluate((frame) => (frame as unknown as { tagName: string }).tagName)).to.equal('IFRAME');
        await page.getByText('If your browser shows nothing here').waitFor();
    });

    it('shows names of 64 KB and texts from right to left without a broken layout', async () => {

        const long = 'W'.repeat(65_536);
        await create('test/rtl', JSON.stringify({ title: '\u05e9\u05dc\u05d5\u05dd (abc) 123 \u0643\u062a\u0627\u0628', text: '\u202eabc' }));
        await create('test/long', JSON.stringify({ title: long, partOf: 'test/rtl', [`key-${'k'.repeat(2000)}`]: long }), { [`${'f'.repeat(200)}.txt`]: [long, 'text/plain'] });
        await send('POST', '/versions?objectId=test/long&versionId=test/long-1');
        for (const [id, tabs] of [['test/long', ['content', 'files', 'relations', 'rights', 'history', 'methods', 'json']], ['test/rtl', ['content', 'relations']]] as const) {
            for (const tab of tabs) {
                await page.setViewportSize({ width: 1280, height: 800 });
                await open(`${id}?tab=${tab}`);
                await page.getByRole('article').getByRole('heading', { level: 1 }).waitFor();
                await page.locator('.loading').waitFor({ state: 'detached' });
                for (const width of [1280, 360]) {
                    await page.setViewportSize({ width, height: 800 });

                    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), `${id} ${tab} ${width}`).to.be.most(0);
                }
            }
        }
    });

    it('says that relations are incomplete when there are more than the service returns', async () => {

        await create('test/hub', '{"title":"Hub"}');
        for (let i = 0; i < 5; ++i) {
            await create(`test/spoke-${i}`, `{"title":"Spoke ${i}","partOf":"test/hub"}`);
        }

        await open('test/hub?tab=relations');
        await page.getByText('There are more than the service returns at once').waitFor();

        expect(await page.getByRole('article').getByRole('link', { name: /^Spoke \d$/ }).count()).to.equal(3);
    });
});
