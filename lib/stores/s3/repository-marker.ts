/** `repository.json`: says in the bucket which repository the payloads are of, and which copy of its database owns them. */

import { parseJson } from '../../json/strict-parser.js';
import { isJsonObject } from '../../util/json-types.js';
import { steady } from './block-reading.js';
import type { S3Bucket } from './s3-bucket.js';
import { S3Error } from './s3-error.js';

/** Key of the marker. */
export const MARKER = 'repository.json';

/** Key of an object by which a process that starts asks others to write another token to the marker. */
export const CHALLENGE = 'challenge';

const MAX_BYTES = 4096;

/** Time in ms without a byte after which a read has failed. */
const STALL_MS = 10_000;

/** Contents of the marker. */
export interface Marker {
    /** Id of the repository; empty when it is that of another program. */
    readonly repository: string;
    /** The newest ownership token; null before the first one. */
    readonly owner: string | null;
}

/** Reads the marker; null when there is none. @throws S3Error */
export async function readMarker(bucket: S3Bucket): Promise<Marker | null> {

    const bytes = await readSmall(bucket, MARKER);
    return bytes && parsed(bytes.toString());
}

/** Reads a small object; null when there is none, and empty when it is not small. @throws S3Error */
export async function readSmall(bucket: S3Bucket, key: string): Promise<Buffer | null> {

    try {
        const { body, size } = await bucket.get(key);
        if (size > MAX_BYTES) {
            body.destroy();
            return Buffer.alloc(0);
        }

        const chunks: Uint8Array[] = [];
        for await (const chunk of steady(body, STALL_MS, (bytes) => bucket.countReceived(bytes))) {
            chunks.push(chunk);
        }

        return Buffer.concat(chunks);
    }
    catch (error) {
        if (error instanceof S3Error && error.failure === 'missing') {
            return null;
        }

        throw error;
    }
}

/** The bytes of a marker. */
export function markerBytes({ repository, owner }: Marker): Buffer {

    return Buffer.from(`${JSON.stringify({ repository, ...owner === null ? {} : { owner } })}\n`);
}

function parsed(text: string): Marker {

    try {
        const value = parseJson(text);
        const { repository, owner } = isJsonObject(value) ? value : {};
        return { repository: typeof repository === 'string' ? repository : '', owner: typeof owner === 'string' ? owner : null };
    }
    catch {
        return { repository: '', owner: null };
    }
}
