/** The client for objects in Chromium, as the ES modules that are published, in pages of the origin of the service and of another one. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import type * as Client from '../../../../lib/client/web/index.js';
import { hasBrowser, openPage, startBrowser, type WatchedPage } from '../../../support/browser.js';
import { type FlakyProxy, startFlakyProxy } from '../../../support/flaky-proxy.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import { PAGE, type PageServer, startPageServer } from '../../../support/page-server.js';
import type { TestServer } from '../../../support/server.js';
import { startServer } from '../../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

/** What the page of the test has. Functions that run in the page see nothing else of this file. */
interface InPage {
    readonly client: typeof Client;
    readonly chosen: () => File;
}

const LARGE = randomBytes(5_000_000);

/** Opens the page and gives it the client. */
async function load(page: Page, { url }: Pick<PageServer, 'url'>): Promise<void> {

    await page.goto(url + PAGE);
    await page.waitForFunction(() => 'client' in globalThis);
    await page.setInputFiles('input', { name: 'plan ü.bin', mimeType: 'image/x-plan', buffer: LARGE });
}

for (const isSame of [true, false]) {
    describe(`the client for objects in a page of ${isSame ? 'the same' : 'another'} origin`, { skip: !hasBrowser }, () => {

        let service: TestServer;
        let proxy: FlakyProxy;
        let pages: PageServer;
        let browser: Browser;
        let watched: WatchedPage;
        let page: Page;
        let options: { readonly url: string; readonly password: string };

        before(async () => {

            [service, browser] = await Promise.all([startServer(), startBrowser()]);
            proxy = await startFlakyProxy(service.url);
            pages = await startPageServer(isSame ? ['\'self\''] : [proxy.url], isSame ? proxy.url : null);
            options = { url: isSame ? pages.url : proxy.url, password: ADMIN_PASSWORD };
        });

        after(async () => {

            await browser.close();
            await Promise.all([pages.stop(), proxy.stop()]);
            await service.stop();
        });

        beforeEach(async () => {

            proxy.next();
            watched = await openPage(browser, pages.url);
            ({ page } = watched);
            watched.expected.push(...isSame ? [] : [/a request to another origin/]);
            await load(page, pages);
        });

        afterEach(async () => {

            await watched.close();
            expect(watched.complaints).to.equal([]);
        });

        it('logs in, creates, searches, uploads a file, downloads it, and is told of a conflict', async () => {

            watched.expected.push(/status of (412|404)/);
            const seen = await page.evaluate(async ({ url, password }) => {

                const { client: { RepositoryClient, RepositoryError }, chosen } = globalThis as unknown as InPage;
                const repository = new RepositoryClient(url, { username: 'admin', password });
                const [sent, received]: Client.Progress[][] = [[], []];
                for (let i = 0; i < 25; ++i) {
                    await repository.create('Document', { set: 'page', i });
                }

                const found: string[] = [];
                for await (const id of repository.searchIds('/set:page', { pageSize: 10 })) {
                    found.push(id);
                }

                let read = 0;
                for await (const { content } of repository.search<{ i: number }>('/set:page', { pageSize: 10 })) {
                    read += content.i;
                }

                const made = await repository.create('Document', { name: 'with a file' }, { id: 'test/file', acl: { readers: ['public'] } });
                const etag = await repository.putPayload('test/file', { name: 'plan', body: chosen() }, {
                    ifMatch: made.etag, onProgress: (progress) => sent?.push(progress)
                });
                const download = await repository.getPayload('test/file', 'plan', { onProgress: (progress) => received?.push(progress) });
                const bytes = new Uint8Array(await new Response(download?.body).arrayBuffer());
                const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
                const original = new Uint8Array(await crypto.subtle.digest('SHA-256', await chosen().arrayBuffer()));
                const range = await repository.getPayload('test/file', 'plan', { range: { start: 1, end: 3 } });
                const part = new Uint8Array(await new Response(range?.body).arrayBuffer());
                const conflict: unknown = await repository.update('test/file', {}, { ifMatch: made.etag }).catch((error: unknown) => error);
                const { status, requestId } = conflict instanceof RepositoryError ? conflict : { status: NaN, requestId: null };
                await repository.logout();
                return {
                    found: new Set(found).size, read, sent, isSame: digest.join() === original.join(),
                    part: [...part.subarray(0, 3), part.length].join(),
                    bytes: [...bytes.subarray(1, 4), 3].join(), last: received?.at(-1), isGrowing: Number(received?.length) > 2, status, hasId: requestId !== null,
                    download: { filename: download?.filename, mediaType: download?.mediaType, size: download?.size, isCurrent: download?.etag === etag },
                    gone: await repository.get('test/none')
                };
            }, options);

            expect([seen.found, seen.read]).to.equal([25, 300]);
            expect(seen.sent).to.equal([{ loaded: LARGE.length, total: LARGE.length }]);
            expect([seen.isSame, seen.part, seen.isGrowing]).to.equal([true, seen.bytes, true]);
            expect(seen.last).to.equal({ loaded: LARGE.length, total: LARGE.length });
            expect(seen.download).to.equal({ filename: 'plan ü.bin', mediaType: 'image/x-plan', size: LARGE.length, isCurrent: true });
            expect([seen.status, seen.hasId, seen.gone]).to.equal([412, true, null]);
        });

        it('is aborted, before a response and in the middle of a download', async () => {

            const seen = await page.evaluate(async ({ url, password }) => {

                const { client: { RepositoryClient }, chosen } = globalThis as unknown as InPage;
                const repository = new RepositoryClient(url, { username: 'admin', password });
                const reasonOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', (error: unknown) => (error as Error).message);
                await repository.create('Document', {}, { id: 'test/aborted', payloads: [{ name: 'p', body: chosen() }] });
                const early = new AbortController();
                const upload = reasonOf(repository.putPayload('test/aborted', { name: 'q', body: chosen() }, { signal: early.signal }));
                early.abort(new Error('enough'));
                const late = new AbortController();
                const download = await repository.getPayload('test/aborted', 'p', {
                    signal: late.signal, onProgress: ({ loaded }) => loaded > 0 && late.abort(new Error('enough of it'))
                });
                const reader = download?.body.getReader();
                const rest = async (): Promise<void> => {

                    while ((await reader?.read())?.done === false) {
                        // To the end
                    }
                };

                const reasons = [await upload, await reasonOf(rest())];
                const stopped = await repository.getPayload('test/aborted', 'p');
                await stopped?.body.cancel();
                return { reasons, payloads: (await repository.get('test/aborted'))?.payloads?.length };
            }, options);

            expect(seen).to.equal({ reasons: ['enough', 'enough of it'], payloads: 1 });
        });

        it('renews its token', async () => {

            watched.expected.push(/status of 401/);
            const tokens = await page.evaluate(async ({ url, password }) => {

                const { client: { RepositoryClient }, chosen } = globalThis as unknown as InPage;
                const sent: (string | null)[] = [];
                const repository = new RepositoryClient(url, {
                    username: 'admin', password, fetch: (target, init) => {

                        sent.push(new Headers(init.headers).get('authorization'));
                        return fetch(target, init);
                    }
                });
                await repository.caller();
                const token = sent.at(-1)?.replace('Bearer ', '');
                await fetch(`${url}/auth/revoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) });
                const made = await repository.create('Document', {}, { payloads: [{ name: 'p', body: chosen() }] });
                return { used: [...new Set(sent.filter((header) => header !== null))].length, size: made.payloads?.[0]?.size };
            }, options);

            expect(tokens).to.equal({ used: 2, size: LARGE.length });
        });

        it('sends what is safe again after a lost connection, and says when a change may have been made', async () => {

            watched.expected.push(/ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_FAILED|status of 503|blocked by CORS policy/);
            const made = await page.evaluate(async ({ url, password }) => {

                const { client: { RepositoryClient } } = globalThis as unknown as InPage;
                const repository = new RepositoryClient(url, { username: 'admin', password, retries: { delayMs: 1 } });
                Object.assign(globalThis, { repository });
                return (await repository.create('Document', { name: 'first' }, { id: 'test/lost' })).etag;
            }, options);

            // The browser itself sends a request again, once, if a connection ends that was in use before.
            proxy.next('cut', 'cut', { status: 503 });
            const read = await page.evaluate(async () => {

                const { repository } = globalThis as unknown as { repository: Client.RepositoryClient };
                return (await repository.get<{ name: string }>('test/lost'))?.content.name;
            });
            const reads = proxy.requests.length;
            proxy.next('cut', 'cut', 'cut');
            const changed = await page.evaluate(async (ifMatch) => {

                const { repository } = globalThis as unknown as { repository: Client.RepositoryClient };
                return (await repository.update<{ name: string }>('test/lost', { name: 'second' }, { ifMatch })).content.name;
            }, made);
            proxy.next('lose', 'lose', 'lose', 'lose');
            const lost = await page.evaluate(async () => {

                const { repository, client: { RepositoryError } } = globalThis as unknown as InPage & { repository: Client.RepositoryClient };
                const error: unknown = await repository.create('Document', { name: 'lost' }, { id: 'test/lost-2' }).catch((reason: unknown) => reason);
                return error instanceof RepositoryError ? [error.status, error.attempts, error.mayHaveChanged] : String(error);
            });

            expect(reads).to.be.above(3);
            expect([read, changed]).to.equal(['first', 'second']);
            expect(lost).to.equal([0, 1, true]);
        });
    });
}

describe('the client for objects in a page without TLS', { skip: !hasBrowser }, () => {

    let service: TestServer;
    let pages: PageServer;
    let browser: Browser;

    before(async () => {

        [service, browser] = await Promise.all([startServer(), startBrowser(['--host-resolver-rules=MAP pages.test 127.0.0.1'])]);
        pages = await startPageServer(['\'self\''], service.url);
    });

    after(async () => {

        await browser.close();
        await pages.stop();
        await service.stop();
    });

    it('uploads, although such pages have fewer functions', async () => {

        const url = pages.url.replace('localhost', 'pages.test');
        const watched = await openPage(browser, url);
        await load(watched.page, { url });
        const seen = await watched.page.evaluate(async ({ url: own, password }) => {

            const { client: { RepositoryClient }, chosen } = globalThis as unknown as InPage;
            const repository = new RepositoryClient(own, { username: 'admin', password, insecure: true });
            const { payloads } = await repository.create('Document', {}, { payloads: [{ name: 'p', body: chosen() }] });
            return [(globalThis as unknown as { isSecureContext: boolean }).isSecureContext, payloads?.[0]?.size];
        }, { url, password: ADMIN_PASSWORD });
        await watched.close();

        expect(seen).to.equal([false, LARGE.length]);
        expect(watched.complaints).to.equal([]);
    });
});

describe('uploads of the client for objects in a page over HTTP/2', { skip: !hasBrowser }, () => {

    let service: TestServer;
    let pages: PageServer;
    let browser: Browser;

    before(async () => {

        [service, browser] = await Promise.all([startServer({}, { tls: true }), startBrowser()]);
        pages = await startPageServer([service.url]);
    });

    after(async () => {

        await browser.close();
        await pages.stop();
        await service.stop();
    });

    it('are streams, with progress, and end when they are aborted', async () => {

        const watched = await openPage(browser, pages.url, { ignoreHTTPSErrors: true });
        watched.expected.push(/a request to another origin/);
        await load(watched.page, pages);
        const seen = await watched.page.evaluate(async ({ url, password }) => {

            const { client: { RepositoryClient }, chosen } = globalThis as unknown as InPage;
            const repository = new RepositoryClient(url, { username: 'admin', password, uploads: 'stream' });
            const progress: Client.Progress[] = [];
            const { size } = chosen();
            const made = await repository.create('Document', {}, {
                id: 'test/streamed', payloads: [{ name: 'p', body: chosen().stream(), size }], onProgress: (report) => progress.push(report)
            });
            const stop = new AbortController();
            let isClosed = false;
            const endless = new ReadableStream<Uint8Array>({
                pull: (controller) => controller.enqueue(new Uint8Array(65_536)), cancel: () => {

                    isClosed = true;
                }
            });
            const aborted = repository.putPayload('test/streamed', { name: 'q', body: endless }, {
                signal: stop.signal, onProgress: ({ loaded }) => loaded > 1_000_000 && stop.abort(new Error('enough'))
            });
            const reason = await aborted.then(() => 'none', (error: unknown) => (error as Error).message);
            while (!isClosed) {
                await new Promise((resolve) => setTimeout(resolve, 10));
            }

            return {
                stored: made.payloads?.[0]?.size, reports: progress.length > 2, last: progress.at(-1), reason,
                left: (await repository.get('test/streamed'))?.payloads?.map(({ name }) => name)
            };
        }, { url: service.url, password: ADMIN_PASSWORD });
        await watched.close();

        expect(seen).to.equal({
            stored: LARGE.length, reports: true, last: { loaded: LARGE.length, total: LARGE.length }, reason: 'enough', left: ['p']
        });
        expect(watched.complaints).to.equal([]);
    });
});
