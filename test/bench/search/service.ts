/**
 * The whole service on the objects of the benchmark, in a process of its own: how soon it listens and answers its first search,
 * and how long its event loop is held up while it answers a hundred retrieves a second beside searches.
 */

import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { MeasuredProcess } from '../measured-process.js';
import type { LoopDelay } from '../measured-process.js';
import { percentiles } from './latency.js';
import { SHAPES } from './shapes.js';

const PASSWORD = 'bench-password';
const RETRIEVE_EVERY_MS = 10;

/** How long the first search may take, which is not measured. */
const WARM_UP_MS = 1000;

/** Pointers that are asked for where results are narrowed. */
const FILTER = '["/id","/type","/content/identifier","/content/title","/content/authors/_/name","/metadata/modifiedOn"]';

/** The most frequent type of the objects; and code for it. */
const HOOKED_TYPE = 'Article';
const HOOK = 'exports.onObjectResolution = (object) => { object.content.shown = true; return object; };';
const CLI = join(__dirname, '../../../bundle/main.js');

/** One load beside the retrieves. */
export interface ServiceResult {
    readonly name: string;
    /** Of the event loop of the thread that speaks HTTP. */
    readonly delay: LoopDelay;
    /** Milliseconds that retrieves took. */
    readonly retrieves: { readonly p50: number; readonly p95: number };
    /** Searches answered, or objects for searches without a limit, in a second. */
    readonly perSecond: number;
}

/** Milliseconds. */
export interface StartResult {
    readonly listening: number;
    readonly answered: number;
}

/** A running service and a caller who may see everything. */
export class BenchService {

    readonly #process: MeasuredProcess;
    readonly #agent = new Agent({ keepAlive: true });
    readonly #authorization: string;

    private constructor(process: MeasuredProcess, authorization: string) {

        this.#process = process;
        this.#authorization = authorization;
    }

    /** Starts it; `preload` are scripts to run before. */
    static async start(folder: string, preload: readonly string[] = []): Promise<BenchService> {

        const process = await MeasuredProcess.start(CLI, ['serve'], {
            DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error'
        }, preload);
        const answer = await fetch(`${process.url}/auth/token`, {
            method: 'POST', body: JSON.stringify({ grant_type: 'password', username: 'admin', password: PASSWORD })
        });
        const { access_token: token } = await answer.json() as { access_token: string };
        return new BenchService(process, `Bearer ${token}`);
    }

    get url(): string {

        return this.#process.url;
    }

    get authorization(): string {

        return this.#authorization;
    }

    /** Resident memory of the process, bytes. */
    memory(): number {

        return this.#process.memory();
    }

    async stop(): Promise<void> {

        this.#agent.destroy();
        await this.#process.stop();
    }

