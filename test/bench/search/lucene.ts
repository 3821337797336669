/**
 * The same objects and queries with Lucene, where Java and the jars of Debian's liblucene4.10-java are on the machine.
 */

import { spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import type { StoredObject } from '../../../lib/objects/stored-object.js';
import type { SearchRequest } from '../../../lib/search/search-request.js';
import type { Latency } from './latency.js';
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

/**
 * Null where there is no Lucene.
 *
 * @param folder where the index of Lucene is kept; one that is there is used again
 */
export async function measureLucene(objects: number, folder: string): Promise<Map<string, LuceneLatency> | null> {

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
    run('javac', ['-nowarn', '-cp', path, '-d', folder, SOURCE]);
    const output = run('java', ['-Xmx2g', '-cp', path, 'SearchBench', isThere ? '' : records, queries, index]);
    rmSync(records, { force: true });
    return new Map(output.trim().split('\n').map((line): [string, LuceneLatency] => {

        const [shape = '', sizes = '', p50, p95] = line.split('\t');
        return [shape, { sizes: sizes.split(',').map(Number), p50: Number(p50), p95: Number(p95) }];
    }));
}

/** Shapes whose counts are not the same; there must be none. */
export function differences(latencies: readonly Latency[], lucene: ReadonlyMap<string, LuceneLatency>): string[] {

    return latencies.filter(({ shape, sizes }) => lucene.get(shape.name)?.sizes.join() !== sizes.join()).map(({ shape }) => shape.name);
}

/** Geometric mean of the ratios of the p50; below 1 is faster than Lucene. */
export function meanRatio(latencies: readonly Latency[], lucene: ReadonlyMap<string, LuceneLatency>): number {

    const logarithms = latencies.map(({ shape, p50 }) => Math.log(p50 / (lucene.get(shape.name)?.p50 ?? p50)));
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

function run(command: string, args: readonly string[]): string {

    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (status !== 0) {
        throw new Error(`${command} failed: ${stderr}`);
    }

    return stdout;
}
