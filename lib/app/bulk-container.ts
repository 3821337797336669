/** Composes bulk operations. */

import type { Database } from '../../db/database.js';
import type { BulkLimits } from '../bulk/batch/item-reader.js';
import type { DoipError } from '../errors/errors.js';
import type { StatusTable } from '../errors/status.js';
import type { JobRunner } from '../jobs/job-runner.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import type { UploadJobParts } from '../bulk/upload/upload-job.js';
import { BulkService } from '../bulk/batch/batch-service.js';
import { Exporter } from '../bulk/transfer/exporter.js';
import { Importer } from '../bulk/transfer/importer.js';
import { uploadJob } from '../bulk/upload/upload-job.js';
import { UploadService } from '../bulk/upload/upload-service.js';
import { TempFolder } from '../bulk/temp-folder.js';
import { DEFAULT_MAX_DEPTH } from '../json/strict-parser.js';
import { ObjectRestorer } from '../bulk/upload/object-restorer.js';
import type { SearchIndex } from '../search/runtime/search-index.js';
import { IndexFormStore } from '../stores/search/indexed-form-store.js';

/** Default maximum size of an item in bytes. */
const ITEM_BYTES = 8 * 1024 * 1024;

/** Creates the bulk service, with temporary files in a data folder, of which its owner removes those of an earlier process. */
export async function composeBulk(
    parts: {
        dataDir: string; isOwner: boolean; limits: Partial<BulkLimits>; statuses: StatusTable; explain: (error: unknown) => DoipError | null;
        index: Pick<SearchIndex, 'keepUp'>;
    }
): Promise<BulkService> {

    const { dataDir, isOwner, limits: { itemBytes = ITEM_BYTES, jsonDepth = DEFAULT_MAX_DEPTH, jsonValues = Infinity }, statuses, explain, index } = parts;
    const folder = new TempFolder(dataDir);
    if (isOwner) {
        await folder.clear();
    }

    return new BulkService({
        folder, limits: { itemBytes, jsonDepth, jsonValues }, explain, codeOf: (error) => statuses.errorCode(error), keepUp: index.keepUp?.bind(index)
    });
}

/** Creates export, import and uploads; registers the upload job. */
export function composeTransfer(
    parts: ConstructorParameters<typeof ObjectRestorer>[0] & Omit<UploadJobParts, 'restorer' | 'forms'> & {
        db: Database; jobs: JobRunner; jobStore: JobStore;
    }
): { transfer: { readonly exporter: Exporter; readonly importer: Importer }; uploader: UploadService } {

    const restorer = new ObjectRestorer(parts);
    parts.jobs.register(uploadJob({ ...parts, restorer, forms: new IndexFormStore(parts.db) }));
    return {
        transfer: { exporter: new Exporter(parts), importer: new Importer({ ...parts, restorer }) },
        uploader: new UploadService({ ...parts, source: parts.bulk.source })
    };
}
