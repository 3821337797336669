/**
 * The package as others install it: by npm, with its install scripts, in another folder; and used there as a CommonJS and as an ES module, by the
 * TypeScript compiler and by `npx`.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from '../support/doc-pages.js';
import { filesOf, npm, offerBinaries, packPackage } from '../support/packed-package.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const execute = promisify(execFile);

const NAME = 'doip-gateway';

/** Much more than it takes, because the machine may be busy. */
const TIMEOUT_MS = 300_000;

/** Environment of the consumer: nothing of the npm that runs this test. */
const ENV = { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_update_notifier: 'false' };

const EXPORTS = ['run', 'createGateway', 'createServer', 'configure', 'defineOperation', 'result', 'Status', 'notFound'];

const COMMON_JS = `
const gateway = require('${NAME}');
const client = require('${NAME}/client');
const web = require('${NAME}/client/web');
console.log(JSON.stringify([${JSON.stringify(EXPORTS)}.filter((name) => gateway[name] === undefined), typeof client.DoipClient, typeof client.RepositoryClient, typeof web.RepositoryClient]));
`;

const ES_MODULE = `
import * as client from '${NAME}/client';
import { RepositoryClient } from '${NAME}/client/web';
import { ${EXPORTS.join(', ')} } from '${NAME}';
console.log(JSON.stringify([[${EXPORTS.join(', ')}].filter((each) => each === undefined), typeof client.DoipClient, typeof client.RepositoryClient, typeof RepositoryClient]));
`;

const TYPED = `
import { createServer, defineOperation, result, type Config, type Gateway } from '${NAME}';
import {
    type BatchResults, connect, ConnectionError, type DigitalObject, DoipClient, DoipError, RepositoryClient as SameClient, RequestError, type Stored as SameStored, type Version
} from '${NAME}/client';
import { RepositoryClient, type Stored } from '${NAME}/client/web';
export const operation = defineOperation({
    id: '20.500.123/Op.Echo', summary: 'return the id of the target', target: 'object', authorise: 'reader',
    handler: ({ target }) => Promise.resolve(result.json({ id: target.id }))
});
export async function start(config: Config): Promise<Gateway> {
    const server = await createServer(config);
    const wrong: number = server.info.uri;
    return server.plugins['${NAME}'].gateway;
}
export const clients = [DoipClient];
interface Operations {
    readonly count: { readonly attributes: { readonly word: string }; readonly result: { readonly n: number } };
}
interface Book {
    readonly title: string;
}
export async function byDoip(address: string, blob: Blob, signal: AbortSignal): Promise<readonly (string | number | null)[]> {
    const client = connect(address, { token: async (rejected: string | null) => rejected ?? 'token', retries: { attempts: 2 } });
    const content: Book = { title: 'A book' };
    const made: DigitalObject<Book> = await client.create<Book>({ type: 'Book', attributes: { content } }, { signal, dryRun: true });
    const sizes: (number | null)[] = [];
    await client.putElement(made.id, { id: 'scan', body: blob }, { ifMatch: made.attributes.metadata?.txnId ?? null, onProgress: ({ loaded, total }) => sizes.push(loaded, total) });
    const bytes: AsyncIterable<Uint8Array> | null = await client.retrieveElement(made.id, 'scan', { range: { start: 0 }, signal });
    const same: AsyncIterable<Uint8Array> | null = await client.retrieveElement(made.id, 'scan', { start: 0, end: 9 });
    const versions: readonly Version[] = await client.versions(made.id, { signal });
    const { results }: BatchResults = await client.batch([{ type: 'Book', attributes: { content } }], { failFast: true });
    const schema: { readonly type: string } | null = await client.getType<{ readonly type: string }>('Book');
    const counted: { readonly n: number } = await connect<Operations>(address).call('service', 'count', { attributes: { word: 'a' }, signal, isRead: true });
    const titles: string[] = [counted.n.toFixed()];
    for await (const { attributes } of client.search<Book>('*:*', { signal, sortFields: [{ name: 'id' }] })) {
        titles.push(attributes.content.title);
    }
    const unknown: number = (await client.retrieve<Book>(made.id))?.attributes.content.title;
    return [bytes === same ? 0 : 1, versions.length, results.length, schema?.type ?? null, ...titles, ...sizes];
}
export function factsOf(error: unknown): readonly [number, boolean, string | undefined] | null {
    return error instanceof RequestError ? [error.attempts, error.mayHaveChanged, error.status] :
        error instanceof ConnectionError ? [error.attempts, error.mayHaveChanged, error.code] : error instanceof DoipError ? [1, false, error.status] : null;
}
export const byRest: (id: string) => Promise<SameStored<Book> | null> = (id) => new SameClient('http://localhost').get<Book>(id);
export async function title(id: string): Promise<string | undefined> {
    const book: Stored<{ title: string }> | null = await new RepositoryClient('http://localhost').get<{ title: string }>(id);
    return book?.content.title;
}
`;

