/**
 * How long searches take in process, shape by shape, with their counts checked by looking at every object of a sample.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { IndexDocument } from '../../../lib/search/mapping/index-document.js';
import { toIndexDocument } from '../../../lib/search/mapping/index-document.js';
import type { SearchIndex } from '../../../lib/search/runtime/search-index.js';
import type { SearchRequest } from '../../../lib/search/query/search-request.js';
import { naiveSearch } from '../../support/naive-search.js';
import type { Lucene, LuceneLatency } from './lucene.js';
import { corpus } from './place.js';
import type { Shape } from './shapes.js';
import { SHAPES } from './shapes.js';

/** Milliseconds: the middle one of several turns. */
export interface Latency {
    readonly shape: Shape;
    /** Counts of the variants. */
    readonly sizes: readonly number[];
    readonly p50: number;
    readonly p95: number;
    /** Processor time of all threads for one search. */
    readonly cpu: number;
    readonly lucene: LuceneLatency | null;
    /** How many times longer than Lucene it took in the same minute: the middle one of all turns. */
    readonly ratio: number | null;
}

/** How long something is repeated, and how often at least. */
export interface Repetition {
    readonly milliseconds: number;
    readonly rounds: number;
}

const WARM_UP: Repetition = { milliseconds: 1000, rounds: 5 };

/** Turns with Lucene: machines have faster and slower seconds. */
const TURNS = 5;
const TURN: Repetition = { milliseconds: 300, rounds: 4 };

const CROSSINGS = 10_000;

/** Objects of the sample, which are the first ones. */
const SAMPLE = 1000;

/** One search with the hits of its page; returns its count. */
export async function ask(index: Pick<SearchIndex, 'search'>, request: SearchRequest): Promise<number> {

    const { size, hits } = await index.search(request);
    for await (const block of hits) {
        if (block.length === 0) {
            break;
        }
    }

    return size;
}

/** Measures the shapes whose names have a text in them, in turns with Lucene where there is one. */
export async function measureShapes(index: SearchIndex, name: string, lucene: Lucene | null = null): Promise<Latency[]> {

    const found: Latency[] = [];
    for (const shape of SHAPES.filter((candidate) => candidate.name.includes(name))) {
        found.push(await measureShape(index, shape, lucene));
    }

    return found;
}

async function measureShape(index: SearchIndex, shape: Shape, lucene: Lucene | null): Promise<Latency> {

    const sizes: number[] = [];
    for (const request of shape.requests) {
        sizes.push(await ask(index, request));
    }

    await repeat(index, shape, WARM_UP);
    await lucene?.measure(shape.name, WARM_UP);
    const own: { p50: number; p95: number; cpu: number }[] = [];
    const others: LuceneLatency[] = [];
    for (let turn = 0; turn < TURNS; ++turn) {
        const before = process.cpuUsage();
        const times = await repeat(index, shape, TURN);
        const { user, system } = process.cpuUsage(before);
        own.push({ ...percentiles(times), cpu: (user + system) / 1000 / times.length });
        if (lucene) {
            others.push(await lucene.measure(shape.name, TURN));
        }
    }

    return {
        shape, sizes, p50: middle(own.map(({ p50 }) => p50)), p95: middle(own.map(({ p95 }) => p95)), cpu: middle(own.map(({ cpu }) => cpu)),
        lucene: others[0] ? { sizes: others[0].sizes, p50: middle(others.map(({ p50 }) => p50)), p95: middle(others.map(({ p95 }) => p95)) } : null,
        ratio: others.length > 0 ? middle(own.map(({ p50 }, turn) => p50 / (others[turn]?.p50 ?? p50))) : null
    };
}

function middle(values: readonly number[]): number {

    return percentiles(values).p50;
}

async function repeat(index: SearchIndex, shape: Shape, least: Repetition): Promise<number[]> {

    const times: number[] = [];
    const end = performance.now() + least.milliseconds;
    for (let round = 0; round < least.rounds || performance.now() < end; ++round) {
        for (const request of shape.requests) {
            const started = performance.now();
            await ask(index, request);
            times.push(performance.now() - started);
        }
    }

    return times;
}

/** How long it takes to wake up a thread that sleeps and to be woken up by it, on this machine: no search takes less. */
export async function measureCrossing(): Promise<{ p50: number; p95: number }> {

    const worker = new Worker(`const { parentPort } = require('node:worker_threads'); parentPort.on('message', (text) => parentPort.postMessage(text));`, { eval: true });
    const times: number[] = [];
    for (let round = 0; round < CROSSINGS; ++round) {
        const started = performance.now();
        worker.postMessage('');
        await once(worker, 'message');
        times.push(performance.now() - started);
    }

    await worker.terminate();
    return percentiles(times.slice(CROSSINGS / 2));
}

/** Middle and slow ones. */
export function percentiles(times: readonly number[]): { p50: number; p95: number } {

    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
    return { p50: at(0.5), p95: at(0.95) };
}

/** Compares the counts among the first objects with those of a matcher that looks at each of them. Throws where they differ. */
export async function checkCounts(index: SearchIndex): Promise<void> {

    const sample: IndexDocument[] = Array.from(corpus(SAMPLE), (object) => toIndexDocument(object, { indexedOn: 0 }));
    for (const { name, requests } of SHAPES) {
        for (const request of requests) {
            const narrowed = { ...request, filterQueries: [`txnId:[1 TO ${SAMPLE}]`] };
            const [size, { size: expected }] = [await ask(index, narrowed), naiveSearch(sample, narrowed)];
            if (size !== expected) {
                throw new Error(`${name} (${request.query}): ${size} of the first ${SAMPLE} objects, ${expected} by looking at each`);
            }
        }
    }
}
