/**
 * Time that this process spent on the processor. What else the machine does counts for nothing, so tests can say how long
 * something may take without failing on a busy one.
 */

/** Starts a measurement; what it gives tells the milliseconds of processor time, of all threads, since then. */
export function processorTime(): () => number {

    const start = process.cpuUsage();
    return () => {

        const { user, system } = process.cpuUsage(start);
        return (user + system) / 1000;
    };
}
