/**
 * What there is to update where handles are registered nowhere else: records follow from the objects, so it is only seen whether
 * they can be computed.
 */

import type { Log } from '../../db/log.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import type { HandleRecords } from './handle-records.js';
import type { RecordUpdater } from './handle-update-job.js';

/** Objects that are in memory at the same time. */
const BATCH = 16;

/** Computes the records of objects and tells how many cannot be. */
export function checkRecords({ records, objects, log }: { records: HandleRecords; objects: ObjectScan; log: Log }): RecordUpdater {

    const update = async (ids: readonly string[]): Promise<number> => {

        const faults: [handle: string, error: unknown][] = [];
        for (const object of await objects.byIds(ids)) {
            await records.ofPublic(object).catch((error: unknown) => faults.push([object.id, error]));
        }

        const [first] = faults;
        if (first) {
            log.warn({ handle: first[0], err: first[1], alike: faults.length }, 'the record of a handle cannot be computed');
        }

        return faults.length;
    };

    return { batch: BATCH, update };
}
