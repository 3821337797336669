/**
 * The record of a search as one segment with its results: JSON while it is short, otherwise a stream of JSON text, so that a long
 * list of results is never held in memory.
 */

import type { Segment } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { DigitalObject } from '../doip/digital-object.js';
import { writeJson } from '../json/serializer.js';
import { rememberText } from '../json/raw-json.js';
import { onClose } from '../util/streams/on-close.js';
import { jsonSegment } from '../doip/segments.js';
import { SerializedObject } from '../doip/serialized-object.js';

/** An id or an object. */
export type Result = string | DigitalObject;

/** Selects what is returned of a result. */
export type Project = (result: Result) => Result | JsonValue;

type Blocks = AsyncGenerator<readonly Result[], void, undefined>;

/** Limits up to which results are gathered in memory: number, and characters. */
const MAX_GATHERED = 1000;
const MAX_GATHERED_LENGTH = 1024 * 1024;

/** Characters of a chunk of the stream. */
const CHUNK_LENGTH = 16_384;

/** Results of a search. */
export interface Results {
    readonly blocks: Blocks;
    /** Upper bound of their number. */
    readonly most: number;
    readonly project: Project;
}

/**
 * Returns the record: size, results, then the rest. A caller that does not read the segment has to call `return` of its body, to
 * release the results.
 */
export async function recordSegment({ size = 0, ...rest }: JsonObject, { blocks, most, project }: Results): Promise<Segment> {

    const { shown, texts, isAll } = most > MAX_GATHERED ? NOTHING : await gather(blocks, project);
    if (!isAll) {
        return {
            kind: 'bytes', mediaType: 'application/json',
            body: onClose(recordText({ size }, { texts, blocks, project }, rest), () => void blocks.return())
        };
    }

    const results = shown.map((form) => (form instanceof SerializedObject ? form.toJSON() : form) as JsonValue);
    // The text is joined from what was gathered, because serialising at once would block the event loop.
    return jsonSegment(rememberText({ size, results, ...rest }, `${opening({ size })}${texts.join()}${closing(rest)}`));
}

/** Results in memory with their texts; there may be more. */
interface Gathered {
    readonly shown: readonly (Result | JsonValue)[];
    readonly texts: readonly string[];
    readonly isAll: boolean;
}

const NOTHING: Gathered = { shown: [], texts: [], isAll: false };

/** Gathers the first results, up to the block that exceeds the limit. */
async function gather(blocks: Blocks, project: Project): Promise<Gathered> {

    const shown: (Result | JsonValue)[] = [];
    const texts: string[] = [];
    let length = 0;
    while (length <= MAX_GATHERED_LENGTH) {
        const { done, value } = await blocks.next();
        if (done === true) {
            return { shown, texts, isAll: true };
        }

        for (const found of value) {
            const form = project(found);
            const text = textOf(form);
            shown.push(form);
            texts.push(text);
            length += text.length;
        }
    }

    return { shown, texts, isAll: false };
}

/** Streams the text of a record; `texts` are those of the first results. */
async function *recordText(
    before: JsonObject, { texts, blocks, project }: { texts: readonly string[]; blocks: Blocks; project: Project }, after: JsonObject
): AsyncGenerator<Uint8Array, void, undefined> {

    let text = opening(before) + texts.join();
    let separator = texts.length === 0 ? '' : ',';
    for await (const block of blocks) {
        for (const found of block) {
            text += separator + textOf(project(found));
            separator = ',';
        }

        if (text.length > CHUNK_LENGTH) {
            yield Buffer.from(text);
            text = '';
        }
    }

    yield Buffer.from(text + closing(after));
}

/** Returns the text of a record before its results. */
function opening(before: JsonObject): string {

    return `${JSON.stringify(before).slice(0, -1)},"results":[`;
}

/** Returns the text of a record after its results. */
function closing(after: JsonObject): string {

    return `],${JSON.stringify(after).slice(1)}`;
}

function textOf(value: Result | JsonValue): string {

    return value instanceof SerializedObject ? value.text() : writeJson(value);
}
