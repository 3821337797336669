/** `repository.json`: says in the bucket which repository the payloads are of, and which copy of its database owns them. */

import { parseJson } from '../../json/strict-parser.js';
import { isJsonObject } from '../../util/json-types.js';
import type { S3Bucket } from './s3-bucket.js';
import { S3Error } from './s3-error.js';

/** Key of the marker. */
export const MARKER = 'repository.json';

const MAX_MARKER_BYTES = 4096;

/** Contents of the marker. */
export interface Marker {
    /** Id of the repository; empty when it is that of another program. */
    readonly repository: string;
    /** The newest ownership token; null before the first one. */
    readonly owner: string | null;
}

/** Reads the marker; null when there is none. @throws S3Error */
export async function readMarker(bucket: S3Bucket): Promise<Marker | null> {

    try {
        const { body, size } = await bucket.get(MARKER);
        if (size > MAX_MARKER_BYTES) {
            body.destroy();
            return { repository: '', owner: null };
        }

        const chunks: Uint8Array[] = [];
        for await (const chunk of body) {
            chunks.push(chunk as Uint8Array);
        }

        return parsed(Buffer.concat(chunks).toString());
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
