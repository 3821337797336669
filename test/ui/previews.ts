/** Previews of files of each kind and the difference of versions, to axe: in light and dark, wide and narrow. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { findingsOnEachScreen, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { DOT, PDF, RECORD_VIDEO, wav } from '../support/media.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const SHEET = { type: 'object', properties: { title: { type: 'string' }, text: { type: 'string' }, parts: { type: 'array', items: { type: 'string' } } } };

describe('what the web UI shows of files and versions', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    before(async () => {

        await ui.ask('PUT', '/schemas/Sheet', SHEET);
        await ui.ask('POST', '/objects?type=Sheet&handle=test/sheet', { title: 'Before', text: 'one\ntwo\nthree', parts: ['a', 'b'] });
        await ui.ask('POST', '/versions?objectId=test/sheet&versionId=test/sheet-first');
        await ui.ask('PUT', '/objects/test/sheet', { title: 'After', text: 'one\nTWO\nthree', parts: ['b', 'c', 'd'] });
    });

    it('is accessible: pictures, PDF, sound, films, tables, text, Markdown and code', async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#schemas`);
        const video = Buffer.from(await page.evaluate<string>(RECORD_VIDEO), 'base64');
        const files: Readonly<Record<string, readonly [bytes: Buffer | string, type: string]>> = {
            'dot.png': [DOT, 'image/png'], 'paper.pdf': [PDF, 'application/pdf'], 'tone.wav': [wav(), 'audio/wav'], 'colours.webm': [video, 'video/webm'],
            'table.csv': [`a,b\n${'1,"a long cell that does not break"\n'.repeat(60)}`, 'text/csv'], 'log.txt': ['a line that is longer than a phone is wide, by far, and goes on\n'.repeat(80), 'text/plain'],
            'readme.md': ['# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] open\n\n`code`\n', 'text/markdown'], 'page.html': ['<script>alert(1)</script>', 'text/html']
        };
        const form = new FormData();
        form.append('content', '{"title":"Files"}');
        Object.entries(files).forEach(([name, [bytes, type]]) => form.append(name, new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name, { type })));
        const made = await fetch(`${ui.url}/objects?type=Sheet&handle=test/files`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
        expect(made.status, await made.text()).to.equal(200);

        await page.goto(`${ui.url}/#objects/test/files?tab=files`);
        for (const name of Object.keys(files)) {
            await page.getByRole('button', { name: `Preview: ${name}` }).click();
            await page.getByRole('button', { name: `Close the preview: ${name}` }).waitFor();
        }

        await page.getByRole('img', { name: 'dot.png' }).waitFor();
        await page.getByRole('heading', { name: 'Title' }).waitFor();
        await page.getByText('<script>alert(1)</script>').waitFor();
        await ui.watched.idle();

        expect(await findingsOnEachScreen(page)).to.equal([]);
    });

    it('is accessible: what differs between two versions', async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/test/sheet?tab=history`);
        const difference = page.getByRole('region', { name: 'Difference' });
        await difference.getByText('After').first().waitFor();
        await difference.getByText('Before').first().waitFor();
        await ui.watched.idle();

        expect(await findingsOnEachScreen(page)).to.equal([]);
    });
});
