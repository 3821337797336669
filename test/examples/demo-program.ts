/** `npm run demo` as somebody shows it: it ends on a search page, and goes on with its data where they are kept. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { hasBrowser, openPage, startBrowser, type WatchedPage } from '../support/browser.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PROGRAM = join(__dirname, '../demo/main.js');

/** The last line: the page on which the demonstration ends. */
const PAGE = /^(http:\/\/\S+)\/#objects\/\?query=type:Package$/m;

interface Demonstration {
    readonly url: string;
    readonly output: string;
    /** Interrupts it, and waits until it has ended. */
    readonly interrupt: () => Promise<number | null>;
}

describe('the program of the demonstration', { skip: !hasBrowser, timeout: 600_000 }, () => {

    let folder: string;
    let browser: Browser;
    const running: ChildProcess[] = [];

    const start = (...args: readonly string[]): { readonly child: ChildProcess; readonly printed: () => string } => {

        const child = spawn(process.execPath, [PROGRAM, ...args], {
            env: { ...process.env, PORT: '0', DOIP_PORT: 'off', TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe']
        });
        let text = '';
        for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (chunk: Buffer) => {

                text += chunk.toString();
            });
        }

        running.push(child);
        return { child, printed: () => text };
    };

    const run = async (...args: readonly string[]): Promise<Demonstration> => {

        const { child, printed } = start(...args);
        await until(() => {

            expect(child.exitCode, printed()).to.be.null();
            return PAGE.test(printed());
        }, 300_000);
        const interrupt = async (): Promise<number | null> => {

            child.kill('SIGTERM');
            const [code] = await once(child, 'exit') as [number | null];
            return code;
        };

        return { url: PAGE.exec(printed())?.[1] ?? '', output: printed(), interrupt };
    };

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-demo-'));
        browser = await startBrowser();
    });

    after(async () => {

        await browser.close();
        running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).forEach((child) => child.kill('SIGKILL'));
        await rm(folder, { recursive: true, force: true });
    });

    const expectTour = async ({ page, expected }: WatchedPage, url: string): Promise<void> => {

        // On a busy machine the index may not answer at first: the page asks again.
        expected.push(/status of 503 .*\/search$/);
        await page.goto(`${url}/#objects/?query=type:Package`);
        await page.getByRole('group', { name: 'License' }).getByRole('checkbox').first().waitFor();
        await page.goto(`${url}/#objects/?query=${encodeURIComponent('type:Package AND /name:"@hapi/hapi"')}`);
        await page.getByRole('main').getByRole('link', { name: '@hapi/hapi', exact: true }).click();
        await page.getByRole('article').getByRole('link', { name: 'Methods' }).click();
        await page.getByText('countWords').first().waitFor();
        await page.getByRole('article').getByRole('link', { name: /Relations/ }).click();
        await page.getByRole('button', { name: '@hapi/boom, Package' }).first().waitFor();
    };

    it('shows a search with facets, a type with methods and a graph, also when its data were kept', async () => {

        const kept = join(folder, 'kept');
        const first = await run('--keep', kept);
        const [, password = ''] = /as admin with the password (\S+):/.exec(first.output) ?? [];
        const watched = await openPage(browser, first.url);
        await expectTour(watched, first.url);
        await watched.close();
        const authorization = `Basic ${btoa(`admin:${password}`)}`;

        expect(password).to.match(/^\S{8,}$/);
        expect((await fetch(`${first.url}/objects?type=Document&handle=test/mine`, { method: 'POST', headers: { authorization }, body: '{"name":"mine"}' })).status).to.equal(200);
        expect(await first.interrupt()).to.equal(0);

        const again = await run('--keep', kept);

        expect(again.output).to.include('password of the first start').and.not.include('packages   [');
        expect((await fetch(`${again.url}/objects/test/mine`, { headers: { authorization } })).status).to.equal(200);
        const later = await openPage(browser, again.url);
        await expectTour(later, again.url);
        await later.close();
        await again.interrupt();

        expect([...watched.complaints, ...later.complaints]).to.equal([]);
    });

    it('leaves nothing behind without a folder, also when it is interrupted while it loads', async () => {

        const { child, printed } = start();
        await until(() => /packages +\[/.test(printed()), 300_000);
        child.kill('SIGTERM');
        await once(child, 'exit');

        expect((await readdir(folder)).filter((name) => name.startsWith('doip-gateway-demo-'))).to.equal([]);
    });

    it('refuses a folder in which it was interrupted while it loaded, and says so', async () => {

        const part = join(folder, 'part');
        const { child, printed } = start('--keep', part);
        await until(() => /packages +\[/.test(printed()), 300_000);
        child.kill('SIGTERM');
        await once(child, 'exit');
        const again = start('--keep', part);
        const [code] = await once(again.child, 'exit') as [number | null];

        expect(existsSync(join(part, 'repository.sqlite'))).to.be.true();
        expect(code).to.equal(1);
        expect(again.printed()).to.include('interrupted before it was complete');
    });
});
