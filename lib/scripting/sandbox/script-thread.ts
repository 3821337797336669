/** The script of the threads that run code of types. */

import { join } from 'node:path';

/** Its path. */
export const SCRIPT_THREAD = join(__dirname, 'worker-main.js');