interface Manifest {
    readonly bin: Record<string, string>;
}

describe('the package', () => {

    let folder: string;
    let consumer: string;
    let installed: string;
    let files: readonly string[];

    before({ timeout: TIMEOUT_MS }, async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-package-'));
        consumer = join(folder, 'consumer');
        installed = join(consumer, 'node_modules', NAME);
        const tarball = await packPackage(folder);
        files = await filesOf(tarball);
        await offerBinaries(folder);
        await mkdir(consumer);
        await npm(consumer, 'init', '--yes');
        await npm(consumer, 'pkg', 'set', '--json', 'allowScripts.better-sqlite3=true');
        await npm(consumer, 'install', tarball);
    });

    after(() => rm(folder, { recursive: true }));

    const manifest = async (): Promise<Manifest> => JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest;

    /** Runs a program of the consumer; returns what it prints. */
    const runProgram = async (name: string, text: string): Promise<unknown> => {

        await writeFile(join(consumer, name), text);
        const { stdout } = await execute(process.execPath, [name], { cwd: consumer, env: ENV });
        return JSON.parse(stdout);
    };

    it('has the code, its types, the licence and the documentation, and no tests', async () => {

        const folders = [...new Set(files.map((path) => path.split('/').slice(0, path.startsWith('dist/') ? 2 : 1).join('/')))];
        // Single modules are there as types only, but for the client that browsers load.
        const modules = files.filter((path) => path.endsWith('.js') && !/^dist\/(bundle|ui\/static|lib\/client\/web)\//.test(path));
        const types = ['dist/lib/index.d.ts', 'dist/lib/client/index.d.ts', 'dist/lib/client/web/index.d.ts', 'dist/lib/client/web/esm/index.d.ts'];
        const { mode } = await stat(join(installed, (await manifest()).bin[NAME] ?? ''));

        expect(folders.sort()).to.equal(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/bundle', 'dist/db', 'dist/lib', 'dist/translators', 'dist/ui', 'docs', 'package.json']);
        expect(modules).to.equal([]);
        expect(types.filter((path) => !files.includes(path))).to.equal([]);
        // It belongs to one version of Node.
        expect(files.filter((path) => path.endsWith('.code'))).to.equal([]);
        expect(mode & 0o111).to.not.equal(0);
    });

    it('has source maps that contain their sources, as the package does not', async () => {

        const maps = files.filter((path) => path.endsWith('.map'));
        const broken: string[] = [];
        for (const path of maps) {
            const { sources, sourcesContent = [] } = JSON.parse(await readFile(join(installed, path), 'utf8')) as Record<string, string[]>;
            if (sourcesContent.length !== sources?.length || sourcesContent.some((text) => text === null)) {
                broken.push(path);
            }
        }

        expect(maps.filter((path) => path.startsWith('dist/bundle/service-'))).to.have.length(1);
        expect(broken).to.equal([]);
    });

    it('has the licences of the packages that are in its bundle', async () => {

        const bundle = files.find((path) => /^dist\/bundle\/service-\w+\.js\.map$/.test(path)) ?? '';
        const { sources } = JSON.parse(await readFile(join(installed, bundle), 'utf8')) as Record<string, string[]>;
        const packages = new Set(sources?.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? []));
        const licences = await readFile(join(installed, 'dist/bundle/licenses.txt'), 'utf8');

        expect([...packages]).to.include(['joi', '@hapi/hapi', 'knex']);
        expect([...packages].filter((name) => !new RegExp(`^${name} \\d`, 'm').test(licences))).to.equal([]);
        expect(licences).to.not.contain('License: undefined');
    });

    it('shares its classes with its client', async () => {

        const program = `const { DoipError } = require('${NAME}');
            console.log(JSON.stringify(require('${NAME}/client').DoipError === DoipError));`;

        expect(await runProgram('shared.cjs', program)).to.be.true();
    });

    it('names the files and lines of its sources in stacks where Node reads source maps', async () => {

        const program = `require('${NAME}').createServer().catch((error) => console.log(JSON.stringify(error.stack)));`;
        await writeFile(join(consumer, 'stack.cjs'), program);
        const run = async (...options: string[]): Promise<string> => {

            const { stdout } = await execute(process.execPath, [...options, 'stack.cjs'], { cwd: consumer, env: { ...ENV, PORT: 'none' } });
            return stdout;
        };

        expect(await run('--enable-source-maps')).to.match(/lib\/config\/[a-z-]+\.ts:\d+:\d+/);
        expect(await run()).to.match(/service-\w+\.js:\d+:\d+/);
    });

    it('is a CommonJS module and an ES module, with the client', async () => {

        expect(await runProgram('program.cjs', COMMON_JS)).to.equal([[], 'function', 'function', 'function']);
        expect(await runProgram('program.mjs', ES_MODULE)).to.equal([[], 'function', 'function', 'function']);
    });

    it('has types for both, which need no others than those of node', { timeout: TIMEOUT_MS }, async () => {

        await Promise.all(['typed.mts', 'typed.cts'].map((name) => writeFile(join(consumer, name), TYPED)));
        const { stdout } = await execute(process.execPath, [
            join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', 'typed.mts', 'typed.cts'
        ], { cwd: consumer, env: ENV }).catch((error: unknown) => error as { stdout: string });

        const wrong = ['Type \'string\' is not assignable to type \'number\'.', 'Type \'string | undefined\' is not assignable to type \'number\'.'];
        const errors = stdout.split('\n').filter((line) => line.startsWith('typed')).map((line) => line.replace(/\(.*?\):/, ''));
        expect(errors).to.equal(['typed.cts', 'typed.mts'].flatMap((name) => wrong.map((message) => `${name} error TS2322: ${message}`)));
    });

    /** Starts the service as a user would. */
    const launch = (env: NodeJS.ProcessEnv = {}): { child: ChildProcess; lines: readonly string[]; printed: () => string } => {

        const child = spawn('npx', ['--no', NAME], {
            cwd: consumer, env: { ...ENV, PORT: '0', DOIP_PORT: '', LOG_LEVEL: 'warn', ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true
        });
        const lines: string[] = [];
        let printed = '';
        createInterface(child.stdout).on('line', (line) => lines.push(line));
        child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
        return { child, lines, printed: () => printed };
    };

    it('is the service by npx, which stores an object', { timeout: TIMEOUT_MS }, async () => {

        const started = performance.now();
        const { child, lines } = launch();
        const ended = once(child, 'close');
        await until(() => lines.at(-1)?.startsWith('http') ?? false, TIMEOUT_MS / 2);

        const [password = '', url = ''] = lines.map((line) => line.split(' ').at(-1));
        const response = await fetch(`${url}/objects?type=Document&handle=test/map`, {
            method: 'POST', headers: { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': 'application/json' }, body: '{"name":"A map"}'
        });
        const first = performance.now() - started;
        const stored = await (await fetch(`${url}/objects/test/map`)).json();
        // As a terminal does: to npx, its shell and the service.
        process.kill(-(child.pid ?? 0), 'SIGINT');
        await ended;

        expect(response.status).to.equal(200);
        expect(stored).to.equal({ id: 'test/map', name: 'A map' });
        expect(existsSync(join(consumer, 'data/repository.sqlite'))).to.be.true();
        expect(first).to.be.below(TIMEOUT_MS / 2);
    });

    const DRIVER = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

    it('says what to do where npm did not run its install scripts, or for another Node', { timeout: TIMEOUT_MS }, async () => {

        const [driver, aside] = [join(consumer, DRIVER), join(consumer, 'aside.node')];
        const start = async (): Promise<unknown[]> => {

            const { child, lines, printed } = launch({ DATA_DIR: join(consumer, 'never'), LOG_LEVEL: 'error' });
            const [code] = await once(child, 'close') as [number | null];

            return [code, lines, printed()];
        };

        await rename(driver, aside);
        const missing = await start();
        await writeFile(driver, 'of another Node');
        const foreign = await start();
        const { stderr } = await execute('npx', ['--no', NAME, 'search', 'x'], { cwd: consumer, env: ENV }).catch((error: unknown) => error as { stderr: string });
        await rename(aside, driver);

        const sentence = `doip-gateway: better-sqlite3 is not compiled for this Node (${process.version}): run "npm rebuild better-sqlite3" where it is installed; ` +
            'newer versions of npm do that only after "npm install-scripts approve better-sqlite3"\n';
        expect(missing).to.equal([69, [], sentence]);
        expect(foreign).to.equal([69, [], sentence]);
        expect(stderr).to.equal(sentence);
    });
});
