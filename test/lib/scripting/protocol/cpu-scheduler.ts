/** That scripts which run for long take turns. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CpuSlice, CpuScheduler } from '../../../../lib/scripting/protocol/cpu-scheduler.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Runs for some milliseconds; notes who ran last, and each time that it was somebody else before. */
const RUNNER = `
    const { threadId, workerData: { file, memory, notes, milliseconds } } = require('node:worker_threads');
    const { CpuSlice } = require(file);
    const [shared, run, start] = [new Int32Array(notes), new CpuSlice(memory, threadId), performance.now()];
    const end = start + milliseconds;
    run.start();
    for (let now = performance.now(); now < end; now = performance.now()) {
        run.yieldIfDue(now, end);
        // While they are new they run side by side, and what comes after the deadline is not a turn.
        if (now - start > 100 && performance.now() < end) {
            const before = Atomics.exchange(shared, 0, threadId);
            Atomics.add(shared, 1, Number(before !== threadId));
            Atomics.add(shared, 2 + threadId % 16, 1);
        }
    }
    run.end();
`;

interface Notes {
    /** Times that another one went on. */
    readonly changes: number;
    /** How far each came. */
    readonly steps: readonly number[];
}

/** Starts threads that run at the same time. */
function start(runs: CpuScheduler, count: number, milliseconds: number): { threads: Worker[]; notes: () => Notes } {

    const memory = new SharedArrayBuffer(18 * Int32Array.BYTES_PER_ELEMENT);
    const workerData = { file: join(__dirname, '../../../../lib/scripting/protocol/cpu-scheduler.js'), memory: runs.memory, notes: memory, milliseconds };
    const threads = Array.from({ length: count }, () => new Worker(RUNNER, { eval: true, workerData }));
    return {
        threads,
        notes: () => {

            const [, changes = 0, ...steps] = new Int32Array(memory);
            return { changes, steps: steps.filter((step) => step > 0) };
        }
    };
}

describe('the CPU scheduler', () => {

    it('gives time slices to long-running scripts in turn, without starvation', async () => {

        const { threads, notes } = start(new CpuScheduler(1), 3, 900);
        await Promise.all(threads.map((thread) => once(thread, 'exit')));

        const { changes, steps } = notes();
        const all = steps.reduce((sum, own) => sum + own, 0);
        expect(steps).to.have.length(3);
        // Side by side they would have changed thousands of times.
        expect(changes).to.be.between(5, 200);
        expect(Math.min(...steps)).to.be.above(all / 20);
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
