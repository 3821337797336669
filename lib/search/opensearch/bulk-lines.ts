/** Bulk requests: lines of JSON, in pairs of an action and a document. */

import { createHash } from 'node:crypto';
import type { IndexDocument } from '../mapping/index-document.js';
import { toEngineDocument } from './engine-document.js';

/** One request. */
export interface BulkRequest {
    readonly lines: string;
    readonly ids: readonly string[];
}

/** Length of a request, in UTF-16 units; a single document may be longer. */
const MAX_LENGTH = 4_000_000;

/** Maximum length of the id of a document in the engine, in bytes. */
const MAX_ID_BYTES = 512;

/** Returns requests that store documents, unless newer ones are there. */
export function encodeDocuments(documents: readonly IndexDocument[]): BulkRequest[] {

    const requests: { lines: string; ids: string[] }[] = [];
    for (const document of documents) {
        const lines = `${actionLine('index', documentId(document.id), document.metadata.txnId)}${JSON.stringify(toEngineDocument(document))}\n`;
        const last = requests.at(-1);
        if (last && last.lines.length + lines.length <= MAX_LENGTH) {
            last.lines += lines;
            last.ids.push(document.id);
        }
        else {
            requests.push({ lines, ids: [document.id] });
        }
    }

    return requests;
}

/** Returns the line that removes a document, by its id in the engine, unless a newer one is there. */
export function deletionLine(id: string, version: number): string {

    return actionLine('delete', id, version);
}

function actionLine(action: 'index' | 'delete', id: string, version: number): string {

    return `${JSON.stringify({ [action]: { _id: id, version, version_type: 'external_gte' } })}\n`;
}

/** Returns the id in the engine of the document of an object. */
export function documentId(id: string): string {

    return Buffer.byteLength(id) <= MAX_ID_BYTES && !id.startsWith('~') ? id : `~${createHash('sha256').update(id).digest('base64url')}`;
}
