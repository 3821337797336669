/** Moves of payloads that no node goes on with. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { SILENT } from '../../../db/log.js';
import type { JobKind, RunningJob } from '../../../lib/jobs/job-kind.js';
import { MoveJobs } from '../../../lib/jobs/move-payloads-job.js';
import type { BlobMover } from '../../../lib/stores/blobs/blob-mover.js';
import type { JobStore } from '../../../lib/stores/jobs/job-store.js';
import type { JsonValue } from '../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a move of payloads', () => {

    function kindOf(): JobKind {

        let kind: JobKind | undefined;
        const made = new MoveJobs({
            mover: { page: () => Promise.reject(new Error('no answer')) } as unknown as BlobMover, route: { from: 'database', to: 's3' },
            jobs: { register: (given) => void (kind = given), wake: () => undefined }, jobStore: {} as JobStore, log: SILENT
        });
        expect(made).to.exist();
        return kind!;
    }

    /** Runs attempts one after the other, each to the store that is given; tells which of them were the last. */
    async function attempt(stores: readonly string[]): Promise<boolean[]> {

        const kind = kindOf();
        let progress: JsonValue = { moved: 7, bytes: 700, damaged: 0, objectId: 'test/7', name: 'file' };
        const ends: boolean[] = [];
        for (const [n, to] of stores.entries()) {
            const job: RunningJob = {
                id: 1, payload: { from: 'database', to }, progress, attempts: n + 1, signal: new AbortController().signal, checkLease: () => undefined,
                report: (value) => Promise.resolve(void (progress = value))
            };
            const error = await kind.run(job).catch((thrown: unknown) => thrown);
            ends.push(kind.isFinal?.(error) === true);
        }

        expect<unknown>(progress).to.include({ moved: 7, bytes: 700, objectId: 'test/7', name: 'file' });
        return ends;
    }

    it('ends when payloads go elsewhere for ten attempts', async () => {

        expect(await attempt(Array.from({ length: 10 }, () => 'other'))).to.equal([...Array.from({ length: 9 }, () => false), true]);
    });

    it('goes on when another node has the setting with which it was begun', async () => {

        expect(await attempt(['other', 'other', 's3', 's3'])).to.equal([false, false, false, false]);
    });
});
