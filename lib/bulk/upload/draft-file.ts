/** Validated objects of an upload, as lines of a temporary file with random access. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { TempFile } from '../temp-folder.js';
import { parseJson } from '../../json/strict-parser.js';
import type { PreparedChange } from '../../model/object-draft.js';

const BLOCK_BYTES = 64 * 1024;

/** Maximum nesting depth of lines that the service itself wrote. */
const MAX_DEPTH = 10_000;

/** Limits for such lines. */
export const DRAFT_LIMITS = { itemBytes: 1024 ** 3, jsonDepth: MAX_DEPTH };

/** Lines by position. */
export class DraftFile {

    readonly #file: TempFile;
    /** Offset and length by position; 0 bytes for a rejected object. */
    readonly #ranges: { readonly start: number; readonly length: number }[] = [];
    #buffered: Buffer[] = [];
    #bytes = 0;
    #end = 0;

    constructor(file: TempFile) {

        this.#file = file;
    }

    /** Appends the line of the next position; an empty one for a rejected object. */
    async add(line: string): Promise<void> {

        const bytes = Buffer.from(line);
        this.#ranges.push({ start: this.#end, length: bytes.byteLength });
        this.#buffered.push(bytes);
        this.#end += bytes.byteLength;
        this.#bytes += bytes.byteLength;
        if (this.#bytes >= BLOCK_BYTES) {
            await this.flush();
        }
    }

    /** Writes buffered lines, which can be read afterwards. */
    async flush(): Promise<void> {

        const block = Buffer.concat(this.#buffered.splice(0));
        this.#bytes = 0;
        await this.#file.handle.appendFile(block);
    }

    /** Reads the line of a position; empty for a rejected object or beyond the end. */
    async line(position: number): Promise<Buffer> {

        const { start, length } = this.#ranges[position] ?? { start: 0, length: 0 };
        const bytes = Buffer.alloc(length);
        await this.#file.handle.read(bytes, 0, length, start);
        return bytes;
    }
}

/** A change as a line, without the bytes of its elements. */
export function draftOf({ after, secrets }: PreparedChange): JsonObject {

    return { ...after, ...secrets ? { secrets } : {} } as unknown as JsonObject;
}

export function objectOf(line: Uint8Array): StoredObject {

    return parsed(line) as unknown as StoredObject;
}

/** Parses a line that was validated before it was written. */
export function parsed(line: Uint8Array): JsonValue {

    return parseJson(line, { name: 'an object of an upload', maxDepth: MAX_DEPTH });
}
