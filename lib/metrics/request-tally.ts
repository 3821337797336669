/** Requests that a worker process has performed, counted for the metrics of the primary process. */

import type { WorkFigures } from '../util/work-tally.js';

/** Upper bounds of the buckets of the time that requests take, in seconds. */
export const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Requests with the same labels, whose times are in the same bucket. */
export interface TalliedRequests {
    readonly operation: string;
    readonly protocol: string;
    readonly status: string;
    readonly count: number;
    /** Of all together. */
    readonly seconds: number;
}

/** What a worker reports every second. */
export interface WorkerLoad {
    /** Open connections of clients. */
    readonly connections: number;
    /** Since the last report. */
    readonly requests: readonly TalliedRequests[];
    /** Searches that the search thread has answered since the last report; null while nothing runs. */
    readonly searches: WorkFigures | null;
}

/** Counts requests between two reports. */
export class RequestTally {

    #groups = new Map<string, { -readonly [K in keyof TalliedRequests]: TalliedRequests[K] }>();

    performed({ operation, protocol, status }: Pick<TalliedRequests, 'operation' | 'protocol' | 'status'>, seconds: number): void {

        const bucket = REQUEST_SECONDS.findIndex((bound) => seconds <= bound);
        const key = `${operation} ${protocol} ${status} ${bucket}`;
        const group = this.#groups.get(key);
        if (group) {
            group.count += 1;
            group.seconds += seconds;
        }
        else {
            this.#groups.set(key, { operation, protocol, status, count: 1, seconds });
        }
    }

    /** A worker writes nothing. */
    committed(): void {}

    /** Returns what was counted since the last call. */
    take(): TalliedRequests[] {

        const groups = [...this.#groups.values()];
        this.#groups = new Map();
        return groups;
    }
}
