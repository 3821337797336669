/** Where the script of the writer thread is. */

import { join } from 'node:path';

/** Script of the thread of a {@link SqliteWriter}. */
export const WRITER_THREAD = join(__dirname, 'writer-worker.js');
