/**
 * Search index in OpenSearch. Changes are only rows of the change log; the feeder of one node brings them to the engine. A search of a node
 * that has written waits until the engine has what it wrote. While the engine does not answer, or lacks changes that are older than a limit,
 * such as rights that were taken away, writes go on, and searches are answered with 503.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitResult, Database, Step } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import type { JobKind, RunningJob } from '../../jobs/job-kind.js';
import { changedObject, type WriteParticipant } from '../../model/write-participant.js';
import { JobStore } from '../../stores/jobs/job-store.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import type { IndexSource } from '../mapping/document-source.js';
import { tooManyRequests, unavailable } from '../../errors/errors.js';
import type { DoipError } from '../../errors/errors.js';
import { InFlightLimiter } from '../../identity/throttling/in-flight-limiter.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { WorkTally } from '../../util/work-tally.js';
import { LogOrderer } from '../runtime/change-log-sequencer.js';
import type { SearcherUsage } from '../runtime/protocol.js';
import type { SearchAnswer, SearchIndex, SearchLoad } from '../runtime/search-index.js';
import type { SearchRequest } from '../query/search-request.js';
import { EngineOwnership, metaIndex } from './engine-claim.js';
import { EngineClient } from './engine-client.js';
import { FORMAT } from './engine-document.js';
import { EngineError, searchError } from './engine-error.js';
import { parseSearchUrl } from '../../stores/search/engine-location.js';
import type { EngineOptions } from '../../stores/search/engine-location.js';
import { EngineSearch } from './engine-search.js';
import { EngineWatch, WATCH_MS, WATCH_TIMEOUT_MS } from './engine-watch.js';
import type { Condition } from './engine-watch.js';
import { EngineWriter } from './engine-writer.js';
import { searchAlias } from './engine-indexes.js';
import { Feeder } from './feeder.js';
import { orderedPosition } from './log-end.js';
import { FeedStates } from './feed-state.js';
import type { FeedState } from './feed-state.js';

/** Kind of the job that feeds the engine. During an upgrade to another format there are two. */
const FEED_JOB = `search.feed.${FORMAT}`;

/** Those of the versions that may run beside this one. */
const FEED_JOBS = [FORMAT - 1, FORMAT, FORMAT + 1].map((format) => `search.feed.${format}`);

/** Milliseconds after which another node feeds when one has ended without a word. */
const FEED_LEASE_MS = 8000;

/** Milliseconds between the end of a run and the next. */
const FEED_REPEAT_MS = 100;

/** Interval at which a search looks for its changes in the engine, and maximum time that it waits, in milliseconds. */
const SETTLE_MS = 10;
const MAX_SETTLE_MS = 10_000;

/** Age of changes that the engine may lack while searches are answered, and time that work with many objects waits at once for it to catch up. */
const MAX_LAG_MS = 300_000;
const MAX_PAUSE_MS = 5000;

const DEFAULT_TIMEOUT_MS = 10_000;

/** Maximum number of searches at a time, of all callers and of each, and Retry-After in seconds for further ones. */
const MAX_SEARCHES = 1000;
const MAX_SEARCHES_OF_CALLER = 250;
const RETRY_SECONDS = 1;

export interface EngineIndexParts {
    readonly db: Database;
    readonly changes: SearchLogStore;
    readonly source: IndexSource;
    readonly log: Log;
    readonly options: EngineOptions;
    /** Timeout of a search, in milliseconds; default 10 s. */
    readonly timeoutMs?: number | undefined;
    /** Called when the engine becomes able, or unable, to answer searches. */
    readonly onState: (state: 'UP' | 'FAILED') => void;
    /** Called when the log shows that the database has lost commits. */
    readonly onWentBack?: (() => void) | undefined;
}

/** What is there while the engine is open. */
interface Opened {
    /** For searches. */
    readonly client: EngineClient;
    /** For all else, so that searches do not hold it up. */
    readonly control: EngineClient;
    readonly alias: string;
    /** Checks the engine, unless that was done a moment ago. @throws EngineError, OtherClusterError */
    readonly demand: () => Promise<void>;
    readonly states: FeedStates;
    readonly search: EngineSearch;
    readonly feeder: Feeder;
    readonly writer: EngineWriter;
}

export class EngineIndex implements SearchIndex {

