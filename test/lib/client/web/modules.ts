/** The client for objects needs nothing but the globals of the web: its modules import only each other, and work where there is nothing else. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import type * as Client from '../../../../lib/client/web/index.js';
import { ROOT } from '../../../support/doc-pages.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import type { TestServer } from '../../../support/server.js';
import { startServer } from '../../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const COMMON_JS = join(ROOT, 'dist/lib/client/web/index.js');
const ES_MODULE = join(ROOT, 'dist/lib/client/web/esm/index.js');

/** What every current browser has, pages and workers alike. */
const WEB_GLOBALS = [
    'AbortController', 'AbortSignal', 'Blob', 'File', 'FormData', 'Headers', 'ReadableStream', 'Request', 'Response', 'TextDecoder', 'TextEncoder', 'URL',
    'URLSearchParams', 'clearTimeout', 'crypto', 'fetch', 'setTimeout'
] as const;

/** Files of a module and of all that it imports, with the specifiers of each that are no files. */
function filesOf(entry: string, pattern: RegExp): Map<string, string[]> {

    const found = new Map<string, string[]>();
    const pending = [entry];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
        const specifiers = [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, specifier = '']) => specifier);
        found.set(file, specifiers.filter((specifier) => !/^\.\/[\w-]+\.js$/.test(specifier)));
        const folder = dirname(file);
        pending.push(...specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => resolve(folder, specifier)).filter((path) => !found.has(path)));
    }

    return found;
}

/** Loads the CommonJS module in a context that has the globals of the web only. */
function loadInBrowser(): typeof Client {

    const globals = globalThis as unknown as Record<string, unknown>;
    const context = createContext({ window: {}, ...Object.fromEntries(WEB_GLOBALS.map((name) => [name, globals[name]])) });
    const loaded = new Map<string, { exports: object }>();
    const load = (file: string): object => {

        const known = loaded.get(file);
        if (known) {
            return known.exports;
        }

        const made = { exports: {} };
        loaded.set(file, made);
        const run = runInContext(`(function (require, exports, module) {${readFileSync(file, 'utf8')}\n})`, context, { filename: file }) as
            (require: (name: string) => object, exports: object, module: object) => void;
        run((name) => load(resolve(dirname(file), name)), made.exports, made);
        return made.exports;
    };

    return load(COMMON_JS) as typeof Client;
}

describe('the modules of the client for objects', () => {

    let server: TestServer;

    before(async () => {

        server = await startServer();
    });

    after(() => server.stop());

    const KINDS: readonly (readonly [string, string, RegExp])[] = [
        ['CommonJS', COMMON_JS, /\b(?:require|import)\(["']([^"']+)["']\)/g], ['ES', ES_MODULE, /^(?:import|export)\b[^'"();=]*["']([^"']+)["']/gm]
    ];
    for (const [kind, entry, pattern] of KINDS) {
        it(`import nothing but each other as ${kind} modules`, () => {

            const files = filesOf(entry, pattern);

            expect(files.size).to.be.above(8);
            expect([...files.keys()].every((file) => dirname(file) === dirname(entry))).to.be.true();
            expect([...files].flatMap(([file, foreign]) => foreign.map((specifier) => `${basename(file)}: ${specifier}`))).to.equal([]);
        });
    }

    it('have one ES module with types for each CommonJS module', async () => {

        const modules = [...filesOf(COMMON_JS, KINDS[0]![2]).keys()].map((file) => basename(file));
        const { RepositoryClient } = await import(pathToFileURL(ES_MODULE).href) as typeof Client;

        expect(modules.filter((file) => ![file, file.replace('.js', '.d.ts')].every((name) => existsSync(join(dirname(ES_MODULE), name))))).to.equal([]);
        expect((await new RepositoryClient(server.url).caller()).active).to.be.false();
    });

    it('work where there is nothing but what browsers have', async () => {

        const { RepositoryClient, RepositoryError } = loadInBrowser();
        const repository = new RepositoryClient(server.url, { username: 'admin', password: ADMIN_PASSWORD });
        const reports: Client.Progress[] = [];

        const made = await repository.create('Document', { name: 'by a browser' }, {
            id: 'test/browser', payloads: [{ name: 'p', body: new Blob(['bytes'], { type: 'text/plain' }) }], onProgress: (progress) => reports.push(progress)
        });
        const etag = await repository.putPayload('test/browser', { name: 'q', body: new Response('more').body ?? new Blob([]) }, { ifMatch: made.etag });
        const download = await repository.getPayload('test/browser', 'p', { onProgress: (progress) => reports.push(progress) });
        const text = await new Response(download?.body).text();
        const found: string[] = [];
        for await (const { id } of repository.search('/name:browser')) {
            found.push(id);
        }

        const error: unknown = await repository.update('test/browser', {}, { ifMatch: made.etag }).catch((reason: unknown) => reason);

        expect([text, found, (await repository.get('test/browser'))?.etag]).to.equal(['bytes', ['test/browser'], etag]);
        expect(reports).to.equal([{ loaded: 5, total: 5 }, { loaded: 0, total: 5 }, { loaded: 5, total: 5 }]);
        expect(error).to.be.an.instanceof(RepositoryError);
        expect((error as Client.RepositoryError).status).to.equal(412);
    });

    it('may be used by a page of another origin, which can read versions', async () => {

        const response = await fetch(`${server.url}/objects/design`, { headers: { origin: 'https://example.org' } });
        await response.body?.cancel();

        expect(response.headers.get('access-control-expose-headers')?.split(', ')).to.include(['ETag', 'Retry-After', 'Content-Length']);
    });
});
