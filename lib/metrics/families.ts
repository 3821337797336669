/** The metrics that are read when they are scraped: name, meaning, and where the figure is found. Each is documented in docs/monitoring.md. */

import type { CacheUsage } from '../util/cache/cache-usage.js';
import type { WorkTally } from '../util/work-tally.js';
import type { GatewayLoad } from './load.js';
import { READINGS, type Snapshot } from './snapshot.js';

/** A figure with its labels. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** A metric. */
export interface Family {
    /** Without the prefix `doip_gateway_`. */
    readonly name: string;
    readonly help: string;
    readonly type: 'gauge' | 'counter';
    readonly labels: readonly string[];
    /** Returns no sample where the figure is not known. */
    readonly read: (snapshot: Snapshot) => readonly Sample[];
}

type Read = (load: GatewayLoad, snapshot: Snapshot) => readonly Sample[];

/** A metric of a started gateway. */
function of(type: Family['type'], name: string, help: string, { labels = [], read }: { labels?: readonly string[]; read: Read }): Family {

    return { name, help, type, labels, read: (snapshot) => (snapshot.state.load === null ? [] : read(snapshot.state.load, snapshot)) };
}

function gauge(name: string, help: string, read: (load: GatewayLoad, snapshot: Snapshot) => number | boolean | undefined): Family {

    return of('gauge', name, help, { read: (...from) => sampleOf(read(...from)) });
}

function counter(name: string, help: string, read: (load: GatewayLoad) => number): Family {

    return of('counter', name, help, { read: (load) => [[read(load)]] });
}

function sampleOf(value: number | boolean | undefined): Sample[] {

    return value === undefined || !Number.isFinite(Number(value)) ? [] : [[Number(value)]];
}

/** Number and time of pieces of work. */
function tally(name: string, what: string, read: (load: GatewayLoad) => WorkTally): Family[] {

    return [
        of('counter', `${name}_total`, `${what}, by result: ok or failed.`, { labels: ['result'], read: (load) => results(read(load)) }),
        counter(`${name}_seconds_total`, `${what}: time in seconds of all of them together.`, (load) => read(load).seconds)
    ];
}

function results({ done, failed }: Pick<WorkTally, 'done' | 'failed'>, labels: Readonly<Record<string, string>> = {}): Sample[] {

    return [[done - failed, { ...labels, result: 'ok' }], [failed, { ...labels, result: 'failed' }]];
}

function cache(name: string, help: string, { type, read }: { type: Family['type']; read: (usage: CacheUsage) => number | undefined }): Family {

    return of(type, name, help, {
        labels: ['cache'],
        read: (load, { readings }) => Object.entries({ objects: load.objects, ...load.identity.caches, search: readings.index?.cache })
            .flatMap(([cacheName, usage]) => sampleOf(usage && read(usage)).map(([value]): Sample => [value, { cache: cacheName }]))
    });
}

const STATE: readonly Family[] = [
    {
        name: 'up', type: 'gauge', labels: [], help: '1 when the service answers requests, 0 while it starts, stops, or has lost a part such as the database.',
        read: ({ state }) => [[state.isUp ? 1 : 0]]
    },
    {
        name: 'subsystem_up', type: 'gauge', labels: ['subsystem'], help: '1 when this part of the service works.',
        read: ({ state }) => [...state.subsystems].map(([subsystem, each]): Sample => [each === 'UP' ? 1 : 0, { subsystem }])
    },
    {
        name: 'connections', type: 'gauge', labels: ['protocol'], help: 'Open connections of clients.',
        read: ({ connections }) => Object.entries(connections).map(([protocol, count]): Sample => [count, { protocol }])
    },
    {
        name: 'reading_complete', type: 'gauge', labels: ['reading'],
        help: '0 when this scrape lacks figures, since the database or the search thread did not give them within a second.',
        read: ({ readings }) => READINGS.map((reading): Sample => [readings[reading] === undefined ? 0 : 1, { reading }])
    }
];

const DATABASE: readonly Family[] = [
    of('gauge', 'database_writer_waiting', 'Changes that wait for a transaction of this writer.', {
        labels: ['writer'], read: ({ database }) => database.writers.map(({ writer, waiting }): Sample => [waiting, { writer }])
    }),
    of('gauge', 'database_writer_running', 'Changes in a transaction on SQLite, transactions in progress on MySQL.', {
        labels: ['writer'], read: ({ database }) => database.writers.map(({ writer, running }): Sample => [running, { writer }])
    }),
    of('gauge', 'database_connections', 'Connections to the database server, busy or idle.', {
        labels: ['state'],
        read: ({ database: { pool } }) => (pool ? [[pool.busy, { state: 'busy' }], [pool.idle, { state: 'idle' }]] : [])
    }),
    gauge('database_connections_limit', 'Maximum number of connections to the database server.', ({ database: { pool } }) => pool?.limit),
    gauge('database_connections_waiting', 'Requests that wait for a connection to the database server.', ({ database: { pool } }) => pool?.waiting),
    gauge('database_bytes', 'Size of the database; on a server an estimate.', (_, { readings }) => readings.databaseBytes),
    gauge('disk_free_bytes', 'Free space of the disk of DATA_DIR; only with SQLite.', ({ database: { disk } }) => disk?.free),
    gauge('disk_reserved_bytes', 'Space to be kept free (MIN_FREE_BYTES): with less nothing can be stored.', ({ database: { disk } }) => disk?.reserved)
];