    readonly participant: WriteParticipant;
    readonly isEventual = true;
    /** Feeds the engine. To be registered before the jobs start. */
    readonly job: JobKind;
    readonly #parts: EngineIndexParts;
    readonly #origin = randomUUID();
    readonly #orderer: LogOrderer;
    readonly #searches = new WorkTally();
    readonly #searching = new InFlightLimiter(MAX_SEARCHES_OF_CALLER);
    readonly #settling = new SingleFlight<void>();
    readonly #stop = new AbortController();
    readonly #watch: EngineWatch;
    #opened: Opened | null = null;
    #state: FeedState | null = null;
    /** Of the last row of the log that this node has made; rows are not committed in the order of their numbers. */
    #number = 0;
    /** Changes of this node that were committed, and how many of them searches find. */
    #written = 0;
    #settled = 0;
    #open = 0;
    /** Work with many objects that waits, and the milliseconds that it has waited. */
    #waiting = 0;
    #waitedMs = 0;
    #isSlowing = false;
    #watching: Promise<void> = Promise.resolve();

    constructor(parts: EngineIndexParts) {

        this.#parts = parts;
        const { changes, log, onState, options: { maxLagMs = MAX_LAG_MS } } = parts;
        this.#watch = new EngineWatch({
            changes, log, maxLagMs, onState, read: (state) => this.#reached(state)
        });
        this.#orderer = new LogOrderer({
            log: changes, read: () => Promise.resolve(false),
            failed: (error) => log.warn({ event: 'search.change-log-failed', err: error }, 'failed to read the change log, retrying')
        });
        this.job = { kind: FEED_JOB, repeatMs: FEED_REPEAT_MS, leaseMs: FEED_LEASE_MS, backOff: () => WATCH_MS, run: (job) => this.#feed(job) };
        this.participant = {
            steps: (change) => changes.steps(changedObject(change).id, this.#origin, ++this.#number),
            committed: () => this.#wrote()
        };
    }

    async start(): Promise<void> {

        const { db, changes, source, log, options, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#parts;
        const location = parseSearchUrl(options.url);
        const client = await EngineClient.open(location);
        const jobs = new JobStore(db);
        const ownership = new EngineOwnership({ location, db, log, isFed: () => jobs.isRun(FEED_JOBS, FEED_LEASE_MS, this.#stop.signal) });
        try {
            await ownership.begin(client);
        }
        catch (error) {
            await client.close();
            throw error;
        }

        const { prefix } = location;
        const control = await EngineClient.open(location);
        const feeding = control.share();
        const writer = new EngineWriter({ client: feeding, source, log });
        const alias = searchAlias(prefix);
        this.#opened = {
            client, control, alias,
            demand: () => ownership.demand(control, WATCH_TIMEOUT_MS),
            states: new FeedStates(control, metaIndex(location)), writer, search: new EngineSearch({ client, index: alias, timeoutMs }),
            feeder: new Feeder({
                client: feeding, states: new FeedStates(feeding, metaIndex(location)), writer, source, changes, log, prefix, shards: options.shards,
                keepFormerMs: options.keepFormerMs,
                demand: () => ownership.follow(feeding),
                order: () => this.#orderer.order(),
                reached: (state) => this.#reached(state),
                wentBack: this.#parts.onWentBack
            })
        };
        // What the previous process of this node wrote counts as well.
        this.#written += 1;
        this.#orderer.start();
        this.#watching = this.#watch.run(this.#opened, this.#stop.signal);
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        const { caller = '' } = request;
        if (this.#open >= MAX_SEARCHES) {
            throw unavailable('too many searches are being answered, try again a little later', RETRY_SECONDS);
        }

        if (this.#searching.isFull(caller)) {
            throw tooManyRequests(`${MAX_SEARCHES_OF_CALLER} of your searches are still being answered, wait for some of them`, RETRY_SECONDS);
        }

        return await this.#searches.run(() => this.#searching.run(caller, async () => {

            ++this.#open;
            try {
                const { search } = await this.#available();
                await this.#settle();
                return await search.search(request);
            }
            finally {
                --this.#open;
            }
        }));
    }

    async reindex(ids: readonly string[], along: readonly Step[] = []): Promise<CommitResult> {

        await this.keepUp();
        const result = await this.#parts.changes.append(ids.map((objectId) => ({ objectId, origin: this.#origin, number: ++this.#number })), along);
        if (result.ok) {
            ids.forEach(() => this.#wrote());
        }

        return result;
    }

    /** Many changes must not put off others for so long that searches are refused. */
    async keepUp(): Promise<void> {

        const { log } = this.#parts;
        const isSlow = this.#watch.isFallingBehind;
        if (isSlow !== this.#isSlowing) {
            this.#isSlowing = isSlow;
            log.info({ event: isSlow ? 'search.bulk-slowed' : 'search.bulk-resumed', lagMs: Math.round(this.#watch.lagMs) },
                isSlow ? 'the search engine does not keep up, slowing work with many objects' : 'the search engine has kept up');
        }

        if (isSlow) {
            const began = performance.now();
            ++this.#waiting;
            while (this.#watch.isFallingBehind && performance.now() < began + MAX_PAUSE_MS && !this.#stop.signal.aborted) {
                await sleep(WATCH_MS / 10, undefined, { ref: false });
            }

            --this.#waiting;
            this.#waitedMs += performance.now() - began;
        }
    }

    async catchUp(): Promise<void> {

        const opened = await this.#available();
        await this.#settling.runFresh(() => this.#settleAll(opened));
    }

    get load(): SearchLoad {

        const lag = { ms: this.#watch.lagMs, waiting: this.#waiting, waitedMs: this.#waitedMs };
        return { isUp: this.#watch.condition === 'up', pending: this.#open, searches: this.#searches, lag };
    }

    async usage(): Promise<SearcherUsage> {

        const { client, alias } = await this.#available();
        const [{ count }, stats] = await Promise.all([
            client.send<{ count: number }>({ method: 'GET', path: `/${alias}/_count` }),
            client.send<{ _all: { primaries: { segments: { count: number } } } }>({ method: 'GET', path: `/${alias}/_stats/segments` })
        ]).catch(failed);

        const { segments } = stats._all.primaries;
        return { unstored: 0, cached: 0, scratch: 0, heap: 0, segments: segments.count, documents: count, cache: { entries: 0, bytes: 0, hits: 0, misses: 0 } };
    }

    async stop(): Promise<void> {

        this.#stop.abort();
        this.#opened?.control.abort();
        await Promise.all([this.#watching, this.#orderer.stop()]);
        await this.#opened?.writer.close();
        await Promise.all([this.#opened?.client.close(), this.#opened?.control.close()]);
    }

    /** Feeds until the job ends. */
    async #feed(job: RunningJob): Promise<void> {

        const { feeder } = await this.#whenOpen();
        await feeder.run(job);
    }

    /** The index is started before the jobs. */
    #whenOpen(): Promise<Opened> {

        return this.#opened ? Promise.resolve(this.#opened) : Promise.reject(new Error('the index is not started'));
    }

    #wrote(): void {

        this.#written += 1;
        this.#orderer.wrote();
        this.#opened?.feeder.wake();
    }

    #reached(state: FeedState | null): void {

        this.#state = state;
    }

    /** Waits for an engine that could be used a moment ago, as it may come back; later searches are refused at once, so that they hold up no others. */
    async #available(): Promise<Opened> {

        const end = performance.now() + WATCH_TIMEOUT_MS;
        while (!this.#stop.signal.aborted && performance.now() < end) {
            const opened = this.#opened;
            if (opened && this.#watch.condition === 'up') {
                return opened;
            }

            if (this.#watch.downMs > WATCH_TIMEOUT_MS) {
                break;
            }

            await sleep(SETTLE_MS * 5, undefined, { ref: false });
        }

        throw refusal(this.#state?.index === null ? 'building' : this.#watch.condition);
    }

    /** Resolves when searches find what this node has written. */
    async #settle(): Promise<void> {

        const opened = this.#opened;
        if (opened && this.#settled < this.#written) {
            await this.#settling.runFresh(async () => {

                if (this.#settled < this.#written) {
                    await this.#settleAll(opened);
                }
            });
        }
    }

    /** Waits until everything that is in the log now is in the engine, and makes it visible to searches. */
    async #settleAll({ control, alias, feeder }: Opened): Promise<void> {

        const written = this.#written;
        const end = performance.now() + MAX_SETTLE_MS;
        try {
            const position = await orderedPosition({ changes: this.#parts.changes, order: () => this.#orderer.order(), pause: () => pauseUntil(end) });
            feeder.wake();
            while ((await this.#fedPosition()) < position) {
                await pauseUntil(end);
            }

            await control.send({ method: 'POST', path: `/${alias}/_refresh`, timeoutMs: MAX_SETTLE_MS });
        }
        catch (error) {
            failed(error);
        }

        this.#settled = Math.max(this.#settled, written);
    }

    /** Returns the position up to which the index has the log; the state of the own feeder is the newest. */
    async #fedPosition(): Promise<number> {

        const { state } = await this.#opened?.states.read(MAX_SETTLE_MS) ?? { state: null };
        this.#state = state;
        return state?.index ? state.position : -1;
    }
}

async function pauseUntil(end: number): Promise<void> {

    if (performance.now() > end) {
        throw notYet();
    }

    await sleep(SETTLE_MS);
}

function refusal(condition: Condition): DoipError {

    switch (condition) {
        case 'building':
            return unavailable('the search index is being built, try again later', 10);
        case 'behind':
            return unavailable('the search engine lacks changes that were made long ago, try again later', 10);
        default:
            return unavailable('the search engine does not answer, try again later', 5);
    }
}

function notYet(): DoipError {

    return unavailable('the search engine does not have the last changes yet, try again', 2);
}

function failed(error: unknown): never {

    throw error instanceof EngineError ? searchError(error) : error;
}
