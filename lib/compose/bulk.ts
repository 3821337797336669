/**
 * Composes what works on many objects at once.
 */

import type { BulkLimits } from '../bulk/bulk-service.js';
import type { StatusTable } from '../doip/status.js';
import { BulkService } from '../bulk/bulk-service.js';
import { TempFolder } from '../bulk/temp-folder.js';
import { DEFAULT_MAX_DEPTH } from '../doip/json-text.js';

/** Bytes of one item where nobody says otherwise. */
const ITEM_BYTES = 32 * 1024 * 1024;

/** The bulk service over the temporary folder of a data folder that this process has claimed. */
export async function composeBulk(parts: { dataDir: string; limits: Partial<BulkLimits>; statuses: StatusTable }): Promise<BulkService> {

    const { dataDir, limits: { itemBytes = ITEM_BYTES, jsonDepth = DEFAULT_MAX_DEPTH }, statuses } = parts;
    const folder = new TempFolder(dataDir);
    await folder.clear();
    return new BulkService({
        folder, limits: { itemBytes, jsonDepth }, codeOf: ({ http, status }) => http ?? statuses.info(status).http
    });
}
