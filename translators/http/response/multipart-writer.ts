/** Writes several segments as a multipart/mixed body. */

import { randomBytes } from 'node:crypto';
import type { BytesSegment, Segment } from '../../../lib/doip/envelope.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { jsonText } from '../../../lib/json/raw-json.js';
import { isMediaType } from '../headers/content-type.js';
import { formatDisposition } from '../headers/content-disposition.js';

/** A multipart body. */
export interface MultipartBody {
    /** Value of Content-Type, with the boundary. */
    readonly contentType: string;
    readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Writes segments as parts: JSON as `application/json`, bytes with their media type, and with the name in a preceding JSON segment `{id}`.
 * The boundary has 128 random bits, so that content cannot contain it.
 */
export function writeMultipart(segments: AsyncIterable<Segment>): MultipartBody {

    const boundary = randomBytes(16).toString('hex');
    return { contentType: `multipart/mixed; boundary=${boundary}`, body: parts(segments, boundary) };
}

async function *parts(segments: AsyncIterable<Segment>, boundary: string): AsyncGenerator<Uint8Array> {

    let name: string | undefined;
    for await (const segment of segments) {
        if (segment.kind === 'json') {
            const { value } = segment;
            name = isJsonObject(value) && typeof value['id'] === 'string' ? value['id'] : undefined;
            yield Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${jsonText(value)}\r\n`);
            continue;
        }

        yield Buffer.from(`--${boundary}\r\n${bytesHeaders(segment, name)}\r\n\r\n`);
        yield *segment.body;
        yield Buffer.from('\r\n');
        name = undefined;
    }

    yield Buffer.from(`--${boundary}--\r\n`);
}

function bytesHeaders({ mediaType, filename }: BytesSegment, name: string | undefined): string {

    const type = mediaType !== undefined && isMediaType(mediaType) ? mediaType : 'application/octet-stream';
    return `Content-Type: ${type}\r\nContent-Disposition: ${formatDisposition('attachment', filename, name)}`;
}
