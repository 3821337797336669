/**
 * Reads exports of the reference implementation for `import`: a folder with one file per object, or a file of JSON lines. Converts them to
 * this service's export format, types first, and notes what is not imported.
 */

import { createReadStream } from 'node:fs';
import { open, opendir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../json/strict-parser.js';
import { jsonItems } from '../json/stream/item-splitter.js';
import { lineOf, EXPORT_VERSION } from '../bulk/format/export-format.js';
import { readReference, type ReferenceObject } from '../bulk/format/cordra-export.js';
import { CommandError, EXIT } from './command-error.js';

/** An export to import. */
export interface Source {
    readonly body: AsyncIterable<Uint8Array>;
    /** Bytes; null when unknown. */
    readonly size: number | null;
    /** What was not imported; complete at the end of the body. */
    readonly remarks: readonly string[];
    /** Errors of objects that could not be read. */
    readonly errors: readonly string[];
}

/** Maximum size in bytes of an object with all its payloads, which is that of a JavaScript string. */
const MAX_OBJECT_BYTES = 500 * 1024 * 1024;

const LINES = /^\s*\{"cordraObject"\s*:/;
const ONE_OBJECT = /^\s*\{\s+"cordraObject"\s*:/;
const PEEK_BYTES = 4096;

/** Magic numbers of compressed files. */
const PACKED: readonly (readonly [Buffer, string])[] = [
    [Buffer.from([0x1f, 0x8b]), 'gzip'], [Buffer.from('PK\x03\x04'), 'zip'], [Buffer.from('BZh'), 'bzip2'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'], [Buffer.from('\xfd7zXZ', 'latin1'), 'xz']
];

/** An object of an export with its location. */
interface Readable {
    readonly location: string;
    readonly object: ReferenceObject;
}

/** An object, or the reason why it cannot be read. */
type Found = Readable | { readonly location: string; readonly error: string };

/** Opens the export at a path; null when it is not one of the reference implementation. Throws a CommandError when the path cannot be read. */
export async function referenceSource(path: string): Promise<Source | null> {

    const { isDirectory, isFile, size } = await inspect(path);
    if (isDirectory) {
        await demandObjects(path);
        return readTwice(() => objectsOfFolder(path), null);
    }

    if (!isFile) {
        return null;                                        // A pipe cannot be read twice
    }

    const beginning = await beginningOf(path);
    demandUnpacked(beginning, path);
    const head = beginning.toString();
    if (ONE_OBJECT.test(head)) {
        return readTwice(() => objectsOfFile(path), null);
    }

    return LINES.test(head) ? readTwice(() => objectsOfLines(createReadStream(path), path), size * 2) : null;
}

/**
 * Returns the bytes of a pipe unchanged.
 *
 * @throws CommandError when they are compressed, or an export of the reference implementation, which has to be read twice
 */
export async function demandExport(body: AsyncIterable<Uint8Array>, location: string): Promise<AsyncIterable<Uint8Array>> {

    const iterator = body[Symbol.asyncIterator]();
    let head = Buffer.alloc(0);
    let next = await iterator.next();
    while (next.done !== true && head.byteLength < PEEK_BYTES) {
        head = Buffer.concat([head, next.value]);
        next = await iterator.next();
    }

    try {
        demandUnpacked(head, location);
        const text = head.toString();
        if (LINES.test(text) || ONE_OBJECT.test(text)) {
            throw new CommandError(`${location} is an export of the reference implementation, which is read two times: name its file, or its folder`, EXIT.noInput);
        }
    }
    catch (error) {
        await iterator.return?.();
        throw error;
    }

    return (async function *() {

        yield head;
        for (; next.done !== true; next = await iterator.next()) {
            yield next.value;
        }
    })();
}

function demandUnpacked(beginning: Buffer, location: string): void {

    const packed = PACKED.find(([mark]) => beginning.subarray(0, mark.byteLength).equals(mark));
    if (packed) {
        throw new CommandError(`${location} is packed (${packed[1]}): unpack it first`, EXIT.noInput);
    }
}

async function inspect(path: string): Promise<{ isDirectory: boolean; isFile: boolean; size: number }> {

    try {
        const found = await stat(path);
        return { isDirectory: found.isDirectory(), isFile: found.isFile(), size: found.size };
    }
    catch (error) {
        throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, EXIT.noInput);
    }
}

async function beginningOf(path: string): Promise<Buffer> {

    const handle = await open(path, 'r').catch((error: Error) => {

        throw new CommandError(`${path} cannot be read: ${error.message}`, EXIT.noInput);
    });
    try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0);
        return buffer.subarray(0, bytesRead);
    }
    finally {
        await handle.close();
    }
}

/** Requires at least one exported object in a folder; any other folder would give a long list of invalid files. */
async function demandObjects(folder: string): Promise<void> {

    for await (const each of objectsOfFolder(folder)) {
        if ('object' in each) {
            return;
        }
    }

    throw new CommandError(`${folder} is a folder, and no file in it is an exported object: name an export, or a folder with a file for each object`, EXIT.noInput);
}

/** Reads the objects twice, types and the design first, since exports are ordered by id. */
function readTwice(objects: () => AsyncIterable<Found>, size: number | null): Source {

    const passes = new TwoPasses(objects);
    return { body: passes.body(), size, remarks: passes.remarks, errors: passes.errors };
}

/** Two passes over the same objects. What the second one does not find as the first one did is an error: no object is left out in silence. */
class TwoPasses {

    readonly remarks: string[] = [];
    readonly errors: string[] = [];
    readonly #objects: () => AsyncIterable<Found>;
    /** Locations with an error; both passes may find it. */
    readonly #wrong = new Set<string>();
    /** Locations of types and of the design in the first pass. */
    readonly #types = new Set<string>();

    constructor(objects: () => AsyncIterable<Found>) {

        this.#objects = objects;
    }

    async *body(): AsyncGenerator<Uint8Array> {

        yield Buffer.from(lineOf({ export: EXPORT_VERSION }));
        let [expected, written] = [0, 0];
        for (const isFirst of [true, false]) {
            for await (const { location, object } of this.#readable(isFirst)) {
                expected += isFirst ? 1 : 0;
                if (object.isFirst !== this.#types.has(location)) {
                    this.#report(location, 'was changed while it was read, and is not imported');
                }
                else if (object.isFirst === isFirst) {
                    written += 1;
                    this.remarks.push(...object.remarks);
                    yield *linesOf(object);
                }
            }
        }

        if (written !== expected) {
            this.errors.push(`${expected} objects were found, and ${written} of them read: nothing must change the export while it is imported`);
        }

        yield Buffer.from(lineOf({ end: true, objects: expected }));
    }

    /** Yields what can be read, and reports the rest. */
    async *#readable(isFirst: boolean): AsyncGenerator<Readable> {

        for await (const found of this.#objects()) {
            if ('error' in found) {
                this.#report(found.location, found.error);
                continue;
            }

            if (isFirst && found.object.isFirst) {
                this.#types.add(found.location);
            }

            yield found;
        }
    }

    #report(location: string, error: string): void {

        if (!this.#wrong.has(location)) {
            this.#wrong.add(location);
            this.errors.push(`${location}: ${error}`);
        }
    }
}

