/** Payloads as they are received: a stream of bytes, with what the headers of the response say about it. */

import { chunksOf, counted, type ProgressListener, streamOf } from './streams.js';

/** The bytes of a payload, or a range of them. */
export interface PayloadDownload {
    /** Must be read to its end or cancelled. `new Response(body)` gives it as text, JSON or a Blob. */
    readonly body: ReadableStream<Uint8Array>;
    /** Bytes of the body; null when unknown. */
    readonly size: number | null;
    readonly mediaType: string;
    /** Null when the payload was stored without one. */
    readonly filename: string | null;
    /** Version of the object, for `ifMatch`; null for types whose code changes objects when they are read. */
    readonly etag: string | null;
}

/** A range of bytes, both ends inclusive; without an end everything from the start. */
export interface ByteRange {
    readonly start: number;
    readonly end?: number;
}

/** Returns what a response has. */
export function downloadOf(response: Response, onProgress: ProgressListener | undefined): PayloadDownload {

    const { headers } = response;
    const length = headers.get('content-length');
    const size = length === null ? null : Number(length);
    const body = response.body ?? new Blob([]).stream();
    return {
        body: onProgress ? streamOf(counted(chunksOf(body), size, onProgress)) : body,
        size, mediaType: headers.get('content-type') ?? 'application/octet-stream', filename: filenameIn(headers.get('content-disposition') ?? ''),
        etag: headers.get('etag')
    };
}

/** Returns a range as the value of the header Range. @throws TypeError if it is invalid */
export function rangeHeader({ start, end }: ByteRange): string {

    if (!Number.isSafeInteger(start) || start < 0 || end !== undefined && (!Number.isSafeInteger(end) || end < start)) {
        throw new TypeError('a range has a start from 0, and an end that is not before it');
    }

    return `bytes=${start}-${end ?? ''}`;
}

/** Reads the file name of Content-Disposition (RFC 6266), as this service writes it. */
function filenameIn(disposition: string): string | null {

    const [, encoded] = /;\s*filename\*=UTF-8''([^;\s]*)/i.exec(disposition) ?? [];
    if (encoded !== undefined) {
        try {
            return decodeURIComponent(encoded);
        }
        catch {
            return null;
        }
    }

    const [, quoted, plain] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition) ?? [];
    return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? null;
}
