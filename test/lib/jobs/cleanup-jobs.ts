import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RunningJob } from '../../../lib/jobs/job-kind.js';
import { freeSpace, sweepBlobs } from '../../../lib/jobs/cleanup-jobs.js';
import type { BlobSweeper, SweepOptions } from '../../../lib/stores/blobs/blob-sweeper.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the sweeps of blobs', () => {

    const DAY = 86_400_000;

    /** A sweeper that records what is asked of it. */
    const recorder = (): { sweeper: BlobSweeper; sweeps: object[] } => {

        const sweeps: object[] = [];
        const sweep = async (_now: number, { grace, isForSpace = false }: SweepOptions): Promise<object> => {

            sweeps.push({ grace, isForSpace });
            return {};
        };

        return { sweeper: { sweep } as unknown as BlobSweeper, sweeps };
    };

    const job = { signal: new AbortController().signal } as RunningJob;
    const cases: [string, boolean, object[]][] = [
        ['with enough space leave all unlinked blobs for a day', false, [{ grace: DAY, isForSpace: false }]],
        ['on a nearly full disk remove at once only what frees space on it', true, [{ grace: 0, isForSpace: true }, { grace: DAY, isForSpace: false }]]
    ];
    for (const [title, isShort, expected] of cases) {

        it(title, async () => {

            const { sweeper, sweeps } = recorder();

            await sweepBlobs(sweeper, () => 1, { isShort: () => isShort }).run(job);

            expect(sweeps).to.equal(expected);
        });
    }

    it('for a write that lacks space leave other stores out', async () => {

        const { sweeper, sweeps } = recorder();

        await freeSpace(sweeper, () => 1)();

        expect(sweeps).to.equal([{ grace: 0, isForSpace: true }]);
    });
});
