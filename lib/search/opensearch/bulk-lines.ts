/** Bulk requests: lines of JSON, in pairs of an action and a document. */

import { createHash } from 'node:crypto';
import type { IndexDocument } from '../mapping/index-document.js';
import { toEngineDocument } from './engine-document.js';

/** What is to become of the document of one object. */
export interface BulkItem {
    /** Of the object. */
    readonly id: string;
    /** One line, or two. */
    readonly lines: string;
}

/** Bytes of a request; a single document may be longer. */
const MAX_BYTES = 4_000_000;

/** Maximum length of the id of a document in the engine, in bytes. */
const MAX_ID_BYTES = 512;

/**
 * Returns requests that store documents, unless those of a later version are there.
 *
 * @param version position of the change log up to which the documents have all changes
 */
export function encodeDocuments(documents: readonly IndexDocument[], version: number): BulkItem[][] {

    const requests: BulkItem[][] = [];
    let bytes = Infinity;
    for (const document of documents) {
        const lines = `${actionLine('index', document.id, version)}${JSON.stringify(toEngineDocument(document))}\n`;
        const size = Buffer.byteLength(lines);
        if (bytes + size > MAX_BYTES) {
            requests.push([]);
            bytes = 0;
        }

        requests.at(-1)?.push({ id: document.id, lines });
        bytes += size;
    }

    return requests;
}

/** Removes the document of an object, unless one of a later version is there. Also where there is none, an earlier version is kept out. */
export function deletion(id: string, version: number): BulkItem {

    return { id, lines: actionLine('delete', id, version) };
}

function actionLine(action: 'index' | 'delete', id: string, version: number): string {

    return `${JSON.stringify({ [action]: { _id: documentId(id), version, version_type: 'external_gte' } })}\n`;
}

/** Returns the id in the engine of the document of an object. */
function documentId(id: string): string {

    return Buffer.byteLength(id) <= MAX_ID_BYTES && !id.startsWith('~') ? id : `~${createHash('sha256').update(id).digest('base64url')}`;
}
