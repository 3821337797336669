/**
 * `npm run bench:bulk`: many small objects at once, by clients at low priority: a batch upload by HTTP, then exports and imports of
 * the same objects by the command line, beside a server and without one; and versions of an object with a large payload.
 *
 *     npm run bench:bulk                          SQLite
 *     npm run bench:bulk -- --objects 20000
 *     npm run bench:bulk -- --only publish        or upload, transfer, several of them with commas
 *     DATABASE_URL=mysql://… npm run bench:bulk   databases whose names begin with that one
 */

import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Place } from './bulk-place.js';
import { publish } from './bulk-publish.js';
import { searchable, upload } from './bulk-upload.js';
import type { MeasuredProcess } from './measured-process.js';

const MIB = 1024 * 1024;
const LOW_PRIORITY = 10;
const WARM = 2000;
const VERSIONS = 50;

async function main(): Promise<void> {

    const { values } = parseArgs({ options: {
        objects: { type: 'string', default: '100000' }, only: { type: 'string' }, 'payload-mib': { type: 'string', default: '1024' }
    } });
    const count = Number(values.objects);
    const wants = (part: string): boolean => values.only === undefined || values.only.split(',').includes(part);
    setPriority(LOW_PRIORITY);
    if (wants('publish')) {
        await within('publish', (place) => serving(place, (server) => measurePublish(server, Number(values['payload-mib']))));
    }

    if (wants('upload') || wants('transfer')) {
        await within('bulk', async (place) => {

            await serving(place, (server) => measureUpload(server, count));
            if (wants('transfer')) {
                await measureTransfer(place, count);
            }
        });
    }
}

/** Does some work in an empty repository. */
async function within(name: string, work: (place: Place) => Promise<void>): Promise<void> {

    const place = await Place.create(name);
    try {
        await work(place);
    }
    finally {
        await place.remove();
    }
}

/** Does some work while a server runs. */
async function serving(place: Place, work: (server: MeasuredProcess) => Promise<void>): Promise<void> {

    const server = await place.serve();
    try {
        await work(server);
    }
    finally {
        await server.stop();
    }
}

async function measurePublish(server: MeasuredProcess, mib: number): Promise<void> {

    const times = await publish(server, mib * MIB, VERSIONS);
    const at = (share: number): string => `${times[Math.ceil(times.length * share) - 1]?.toFixed(1)} ms`;
    console.log(`publishing a version of an object with a payload of ${mib} MiB: median ${at(0.5)}, at most ${at(1)}`);
}

async function measureUpload(server: MeasuredProcess, count: number): Promise<void> {

    await upload(server, 'warm', WARM);
    await searchable(server, 'warm', WARM);
    await measure(server, `batch upload of ${count} objects`, count, () => upload(server, 'bench', count), () => searchable(server, 'bench', count));
}

/** Exports what is in a place, with and without a server; imports it elsewhere, without a server and beside one. */
async function measureTransfer(place: Place, count: number): Promise<void> {

    const file = join(place.folder, 'alone.ndjson');
    await serving(place, (server) => measure(server, 'export beside a server', count, () => place.command(['export', join(place.folder, 'beside.ndjson')], true)));
    const exported = await place.command(['export', file], false);
    console.log(`export without a server: ${rate(count, exported)}, ${(statSync(file).size / MIB).toFixed(0)} MiB`);
    await within('alone', async (other) => {

        console.log(`import without a server: ${rate(count, await other.command(['import', file], false))}`);
        console.log(`the same import once more, all of it there already: ${rate(count, await other.command(['import', file], false))}`);
    });
    await within('beside', (other) => serving(other, (server) => measure(
        server, 'import beside a server', count, () => other.command(['import', file], true), () => searchable(server, 'bench', count))));
}

async function measure(
    server: MeasuredProcess, name: string, count: number, work: () => Promise<unknown>, after: () => Promise<unknown> = async () => {}
): Promise<void> {

    server.resetDelay();
    const before = await server.delay();
    const started = performance.now();
    await work();
    const answered = performance.now();
    await after();
    const searched = performance.now();
    const { heapPeak, p99, max } = await server.delay();
    console.log(`${name}: ${rate(count, answered - started)}, until searchable ${rate(count, searched - started)}; heap and buffers of the ` +
        `main thread grew by ${((heapPeak - before.heapPeak) / MIB).toFixed(0)} MiB at most; event-loop delay p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`);
}

function rate(count: number, ms: number): string {

    return `${(count / ms * 1000).toFixed(0)}/s`;
}

if (require.main === module) {
    void main();
}
