/** Inputs of requests: segments, which are made anew for each attempt where their bytes can be read more than once. */

import type { BytesSegment, Segment } from '../doip/envelope.js';
import { bytesSegment, jsonSegment } from '../doip/segments.js';
import { jsonText } from '../json/raw-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json-types.js';
import type { NewElement } from './objects.js';
import { defined } from './web/json.js';
import { type Bytes, chunksOf, countedTogether, type ProgressListener, sizeOf, watched } from './web/streams.js';

/** The segments of an input. */
export interface RequestInput {
    /** Returns the segments for one attempt. */
    readonly open: () => AsyncIterable<Segment>;
    /** False when they can be sent only once. */
    readonly isReplayable: boolean;
}

/** An input for one attempt. */
export interface OpenedInput {
    readonly segments: AsyncIterable<Segment>;
    /** The error of their source or of the listener for progress, with which the request has failed; null if there was none. */
    readonly failure: () => { readonly cause: unknown } | null;
}

/** Segments that the caller supplies, for one attempt. */
export function inputOnce(segments: AsyncIterable<Segment>): RequestInput {

    return { open: () => segments, isReplayable: false };
}

/** JSON as a segment of its own, which may be longer than the beginning of a message. */
export function jsonInput(value: JsonValue): RequestInput {

    const bytes = Buffer.from(jsonText(value));
    return {
        isReplayable: true,
        async *open() {

            yield bytesSegment(bytes, { mediaType: 'application/json' });
        }
    };
}

/** An object with its elements. */
export function elementsInput(object: JsonObject, elements: readonly NewElement[], listener: ProgressListener | undefined): RequestInput {

    const sent = elements.flatMap(({ body, size }) => (body ? [defined({ body, size })] : []));
    return {
        isReplayable: sent.every(({ body }) => sizeOf(body) !== null),
        open: () => objectInput(object, elements, listener && countedTogether(sent, listener))
    };
}

/** Opens an input, and notes errors of what it is made of. */
export function openInput(input: RequestInput): OpenedInput {

    let failure: { readonly cause: unknown } | null = null;
    const fail = (cause: unknown): void => {

        failure ??= { cause };
    };

    const segments = async function *(): AsyncGenerator<Segment, void, undefined> {

        for await (const segment of watched(input.open(), fail)) {
            yield segment.kind === 'json' ? segment : { ...segment, body: watched(segment.body, fail) };
        }
    };

    return { segments: segments(), failure: () => failure };
}

/** The segments of an object: itself, with those elements that it does not list already, and for each element its id and bytes. */
export async function *objectInput(
    object: Readonly<Record<string, JsonValue>>, elements: readonly NewElement[], bytesOf: (body: Bytes) => AsyncIterable<Uint8Array> = chunksOf
): AsyncGenerator<Segment, void, undefined> {

    const listed = Array.isArray(object['elements']) ? object['elements'] : [];
    const ids = new Set(listed.map((each) => (isJsonObject(each) ? each['id'] : undefined)));
    const described = elements.filter(({ id }) => !ids.has(id)).map(({ id, type, filename }) => ({
        id, ...type === undefined ? {} : { type }, ...filename === undefined ? {} : { attributes: { filename } }
    }));
    yield jsonSegment({ ...object, ...elements.length > 0 ? { elements: [...listed, ...described] } : {} });
    for (const { id, body, type, filename } of elements) {
        if (body) {
            yield jsonSegment({ id });
            const segment: BytesSegment = { kind: 'bytes', body: bytesOf(body), ...defined({ mediaType: type, filename, length: sizeOf(body) ?? undefined }) };
            yield segment;
        }
    }
}
