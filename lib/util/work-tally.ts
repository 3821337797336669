/** Number and duration of work, for metrics. */

/** Work that ended. */
export class WorkTally {

    done = 0;
    /** How many of them failed. */
    failed = 0;
    /** Time of all of them together. */
    seconds = 0;

    /** Runs work and counts it. */
    async run<T>(work: () => Promise<T>): Promise<T> {

        const began = performance.now();
        let isFailed = true;
        try {
            const result = await work();
            isFailed = false;
            return result;
        }
        finally {
            this.add((performance.now() - began) / 1000, isFailed);
        }
    }

    add(seconds: number, isFailed: boolean): void {

        this.done += 1;
        this.failed += isFailed ? 1 : 0;
        this.seconds += seconds;
    }
}
