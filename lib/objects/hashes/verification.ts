/** Verification of stored objects by the hashes in their metadata, for which the bytes of their elements are read. */

import { createHash } from 'node:crypto';
import type { StoredElement } from '../../model/stored-object.js';
import { isDamage } from '../../stores/blobs/element-store.js';
import type { JsonObject } from '../../util/json-types.js';
import { abortable } from '../../util/streams/abortable.js';
import { hashedElements, verifyHashes } from './object-hashes.js';

/** Elements of the object, and how their bytes are read. */
export interface ElementSource {
    readonly elements: readonly StoredElement[];
    readonly open: (element: StoredElement) => AsyncIterable<Uint8Array>;
    /** Ends the reading. */
    readonly signal: AbortSignal;
}

/**
 * Compares an object in its full form, and the bytes of those elements of which its metadata has a hash, with the hashes in its metadata. Bytes that are
 * missing or damaged do not match.
 *
 * @returns as {@link verifyHashes}
 * @throws the error of a store that is not available, as nothing is known of its bytes then; the reason of the signal
 */
export async function verifyObject(object: JsonObject, { elements, open, signal }: ElementSource): Promise<JsonObject> {

    const names = new Set(hashedElements(object));
    const found = new Map<string, string>();
    for (const element of elements.filter(({ name }) => names.has(name))) {
        const hash = await hashOfBytes(open(element), signal);
        if (hash !== null) {
            found.set(element.name, hash);
        }
    }

    return verifyHashes(object, Object.fromEntries(found));
}

/** Returns the hash of bytes (lower-case hex SHA-256), which are not kept; null if they are damaged. */
export async function hashOfBytes(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<string | null> {

    const hash = createHash('sha256');
    try {
        for await (const bytes of signal ? abortable(body, signal) : body) {
            hash.update(bytes);
        }
    }
    catch (error) {
        if (isDamage(error)) {
            return null;
        }

        throw error;
    }

    return hash.digest('hex');
}
