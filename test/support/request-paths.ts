/**
 * Measures how long the way of a request through the code is: runs the service, makes one request of each kind under the profiler
 * of V8, and counts the functions and files of the product that ran for it, in all threads, apart from those that also run when
 * nothing is requested. `npm run paths` prints the figures; `--list` names the functions, `--of <dist>` measures another build.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Profiler } from 'node:inspector';
import type * as Product from '../../lib/index.js';

/** Functions that ran, by file: `lib/core/dispatcher.js` → names. */
export type FunctionsRun = ReadonlyMap<string, readonly string[]>;

/** The way of one request. */
export interface RequestPath {
    readonly title: string;
    /** What runs until the answer is there. */
    readonly functions: FunctionsRun;
    /** What else runs for it afterwards. */
    readonly background: FunctionsRun;
}

type Coverage = Profiler.TakePreciseCoverageReturnType;

type Resolve = (result: unknown) => void;

interface WorkerMessage {
    readonly id: number;
    readonly result?: unknown;
}

const FOLDERS = ['lib', 'translators', 'db'];

/** How often a request is made before it is measured, so that everything is loaded, compiled and cached. */
const WARM_UP = 20;

/** What a request starts in the background, as applying a change to the index, is over after this time. */
const SETTLED_MS = 400;

const IDLE_MS = 1500;

/** What does not run each time, as merging segments, is no part of the way. */
const REPETITIONS = 4;

/** Starts the service of a build, and measures its requests. */
export async function measurePaths(dist: string): Promise<readonly RequestPath[]> {

    const profiler = await FunctionProfiler.start(dist);
    const dataDir = await mkdtemp(join(tmpdir(), 'paths-'));
    const service = await startProduct(dist, dataDir);
    try {
        const { ask, token } = service;
        await ask('POST', '/objects/?type=Schema&suffix=Note', token, {
            identifier: '', name: 'Note',
            schema: { type: 'object', required: ['title'], properties: { title: { type: 'string' }, n: { type: 'integer' } } }
        });
        await ask('POST', '/objects/?type=Note&suffix=1', token, { title: 'first', n: 0 });
        let n = 0;
        const put = (): Promise<unknown> => ask('PUT', '/objects/test/1', token, { title: 'common', n: ++n });
        const search = (): Promise<unknown> => ask('GET', '/search?query=title:common&pageSize=10', token);
        const searchSorted = (): Promise<unknown> => ask('GET', '/search?query=type:Note%20AND%20title:common&sortFields=txnId&pageSize=10', token);
        return [
            await profiler.measure('PUT /objects/<id>', put),
            await profiler.measure('GET /search (two terms, sorted)', searchSorted),
            await profiler.measure('GET /search (one term)', search)
        ];
    }
    finally {
        await service.stop();
        await rm(dataDir, { recursive: true, force: true });
    }
}

/** Counts which functions run, in this thread and in the worker threads that were started after it. */
class FunctionProfiler {

    readonly #session = new Session();
    readonly #dist: string;
    readonly #workers = new Set<string>();
    readonly #pending = new Map<number, Resolve>();
    #lastId = 0;

    private constructor(dist: string) {

        this.#dist = dist;
    }

    static async start(dist: string): Promise<FunctionProfiler> {

        const profiler = new FunctionProfiler(dist);
        const session = profiler.#session;
        session.connect();
        session.on('NodeWorker.attachedToWorker', ({ params }) => {

            profiler.#workers.add(params.sessionId);
            void profiler.#askWorker(params.sessionId, 'Profiler.enable');
            void profiler.#askWorker(params.sessionId, 'Profiler.startPreciseCoverage', { callCount: true, detailed: false });
        });
        session.on('NodeWorker.detachedFromWorker', ({ params }) => profiler.#workers.delete(params.sessionId));
        session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {

            const { id, result } = JSON.parse(params.message) as WorkerMessage;
            profiler.#pending.get(id)?.(result);
            profiler.#pending.delete(id);
        });
        await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
        await session.post('Profiler.enable');
        await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
        return profiler;
    }

    /** The functions that run for a request and not without one. */
    async measure(title: string, request: () => Promise<unknown>): Promise<RequestPath> {

        for (let i = 0; i < WARM_UP; ++i) {
            await request();
        }

        await sleep(SETTLED_MS);
        await this.#take();
        await sleep(IDLE_MS);
        const idle = await this.#take();
        let before: FunctionsRun | null = null;
        let after: FunctionsRun | null = null;
        for (let i = 0; i < REPETITIONS; ++i) {
            await request();
            const answering = await this.#take();
            await sleep(SETTLED_MS);
            const rest = await this.#take();
            before = common(before, answering);
            after = common(after, rest);
        }

        const functions = without(before ?? new Map(), idle);
        return { title, functions, background: without(without(after ?? new Map(), idle), functions) };
    }

    /** Which functions ran since the last call. */
    async #take(): Promise<FunctionsRun> {

