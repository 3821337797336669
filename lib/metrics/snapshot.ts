/** The figures of one scrape: counters, which are read at once, and slow readings, for which a scrape waits only for a moment. */

import type { GatewayLoad, GatewayState, SlowReadings } from './load.js';
import { SingleFlight } from '../util/concurrency/single-flight.js';

/** Time in milliseconds that a scrape waits for a reading. During an outage the database may take much longer. */
const READING_MS = 1000;

/** What metrics read. */
export interface MetricSource {
    /** State of the gateway. */
    readonly state: () => GatewayState;
    /** Number of open connections by protocol. */
    readonly connections: () => Readonly<Record<string, number>>;
}

/** Names of the slow readings. */
export const READINGS = ['databaseBytes', 'index', 'jobs', 'outbox'] as const satisfies readonly (keyof SlowReadings)[];

/** Results of the slow readings; those that were not available in time are absent. */
export type Readings = { readonly [K in keyof SlowReadings]?: Awaited<ReturnType<SlowReadings[K]>> };

/** The figures of one scrape. */
export interface Snapshot {
    readonly state: GatewayState;
    readonly connections: Readonly<Record<string, number>>;
    readonly readings: Readings;
}

/** Takes snapshots. */
export class SnapshotReader {

    readonly #source: MetricSource;
    readonly #reading = new SingleFlight<unknown>();

    constructor(source: MetricSource) {

        this.#source = source;
    }

    /** Resolves within about a second. Never rejects. */
    async read(): Promise<Snapshot> {

        const state = this.#source.state();
        const { load } = state;
        const entries = load === null ? [] : await Promise.all(READINGS.map(async (name) => [name, await this.#readOne(load, name)] as const));
        const readings = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Readings;
        return { state, connections: this.#source.connections(), readings };
    }

    /** Returns undefined when the reading fails or takes too long; the next scrape then waits for the same one. */
    async #readOne({ slow }: GatewayLoad, name: (typeof READINGS)[number]): Promise<unknown> {

        const reading = this.#reading.run(() => slow[name](), name).catch(() => undefined);
        let timer: NodeJS.Timeout | undefined;
        const timedOut = new Promise<undefined>((resolve) => {

            timer = setTimeout(() => resolve(undefined), READING_MS);
        });
        try {
            return await Promise.race([reading, timedOut]);
        }
        finally {
            clearTimeout(timer);
        }
    }
}
