/** Number and duration of work, for metrics. */

/** Figures of a {@link WorkTally}. */
export interface WorkFigures {
    readonly done: number;
    readonly failed: number;
    readonly seconds: number;
}

/** Work that ended. */
export class WorkTally implements WorkFigures {

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

    /** Counts the work of another process. */
    addAll({ done, failed, seconds }: WorkFigures): void {

        this.done += done;
        this.failed += failed;
        this.seconds += seconds;
    }

    /** Returns what was counted since the last call. */
    take(): WorkFigures {

        const { done, failed, seconds } = this;
        [this.done, this.failed, this.seconds] = [0, 0, 0];
        return { done, failed, seconds };
    }

    add(seconds: number, isFailed: boolean): void {

        this.done += 1;
        this.failed += isFailed ? 1 : 0;
        this.seconds += seconds;
    }
}
