/** That scripts which run for long take turns. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CpuSlice, CpuScheduler } from '../../../../lib/scripting/protocol/cpu-scheduler.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Turns that each of the threads has at least. */
const TURNS = 15;

/** Longer than that takes on a busy machine. */
const MOST_MS = 60_000;

/** What the threads note: who ran last, how many have begun, their steps, those during which another one ran; and the turns of each. */
const [LAST, BEGUN, STEPS, OVERLAPS, OWN] = [0, 1, 2, 3, 4] as const;

/** Runs until each thread has had its turns. A turn begins each time that it was somebody else before. */
const RUNNER = `
    const { threadId, workerData: { file, memory, notes, index, count } } = require('node:worker_threads');
    const { CpuSlice } = require(file);
    const [shared, turns, run] = [new Int32Array(notes), new Int32Array(notes).subarray(${OWN}), new CpuSlice(memory, threadId)];
    // All begin at the same time, however long it takes to start them.
    for (let begun = Atomics.add(shared, ${BEGUN}, 1) + 1; begun < count; begun = Atomics.load(shared, ${BEGUN})) {
        Atomics.wait(shared, ${BEGUN}, begun);
    }

    Atomics.notify(shared, ${BEGUN});
    run.start();
    const start = performance.now();
    const end = start + ${MOST_MS};
    for (let now = start; now < end && turns.some((own) => own < ${TURNS}); now = performance.now()) {
        run.yieldIfDue(now, end);
        // While they are new they run side by side, and what comes after the deadline is not a turn.
        if (now - start > 100 && performance.now() < end) {
            const before = Atomics.exchange(shared, ${LAST}, threadId);
            Atomics.add(turns, index, Number(before !== threadId));
            Atomics.add(shared, ${STEPS}, 1);
            let looks = 0;
            while (looks < 1000 && Atomics.load(shared, ${LAST}) === threadId) {
                ++looks;
            }

            Atomics.add(shared, ${OVERLAPS}, Number(looks < 1000));
        }
    }

    run.end();
`;

interface Notes {
    /** How far they came. */
    readonly steps: number;
    /** Steps during which another one ran. */
    readonly overlaps: number;
    /** Of each thread. */
    readonly turns: readonly number[];
}

/** Threads that run at the same time; resolves when they have ended. */
async function runThreads(runs: CpuScheduler, count: number): Promise<Notes> {

    const notes = new SharedArrayBuffer((OWN + count) * Int32Array.BYTES_PER_ELEMENT);
    const file = join(__dirname, '../../../../lib/scripting/protocol/cpu-scheduler.js');
    const common = { file, memory: runs.memory, notes, count };
    const threads = Array.from({ length: count }, (_, index) => new Worker(RUNNER, { eval: true, workerData: { ...common, index } }));
    await Promise.all(threads.map((thread) => once(thread, 'exit')));
    const noted = [...new Int32Array(notes)];
    return { steps: noted[STEPS] ?? 0, overlaps: noted[OVERLAPS] ?? 0, turns: noted.slice(OWN) };
}

describe('the CPU scheduler', () => {

    it('gives time slices to long-running scripts in turn, without starvation', async () => {

        const { steps, overlaps, turns } = await runThreads(new CpuScheduler(1), 3);

        expect(overlaps).to.equal(0);
        expect(Math.min(...turns)).to.be.at.least(TURNS);
        // The others have not had many more meanwhile.
        expect(Math.max(...turns)).to.be.below(20 * TURNS);
        // A time slice is much longer than a step.
        expect(steps / turns.reduce((sum, own) => sum + own, 0)).to.be.above(50);
    });

    it('frees the slot of a thread that ended while it had one', async () => {

        const runs = new CpuScheduler(1);
        const lost = 77;
        const holder = new CpuSlice(runs.memory, lost);
        // Its time without a place is over.
        holder.yieldIfDue(performance.now(), Infinity);

        const waiting = new CpuSlice(runs.memory, 1);
        const until = performance.now() + 100;
        waiting.yieldIfDue(performance.now(), until);
        expect(performance.now()).to.be.at.least(until);

        runs.releaseThread(lost);
        waiting.yieldIfDue(performance.now(), Infinity);
        expect(holder.end()).to.be.false();
        expect([...new Int32Array(runs.memory)]).to.include(1);
    });

    it('needs no slot for a script that waits', () => {

        const runs = new CpuScheduler(1);
        const [one, other] = [new CpuSlice(runs.memory, 1), new CpuSlice(runs.memory, 2)];
        one.yieldIfDue(performance.now(), Infinity);
        one.end();
        other.yieldIfDue(performance.now(), Infinity);
        other.end();

        expect([...new Int32Array(runs.memory).subarray(1)]).to.equal([0]);
    });
});
