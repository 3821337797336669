/**
 * Append-only list of JSON values that is read once, from its start, after it is complete. Values beyond a memory limit are spilled to a
 * temporary file.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { TempFile, TempFolder } from '../temp-folder.js';
import { jsonItems } from '../../json/stream/item-splitter.js';
import { writeStored } from '../../json/serializer.js';

/** Maximum number of characters in memory. */
const IN_MEMORY = 1024 * 1024;

/** Size of a read from the file in bytes. */
const READ_BYTES = 64 * 1024;

/** Maximum size of a block in characters; a single text may be longer. */
const LENGTH_PER_BLOCK = 64 * 1024;

/** The list. Its owner must read it to the end or dispose of it. */
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

    /** Adds a value. Await it for back-pressure: it resolves when the value is in memory or on disk. */
    async add(value: JsonValue): Promise<void> {

        const text = writeStored(value);
        this.#lines.push(text);
        this.#characters += text.length;
        if (this.#characters > IN_MEMORY) {
            await this.#spill();
        }
    }

    /** Yields the JSON texts of the values in insertion order, in non-empty blocks, then disposes of the list. */
    async *blocks(): AsyncGenerator<string[]> {

        try {
            await this.#writing;
            if (this.#file) {
                yield *inBlocks(linesOf(this.#file, this.#written));
            }

            yield *inBlocks(this.#lines);
        }
        finally {
            await this.dispose();
        }
    }

    /** Releases memory and removes the file. */
    async dispose(): Promise<void> {

        this.#lines = [];
        await this.#writing.catch(() => {
            // The caller of `add` received the error.
        });
        const file = this.#file;
        this.#file = null;
        await file?.remove();
    }

    /** Appends to the file, one write at a time; the first write creates it. */
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

async function *linesOf(file: TempFile, length: number): AsyncGenerator<string> {

    for await (const { bytes } of jsonItems(readBytes(file, length), { format: 'ndjson', maxItemBytes: Infinity })) {
        yield bytes?.toString() ?? '';
    }
}

/** Groups texts into blocks; a long text is a block of its own. */
async function *inBlocks(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string[]> {

    let block: string[] = [];
    let length = 0;
    for await (const text of texts) {
        if (block.length > 0 && length + text.length > LENGTH_PER_BLOCK) {
            yield block;
            [block, length] = [[], 0];
        }

        block.push(text);
        length += text.length;
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
