/**
 * `npm run bench:search`: how fast the search is, how much it takes, and what it leaves to others.
 *
 *     npm run bench:search                              10,000 objects
 *     npm run bench:search -- --objects 1000000
 *     npm run bench:search -- --data FOLDER             keeps objects and index there for the next run
 *     npm run bench:search -- --only latency,service    parts: build, latency, service, ingest, unstored (a new index that keeps all
 *                                                       objects in memory), mixed (searches after writes and searches that came
 *                                                       mixed, in several rhythms, compared with a merged index; fails where they
 *                                                       take more than 1.3 times as long); these two are not among the parts
 *                                                       unless they are named
 *     npm run bench:search -- --shapes fuzzy            shapes with this in their names
 *     npm run bench:search -- --seconds 60              of each load on the service, and at most of each rhythm
 *     npm run bench:search -- --changes 10000           of each rhythm, unless the seconds end it before
 *     npm run bench:search -- --lucene                  the same with Lucene, where Java and its jars are; its index is kept with the data
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureIngest } from './ingest.js';
import { checkCounts, measureCrossing, measureShapes } from './latency.js';
import { measureMixed } from './mixed.js';
import { differences, Lucene, meanRatio } from './lucene.js';
import { BenchPlace, corpus } from './place.js';
import { serviceTable, shapeTable } from './report.js';
import { BenchService, measureStart } from './service.js';

const MIB = 1024 * 1024;

async function main(): Promise<void> {

    const { values } = parseArgs({ options: {
        objects: { type: 'string', default: '10000' }, data: { type: 'string' }, only: { type: 'string', default: 'build,latency,service,ingest' },
        shapes: { type: 'string', default: '' }, changes: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '10' }, lucene: { type: 'boolean', default: false }
    } });
    const objects = Number(values.objects);
    const parts = new Set(values.only.split(','));
    const folder = values.data ?? mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    console.log(`${objects} objects; ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 1024 ** 3)} GiB, ` +
        `Node ${process.versions.node}, ${process.platform}\n`);
    try {
        await prepare(folder, objects, parts.has('build'));
        if (parts.has('latency')) {
            await latency(folder, { shapes: values.shapes, objects: values.lucene ? objects : 0 });
        }

        if (parts.has('unstored')) {
            await unstored(objects, values.shapes);
        }

        if (parts.has('mixed')) {
            await mixed({ objects, seconds: Number(values.seconds), changes: Number(values.changes) });
        }

        if (parts.has('service')) {
            await service(folder, Number(values.seconds));
        }

        if (parts.has('ingest')) {
            await ingest(Number(values.seconds));
        }
    }
    finally {
        if (values.data === undefined) {
            rmSync(folder, { recursive: true });
        }
    }
}

/** Loads the objects, and builds the index anew when that is to be measured. */
async function prepare(folder: string, objects: number, isMeasured: boolean): Promise<void> {

    const place = await BenchPlace.open(folder);
    try {
        await place.load(objects);
        if (!isMeasured) {
            return;
        }

        await place.forgetIndex();
        const index = place.index();
        const started = performance.now();
        const cpu = process.cpuUsage();
        await index.start();
        await index.complete();
        const seconds = (performance.now() - started) / 1000;
        const { user, system } = process.cpuUsage(cpu);
        const { index: bytes, file } = await place.disk();
        console.log(`indexed ${(objects / seconds).toFixed(0)} objects/s (${((user + system) / 1000 / objects).toFixed(3)} ms of processor time each); ` +
            `${(bytes / MIB).toFixed(0)} MiB in ${await place.segments()} segments, database file ${(file / MIB).toFixed(0)} MiB`);
        await index.stop();
    }
    finally {
        await place.close();
    }
}

