/**
 * What writes and searches that come mixed leave behind: how long searches take right after such a load and some time later,
 * compared with an index of the same objects that was built in one piece. Each is measured in turns with an index that nobody writes
 * to, so that it does not matter how fast the machine is at the moment.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { FULL_ACCESS } from '../../../lib/search/matching/acl-filter.js';
import type { IndexSupervisor } from '../../../lib/search/runtime/index-supervisor.js';
import type { SearchRequest } from '../../../lib/search/query/search-request.js';
import { word } from './corpus.js';
import { ask, percentiles } from './latency.js';
import { BenchPlace, corpus } from './place.js';
import { table } from './report.js';

/** What is written. */
type Writes = 'new and changed' | 'new' | 'changes of a few' | 'deletions';

/** How writes and searches follow each other. */
interface Rhythm {
    readonly name: string;
    /** In turns. */
    readonly writes: number;
    readonly searches: number;
    readonly what: Writes;
}

const RHYTHMS: readonly Rhythm[] = [
    { name: 'one write, one search', writes: 1, searches: 1, what: 'new and changed' },
    { name: 'twenty writes, one search', writes: 20, searches: 1, what: 'new and changed' },
    { name: 'one write, five searches', writes: 1, searches: 5, what: 'new and changed' },
    { name: 'bursts of 500 new objects, twenty searches', writes: 500, searches: 20, what: 'new' },
    { name: 'changes of the same 50 objects, a search after each', writes: 1, searches: 1, what: 'changes of a few' },
    { name: 'deletions and new objects, a search after each', writes: 1, searches: 1, what: 'deletions' }
];

/** Objects that {@link Writes} of a few change. */
const FEW = 50;

/** Seconds after the load at which searches are measured. */
const MOMENTS = [0, 1, 5];

/** Ratio to the merged index that no kind of search may exceed, both in time and in processor time, at these moments. */
const MOST_RATIO = 1.3;
/** Milliseconds that are less than a tenth of a search over HTTP: looking up a term in twenty segments takes so long, on any machine. */
const MOST_DIFFERENCE = 0.03;
const JUDGED = [0, 1];

/** Milliseconds for which all kinds of searches are repeated. */
const REPEATED = 600;

const VARIANTS = [0, 1, 2, 3, 4];

/** One kind of search. */
interface Kind {
    readonly name: string;
    readonly requests: readonly SearchRequest[];
}

/** Milliseconds of one search. */
interface Times<Median = number> {
    readonly p50: Median;
    /** Processor time of the searching thread; null where the system does not tell. */
    readonly cpu: number | null;
}

/** Times, and those of the index that nobody writes to, measured in turns. */
interface Measured {
    readonly own: Times;
    readonly still: Times;
}

