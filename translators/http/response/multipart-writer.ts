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
 *
 * @param options `defaultType`: media type of bytes without one; null for none
 */
export function writeMultipart(
    segments: AsyncIterable<Segment>, { defaultType = 'application/octet-stream' }: { defaultType?: string | null } = {}
): MultipartBody {

    const boundary = randomBytes(16).toString('hex');
    return { contentType: `multipart/mixed; boundary=${boundary}`, body: parts(segments, boundary, defaultType) };
}

async function *parts(segments: AsyncIterable<Segment>, boundary: string, defaultType: string | null): AsyncGenerator<Uint8Array> {

    let name: string | undefined;
    for await (const segment of segments) {
        if (segment.kind === 'json') {
            const { value } = segment;
            name = isJsonObject(value) && typeof value['id'] === 'string' ? value['id'] : undefined;
            yield Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${jsonText(value)}\r\n`);
            continue;
        }

        yield Buffer.from(`--${boundary}\r\n${bytesHeaders(segment, name, defaultType)}\r\n\r\n`);
        yield *segment.body;
        yield Buffer.from('\r\n');
        name = undefined;
    }

    yield Buffer.from(`--${boundary}--\r\n`);
}

function bytesHeaders({ mediaType, filename }: BytesSegment, name: string | undefined, defaultType: string | null): string {

    const type = mediaType !== undefined && isMediaType(mediaType) ? mediaType : defaultType;
    return `${type === null ? '' : `Content-Type: ${type}\r\n`}Content-Disposition: ${formatDisposition('attachment', filename, name)}`;
}
