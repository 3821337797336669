/** Converts the response envelope to a message (DOIP 2.0, section on responses). */

import type { BytesSegment, DoipRequest, DoipResponse, JsonSegment, Segment } from '../../lib/doip/envelope.js';
import { listText, RecordOutput, recordText, textOfItem } from '../../lib/doip/record-output.js';
import { JsonInMemory, jsonSegment, textOf } from '../../lib/doip/segments.js';
import { DoipError, internal } from '../../lib/errors/errors.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { StatusTable } from '../../lib/errors/status.js';
import { startingWith } from '../../lib/util/streams/starting-with.js';
import { unsharedLike } from '../../lib/util/streams/transient-bytes.js';
import { isFailure } from '../http/response/errors.js';
import type { MessageWriter } from '../../lib/doip/framing/message-writer.js';

/** The beginning of a response. */
type Head = Pick<DoipResponse, 'requestId' | 'status' | 'attributes'>;

/**
 * Writes a response. One JSON value becomes part of the first segment; lists of search results and everything else follow it as segments.
 *
 * @throws an error of the output. Unless the message was begun (`writer.isInMessage`), it can still be an error response.
 */
export async function writeResponse(
    writer: MessageWriter, response: DoipResponse, { request, statuses }: { request: DoipRequest; statuses: StatusTable }
): Promise<void> {

    const head = { ...response, attributes: attributesOf(response, statuses) };
    const { output } = response;
    if (output instanceof RecordOutput) {
        await (output.isList ? writeList(writer, head, output) : writeRecord(writer, head, output));
        return;
    }

    if (output instanceof JsonInMemory && !isNull(output.segment)) {
        await writeHead(writer, head, output.segment);
        await writer.end();
        return;
    }

    const segments = output[Symbol.asyncIterator]();
    try {
        const first = await segments.next();
        const second = first.done !== true && first.value.kind === 'json' ? await segments.next() : null;
        if (first.done === true || second?.done === true && first.value.kind === 'json' && !isNull(first.value)) {
            await writeHead(writer, head, first.done === true ? null : first.value as JsonSegment);
        }
        else {
            await writeSegments(writer, { head, request }, [first.value, ...second === null || second.done === true ? [] : [second.value]], segments);
        }

        await writer.end();
    }
    finally {
        await segments.return?.();
    }
}

/** Writes the response to a request that failed before it was performed, or whose output failed before it was written. */
export async function writeError(writer: MessageWriter, requestId: string | null, thrown: unknown): Promise<string> {

    const { status, message, details, attributes } = thrown instanceof DoipError ? thrown : internal(thrown);
    const head = { requestId, status, attributes: { message, ...attributes } };
    await writeHead(writer, head, jsonSegment({ message, ...details }));
    await writer.end();
    return status;
}

/** Attributes of a response; every error has a message there, without which published clients fail. */
function attributesOf(response: DoipResponse, statuses: StatusTable): JsonObject {

    const { attributes, status } = response;
    return isFailure(response) && typeof attributes['message'] !== 'string' ? { ...attributes, message: statuses.info(status).reason } : attributes;
}

/** Writes the first segment; `output` is a member of it, null for none. */
async function writeHead(writer: MessageWriter, head: Head, output: JsonSegment | null): Promise<void> {

    const text = headText(head);
    await writer.json(output ? `${text.slice(0, -1)},"output":${oneLine(textOf(output))}}` : text);
}

/** True for the value null, which cannot be a member of the first segment. */
function isNull(segment: JsonSegment | null): boolean {

    return segment !== null && segment.text === undefined && segment.value === null;
}

function headText({ requestId, status, attributes }: Head): string {

    return JSON.stringify({ ...requestId === null ? {} : { requestId }, status, ...Object.keys(attributes).length === 0 ? {} : { attributes } });
}

/** Line ends in JSON text are blanks: those of strings are escaped. */
function oneLine(text: string): string {

    return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}

/** Search results: the size comes first, and nothing but text and numbers before the results. */
async function writeRecord(writer: MessageWriter, head: Head, record: RecordOutput): Promise<void> {

    const { size, ...rest } = record.head;
    const parts = recordText(record, { before: size === undefined ? {} : { size }, after: rest, text: textOfItem });
    try {
        const first = await parts.next();
        await writeHead(writer, head, null);
        await writer.jsonParts(startingWith(first, parts));
        await writer.end();
    }
    finally {
        await parts.return();
    }
}

/** A list is a value of the first segment, however long it is. */
async function writeList(writer: MessageWriter, head: Head, list: RecordOutput): Promise<void> {

    const parts = listText(list);
    try {
        const first = await parts.next();
        await writer.jsonParts(withOutput(head, startingWith(first, parts)));
        await writer.end();
    }
    finally {
        await parts.return();
    }
}

async function *withOutput(head: Head, parts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {

    yield `${headText(head).slice(0, -1)},"output":`;
    for await (const part of parts) {
        yield oneLine(part);
    }

    yield '}';
}

async function writeSegments(
    writer: MessageWriter, { head, request }: { head: Head; request: DoipRequest },
    read: readonly Segment[], segments: AsyncIterator<Segment>
): Promise<void> {

    const [first, ...others] = read;
    // An error of the first bytes is still an error of the operation.
    const opened = first?.kind === 'bytes' ? await open(first) : null;
    const start = opened?.segment ?? first;
    try {
        await writeHead(writer, opened ? { ...head, attributes: { ...elementAttributes(opened.segment, request), ...head.attributes } } : head, null);
        for (const segment of start ? [start, ...others] : []) {
            await writeSegment(writer, segment);
        }

        for (let next = await segments.next(); next.done !== true; next = await segments.next()) {
            await writeSegment(writer, next.value);
        }
    }
    finally {
        // Also if nothing of them was written.
        await opened?.close();
    }
}

async function writeSegment(writer: MessageWriter, segment: Segment): Promise<void> {

    await (segment.kind === 'json' ? writer.json(oneLine(textOf(segment))) : writer.bytes(segment.body, segment));
}

/** Reads the first bytes of a segment. */
async function open(segment: BytesSegment): Promise<{ readonly segment: BytesSegment; readonly close: () => Promise<unknown> }> {

    const body = segment.body[Symbol.asyncIterator]();
    const first = await body.next();
    return { segment: { ...segment, body: unsharedLike(startingWith(first, body), segment.body) }, close: async () => body.return?.() };
}

/** Media type and file name, which one published client cannot do without. */
function elementAttributes({ mediaType = 'application/octet-stream', filename }: BytesSegment, { attributes: { element } }: DoipRequest): JsonObject {

    const name = filename ?? element;
    return { mediaType, ...typeof name === 'string' ? { filename: name } : {} };
}
