/** Names and texts that are code, wherever somebody may choose them: shown as text on each tab of an object, in searches and by the design. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Page } from 'playwright-core';
import { accessibilityFindings, hasBrowser, logInAsAdmin } from '../support/browser.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, afterEach } = lab;

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{1+1}}\u202e';

/** The same with letters that ids and names of files may have, and longer than a phone is wide. */
const LONG = `${HOSTILE.replace('\u202e', '')}${'x'.repeat(120)}`;

const CODE = `exports.methods = { ${JSON.stringify(HOSTILE)}: () => ({ answer: ${JSON.stringify(HOSTILE)} }), fail: () => { throw ${JSON.stringify(HOSTILE)}; } };`;

const SHEET = {
    type: 'object', properties: {
        title: { type: 'string', title: HOSTILE, cordra: { preview: { isPrimary: true } } }, kind: { type: 'string', title: `Kind ${HOSTILE}`, enum: [HOSTILE, 'plain'], cordra: { preview: { showInPreview: true } } },
        about: { type: 'string', cordra: { type: { handleReference: {} } } }
    }
};

const ID = `test/${LONG}`;

const TABS = ['', 'files', 'relations', 'rights', 'history', 'methods', 'json'];

describe('hostile names in the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    let page: Page;

    before(async () => {

        const send = async (method: string, path: string, body?: unknown): Promise<void> => {

            const response = await ui.ask(method, path, body);
            expect(response.status, `${method} ${path}: ${await response.text()}`).to.equal(200);
        };

        await send('POST', '/objects?type=Schema&handle=test/type', { identifier: '', name: 'Sheet', schema: SHEET, javascript: CODE });
        await send('POST', '/objects?type=Group&handle=test/group', { groupName: HOSTILE, description: HOSTILE, users: [] });
        await send('POST', '/objects?type=Sheet&handle=test/other', { title: HOSTILE, kind: HOSTILE });
        const form = new FormData();
        form.append('content', JSON.stringify({ title: HOSTILE, kind: HOSTILE, about: 'test/other', [HOSTILE]: { [HOSTILE]: [HOSTILE] } }));
        for (const [name, file] of [['one', HOSTILE], [LONG, `${LONG}.txt`]] as const) {
            form.append(name, new File([HOSTILE], file, { type: 'text/plain' }));
        }

        const made = await fetch(`${ui.url}/objects?type=Sheet&handle=${encodeURIComponent(ID)}`, { method: 'POST', headers: { Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }, body: form });
        expect(made.status, await made.text()).to.equal(200);
        await send('POST', `/versions?objectId=${encodeURIComponent(ID)}&versionId=${encodeURIComponent(`${ID}-version`)}`);
        await send('PUT', `/objects/${encodeURIComponent(ID)}?jsonPointer=/kind`, '"plain"');
        await send('PUT', `/acls/${encodeURIComponent(ID)}`, { readers: ['test/group', HOSTILE], writers: [], methods: { [HOSTILE]: [HOSTILE] } });
    });

    beforeEach(async () => {

        ({ page } = ui);
        await page.addInitScript('window.alert = () => { document.documentElement.dataset.run = "yes"; };');
        await logInAsAdmin(page, ui.url);
    });

    const open = async (fragment: string): Promise<void> => {

        await page.goto(`${ui.url}/#${fragment}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await ui.watched.idle();
    };

    /** Nothing has become an element or run, and nothing is wider than the screen. */
    const expectText = async (what: string): Promise<void> => {

        expect(await page.locator('img[src=x], main script').count(), what).to.equal(0);
        expect(await page.evaluate('document.documentElement.dataset.run ?? null'), what).to.be.null();
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), what).to.be.most(0);
    };

    afterEach(() => {

        expect(ui.questions).to.equal(0);
    });

    it('are text on all tabs of an object, also on a phone', { timeout: 1_200_000 }, async () => {

        for (const width of [1280, 360]) {
            await page.setViewportSize({ width, height: 900 });
            for (const tab of TABS) {
                await open(`objects/${encodeURIComponent(ID).replaceAll('%2F', '/')}${tab === '' ? '' : `?tab=${tab}`}`);
                await page.getByRole('main').getByText('<img src=x onerror=alert(1)>').first().waitFor();
                await expectText(`${tab} ${width}`);
            }

            expect(await accessibilityFindings(page), String(width)).to.equal([]);
        }
    });

    it('are text in what a method answers, and in what it throws', async () => {

        ui.watched.expected.push(/status of 400/);
        await open(`objects/test/other?tab=methods`);
        const method = page.locator('details.method').filter({ hasText: '<img' });
        await method.locator('summary').click();
        await method.getByRole('button', { name: /^Call/ }).click();
        await method.getByRole('status').getByText('answer').waitFor();
        await method.getByRole('status').getByText('<img src=x').first().waitFor();
        const failing = page.locator('details.method').filter({ has: page.locator('summary', { hasText: 'fail' }) });
        await failing.locator('summary').click();
        await failing.getByRole('button', { name: /^Call/ }).click();
        await failing.getByRole('alert').getByText('<img src=x').first().waitFor();
        await expectText('methods');
    });

    it('are text in filters, chips and the form', async () => {

        await page.setViewportSize({ width: 1280, height: 900 });
        await open('objects/?query=type:Sheet');
        await page.locator('fieldset.facet').filter({ hasText: 'Kind' }).first().waitFor();
        await page.locator('fieldset.facet').first().getByRole('checkbox').first().check();
        await page.getByRole('list', { name: 'Filters' }).getByText('<img src=x').first().waitFor();
        await expectText('search');
        await open('objects/test/other?edit');
        await expectText('edit');
    });

    it('are text in the title and the navigation of the design, and its addresses run nothing', async () => {

        const links = [
            { type: 'url', title: HOSTILE, url: 'javascript:alert(1)' }, { type: 'url', title: 'data', url: 'data:text/html,<script>alert(1)</script>' }, { type: 'url', title: 'spaced', url: ' java\nscript:alert(1)' },
            { type: 'query', title: HOSTILE, query: HOSTILE }, { type: 'typeDropdown', title: HOSTILE }, { type: 'menu', title: HOSTILE, links: [{ type: 'url', title: HOSTILE, url: 'JAVASCRIPT:alert(1)' }] }
        ];
        const stored = await ui.ask('PUT', '/objects/design?jsonPointer=/uiConfig', { title: `${HOSTILE}${'y'.repeat(200)}`, navBarLinks: links, relationshipsButtonText: HOSTILE, initialFragment: 'javascript:alert(1)', initialQuery: HOSTILE });
        expect(stored.status, await stored.text()).to.equal(200);
        try {
            for (const width of [1280, 360]) {
                await page.setViewportSize({ width, height: 900 });
                await open('objects/test/other');
                await page.getByRole('banner').getByText('<img src=x').first().waitFor();
                await expectText(`design ${width}`);

                expect(await page.locator('a[href]').evaluateAll((all) => all.map((each) => (each as unknown as { href: string }).href).filter((href) => /^(?:javascript|data):/i.test(href)))).to.equal([]);
                expect(await accessibilityFindings(page), String(width)).to.equal([]);
            }

            await page.goto('about:blank');
            await page.goto(`${ui.url}/`);
            await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
            await ui.watched.idle();
            await expectText('start');
        }
        finally {
            await ui.ask('DELETE', '/objects/design?jsonPointer=/uiConfig');
        }
    });
});
