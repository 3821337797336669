/**
 * Output that is a JSON record with a list of any length, `results`, or such a list alone, streamed block by block. A translator that writes the record in a
 * form of its own takes the blocks; to every other consumer the output is one segment with the whole record, as JSON while it is short,
 * else as the bytes of its text.
 */

import type { Segment } from './envelope.js';
import type { DigitalObject } from './digital-object.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { rememberText } from '../json/raw-json.js';
import { writeJson } from '../json/serializer.js';
import { onClose } from '../util/streams/on-close.js';
import { jsonSegment } from './segments.js';
import { SerializedJson, SerializedObject } from './serialized-object.js';

/** One result. */
export type RecordItem = JsonValue | DigitalObject | SerializedJson;

/** A record. The consumer must read its output to the end or close it. */
export interface RecordParts {
    /** Members before the results. */
    readonly before?: JsonObject;
    /** Members after the results. */
    readonly after: JsonObject;
    readonly blocks: AsyncGenerator<readonly RecordItem[], void, undefined>;
    /** Maximum number of results, where it is known. */
    readonly maxResults?: number;
    /** True for an array of the results, without a record around it. */
    readonly isList?: boolean;
}

/** How a record is written. */
export interface RecordForm {
    readonly before: JsonObject;
    readonly after: JsonObject;
    /** JSON text of one result. */
    text(item: RecordItem): string;
}

/** Maximum number of results, and of their characters, in a record that becomes one JSON value. */
const MAX_BUFFERED = 1000;
const MAX_BUFFERED_LENGTH = 1024 * 1024;

/** Size of a chunk of text in characters. */
const CHUNK_LENGTH = 65_536;

/** The output. */
export class RecordOutput implements AsyncIterable<Segment> {

    readonly #parts: Required<RecordParts>;
    #first: IteratorResult<readonly RecordItem[], void> | null;

    private constructor(parts: RecordParts, first: IteratorResult<readonly RecordItem[], void> | null) {

        this.#parts = { before: {}, maxResults: 0, isList: false, ...parts };
        this.#first = first;
    }

    /** Reads the first block: an error there is still an error of the operation. */
    static async open(parts: RecordParts): Promise<RecordOutput> {

        return new RecordOutput(parts, await parts.blocks.next());
    }

    /** Returns the same record; `release` is called once when its results have ended or are closed. Use it instead of this one. */
    whenClosed(release: () => void): RecordOutput {

        return new RecordOutput({ ...this.#parts, blocks: onClose(this.#parts.blocks, release) }, this.#first);
    }

    /** True for an array of the results. */
    get isList(): boolean {

        return this.#parts.isList;
    }

    /** All members but the results. */
    get head(): JsonObject {

        return { ...this.#parts.before, ...this.#parts.after };
    }

    /** The next results; null after the last ones. */
    async next(): Promise<readonly RecordItem[] | null> {

        const { done, value } = this.#first ?? await this.#parts.blocks.next();
        this.#first = null;
        return done ? null : value;
    }

    /** Releases the results that were not read. */
    async close(): Promise<void> {

        await this.#parts.blocks.return();
    }

    /** The whole record as one segment. */
    [Symbol.asyncIterator](): AsyncGenerator<Segment, void, undefined> {

        return onClose(this.#stream(), () => void this.close());
    }

    async *#stream(): AsyncGenerator<Segment, void, undefined> {

        const { before, after, maxResults, isList } = this.#parts;
        const { values, texts, isAll } = maxResults > MAX_BUFFERED ? NOTHING : await this.#buffer();
        if (isAll) {
            const results = values.map((item) => (item instanceof SerializedObject || item instanceof SerializedJson ? item.toJSON() : item) as JsonValue);
            // Writing the value in one go would block the event loop.
            yield jsonSegment(isList ? rememberText(results, `[${texts.join()}]`) :
                rememberText({ ...before, results, ...after }, opening(before) + texts.join() + closing(after)));
            return;
        }

        yield { kind: 'bytes', mediaType: 'application/json', body: encoded(recordText(this, { before, after, text: textOfItem }, texts)) };
    }

    /** The first results, up to the block with which they are too long for one value. */
    async #buffer(): Promise<BufferedResults> {

        const values: RecordItem[] = [];
        const texts: string[] = [];
        let length = 0;
        while (length <= MAX_BUFFERED_LENGTH) {
            const block = await this.next();
            if (!block) {
                return { values, texts, isAll: true };
            }

            for (const item of block) {
                const text = textOfItem(item);
                values.push(item);
                texts.push(text);
                length += text.length;
            }
        }

        return { values, texts, isAll: false };
    }
}

interface BufferedResults {
    readonly values: readonly RecordItem[];
    readonly texts: readonly string[];
    readonly isAll: boolean;
}

const NOTHING: BufferedResults = { values: [], texts: [], isAll: false };

/**
 * The JSON text of a record, in chunks; of a list alone without the members of its form. Returning early releases the results.
 *
 * @param texts of results that were taken already
 */
export async function *recordText(record: RecordOutput, form: RecordForm, texts: readonly string[] = []): AsyncGenerator<string, void, undefined> {

    let text = (record.isList ? '[' : opening(form.before)) + texts.join();
    let separator = texts.length === 0 ? '' : ',';
    try {
        for (let block = await record.next(); block; block = await record.next()) {
            for (const item of block) {
                text += separator + form.text(item);
                separator = ',';
                if (text.length >= CHUNK_LENGTH) {
                    yield text;
                    text = '';
                }
            }
        }
    }
    finally {
        await record.close();
    }

    yield text + (record.isList ? ']' : closing(form.after));
}

/** The JSON text of a list alone, in chunks. */
export function listText(list: RecordOutput): AsyncGenerator<string, void, undefined> {

    return recordText(list, { before: {}, after: {}, text: textOfItem });
}

async function *encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {

    for await (const text of texts) {
        yield Buffer.from(text);
    }
}

function opening(before: JsonObject): string {

    const members = JSON.stringify(before).slice(1, -1);
    return `{${members}${members === '' ? '' : ','}"results":[`;
}

function closing(after: JsonObject): string {

    const members = JSON.stringify(after).slice(1, -1);
    return `]${members === '' ? '' : ','}${members}}`;
}

/** JSON text of one result. */
export function textOfItem(item: RecordItem): string {

    return item instanceof SerializedObject || item instanceof SerializedJson ? item.text() : writeJson(item);
}
