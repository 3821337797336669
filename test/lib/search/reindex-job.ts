/** Requests to reindex: which attempts of their jobs count, and who waits for them. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { badRequest, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import type { JobKind, RunningJob } from '../../../lib/jobs/job-kind.js';
import { QueryTimeout } from '../../../lib/search/query/query-deadline.js';
import { ReindexJobs, type ReindexJobsParts } from '../../../lib/search/reindex-job.js';
import type { Reindexer } from '../../../lib/search/reindexer.js';
import type { SearchIndex } from '../../../lib/search/runtime/search-index.js';
import type { JobStore } from '../../../lib/stores/jobs/job-store.js';
import { workerExited } from '../../../lib/util/workers/worker-client.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** What the jobs use of the search and of the table. */
interface Fakes {
    readonly work?: () => Promise<number>;
    readonly outcome?: () => 'waiting' | 'done';
}

function make({ work = () => Promise.resolve(0), outcome = () => 'done' }: Fakes): { requests: ReindexJobs; kind: JobKind } {

    let kind: JobKind | undefined;
    const jobs: ReindexJobsParts['jobs'] = { register: (given) => void (kind = given), wake: () => undefined };
    const index: Pick<SearchIndex, 'catchUp'> = { catchUp: () => Promise.resolve() };
    const jobStore: Pick<JobStore, 'add' | 'outcome'> = {
        add: () => Promise.resolve(1), outcome: () => Promise.resolve({ state: outcome(), lastError: null })
    };
    const reindexing: Pick<Reindexer, 'run' | 'stop'> = { run: work, stop: () => Promise.resolve() };
    const requests = new ReindexJobs({ reindexing: reindexing as Reindexer, index: index as SearchIndex, jobs, jobStore: jobStore as JobStore });
    return { requests, kind: kind! };
}

const running = (attempts: number): RunningJob => ({
    id: 1, payload: { wish: { ids: ['test/1'] }, lockObjects: false }, progress: null, attempts, signal: new AbortController().signal,
    checkLease: () => undefined, report: () => Promise.resolve()
});

describe('a job that reindexes', () => {

    it('is not begun again when it was begun too often and has never ended', async () => {

        let runs = 0;
        const { kind } = make({ work: () => Promise.resolve(++runs) });

        await kind.run(running(20));
        await expect(kind.run(running(21))).to.reject('it was begun too often and never ended');
        expect(runs).to.equal(1);
    });

    it('counts no attempt that ended as a part of the service was away', () => {

        const { kind } = make({});

        // A query that takes too long, or ends the thread, does so in each attempt.
        const errors = [
            unavailable('searches are refused', 5), tooManyRequests('too many scripts', 2), new QueryTimeout(), workerExited(), badRequest('no such field'), new Error('failed')
        ];
        expect(errors.map((error) => kind.isOutage?.(error))).to.equal([true, true, false, false, false, false]);
    });

    it('is not asked for any more when the client is gone, and goes on', async () => {

        let asked = 0;
        const client = new AbortController();
        const { requests } = make({
            outcome: () => {

                if (++asked === 3) {
                    client.abort(new Error('the client is gone'));
                }

                return 'waiting';
            }
        });

        await expect(requests.run('all', { lockObjects: false, signal: client.signal })).to.reject('the client is gone');
        expect(asked).to.equal(3);
    });

    it('rejects who waits when the service stops', async () => {

        const { requests } = make({ outcome: () => 'waiting' });
        const waiting = requests.run('all', { lockObjects: false, signal: new AbortController().signal });
        await requests.stop();

        await expect(waiting).to.reject(/the service stops/);
    });

    it('is tried again within seconds, however long an outage takes', () => {

        const { kind } = make({});

        expect([1, 2, 3, 20, Infinity].map((attempts) => kind.backOff?.(attempts))).to.equal([1000, 2000, 4000, 10_000, 10_000]);
    });
});
