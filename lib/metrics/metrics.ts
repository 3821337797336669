/**
 * Metrics of the service in the text format of Prometheus. Requests and transactions are recorded as they happen; everything else is read
 * from the counters of the components when it is scraped. Labels have values of the service only, never of clients.
 */

import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { getOrAdd } from '../util/cache/get-or-add.js';
import { implementation } from '../util/version.js';
import { FAMILIES, type Family } from './families.js';
import { REQUEST_SECONDS, type TalliedRequests } from './request-tally.js';
import { SecondsHistogram } from './seconds-histogram.js';
import { SnapshotReader, type MetricSource, type Snapshot } from './snapshot.js';

const PREFIX = 'doip_gateway_';

/** Upper bounds of the buckets in seconds. */
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** A performed request. */
interface Performed {
    readonly operation: string;
    readonly protocol: string;
    readonly status: string;
}

/** The metrics of one service. */
export class Metrics {

    readonly #registry = new Registry();
    readonly #snapshots: SnapshotReader;
    #snapshot: Snapshot | null = null;
    #scrape: Promise<string> | null = null;
    /** By operation, protocol and status: counting here takes a tenth of the time of a counter with labels. */
    readonly #requests = new Map<string, Map<string, Map<string, number>>>();
    readonly #requestSeconds = new SecondsHistogram({
        name: `${PREFIX}request_duration_seconds`, help: 'Time from a request to the begin of its response.',
        labels: ['operation', 'protocol'], bounds: REQUEST_SECONDS
    });
    readonly #commitSeconds = new SecondsHistogram({
        name: `${PREFIX}database_commit_duration_seconds`, help: 'Time of transactions, each with the changes of many requests.',
        labels: ['writer'], bounds: COMMIT_SECONDS
    });
    readonly #changes: Counter<'writer'>;

    constructor(source: MetricSource) {

        const registers = [this.#registry];
        this.#snapshots = new SnapshotReader(source);
        collectDefaultMetrics({ register: this.#registry });
        new Gauge({
            name: `${PREFIX}build_info`, help: 'Always 1; the labels have the versions.', labelNames: ['version', 'node'], registers
        }).set({ version: implementation.version, node: process.version }, 1);
        this.#changes = new Counter({ name: `${PREFIX}database_changes_total`, help: 'Changes that were written.', labelNames: ['writer'], registers });
        this.#register({
            name: 'requests_total', help: 'Requests by operation, protocol and status.', type: 'counter', labels: ['operation', 'protocol', 'status'],
            read: () => [...this.#requests].flatMap(([operation, protocols]) => [...protocols].flatMap(([protocol, statuses]) =>
                [...statuses].map(([status, count]) => [count, { operation, protocol, status }] as const)))
        });
        FAMILIES.forEach((family) => this.#register(family));
    }

    /** Media type of {@link text}. */
    get contentType(): string {

        return this.#registry.contentType;
    }

    /** Records a request, and the seconds until its response began. */
    performed({ operation, protocol, status }: Performed, seconds: number): void {

        this.#count({ operation, protocol, status }, 1);
        this.#requestSeconds.observe(seconds, operation, protocol);
    }

    /** Records requests that a worker process has performed. */
    performedByWorker(requests: TalliedRequests): void {

        this.#count(requests, requests.count);
        this.#requestSeconds.observeSome(requests, requests.operation, requests.protocol);
    }

    /** Records a transaction, its seconds, and the number of changes in it. */
    committed(writer: string, seconds: number, changes: number): void {

        this.#commitSeconds.observe(seconds, writer);
        this.#changes.inc({ writer }, changes);
    }

    /** Returns all metrics. Concurrent calls share one result. */
    text(): Promise<string> {

        this.#scrape ??= this.#text().finally(() => {

            this.#scrape = null;
        });
        return this.#scrape;
    }

    #count({ operation, protocol, status }: Performed, count: number): void {

        const statuses = getOrAdd(getOrAdd(this.#requests, operation, newMap<Map<string, number>>), protocol, newMap<number>);
        statuses.set(status, (statuses.get(status) ?? 0) + count);
    }

    async #text(): Promise<string> {

        this.#snapshot = await this.#snapshots.read();
        return await this.#registry.metrics() + this.#requestSeconds.text() + this.#commitSeconds.text();
    }

    #register({ name, help, type, labels, read }: Family): void {

        const samples = (): ReturnType<Family['read']> => (this.#snapshot ? read(this.#snapshot) : []);
        const common = { name: PREFIX + name, help, labelNames: [...labels], registers: [this.#registry] };
        if (type === 'counter') {
            new Counter({
                ...common,
                collect() {

                    this.reset();
                    samples().forEach(([value, own = {}]) => this.inc(own, value));
                }
            });
            return;
        }

        new Gauge({
            ...common,
            collect() {

                this.reset();
                if (labels.length === 0) {
                    this.remove();                          // Otherwise it would be 0 where it is not known
                }

                samples().forEach(([value, own = {}]) => this.set(own, value));
            }
        });
    }
}

function newMap<V>(): Map<string, V> {

    return new Map();
}
