/**
 * The record that a batch returns: `{results, success}`, and `message` for invalid input. A short record is one JSON value; a long one is
 * streamed, in batches of results or as the bytes of its text.
 */

import type { BytesSegment, Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { BulkOutcome } from './batch-service.js';
import { readStored } from '../../json/serializer.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { jsonSegment } from '../../doip/segments.js';
import { onClose } from '../../util/streams/on-close.js';
import { headOf } from './batch-service.js';

/** Maximum size of a batch of results in characters; a single result may be longer. */
const LENGTH_PER_BATCH = 64 * 1024;

/** Segments that the consumer must read to the end or return from: the results stay on disk until then. */
type Segments = AsyncGenerator<Segment, void, undefined>;

/** The record as a head followed by arrays of results, for translators that write it in chunks. */
export function recordInBlocks(outcome: BulkOutcome): Segments {

    return disposing(outcome, inBlocks(outcome));
}

/** The record as one segment, with additional members. */
export function wholeRecord(outcome: BulkOutcome, more: JsonObject = {}): Segments {

    return disposing(outcome, inOneSegment(outcome, more));
}

/** Disposes of the results even when they are never read, because the client disconnected. */
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

/** Splits results into batches; a long result is a batch of its own. */
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
