/** The page of the web UI and its files, as browsers request them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startServer, type TestServer } from '../../support/server.js';
import { rawGet } from '../../support/raw-get.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page of the web UI', () => {

    let test: TestServer;

    before(async () => {

        test = await startServer({ BASE_PATH: '/api', UI_PATH: '/pages' });
    });

    after(() => test.stop());

    const page = async (path: string): Promise<{ readonly response: Response; readonly html: string }> => {

        const response = await fetch(test.url + path, { headers: BROWSER });
        return { response, html: await response.text() };
    };

    const filesOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(\/api[^"]*\/pages\/[^"]+)"/g)].map(([, path = '']) => path);

    it('is at the front and at UI_PATH, below BASE_PATH and below /cordra, with the paths that belong to it', async () => {

        for (const [path, base] of [['', '/api'], ['/', '/api'], ['/pages', '/api'], ['/pages/', '/api'], ['/cordra', '/api/cordra'], ['/cordra/pages', '/api/cordra']]) {
            const { response, html } = await page(path ?? '');

            expect(response.status, path).to.equal(200);
            expect(html, path).to.contain(`&quot;base&quot;:&quot;${base}&quot;`);
            expect(filesOf(html).every((file) => file.startsWith(`${base}/pages/`)), path).to.be.true();
        }
    });

    it('is JSON for programs at the front', async () => {

        const response = await fetch(test.url);

        expect(response.headers.get('content-type') ?? '').to.startWith('application/json');
        expect(response.headers.get('vary')).to.match(/\baccept\b/i);
    });

    it('has a content security policy with another nonce for each response, and is not cached', async () => {

        const pages = [await page('/'), await page('/')];
        const nonces = pages.map(({ response }) => /style-src 'self' 'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? '');

        expect(new Set(nonces).size).to.equal(2);
        for (const [index, { response, html }] of pages.entries()) {
            const policy = response.headers.get('content-security-policy') ?? '';
            expect(policy).to.startWith(`default-src 'none'; script-src 'self';`).and.not.contain('unsafe');
            expect(html).to.contain(`nonce="${nonces[index]}"`);
            expect(response.headers.get('cache-control')).to.equal('no-store');
            expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
        }
    });

    it('names files that browsers may keep, in the smallest encoding that they take', async () => {

        const { html } = await page('/');
        const files = filesOf(html);

        expect(files.length).to.be.at.least(2);
        for (const file of files) {
            const plain = await rawGet(test.port, file, {});
            const brotli = await rawGet(test.port, file, { 'accept-encoding': 'gzip, deflate, br' });
            const gzip = await rawGet(test.port, file, { 'accept-encoding': 'gzip, br;q=0' });

            expect(plain.headers['content-encoding'], file).to.be.undefined();
            expect(plain.headers['cache-control'], file).to.equal('public, max-age=31536000, immutable');
            expect(plain.headers['vary'], file).to.match(/accept-encoding/i);
            if (plain.body.length >= 256) {
                expect(brotli.headers['content-encoding'], file).to.equal('br');
                expect(brotliDecompressSync(brotli.body).equals(plain.body), file).to.be.true();
                expect(gzip.headers['content-encoding'], file).to.equal('gzip');
                expect(gunzipSync(gzip.body).equals(plain.body), file).to.be.true();
            }
        }
    });

    it('answers 404 for other files, also for paths that lead out of the folder', async () => {

        for (const file of ['nothing.js', 'index.json', '..%2F..%2Fpackage.json', '%2e%2e%2findex.json', 'constructor', '__proto__']) {
            expect((await rawGet(test.port, `/api/pages/${file}`, {})).status, file).to.equal(404);
        }
    });
});

describe('without the web UI', () => {

    it('is a page with links at the front, and nothing at UI_PATH', async () => {

        const test = await startServer({ UI: 'off' });
        try {
            const front = await fetch(test.url, { headers: BROWSER });

            expect(await front.text()).to.contain('/openapi.json').and.not.contain('<script');
            expect((await fetch(`${test.url}/ui`)).status).to.equal(404);
        }
        finally {
            await test.stop();
        }
    });
});
