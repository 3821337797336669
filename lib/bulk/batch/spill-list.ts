/**
 * A list of JSON values that grows while a long request is worked off and is read once, from its start, when the request has
 * ended. The first part of it is kept in memory, the rest in a file.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { TempFile, TempFolder } from '../temp-folder.js';
import { jsonItems } from '../../json/stream/item-splitter.js';
import { writeStored } from '../../json/serializer.js';

/** Characters that are kept in memory. */
const IN_MEMORY = 1024 * 1024;

/** Bytes that are read from the file at once. */
const READ_BYTES = 64 * 1024;

/** The list. Whoever makes one reads it to its end or disposes of it. */
export class SpillableList {

    readonly #folder: TempFolder;
    #lines: string[] = [];
    #characters = 0;
    #file: TempFile | null = null;
    #written = 0;
    #writing: Promise<void> = Promise.resolve();

    constructor(folder: TempFolder) {

        this.#folder = folder;
    }

    /** True when it all fits into one ordinary answer. */
    get isShort(): boolean {

        return this.#file === null;
    }

    /** Adds a value. Await it: it holds back who is faster than the disk. */
    async add(value: JsonValue): Promise<void> {

        const text = writeStored(value);
        this.#lines.push(text);
        this.#characters += text.length;
        if (this.#characters > IN_MEMORY) {
            await this.#spill();
        }
    }

    /** The texts of the values in the order in which they were added, in blocks of at least one. Ends with {@link dispose}. */
    async *blocks(): AsyncGenerator<string[]> {

        try {
            await this.#writing;
            if (this.#file) {
                yield *readLines(this.#file, this.#written);
            }

            if (this.#lines.length > 0) {
                yield this.#lines;
            }
        }
        finally {
            await this.dispose();
        }
    }

    /** Lets go of everything. */
    async dispose(): Promise<void> {

        this.#lines = [];
        await this.#writing.catch(() => {
            // Whoever added it has been told.
        });
        const file = this.#file;
        this.#file = null;
        await file?.remove();
    }

    /** One write at a time, in order; the file is made by the first. */
    #spill(): Promise<void> {

        const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
        this.#lines = [];
        this.#characters = 0;
        this.#writing = this.#writing.then(async () => {

            this.#file ??= await this.#folder.create();
            await this.#file.handle.appendFile(bytes);
            this.#written += bytes.byteLength;
        });
        return this.#writing;
    }
}

/** The lines of the file, in blocks of about as many characters as are read at once. */
async function *readLines(file: TempFile, length: number): AsyncGenerator<string[]> {

    let block: string[] = [];
    let characters = 0;
    for await (const { bytes } of jsonItems(readBytes(file, length), { format: 'ndjson', maxItemBytes: Infinity })) {
        const line = bytes?.toString() ?? '';
        block.push(line);
        characters += line.length;
        if (characters >= READ_BYTES) {
            yield block;
            block = [];
            characters = 0;
        }
    }

    if (block.length > 0) {
        yield block;
    }
}

async function *readBytes({ handle }: TempFile, length: number): AsyncGenerator<Buffer> {

    for (let position = 0; position < length;) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, position);
        if (bytesRead === 0) {
            throw new Error(`a temporary file has ${position} bytes instead of ${length}`);
        }

        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
    }
}
