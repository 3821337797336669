/** Classifies the output of an operation by its first segments, to choose the kind of HTTP body. */

import type { BytesSegment, DoipResponse, JsonSegment, Segment } from '../../../lib/doip/envelope.js';
import { bytesSegment, JsonInMemory, readBytes } from '../../../lib/doip/segments.js';
import { unsharedLike } from '../../../lib/util/streams/transient-bytes.js';

/** Output of an operation. The consumer must read it to the end or close it. Small bodies are also available as `ready`. */
export type Output =
    | { readonly kind: 'empty' }
    | JsonSegment
    | { readonly kind: 'bytes'; readonly segment: BytesSegment; readonly ready?: Buffer; readonly close: () => Promise<void> }
    | { readonly kind: 'segments'; readonly segments: AsyncIterable<Segment>; readonly close: () => Promise<void> };

/** Maximum size of bytes that are read at once, which is faster than a stream and shows whether more segments follow. */
const SMALL_BYTES = 64 * 1024;

/**
 * Reads the start of an output. One JSON segment is `json`, several segments are `segments`. More than a few bytes cannot be looked past,
 * so an output that begins with them is `bytes`, unless its attribute `mediaType` is multipart and the segment is not marked as the whole.
 */
export async function readOutput(response: Pick<DoipResponse, 'output' | 'attributes'>): Promise<Output> {

    const { output } = response;
    if (output instanceof JsonInMemory) {
        return output.segment ?? { kind: 'empty' };
    }

    const iterator = output[Symbol.asyncIterator]();
    try {
        const first = await iterator.next();
        if (first.done === true) {
            return { kind: 'empty' };
        }

        return first.value.kind === 'json'
            ? await jsonOrMore(first.value, iterator)
            : await bytesOrMore(first.value, iterator, !first.value.isWhole && isMultipart(response));
    }
    catch (error) {
        await iterator.return?.();
        throw error;
    }
}

/** Closes an output that is not read. */
export async function closeOutput(output: Output): Promise<void> {

    if (output.kind === 'bytes' || output.kind === 'segments') {
        await output.close();
    }
}

/** A single JSON segment, or the first of several. */
async function jsonOrMore(first: JsonSegment, iterator: AsyncIterator<Segment>): Promise<Output> {

    const second = await iterator.next();
    return second.done === true ? first : several([first, second.value], iterator);
}

async function bytesOrMore(segment: BytesSegment, iterator: AsyncIterator<Segment>, multipart: boolean): Promise<Output> {

    if (multipart) {
        return several([segment], iterator);
    }

    if (segment.length !== undefined && segment.length <= SMALL_BYTES) {
        const ready = await readBytes(segment.body, SMALL_BYTES);
        const copy = { ...segment, body: bytesSegment(ready).body };
        const second = await iterator.next();
        return second.done === true
            ? { kind: 'bytes', segment: copy, ready, close: closing(iterator) }
            : several([copy, second.value], iterator);
    }

    return { kind: 'bytes', segment: { ...segment, body: unsharedLike(alone(segment.body, iterator), segment.body) }, close: closing(iterator) };
}

function several(read: readonly Segment[], iterator: AsyncIterator<Segment>): Output {

    const segments = async function *(): AsyncGenerator<Segment> {

        yield *read;
        yield *{ [Symbol.asyncIterator]: () => iterator };
    };

    return { kind: 'segments', segments: segments(), close: closing(iterator) };
}

/** The bytes of a body that must not be followed by another segment. Throws if it is. */
async function *alone(body: AsyncIterable<Uint8Array>, iterator: AsyncIterator<Segment>): AsyncGenerator<Uint8Array> {

    yield *body;
    const next = await iterator.next();
    if (next.done !== true) {
        throw new Error('an output of bytes and further segments needs the attribute mediaType multipart/mixed');
    }
}

function closing(iterator: AsyncIterator<Segment>): () => Promise<void> {

    return async () => {

        await iterator.return?.();
    };
}

function isMultipart({ attributes: { mediaType } }: Pick<DoipResponse, 'attributes'>): boolean {

    return typeof mediaType === 'string' && /^multipart\//i.test(mediaType);
}