function *linesOf(object: ReferenceObject): Generator<Uint8Array, void, undefined> {

    for (const line of object.lines()) {
        yield Buffer.from(line);
    }
}

async function *objectsOfFolder(folder: string): AsyncGenerator<Found> {

    const entries = await opendir(folder).catch((error: Error) => error);
    if (entries instanceof Error) {
        yield { location: folder, error: `cannot be read: ${entries.message}` };
        return;
    }

    for await (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
            yield *objectsOfFolder(path);
        }
        else if (entry.isFile()) {
            yield *objectsOfFile(path);
        }
        else {
            yield { location: path, error: 'is no regular file, and was passed over' };
        }
    }
}

async function *objectsOfFile(path: string): AsyncGenerator<Found> {

    let bytes: Buffer | null;
    try {
        const { size } = await stat(path);
        bytes = size > MAX_OBJECT_BYTES ? null : await readFile(path);
    }
    catch (error) {
        yield { location: path, error: `cannot be read: ${(error as Error).message}` };
        return;
    }

    yield found(path, bytes);
}

async function *objectsOfLines(body: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Found> {

    for await (const { position, bytes } of jsonItems(body, { format: 'ndjson', maxItemBytes: MAX_OBJECT_BYTES })) {
        yield found(`${path}, line ${position + 1}`, bytes);
    }
}

function found(location: string, bytes: Uint8Array | null): Found {

    if (!bytes) {
        return { location, error: `is longer than ${MAX_OBJECT_BYTES} bytes, with its payloads` };
    }

    try {
        return { location, object: readReference(parseJson(bytes, { name: 'it' })) };
    }
    catch (error) {
        return { location, error: (error as Error).message };
    }
}
