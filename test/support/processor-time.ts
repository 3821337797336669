/**
 * Time that this process spent on the processor. What else the machine does counts for nothing, so tests can say how long
 * something may take without failing on a busy one.
 */

import { readFileSync } from 'node:fs';

/** Starts a measurement; what it gives tells the milliseconds of processor time, of all threads, since then. */
export function processorTime(): () => number {

    const start = process.cpuUsage();
    return () => {

        const { user, system } = process.cpuUsage(start);
        return (user + system) / 1000;
    };
}

/** The same for the main thread of another process. */
export function mainThreadTime(pid: number): () => number {

    const read = (): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const start = read();
    return () => read() - start;
}