const PAYLOAD_STORE: readonly Family[] = [
    gauge('payload_store_up', '1 while the bucket of PAYLOAD_STORE answers requests; only with one.', ({ payloadStore }) => payloadStore?.isUp),
    of('counter', 'payload_store_requests_total', 'Requests to the bucket of PAYLOAD_STORE, by result: ok or failed, with all attempts.', {
        labels: ['result'],
        read: ({ payloadStore }) => (payloadStore ? results({ done: payloadStore.requests, failed: payloadStore.failures }) : [])
    }),
    of('counter', 'payload_store_bytes_total', 'Bytes of payloads sent to and received from the bucket of PAYLOAD_STORE.', {
        labels: ['direction'],
        read: ({ payloadStore }) => (payloadStore ? [[payloadStore.sentBytes, { direction: 'sent' }], [payloadStore.receivedBytes, { direction: 'received' }]] : [])
    }),
    gauge('payload_store_upload_bytes', 'Memory of payloads on their way to the bucket of PAYLOAD_STORE.', ({ payloadStore }) => payloadStore?.uploadBytes),
    gauge('payload_store_uploads_waiting', 'Payloads that wait for memory on their way to the bucket of PAYLOAD_STORE.', ({ payloadStore }) => payloadStore?.waiting)
];

const SEARCH: readonly Family[] = [
    gauge('search_up', '1 while searches can be answered, 0 while the index is being built or too far behind.', ({ search }) => (search.isUp ? 1 : 0)),
    gauge('search_pending', 'Searches and changes that the search thread has not answered.', ({ search }) => search.pending),
    ...tally('searches', 'Searches of this node', ({ search }) => search.searches),
    gauge('search_lag_seconds', 'Maximum age of changes that the index in OpenSearch lacks.', ({ search: { lag } }) => lag && lag.ms / 1000),
    gauge('search_bulk_waiting', 'Work with many objects that waits for OpenSearch.', ({ search: { lag } }) => lag?.waiting),
    of('counter', 'search_bulk_waited_seconds_total', 'Time for which work with many objects has waited for OpenSearch.', {
        read: ({ search: { lag } }) => (lag ? [[lag.waitedMs / 1000]] : [])
    }),
    gauge('search_documents', 'Documents in the search index.', (_, { readings }) => readings.index?.documents),
    gauge('search_segments', 'Segments of the search index.', (_, { readings }) => readings.index?.segments),
    gauge('search_unstored_bytes', 'Part of the search index that is only in memory.', (_, { readings }) => readings.index?.unstored),
    gauge('search_heap_bytes', 'JavaScript heap of the search thread.', (_, { readings }) => readings.index?.heap)
];

const WORK: readonly Family[] = [
    gauge('script_threads', 'Threads for type code.', ({ scripts }) => scripts.threads),
    gauge('scripts_running', 'Calls of type code that are running.', ({ scripts }) => scripts.busy),
    gauge('scripts_waiting', 'Calls of type code that wait for a thread.', ({ scripts }) => scripts.waiting),
    ...tally('scripts', 'Calls of type code', ({ scripts }) => scripts.runs),
    gauge('text_extractions_pending', 'Payloads whose text is being extracted on this node.', ({ texts }) => texts.pending),
    ...tally('text_extractions', 'Payloads whose text was extracted', ({ texts }) => texts.extractions),
    gauge('passwords_hashing', 'Passwords that are being hashed.', ({ identity }) => identity.passwords.busy),
    gauge('passwords_waiting', 'Passwords that wait to be hashed.', ({ identity }) => identity.passwords.waiting),
    of('gauge', 'jobs_running', 'Background jobs that are running on this node.', {
        labels: ['kind'], read: ({ jobs }) => jobs.map(({ kind, running }): Sample => [running, { kind }])
    }),
    of('counter', 'job_runs_total', 'Runs of background jobs on this node, by result: ok or failed.', {
        labels: ['kind', 'result'], read: ({ jobs }) => jobs.flatMap(({ kind, runs }) => results(runs, { kind }))
    }),
    gauge('jobs_due', 'Background jobs of all nodes that wait to be run; up to 10,000 are counted.', (_, { readings }) => readings.jobs?.due),
    gauge('jobs_failed', 'Background jobs that failed permanently, for as long as they are kept; up to 10,000 are counted.', (_, { readings }) => readings.jobs?.failed),
    gauge('handle_outbox_entries', 'Handles that wait for their registration; up to 10,000 are counted.', (_, { readings }) => readings.outbox?.entries),
    gauge('handle_outbox_failed', 'Handles of these whose registration failed, and is retried.', (_, { readings }) => readings.outbox?.failed)
];

const CACHES: readonly Family[] = [
    cache('cache_hits_total', 'Lookups that found a current entry.', { type: 'counter', read: ({ hits }) => hits }),
    cache('cache_misses_total', 'Lookups that found none.', { type: 'counter', read: ({ misses }) => misses }),
    cache('cache_entries', 'Entries of the cache.', { type: 'gauge', read: ({ entries }) => entries }),
    cache('cache_bytes', 'Estimated size of the cache, where it is limited in bytes.', { type: 'gauge', read: ({ bytes }) => bytes })
];

/** All of them. */
export const FAMILIES: readonly Family[] = [...STATE, ...DATABASE, ...PAYLOAD_STORE, ...SEARCH, ...WORK, ...CACHES];
