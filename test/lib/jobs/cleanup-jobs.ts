/** Jobs that clean up. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { freeSpace, sweepBlobs } from '../../../lib/jobs/cleanup-jobs.js';
import type { RunningJob } from '../../../lib/jobs/job-kind.js';
import type { BlobSweeper, SweepOptions } from '../../../lib/stores/blobs/blob-sweeper.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a sweep of blobs', () => {

    /** Sweeps what there is of a kind of blob, at most 1000 each time; tells how much is left, and how often there was a sweep. */
    async function sweep(kind: 'staged' | 'unlinked', count: number, { kept = 0, stopAfter = Infinity } = {}): Promise<readonly [left: number, sweeps: number]> {

        const stop = new AbortController();
        let [left, sweeps] = [count, 0];
        const sweeper: Pick<BlobSweeper, 'sweep'> = {
            sweep: (_now, { limit }) => {

                const removed = Math.max(0, Math.min(limit, left) - kept);
                left -= removed;
                sweeps += 1;
                if (sweeps === stopAfter) {
                    stop.abort(new Error('the service stops'));
                }

                return Promise.resolve({ staged: 0, unlinked: 0, orphans: 0, [kind]: removed });
            }
        };
        const job = sweepBlobs(sweeper as BlobSweeper, () => 0);
        await job.run({ signal: stop.signal } as RunningJob).catch((error: unknown) => {

            expect(error).to.be.an.error('the service stops');
        });
        return [left, sweeps];
    }

    for (const kind of ['staged', 'unlinked'] as const) {
        it(`removes all ${kind} ones, however many there are`, async () => {

            expect(await sweep(kind, 0)).to.equal([0, 1]);
            expect(await sweep(kind, 400)).to.equal([0, 1]);
            expect(await sweep(kind, 5300)).to.equal([0, 6]);
        });

        it(`is not held up by ${kind} ones that are in use`, async () => {

            expect(await sweep(kind, 5300, { kept: 10 })).to.equal([10, 6]);
        });
    }

    it('ends between two batches when the service stops', async () => {

        expect(await sweep('unlinked', 5300, { stopAfter: 2 })).to.equal([3300, 2]);
    });
});

describe('the sweeps of blobs', () => {

    const DAY = 86_400_000;

    /** A sweeper that records what is asked of it. */
    const recorder = (): { sweeper: BlobSweeper; sweeps: object[] } => {

        const sweeps: object[] = [];
        const sweep = async (_now: number, { grace, isForSpace = false }: SweepOptions): Promise<object> => {

            sweeps.push({ grace, isForSpace });
            return { staged: 0, unlinked: 0, orphans: 0 };
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
