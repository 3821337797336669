/** Entry point of the thread that analyses documents for OpenSearch, which takes longer than the main thread may be blocked. */

import { serveCalls } from '../../util/workers/worker-server.js';
import { encodeDocuments } from './bulk-lines.js';
import type { BulkItem } from './bulk-lines.js';
import type { IndexDocument } from '../mapping/index-document.js';

/** Call to the thread. */
export interface EncodeCall {
    readonly kind: 'encode';
    readonly documents: readonly IndexDocument[];
    readonly version: number;
}

/** Result: requests of limited length. */
export interface EncodeAnswers {
    readonly encode: readonly (readonly BulkItem[])[];
}

serveCalls<EncodeCall>(({ documents, version }): EncodeAnswers['encode'] => encodeDocuments(documents, version));
