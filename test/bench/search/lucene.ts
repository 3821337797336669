/**
 * The same objects and queries with Lucene, where Java and the jars of Debian's liblucene4.10-java are on the machine.
 */

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import type { SearchRequest } from '../../../lib/search/query/search-request.js';
import type { Latency, Repetition } from './latency.js';
import { corpus } from './place.js';
import { SHAPES } from './shapes.js';

/** Milliseconds of one shape. */
export interface LuceneLatency {
    readonly sizes: readonly number[];
    readonly p50: number;
    readonly p95: number;
}

const JARS = ['core', 'analyzers-common', 'queryparser', 'queries', 'sandbox'].map((name) => `/usr/share/java/lucene-${name}-4.10.4.jar`);

const SOURCE = join(__dirname, '../../../../test/bench/lucene/SearchBench.java');

/** A process with Lucene, which measures one shape after the other when it is told to. */
export class Lucene {

    readonly #process: ChildProcessByStdio<Writable, Readable, null>;
    readonly #lines: AsyncIterator<string>;

    private constructor(process: ChildProcessByStdio<Writable, Readable, null>) {

        this.#process = process;
        this.#lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    }

    /**
     * Null where there is no Lucene.
     *
     * @param folder where the index of Lucene is kept; one that is there is used again
     */
    static async start(objects: number, folder: string): Promise<Lucene | null> {

        if (!JARS.slice(0, 3).every((jar) => existsSync(jar)) || spawnSync('javac', ['-version']).status !== 0) {
            return null;
        }

        const [index, records, queries] = [join(folder, 'index'), join(folder, 'objects.tsv'), join(folder, 'queries.tsv')];
        mkdirSync(index, { recursive: true });
        // Lucene writes this file when everything else of the index is there.
        const isThere = readdirSync(index).some((name) => name.startsWith('segments_'));
        if (!isThere) {
            await writeObjects(records, objects);
        }

        writeFileSync(queries, SHAPES.flatMap(({ name, requests }) => requests.map((request) => queryLine(name, request))).join('\n'));
        const path = [...JARS, folder].join(delimiter);
        compile(path, folder);
        const args = ['-Xmx2g', '-cp', path, 'SearchBench', isThere ? '' : records, queries, index];
        const lucene = new Lucene(spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] }));
        await lucene.#line();
        rmSync(records, { force: true });
        return lucene;
    }

    /** Asks again and again for so long, and at least so many times. */
    async measure(shape: string, { milliseconds, rounds }: Repetition): Promise<LuceneLatency> {

        this.#process.stdin.write(`${shape}\t${milliseconds}\t${rounds}\n`);
        const [sizes = '', p50, p95] = (await this.#line()).split('\t');
        return { sizes: sizes.split(',').map(Number), p50: Number(p50), p95: Number(p95) };
    }

    stop(): void {

        this.#process.stdin.end();
    }

    async #line(): Promise<string> {

        const { value, done } = await this.#lines.next() as IteratorResult<string, undefined>;
        if (done || value === undefined) {
            throw new Error('the program with Lucene has ended');
        }

        return value;
    }
}

/** Shapes whose counts are not the same; there must be none. */
export function differences(latencies: readonly Latency[]): string[] {

    return latencies.filter(({ sizes, lucene }) => lucene?.sizes.join() !== sizes.join()).map(({ shape }) => shape.name);
}

/** Geometric mean of the ratios; below 1 is faster than Lucene. */
export function meanRatio(latencies: readonly Latency[]): number {

    const logarithms = latencies.map(({ ratio }) => Math.log(ratio ?? 1));
    return Math.exp(logarithms.reduce((sum, one) => sum + one, 0) / logarithms.length);
}

async function writeObjects(file: string, objects: number): Promise<void> {

    const stream = createWriteStream(file);
    for (const object of corpus(objects)) {
        if (!stream.write(`${objectLine(object)}\n`)) {
            await once(stream, 'drain');
        }
    }

    stream.end();
    await once(stream, 'finish');
}

function objectLine({ id, type, content, acl }: StoredObject): string {

    const { title, abstract, authors, language, publisher, journal, place, keywords, identifier, date, year, pages, volume } =
        content as Record<string, string> & { authors: { name: string }[]; keywords: string[] };
    return [id, type.toLowerCase(), date, year, pages, volume, (acl?.readers ?? []).join('|'), title, abstract, authors.map(({ name }) => name).join('|'),
        language, publisher, journal, place, keywords.join('|'), identifier].join('\t');
}

function queryLine(shape: string, { query, start, limit, sort, facets, access }: SearchRequest): string {

    const text = (query ?? '*:*').replaceAll(/\/(?=\w+:)/g, '').replace(/^type:(\w+)/, (whole) => whole.toLowerCase());
    return [shape, text, start, limit ?? 0, Number(sort.length > 0), Number(facets.length > 0), access.all ? '' : access.entries.join('|')].join('\t');
}

function compile(path: string, folder: string): void {

    const { status, stderr } = spawnSync('javac', ['-nowarn', '-cp', path, '-d', folder, SOURCE], { encoding: 'utf8' });
    if (status !== 0) {
        throw new Error(`javac failed: ${stderr}`);
    }
}
