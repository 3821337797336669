/**
 * Pull parser for multipart bodies (RFC 2046, RFC 7578), both `multipart/form-data` and `multipart/mixed`. It reads only on demand, which
 * gives back-pressure and constant memory.
 */

import { badRequest } from '../../../lib/errors/errors.js';
import { parseDisposition } from '../headers/content-disposition.js';
import { decodeHeader } from '../../../lib/util/text/header-text.js';
import type { MediaType } from '../headers/content-type.js';
import type { HttpLimits } from './translator-options.js';

/** One part. Its body must be read before the next part is pulled; the rest of it is then skipped. */
export interface Part {
    /** Decoded headers by lower-case name; the first of repeated ones. */
    readonly headers: ReadonlyMap<string, string>;
    /** Name of the form field. */
    readonly name?: string;
    /** File name without folders. Present exactly when the part declares one; may be empty. */
    readonly filename?: string;
    /** The media type as sent. */
    readonly mediaType?: string;
    readonly body: AsyncIterable<Uint8Array>;
}

/** Limits of a multipart body. */
export type MultipartLimits = Pick<HttpLimits, 'parts' | 'partHeaderBytes'>;

const MAX_BOUNDARY = 70;                                    // RFC 2046
const LINE_BREAK = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

/**
 * Yields the parts of a body in order. Chunks of the source are sliced, not copied.
 *
 * @throws DoipError 400 for an invalid boundary, an exceeded limit, malformed part headers, text after a boundary, and an end before the
 * closing boundary
 */
export async function *parseMultipart(source: AsyncIterable<Uint8Array>, type: MediaType, limits: MultipartLimits): AsyncGenerator<Part> {

    const reader = new PartReader(source, boundaryOf(type));
    try {
        await reader.skipPreamble();
        let count = 0;
        while (await reader.hasPart()) {
            if (++count > limits.parts) {
                throw badRequest(`the multipart body has more than the allowed ${limits.parts} parts`, { http: 413 });
            }

            const headers = await reader.headers(limits.partHeaderBytes);
            yield describe(headers, reader.body());
            await reader.skipBody();
        }

        await reader.skipEpilogue();
    }
    finally {
        await reader.release();
    }
}

function boundaryOf(type: MediaType): string {

    const boundary = type.parameters.get('boundary');
    if (boundary === undefined || boundary === '') {
        throw badRequest(`Content-Type ${type.essence} needs the parameter boundary`);
    }

    if (boundary.length > MAX_BOUNDARY || !/^[\x20-\x7e]*[\x21-\x7e]$/.test(boundary)) {
        throw badRequest(`the boundary of a multipart body must be 1 to ${MAX_BOUNDARY} printable characters`);
    }

    return boundary;
}

function describe(headers: ReadonlyMap<string, string>, body: AsyncIterable<Uint8Array>): Part {

    const text = headers.get('content-disposition') ?? '';
    const disposition = parseDisposition(text);
    if (disposition.filename === undefined && /;[ \t]*filename\*?[ \t]*=/i.test(text)) {
        // As a field, the file would be lost silently.
        throw badRequest('a part of the multipart body has a file name that cannot be read: quotes in it must be escaped');
    }

    const mediaType = headers.get('content-type');
    return {
        headers,
        ...(disposition.name === undefined ? {} : { name: disposition.name }),
        ...(disposition.filename === undefined ? {} : { filename: disposition.filename }),
        ...(mediaType === undefined || mediaType === '' ? {} : { mediaType }),
        body
    };
}

/** Scans the source; `pending` holds bytes that were read but not yet returned. */
class PartReader {

    readonly #source: AsyncIterator<Uint8Array>;
    readonly #delimiter: Buffer;
    /** Starts with a line break, so that a boundary at the start of the body is not a special case. */
    #pending: Buffer = LINE_BREAK;
    /** Counts the parts, to detect a body that is read too late. */
    #part = 0;
    #isInBody = true;

    constructor(source: AsyncIterable<Uint8Array>, boundary: string) {

        this.#source = source[Symbol.asyncIterator]();
        this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    }

    async skipPreamble(): Promise<void> {

        await this.skipBody('the multipart body does not contain its boundary');
    }

    /** Reads what follows a boundary: true when it is a part, false after the closing boundary. */
    async hasPart(): Promise<boolean> {

        await this.#need(2);
        if (this.#pending[0] === 0x2d && this.#pending[1] === 0x2d) {         // --
            return false;
        }

        for (let blanks = this.#leadingBlanks(); blanks > 0; blanks = this.#leadingBlanks()) {      // White space may follow a boundary
            this.#pending = this.#pending.subarray(blanks);
            await this.#need(2);
        }

        if (!this.#pending.subarray(0, 2).equals(LINE_BREAK)) {
            throw badRequest('the multipart body is malformed: text follows a boundary on its line');
        }

        return true;
    }