    /** Retrieves beside one stream of searches after the other, each with a page of results. */
    async besidePages(seconds: number): Promise<ServiceResult> {

        const queries = SHAPES.flatMap(({ requests }) => requests).flatMap(({ query }) => query ?? []);
        let next = 0;
        return await this.#beside('searches with pages of 10', seconds, async () => {

            await this.#get(`/search?pageSize=10&query=${encodeURIComponent(queries[next++ % queries.length] ?? '')}`);
            return 1;
        });
    }

    /** Retrieves beside searches for everything, without a limit. */
    async besideUnlimited(seconds: number): Promise<ServiceResult> {

        return await this.#besideAll('unlimited results', seconds, '*:*');
    }

    /** The same with results of which only parts are asked for. */
    async besideFiltered(seconds: number): Promise<ServiceResult> {

        return await this.#besideAll('unlimited results with filter', seconds, `*:*&filter=${encodeURIComponent(FILTER)}`);
    }

    /** The same with answers that are compressed. */
    async besideCompressed(seconds: number): Promise<ServiceResult> {

        return await this.#besideAll('unlimited results in gzip', seconds, '*:*', { 'accept-encoding': 'gzip' });
    }

    /** The same with results that all go through the code of their type, which is there only meanwhile. */
    async besideHooked(seconds: number): Promise<ServiceResult> {

        const { id } = await this.#ask('POST', '/objects?type=Schema&full', { name: HOOKED_TYPE, schema: {}, javascript: HOOK }) as { id: string };
        try {
            return await this.#besideAll('unlimited results with a hook', seconds, `type:${HOOKED_TYPE}`);
        }
        finally {
            await this.#ask('DELETE', `/objects/${id}`);
        }
    }

    async #besideAll(name: string, seconds: number, query: string, headers: Readonly<Record<string, string>> = {}): Promise<ServiceResult> {

        return await this.#beside(name, seconds, (until) => this.#get(`/search?query=${query}`, { headers, read: (body) => countResults(body, until) }));
    }

    async #beside(name: string, seconds: number, search: (until: number) => Promise<number>): Promise<ServiceResult> {

        const times: number[] = [];
        const end = Date.now() + seconds * 1000;
        const retrieving = (async () => {

            const pending = new Set<Promise<void>>();
            for (let number = 1; Date.now() < end; number = number % 1000 + 1) {
                const one: Promise<void> = this.#retrieve(number, times).finally(() => pending.delete(one));
                pending.add(one);
                await sleep(RETRIEVE_EVERY_MS);
            }

            await Promise.all(pending);
        })();
        // One search can take longer than all that is measured.
        await search(Date.now() + WARM_UP_MS);
        times.length = 0;
        this.#process.resetDelay();
        const started = Date.now();
        let count = 0;
        while (Date.now() < end) {
            count += await search(end);
        }

        const perSecond = count * 1000 / (Date.now() - started);
        const delay = await this.#process.delay();
        await retrieving;
        return { name, delay, retrieves: percentiles(times), perSecond };
    }

    async #retrieve(number: number, times: number[]): Promise<void> {

        const started = performance.now();
        await this.#get(`/objects/bench/${number}`);
        times.push(performance.now() - started);
    }

    async #get<T = null>(
        path: string, { headers = {}, read }: { headers?: Readonly<Record<string, string>>; read?: (body: Readable) => Promise<T> } = {}
    ): Promise<T> {

        const call = request(`${this.url}${path}`, { agent: this.#agent, headers: { authorization: this.#authorization, ...headers } }).end();
        const [response] = await once(call, 'response') as [IncomingMessage];
        if (response.statusCode !== 200) {
            response.resume();
            throw new Error(`${path} was answered ${response.statusCode}`);
        }

        if (read) {
            return await read(decoded(response));
        }

        response.resume();
        await once(response, 'end');
        return null as T;
    }

    /** A request that is no part of what is measured. */
    async #ask(method: string, path: string, body?: object): Promise<unknown> {

        const answer = await fetch(this.url + path, {
            method, headers: { authorization: this.#authorization }, ...body ? { body: JSON.stringify(body) } : {}
        });
        const text = await answer.text();
        if (!answer.ok) {
            throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
        }

        return text === '' ? null : JSON.parse(text);
    }
}

function decoded(response: IncomingMessage): Readable {

    if (response.headers['content-encoding'] !== 'gzip') {
        return response;
    }

    const text = createGunzip();
    // Whoever has read enough lets go of the answer as well.
    text.once('close', () => response.destroy());
    return response.pipe(text);
}

/** Objects in a stream of results; gives up reading when the time is over. */
async function countResults(body: Readable, until: number): Promise<number> {

    let count = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
        for (let at = chunk.indexOf('"identifier"'); at !== -1; at = chunk.indexOf('"identifier"', at + 1)) {
            ++count;
        }

        if (Date.now() > until) {
            break;
        }
    }

    return count;
}

/** How soon a service that has its index listens, and how soon it has answered a search. */
export async function measureStart(folder: string): Promise<StartResult> {

    const started = performance.now();
    const process = await MeasuredProcess.start(CLI, ['serve'], { DATA_DIR: folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error' });
    const listening = performance.now() - started;
    try {
        for (;;) {
            const answer = await fetch(`${process.url}/search?query=robababax&pageSize=10`);
            await answer.text();
            if (answer.status === 200) {
                return { listening, answered: performance.now() - started };
            }
        }
    }
    finally {
        await process.stop();
    }
}