        const all = await Promise.all([
            this.#session.post('Profiler.takePreciseCoverage'),
            ...Array.from(this.#workers, (worker) => this.#askWorker(worker, 'Profiler.takePreciseCoverage') as Promise<Coverage>)
        ]);
        const found = new Map<string, Set<string>>();
        for (const { url, functions } of all.flatMap(({ result }) => result)) {
            const file = this.#fileOf(url);
            if (file === null) {
                continue;
            }

            const names = found.get(file) ?? new Set();
            found.set(file, names);
            for (const { functionName, ranges: [range] } of functions) {
                // What begins with the file is its top level.
                if (range && range.count > 0 && range.startOffset > 0) {
                    names.add(`${functionName || '=>'}@${range.startOffset}`);
                }
            }
        }

        return new Map(Array.from(found, ([file, names]) => [file, [...names]] as const).filter(([, names]) => names.length > 0));
    }

    /** The file of a script below the folders of the product; null for others. */
    #fileOf(url: string): string | null {

        const path = url.startsWith('file:') ? fileURLToPath(url) : url;
        const file = relative(this.#dist, path).split(sep);
        return FOLDERS.includes(file[0] ?? '') ? file.join('/') : null;
    }

    #askWorker(sessionId: string, method: string, params: object = {}): Promise<unknown> {

        const id = ++this.#lastId;
        const answer = new Promise((resolved) => {

            this.#pending.set(id, resolved);
        });
        void this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) });
        return answer;
    }
}

interface RunningProduct {
    readonly token: string;
    readonly ask: (method: string, path: string, token: string | null, body?: unknown) => Promise<unknown>;
    stop(): Promise<void>;
}

async function startProduct(dist: string, dataDir: string): Promise<RunningProduct> {

    const password = randomBytes(12).toString('hex');
    const { configure, createServer, serverUrl } = await import(pathToFileURL(join(dist, 'lib/index.js')).href) as typeof Product;
    const config = configure({
        PORT: '0', DATA_DIR: dataDir, ADMIN_PASSWORD: password, LOG_LEVEL: 'error'
    });
    const server = await createServer(config);
    await server.start();
    const url = serverUrl(server, config);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, token: string | null, body?: unknown): Promise<unknown> => new Promise((resolved, reject) => {

        const sent = httpRequest(`${url}${path}`, {
            method, agent, headers: { 'content-type': 'application/json', ...token === null ? {} : { authorization: `Bearer ${token}` } }
        }, (response) => {

            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => {

                const text = Buffer.concat(chunks).toString();
                if (response.statusCode !== 200) {
                    return reject(new Error(`${method} ${path}: ${String(response.statusCode)} ${text}`));
                }

                resolved(JSON.parse(text));
            });
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const { access_token: token } = await ask('POST', '/auth/token', null, { grant_type: 'password', username: 'admin', password }) as { access_token: string };
    return {
        token, ask,
        async stop() {

            agent.destroy();
            await server.stop();
        }
    };
}

function common(some: FunctionsRun | null, others: FunctionsRun): FunctionsRun {

    return some ? choose(some, (file, name) => others.get(file)?.includes(name) === true) : others;
}

function without(some: FunctionsRun, others: FunctionsRun): FunctionsRun {

    return choose(some, (file, name) => others.get(file)?.includes(name) !== true);
}

function choose(functions: FunctionsRun, isWanted: (file: string, name: string) => boolean): FunctionsRun {

    return new Map(Array.from(functions, ([file, names]) => [file, names.filter((name) => isWanted(file, name))] as const)
        .filter(([, names]) => names.length > 0));
}

/** How many functions of how many files. */
function countOf(functions: FunctionsRun): string {

    return `${Array.from(functions.values()).flat().length} functions in ${functions.size} files`;
}

/** The functions of a path, by the two first folders of their files. */
function byModule(functions: FunctionsRun): ReadonlyMap<string, FunctionsRun> {

    const modules = new Map<string, Map<string, readonly string[]>>();
    for (const [file, names] of [...functions].sort()) {
        const module = file.split('/').slice(0, -1).slice(0, 2).join('/');
        const files = modules.get(module) ?? new Map<string, readonly string[]>();
        modules.set(module, files.set(file, names));
    }

    return modules;
}

async function main(): Promise<void> {

    const other = process.argv.indexOf('--of');
    const dist = other === -1 ? join(__dirname, '..', '..') : resolve(process.argv[other + 1] ?? '.');
    for (const { title, functions, background } of await measurePaths(dist)) {
        console.log(`${title}: ${countOf(functions)}; after the answer ${countOf(background)} more`);
        for (const [module, files] of byModule(functions)) {
            console.log(`    ${module.padEnd(24)} ${countOf(files)}`);
            if (process.argv.includes('--list')) {
                for (const [file, names] of files) {
                    console.log(`        ${file}: ${names.map((name) => name.replace(/@\d+$/, '')).join(' ')}`);
                }
            }
        }
    }
}

if (require.main === module) {
    void main();
}