/** @param objects number of objects to compare with Lucene, 0 for no comparison */
async function latency(folder: string, { shapes, objects }: { shapes: string; objects: number }): Promise<void> {

    const place = await BenchPlace.open(folder);
    const index = place.index();
    const lucene = objects > 0 ? await Lucene.start(objects, join(folder, 'lucene')) : null;
    try {
        await index.start();
        await index.complete();
        if (shapes === '') {
            await checkCounts(index);
        }

        const latencies = await measureShapes(index, shapes, lucene);
        const { unstored, cached: kept, scratch: room, heap } = await index.usage();
        console.log(shapeTable(latencies));
        const { p50, p95 } = await measureCrossing();
        console.log(`\nthe way to a thread of this machine and back, which all but the shortest searches take: p50 ${p50.toFixed(3)} ms, p95 ${p95.toFixed(3)} ms`);
        console.log(`\nmemory of the index: ${mib(kept)} of segments and caches, ${mib(unstored)} not stored, ${mib(room)} for working, ` +
            `heap of the searching thread ${mib(heap)}; process ${mib(process.memoryUsage().rss)}`);
        if (lucene) {
            const other = differences(latencies);
            console.log(`geometric mean of the ratios to Lucene ${meanRatio(latencies).toFixed(2)}; ` +
                `${other.length === 0 ? 'all counts are the same' : `other counts than Lucene: ${other.join('; ')}`}`);
        }
        else if (objects > 0) {
            console.log('no comparison: Java or the jars of liblucene4.10-java are not there');
        }
    }
    finally {
        lucene?.stop();
        await index.stop();
        await place.close();
    }
}

/** Searches objects right after they were written, before the index stores any of them. */
async function unstored(objects: number, shapes: string): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const place = await BenchPlace.open(folder);
    const index = place.index({ storeAfter: Infinity });
    try {
        await index.start();
        await index.complete();
        await place.write(index, corpus(objects));
        const latencies = await measureShapes(index, shapes);
        console.log(`\nbefore they are stored (${await place.segments()} stored segments):\n${shapeTable(latencies)}`);
    }
    finally {
        await index.stop();
        await place.close();
        rmSync(folder, { recursive: true });
    }
}

/** Fails when searches take too long after the load. */
async function mixed(load: Parameters<typeof measureMixed>[1]): Promise<void> {

    const folders: string[] = [];
    try {
        const slow = await measureMixed(() => {

            folders.push(mkdtempSync(join(tmpdir(), 'doip-gateway-bench-')));
            return folders.at(-1) ?? '';
        }, load);
        console.log(slow.length === 0 ? '\nno kind of search takes too long' : `\ntoo long:\n${slow.join('\n')}`);
        process.exitCode = slow.length === 0 ? 0 : 1;
    }
    finally {
        folders.forEach((folder) => rmSync(folder, { recursive: true }));
    }
}

function mib(bytes: number): string {

    return `${(bytes / MIB).toFixed(0)} MiB`;
}

async function service(folder: string, seconds: number): Promise<void> {

    // The first start makes what a fresh service needs.
    await (await BenchService.start(folder)).stop();
    const { listening, answered } = await measureStart(folder);
    console.log(`\nlistens ${(listening / 1000).toFixed(2)} s after its start, has answered a search after ${(answered / 1000).toFixed(2)} s`);
    const running = await BenchService.start(folder);
    try {
        const results = [
            await running.besidePages(seconds), await running.besideUnlimited(seconds), await running.besideFiltered(seconds),
            await running.besideHooked(seconds), await running.besideCompressed(seconds)
        ];
        console.log(`\n${serviceTable(results)}\n\nresident memory of the service ${(running.memory() / MIB).toFixed(0)} MiB`);
    }
    finally {
        await running.stop();
    }
}

async function ingest(seconds: number): Promise<void> {

    const { withIndex, without } = await measureIngest(seconds);
    console.log(`\ndurable creates for ${seconds} s: ${withIndex.toFixed(0)}/s, without indexing ${without.toFixed(0)}/s: ` +
        `${(withIndex / without).toFixed(2)} of it`);
}

if (require.main === module) {
    void main();
}