/** An index and the clock of the thread that searches it. */
interface Clocked {
    readonly index: IndexSupervisor;
    readonly clock: ThreadClock;
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
 * @param load `changes` end it, or `seconds`
 * @returns searches that take too long
 */
export async function measureMixed(newFolder: () => string, load: Pick<Load, 'objects' | 'seconds' | 'changes'>): Promise<string[]> {

    const place = await BenchPlace.open(newFolder());
    const slow: string[] = [];
    try {
        await place.load(load.objects);
        const still = await started(place);
        try {
            // The first searches take longer.
            await measure(still, still);
            await measure(still, still);
            for (const rhythm of RHYTHMS) {
                slow.push(...await measureRhythm(newFolder(), { ...load, ...rhythm }, still));
            }
        }
        finally {
            await still.index.stop();
        }
    }
    finally {
        await place.close();
    }

    return slow;
}

async function measureRhythm(folder: string, options: Load, still: Clocked): Promise<string[]> {

    const place = await BenchPlace.open(folder);
    try {
        await place.load(options.objects);
        const load = await afterLoad(place, options, still);
        await place.forgetIndex();
        const merged = await ofMerged(place, still);
        console.log(`\n${options.name}: ${load.count} writes in ${load.seconds.toFixed(1)} s; segments ${load.segments.join(', ')}\n`);
        console.log(table(['search', 'merged', 'processor', ...MOMENTS.flatMap((moment) => [`after ${moment} s`, 'ratio', 'processor', 'ratio'])],
            KINDS.map((each, i) => [each.name, ...cells(merged[i]?.own), ...load.times.flatMap((times) => compared(times[i], merged[i]))])));
        return KINDS.flatMap((each, i) => MOMENTS.flatMap((moment, m) => {

            const { p50, cpu } = ratios(load.times[m]?.[i], merged[i]);
            const known = [p50, cpu].filter((ratio) => ratio !== null);
            const difference = p50 === null ? Infinity : (merged[i]?.own.p50 ?? 0) * (p50 - 1);
            const isSlow = JUDGED.includes(moment) && known.length > 0 && difference > MOST_DIFFERENCE && known.every((ratio) => ratio > MOST_RATIO);
            return isSlow ? [`${options.name}: ${each.name} after ${moment} s: ${known.map((ratio) => ratio.toFixed(2)).join(', ')}`] : [];
        }));
    }
    finally {
        await place.close();
    }
}

async function started(place: BenchPlace): Promise<Clocked> {

    const index = place.index();
    const clock = await ThreadClock.during(() => index.start());
    await index.complete();
    return { index, clock };
}

function cells(times: Times | undefined): string[] {

    return [times?.p50, times?.cpu].map((time) => (typeof time === 'number' ? `${time.toFixed(3)} ms` : '?'));
}

/** Times with their ratios to those of the merged index. */
function compared(measured: Measured | undefined, merged: Measured | undefined): string[] {

    const [wall = '?', cpu = '?'] = cells(measured?.own);
    const found = ratios(measured, merged);
    return [wall, found.p50?.toFixed(2) ?? '?', cpu, found.cpu?.toFixed(2) ?? '?'];
}

/** Times as parts of those of the merged index, each by that of the index that nobody writes to; null where they are not known. */
function ratios(measured: Measured | undefined, merged: Measured | undefined): Times<number | null> {

    const relative = (found: Measured | undefined, time: keyof Times): number | null => {

        const [own, still] = found ? [found.own[time], found.still[time]] : [null, null];
        return own !== null && still !== null && still > LEAST ? own / still : null;
    };

    const ratio = (time: keyof Times): number | null => {

        const [left, right] = [relative(measured, time), relative(merged, time)];
        return left !== null && right ? left / right : null;
    };

    return { p50: ratio('p50'), cpu: ratio('cpu') };
}

/** Shorter times, in milliseconds, are those of searches that the searching thread has no part in. */
const LEAST = 0.005;

/** What is done. */
interface Load extends Rhythm {
    /** There before. */
    readonly objects: number;
    readonly seconds: number;
    readonly changes: number;
}

/** How it went. */
interface Loaded {
    readonly times: readonly Measured[][];
    readonly count: number;
    readonly seconds: number;
    /** At each moment. */
    readonly segments: readonly number[];
}

async function afterLoad(place: BenchPlace, options: Load, still: Clocked): Promise<Loaded> {

    const { index, clock } = await started(place);
    try {
        const begun = performance.now();
        const count = await load(place, index, options);
        const ended = performance.now();
        const times: Measured[][] = [];
        const segments: number[] = [];
        for (const moment of MOMENTS) {
            await sleep(Math.max(ended + moment * 1000 - performance.now(), 0));
            segments.push((await index.usage()).segments);
            times.push(await measure({ index, clock }, still));
        }

        return { times, count, seconds: (ended - begun) / 1000, segments };
    }
    finally {
        await index.stop();
    }
}

/** Returns how many writes there were. */
async function load(place: BenchPlace, index: IndexSupervisor, { objects, seconds, changes, writes, searches, what }: Load): Promise<number> {

    const contents = [...corpus(objects)];
    const current: (StoredObject | null)[] = contents.toReversed();
    const requests = KINDS.flatMap((each) => each.requests);
    let [written, asked] = [0, 0];
    for (const end = performance.now() + seconds * 1000; performance.now() < end && written < changes;) {
        for (let i = 0; i < writes; ++i, ++written) {
            const number = numberOf(what, written, current.length);
            const before = current[number] ?? null;
            const isDeletion = what === 'deletions' && before !== null;
            const after = isDeletion ? null : changed(before, contents[written % contents.length] as StoredObject, { number, written });
            await place.change(index, before, after);
            current[number] = after;
        }

        for (let i = 0; i < searches; ++i, ++asked) {
            await ask(index, requests[asked % requests.length] as SearchRequest);
        }
    }

    return written;
}

/** Which object is written; one after the last is new. */
function numberOf(what: Writes, written: number, count: number): number {

    switch (what) {
        case 'new':
            return count;
        case 'changes of a few':
            return written % FEW;
        default:
            return written % 2 === 0 ? count : written * 7919 % count;
    }
}

function changed(before: StoredObject | null, like: StoredObject, { number, written }: { readonly number: number; readonly written: number }): StoredObject {

    return { ...like, id: before?.id ?? `bench/more-${number}-${written}`, metadata: { ...like.metadata, txnId: 100_000_000 + written } };
}

async function ofMerged(place: BenchPlace, still: Clocked): Promise<Measured[]> {

    const merged = await started(place);
    try {
        await measure(merged, still);
        return await measure(merged, still);
    }
    finally {
        await merged.index.stop();
    }
}

/** Searches both indexes in turns, a few times of each kind in a turn. */
async function measure(own: Clocked, still: Clocked): Promise<Measured[]> {

    const found = KINDS.map(() => ({ own: new Sum(), still: new Sum() }));
    for (const end = performance.now() + REPEATED; performance.now() < end;) {
        for (const [i, { requests }] of KINDS.entries()) {
            await found[i]?.own.add(own, requests);
            await found[i]?.still.add(still, requests);
        }
    }

    return found.map((sums) => ({ own: sums.own.times, still: sums.still.times }));
}

/** Sums up what searches of one kind take. */
class Sum {

    readonly #times: number[] = [];
    #cpu: number | null = 0;

    async add({ index, clock }: Clocked, requests: readonly SearchRequest[]): Promise<void> {

        const before = clock.now();
        for (const request of requests) {
            const begun = performance.now();
            await ask(index, request);
            this.#times.push(performance.now() - begun);
        }

        const after = clock.now();
        this.#cpu = this.#cpu === null || before === null || after === null ? null : this.#cpu + after - before;
    }

    get times(): Times {

        return { p50: percentiles(this.#times).p50, cpu: this.#cpu === null ? null : this.#cpu / this.#times.length };
    }
}
