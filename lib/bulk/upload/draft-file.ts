/**
 * The objects of an upload between the first look and the last: lines in a file, to be read in any order.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { TempFile } from '../temp-folder.js';
import { parseJson } from '../../json/strict-parser.js';
import type { PreparedChange } from '../../model/object-draft.js';

const BLOCK_BYTES = 64 * 1024;

/** Levels of nesting of lines that the service has written itself. */
const MAX_DEPTH = 10_000;

/** Bounds of such lines. */
export const DRAFT_LIMITS = { itemBytes: 1024 ** 3, jsonDepth: MAX_DEPTH };

/** Lines by their positions. */
export class DraftFile {

    readonly #file: TempFile;
    /** 0 bytes for objects that were refused. */
    readonly #places: { readonly start: number; readonly length: number }[] = [];
    #waiting: Buffer[] = [];
    #bytes = 0;
    #end = 0;

    constructor(file: TempFile) {

        this.#file = file;
    }

    /** Adds the line of the next position; an empty one where the object was refused. */
    async add(line: string): Promise<void> {

        const bytes = Buffer.from(line);
        this.#places.push({ start: this.#end, length: bytes.byteLength });
        this.#waiting.push(bytes);
        this.#end += bytes.byteLength;
        this.#bytes += bytes.byteLength;
        if (this.#bytes >= BLOCK_BYTES) {
            await this.flush();
        }
    }

    /** What was added can be read afterwards. */
    async flush(): Promise<void> {

        const block = Buffer.concat(this.#waiting.splice(0));
        this.#bytes = 0;
        await this.#file.handle.appendFile(block);
    }

    /** The line of a position; empty where there is none. */
    async line(position: number): Promise<Buffer> {

        const { start, length } = this.#places[position] ?? { start: 0, length: 0 };
        const bytes = Buffer.alloc(length);
        await this.#file.handle.read(bytes, 0, length, start);
        return bytes;
    }
}

/** A change as a line, all but the bytes of its elements. */
export function draftOf({ after, secrets }: PreparedChange): JsonObject {

    return { ...after, ...secrets ? { secrets } : {} } as unknown as JsonObject;
}

export function objectOf(line: Uint8Array): StoredObject {

    return parsed(line) as unknown as StoredObject;
}

/** What was checked when it came. */
export function parsed(line: Uint8Array): JsonValue {

    return parseJson(line, { name: 'an object of an upload', maxDepth: MAX_DEPTH });
}
