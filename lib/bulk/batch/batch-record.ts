/**
 * The record that answers a batch: `{results, success}`, and `message` where the input broke. A short one is one JSON value. A
 * long one is never in memory as a whole: it goes out in blocks of results, or as the bytes of its text.
 */

import type { BytesSegment, Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { BulkOutcome } from './batch-service.js';
import { readStored } from '../../json/serializer.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { jsonSegment } from '../../doip/segments.js';
import { onClose } from '../../util/streams/on-close.js';
import { headOf } from './batch-service.js';

/** Results that are read at once, in characters of their texts; a single one may be longer. */
const LENGTH_PER_BATCH = 64 * 1024;

/** Segments that whoever is given them reads to their end, or ends: the results are on disk until then. */
type Segments = AsyncGenerator<Segment, void, undefined>;

/** The record with its results in further segments: its head, then arrays of results. For carriers that write it piece by piece. */
export function recordInBlocks(outcome: BulkOutcome): Segments {

    return disposing(outcome, inBlocks(outcome));
}

/** The record as one segment, with more members. */
export function wholeRecord(outcome: BulkOutcome, more: JsonObject = {}): Segments {

    return disposing(outcome, inOneSegment(outcome, more));
}

/** Lets go of the results also when nobody began to read them, because the client has gone. */
function disposing({ results }: BulkOutcome, record: Segments): Segments {

    return onClose(record, () => void results.dispose());
}

async function *inBlocks(outcome: BulkOutcome): Segments {

    yield jsonSegment(headOf(outcome));
    for await (const block of outcome.results.blocks()) {
        for (const texts of pieces(block)) {
            const length = texts.reduce((sum, text) => sum + text.length, 0);
            await turnFor(length);
            const results = texts.map((text) => readStored(text));
            await turnFor(length);
            yield jsonSegment(results);
        }
    }
}

/** The same texts; a long one comes on its own. */
function *pieces(texts: readonly string[]): Generator<readonly string[]> {

    let piece: string[] = [];
    let length = 0;
    for (const text of texts) {
        if (piece.length > 0 && length + text.length > LENGTH_PER_BATCH) {
            yield piece;
            [piece, length] = [[], 0];
        }

        piece.push(text);
        length += text.length;
    }

    yield piece;
}

async function *inOneSegment(outcome: BulkOutcome, more: JsonObject): Segments {

    if (!outcome.results.isShort) {
        yield { kind: 'bytes', mediaType: 'application/json', body: recordText(outcome, more) } satisfies BytesSegment;
        return;
    }

    const results: JsonValue[] = [];
    for await (const block of outcome.results.blocks()) {
        results.push(...block.map((text) => readStored(text)));
    }

    yield jsonSegment({ results, ...more, ...headOf(outcome) });
}

async function *recordText(outcome: BulkOutcome, more: JsonObject): AsyncGenerator<Uint8Array> {

    let separator = '';
    yield Buffer.from('{"results":[');
    for await (const block of outcome.results.blocks()) {
        yield Buffer.from(separator + block.join(','));
        separator = ',';
    }

    yield Buffer.from(`],${JSON.stringify({ ...more, ...headOf(outcome) }).slice(1)}`);
}
