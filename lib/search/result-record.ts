/**
 * The record of a search as one segment, with its results in it: as JSON while that is short, else as JSON text that is written as
 * results come, so that no list of results ever has to gather in memory.
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

/** What is shown of a result. */
export type Project = (result: Result) => Result | JsonValue;

type Blocks = AsyncGenerator<readonly Result[], void, undefined>;

/** More results than this, or longer ones (in characters), are not gathered. */
const MAX_GATHERED = 1000;
const MAX_GATHERED_LENGTH = 1024 * 1024;

/** Characters of a record that are handed on at once. */
const CHUNK_LENGTH = 16_384;

/** What is known of the results. */
export interface Results {
    readonly blocks: Blocks;
    /** There are no more than so many. */
    readonly most: number;
    readonly project: Project;
}

/** The record: its size, the results, the rest of it. Whoever does not read the segment lets go of the results by its body's `return`. */
export async function recordSegment({ size = 0, ...rest }: JsonObject, { blocks, most, project }: Results): Promise<Segment> {

    const { shown, texts, isAll } = most > MAX_GATHERED ? NOTHING : await gather(blocks, project);
    if (!isAll) {
        return { kind: 'bytes', mediaType: 'application/json', body: onClose(recordText({ size }, { texts, blocks, project }, rest), () => void blocks.return()) };
    }

    const results = shown.map((form) => (form instanceof SerializedObject ? form.toJSON() : form) as JsonValue);
    // Written as it was gathered: in one go it would hold up the event loop.
    return jsonSegment(rememberText({ size, results, ...rest }, `${opening({ size })}${texts.join()}${closing(rest)}`));
}

/** Results that are in memory, and their texts; there may be more. */
interface Gathered {
    readonly shown: readonly (Result | JsonValue)[];
    readonly texts: readonly string[];
    readonly isAll: boolean;
}

const NOTHING: Gathered = { shown: [], texts: [], isAll: false };

/** The first results, up to the block with which they are too long. */
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

/** The text of a record with its results between the other members; `texts` are those of the first ones. */
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

/** The text of a record up to its results. */
function opening(before: JsonObject): string {

    return `${JSON.stringify(before).slice(0, -1)},"results":[`;
}

/** The text of a record behind its results. */
function closing(after: JsonObject): string {

    return `],${JSON.stringify(after).slice(1)}`;
}

function textOf(value: Result | JsonValue): string {

    return value instanceof SerializedObject ? value.text() : writeJson(value);
}
