/**
 * What writes and searches that come mixed leave behind: how long searches take right after such a load and some time later,
 * compared with an index of the same objects that was built in one piece.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredObject } from '../../../lib/objects/stored-object.js';
import { FULL_ACCESS } from '../../../lib/search/access.js';
import type { LocalSearchIndex } from '../../../lib/search/local-search-index.js';
import type { SearchRequest } from '../../../lib/search/search-request.js';
import { word } from './corpus.js';
import { ask, percentiles } from './latency.js';
import { BenchPlace, corpus } from './place.js';
import { table } from './report.js';

/** How writes and searches follow each other. */
const RHYTHMS: readonly (readonly [name: string, writes: number, searches: number])[] = [
    ['one write, one search', 1, 1], ['twenty writes, one search', 20, 1], ['one write, five searches', 1, 5]
];

/** Seconds after the load at which searches are measured. */
const MOMENTS = [0, 1, 5, 20];

/** Milliseconds that each kind of search is repeated for. */
const REPEATED = 400;

const VARIANTS = [0, 1, 2, 3, 4];

/** One kind of search. */
interface Kind {
    readonly name: string;
    readonly requests: readonly SearchRequest[];
}

/** Milliseconds of one search. */
interface Times {
    readonly p50: number;
    /** Processor time of the searching thread; null where the system does not tell. */
    readonly cpu: number | null;
}

const KINDS: readonly Kind[] = [
    kind('word in any field', (i) => ({ query: word(12 + i) })),
    kind('term, common', (i) => ({ query: `/abstract:${word(6 + i)}` })),
    kind('term, rare', (i) => ({ query: `/abstract:${word(5000 + i * 17)}` })),
    kind('range by date', (i) => ({ query: `/year:[${1985 + i} TO ${1993 + i}]`, sort: [{ field: '/date', reverse: true }] }))
];

function kind(name: string, make: (variant: number) => Partial<SearchRequest>): Kind {

    const request = { filterQueries: [], sort: [], facets: [], start: 0, limit: 10, includeScore: false, includeVersions: false, access: FULL_ACCESS };
    return { name, requests: VARIANTS.map((variant) => ({ ...request, query: '*:*', ...make(variant) })) };
}

/** The processor time of one thread, as Linux tells it. */
class ThreadClock {

    readonly #thread: string | null;

    private constructor(thread: string | null) {

        this.#thread = thread;
    }

    /** Of the first thread that an action starts. */
    static async during(action: () => Promise<void>): Promise<ThreadClock> {

        const before = new Set(threads());
        await action();
        return new ThreadClock(threads().find((thread) => !before.has(thread)) ?? null);
    }

    /** Milliseconds; null where they are not known. */
    now(): number | null {

        return this.#thread === null ? null : Number(readFileSync(`/proc/self/task/${this.#thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    }
}

function threads(): string[] {

    try {
        return readdirSync('/proc/self/task');
    }
    catch {
        // Not Linux.
        return [];
    }
}

/**
 * Loads a copy of the objects with each rhythm, and compares. Prints as it goes.
 *
 * @param seconds of load
 */
export async function measureMixed(newFolder: () => string, { objects, seconds }: { readonly objects: number; readonly seconds: number }): Promise<void> {

    for (const [name, writes, searches] of RHYTHMS) {
        const place = await BenchPlace.open(newFolder());
        try {
            await place.load(objects);
            const load = await afterLoad(place, { objects, seconds, writes, searches });
            await place.forgetIndex();
            const merged = await ofMerged(place);
            console.log(`\n${name}: ${load.count} writes in ${seconds} s; segments ${load.segments.join(', ')}\n`);
            console.log(table(['search', 'merged', 'processor', ...MOMENTS.flatMap((moment) => [`after ${moment} s`, 'ratio', 'processor', 'ratio'])],
                KINDS.map((each, i) => [each.name, ...cells(merged[i]), ...load.times.flatMap((times) => compared(times[i], merged[i]))])));
        }
        finally {
            await place.close();
        }
    }
}

function cells(times: Times | undefined): string[] {

    return [times?.p50, times?.cpu].map((time) => (typeof time === 'number' ? `${time.toFixed(3)} ms` : '?'));
}

function compared(times: Times | undefined, merged: Times | undefined): string[] {

    const [wall = '?', cpu = '?'] = cells(times);
    const ratio = (own?: number | null, other?: number | null): string => (own && other ? (own / other).toFixed(2) : '?');
    return [wall, ratio(times?.p50, merged?.p50), cpu, ratio(times?.cpu, merged?.cpu)];
}

/** What is done. */
interface Load {
    /** There before. */
    readonly objects: number;
    readonly seconds: number;
    /** In turns. */
    readonly writes: number;
    readonly searches: number;
}

async function afterLoad(place: BenchPlace, options: Load): Promise<{ times: Times[][]; count: number; segments: number[] }> {

    const index = place.index();
    try {
        const clock = await ThreadClock.during(() => index.start());
        await index.complete();
        const count = await load(place, index, options);
        const ended = performance.now();
        const times: Times[][] = [];
        const segments: number[] = [];
        for (const moment of MOMENTS) {
            await sleep(Math.max(ended + moment * 1000 - performance.now(), 0));
            segments.push((await index.usage()).segments);
            times.push(await measure(index, clock));
        }

        return { times, count, segments };
    }
    finally {
        await index.stop();
    }
}

/** Half of the writes are new objects, half of them change older ones. Returns how many there were. */
async function load(place: BenchPlace, index: LocalSearchIndex, { objects, seconds, writes, searches }: Load): Promise<number> {

    const current = [...corpus(objects)];
    const contents = [...current].reverse();
    const requests = KINDS.flatMap((each) => each.requests);
    let [written, asked] = [0, 0];
    for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
        for (let i = 0; i < writes; ++i, ++written) {
            const number = written % 2 === 0 ? current.length : (written * 7919) % current.length;
            const before = current[number] ?? null;
            const after = changed(before, contents[written % contents.length] as StoredObject, number);
            await place.change(index, before, after);
            current[number] = after;
        }

        for (let i = 0; i < searches; ++i, ++asked) {
            await ask(index, requests[asked % requests.length] as SearchRequest);
        }
    }

    return written;
}

function changed(before: StoredObject | null, like: StoredObject, number: number): StoredObject {

    const id = before?.id ?? `bench/more-${number}`;
    return { ...like, id, metadata: { ...like.metadata, txnId: (before?.metadata.txnId ?? 1_000_000 + number) + 10_000_000 } };
}

async function ofMerged(place: BenchPlace): Promise<Times[]> {

    const index = place.index();
    try {
        const clock = await ThreadClock.during(() => index.start());
        await index.complete();
        await measure(index, clock);
        return await measure(index, clock);
    }
    finally {
        await index.stop();
    }
}

async function measure(index: LocalSearchIndex, clock: ThreadClock): Promise<Times[]> {

    const found: Times[] = [];
    for (const { requests } of KINDS) {
        const times: number[] = [];
        const before = clock.now();
        for (const end = performance.now() + REPEATED; performance.now() < end;) {
            for (const request of requests) {
                const started = performance.now();
                await ask(index, request);
                times.push(performance.now() - started);
            }
        }

        const after = clock.now();
        found.push({ p50: percentiles(times).p50, cpu: before === null || after === null ? null : (after - before) / times.length });
    }

    return found;
}