    /** Reads the headers of a part, from the line break after the boundary. */
    async headers(limit: number): Promise<Map<string, string>> {

        let end = this.#pending.indexOf(HEADERS_END);
        while (end < 0 && this.#pending.length <= limit) {
            const searched = Math.max(0, this.#pending.length - HEADERS_END.length + 1);
            await this.#more('the multipart body ends within the headers of a part');
            end = this.#pending.indexOf(HEADERS_END, searched);
        }

        if (end < 0 || end > limit) {
            throw badRequest(`the headers of a part are longer than the allowed ${limit} bytes`);
        }

        const text = this.#pending.toString('latin1', 0, end);
        this.#pending = this.#pending.subarray(end + HEADERS_END.length);
        this.#isInBody = true;
        ++this.#part;
        return parseHeaders(text);
    }

    /** The body of the current part. */
    body(): AsyncGenerator<Buffer> {

        return this.#chunks(this.#part, 'the multipart body ends within a part');
    }

    /** Skips past the next boundary, if it has not been reached yet. */
    async skipBody(message = 'the multipart body ends within a part'): Promise<void> {

        for await (const chunk of this.#chunks(this.#part, message)) {
            void chunk;
        }
    }

    /** Reads to the end of the source, so that the connection can be reused. */
    async skipEpilogue(): Promise<void> {

        this.#pending = Buffer.alloc(0);
        while (await this.#pull()) {
            // The epilogue is ignored.
        }
    }

    async release(): Promise<void> {

        await this.#source.return?.();
    }

    /** Yields the bytes before the next boundary in chunks, except for a tail that may be the start of a boundary. */
    async *#chunks(part: number, messageAtEnd: string): AsyncGenerator<Buffer> {

        while (this.#isInBody) {
            if (part !== this.#part) {
                throw new Error('the body of a part must be read before the next part is pulled');
            }

            const found = this.#pending.indexOf(this.#delimiter);
            const ready = this.#pending.subarray(0, found < 0 ? this.#pending.length - this.#heldBack() : found);
            this.#pending = this.#pending.subarray(ready.length + (found < 0 ? 0 : this.#delimiter.length));
            this.#isInBody = found < 0;
            if (ready.length > 0) {
                yield ready;
            }

            if (found < 0) {
                await this.#more(messageAtEnd);
            }
        }
    }

    #leadingBlanks(): number {

        let blanks = 0;
        while (this.#pending[blanks] === 0x20 || this.#pending[blanks] === 0x09) {
            ++blanks;
        }

        return blanks;
    }

    /** Length of the longest suffix of `pending` that is a prefix of the delimiter. */
    #heldBack(): number {

        const [pending, delimiter] = [this.#pending, this.#delimiter];
        let at = pending.indexOf(LINE_BREAK[0] as number, Math.max(0, pending.length - delimiter.length + 1));
        while (at >= 0) {
            const length = pending.length - at;
            if (pending.compare(delimiter, 0, length, at) === 0) {
                return length;
            }

            at = pending.indexOf(LINE_BREAK[0] as number, at + 1);
        }

        return 0;
    }

    async #need(bytes: number): Promise<void> {

        while (this.#pending.length < bytes) {
            await this.#more('the multipart body ends before its closing boundary');
        }
    }

    async #more(messageAtEnd: string): Promise<void> {

        const chunk = await this.#pull();
        if (!chunk) {
            throw badRequest(messageAtEnd);
        }

        this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    }

    async #pull(): Promise<Buffer | null> {

        const next = await this.#source.next();
        if (next.done === true) {
            return null;
        }

        const { value } = next;
        return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
}

/** Parses header lines; a line that starts with white space continues the previous one. */
function parseHeaders(text: string): Map<string, string> {

    const headers = new Map<string, string>();
    for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
        if (line === '') {
            continue;
        }

        const colon = line.indexOf(':');
        const name = line.slice(0, Math.max(0, colon)).trimEnd().toLowerCase();
        if (!/^[!-~]+$/.test(name)) {
            throw badRequest('a part of the multipart body has a malformed header');
        }

        if (!headers.has(name)) {
            headers.set(name, decodeHeader(line.slice(colon + 1).trim()));
        }
    }

    return headers;
}
