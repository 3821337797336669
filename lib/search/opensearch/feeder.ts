/**
 * Feeds an index of OpenSearch from the change log, and builds new indexes from the objects. One node at a time does this, in a job that
 * never ends; another one continues from the stored state when it ends. Everything is done at least once and can be repeated.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../db/log.js';
import type { RunningJob } from '../../jobs/job-kind.js';
import { digestOf, type SearchLogStore } from '../../stores/search/change-log-store.js';
import type { IndexSource } from '../mapping/document-source.js';
import type { EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { EngineIndexes } from './engine-indexes.js';
import type { EngineWriter } from './engine-writer.js';
import { hasGoneBack, logPosition, lowestPosition } from './feed-state.js';
import type { BuildState, FedPosition, FeedState, FeedStates, FormerIndex, LogPosition, StoredFeedState } from './feed-state.js';

export interface FeederParts {
    /** Used by nothing else: its requests are aborted with the work. */
    readonly client: EngineClient;
    readonly states: FeedStates;
    readonly writer: EngineWriter;
    readonly source: IndexSource;
    readonly changes: SearchLogStore;
    readonly log: Log;
    readonly prefix: string;
    readonly shards: number;
    /** Time for which an index that was replaced is kept, in milliseconds; default 15 minutes. */
    readonly keepFormerMs?: number | undefined;
    /** Checks that the engine may be used, after an outage as well. @throws EngineError, OtherClusterError */
    readonly demand: () => Promise<void>;
    /** Puts committed rows of the log into batches. */
    readonly order: () => Promise<void>;
    /** Receives each state that is reached. */
    readonly reached: (state: FeedState) => void;
    /** Called when the log shows that the database has lost commits. */
    readonly wentBack?: (() => void) | undefined;
}

/** Milliseconds between two looks at the log for changes of other nodes, and before a retry while the engine does not answer. */
const POLL_MS = 100;
const RETRY_MS = 1000;

/** Milliseconds between two reports of the progress of a build. */
const REPORT_MS = 2000;

/** Milliseconds between two looks whether the index is still there. */
const CHECK_MS = 5000;

/** Time for which searches in progress may go on in an index that was replaced, in milliseconds. */
const KEEP_FORMER_MS = 900_000;

/** Batches of the log that are kept behind what was fed: a node with another engine may still need them. */
const SPARE_BATCHES = 200;

/** Batches after which old ones are removed from the log. */
const PRUNE_EVERY = 100;

/** The beginning of the log. */
const BEGINNING: LogPosition = { position: 0, digest: '' };

/** What of the job is needed: the service stops, or another node may feed. */
type Work = Pick<RunningJob, 'signal' | 'checkLease'>;

/** What is fed: an index, after a position, up to another one. */
interface Feed {
    readonly index: string;
    readonly after: FedPosition;
    readonly upTo?: number;
}

/** Feeds as long as it may. */
export class Feeder {

    readonly #parts: FeederParts;
    readonly #indexes: EngineIndexes;
    #wake: () => void = () => {};
    #isAwake = false;
    #prunedAt = 0;
    #reportedOn = 0;
    #checkedOn = 0;

    constructor(parts: FeederParts) {

        this.#parts = parts;
        this.#indexes = new EngineIndexes(parts);
    }

    /** Looks at the log now. */
    wake(): void {

        this.#isAwake = true;
        this.#wake();
    }

    /** Feeds until the signal is aborted, the lease is lost, or another node feeds. @throws EngineError `conflict` when another node does */
    async run(work: Work): Promise<void> {

        const { signal } = work;
        const abort = (): void => this.#parts.client.abort();
        signal.addEventListener('abort', abort);
        try {
            await this.#run(work);
        }
        finally {
            signal.removeEventListener('abort', abort);
        }
    }

    async #run(work: Work): Promise<void> {

        const { signal } = work;
        let stored: StoredFeedState | null = null;
        let isOut = false;
        while (!signal.aborted) {
            try {
                stored ??= await this.#begin();
                const next = await this.#work(stored, work);
                if (isOut) {
                    this.#parts.log.info({ event: 'search.engine-back' }, 'the search engine answers again');
                    isOut = false;
                }

                const isIdle = next === stored;
                stored = await this.#isLost(next) ? null : next;
                if (isIdle) {
                    await this.#pause(POLL_MS, signal);
                }
            }
            catch (error) {
                signal.throwIfAborted();
                if (!(error instanceof EngineError) || error.failure === 'conflict') {
                    throw error;
                }

                if (!isOut) {
                    this.#parts.log.error({ event: 'search.engine-failed', err: error }, 'the search engine could not be fed, retrying');
                    isOut = true;
                }

                // What was built may be gone.
                stored = null;
                await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
            }
        }

        signal.throwIfAborted();
    }

    /** Reads the state, and begins to build an index where there is none that can be used. */
    async #begin(): Promise<StoredFeedState> {

        const { states, log, demand } = this.#parts;
        await demand();
        const stored = await states.read();
        const { state } = stored;
        const isUsable = state?.index ? await this.#isUsable(state.index, state) : false;
        // One that was begun beside an index of another history may have objects of that.
        const isBuilt = state?.building && (isUsable || state.index === null) && await this.#isUsable(state.building.index, state.building);
        const building = isBuilt ? state.building : null;
        if (state?.index && isUsable) {
            // A node may have ended between two steps.
            await this.#indexes.use(state.index, [building?.index, ...namesOf(state.former)], () => this.#checkNewest(stored));
            const isRenewed = building === null && state.shards !== this.#parts.shards;
            const next = isRenewed ? { ...state, building: await this.#newBuild() } : { ...state, building };
            return isRenewed || building !== state.building ? await this.#write(next, stored) : this.#reach(stored);
        }

        if (state?.index) {
            log.warn({ event: 'search.index-lost', index: state.index }, 'the search index is gone or does not belong to this state of the database, it is built again');
        }

        const former = formerOf(state);
        await this.#indexes.removeOthers([building?.index, ...namesOf(former)], () => this.#checkNewest(stored));
        const next = building ?? await this.#newBuild();
        return await this.#write({ index: null, ...BEGINNING, shards: this.#parts.shards, building: next, former }, stored);
    }

    /** Returns whether an index is there, and has the changes of this database. */
    async #isUsable(index: string, { position, digest }: LogPosition): Promise<boolean> {

        return await this.#indexes.has(index) && (await logPosition(this.#parts.changes, position)).digest === digest;
    }

    /** Returns whether the index is gone, which is looked for at intervals. */
    async #isLost({ state }: StoredFeedState): Promise<boolean> {

        if (!state?.index || performance.now() - this.#checkedOn < CHECK_MS) {
            return false;
        }

        this.#checkedOn = performance.now();
        return !await this.#indexes.has(state.index);
    }

    /** Does some work; returns the same state when there is nothing to do. */
    async #work(stored: StoredFeedState, work: Work): Promise<StoredFeedState> {

        let current = stored;
        const { order } = this.#parts;
        this.#isAwake = false;
        await order();
        const { state } = current;
        if (state?.index) {
            const reached = await this.#feed({ index: state.index, after: state }, work, async (applying) => {

                current = await this.#parts.states.write({ ...state, applying }, current);
            });
            if (reached === null) {
                // Changes are missing that no index will get: a new one has to be built.
                return await this.#write({ ...state, index: null, building: await this.#newBuild(), former: formerOf(state) }, current);
            }

            if (reached.position !== state.position) {
                current = await this.#write({ ...state, ...reached }, current);
            }
        }

        await this.#prune(current.state, work.signal);
        current = await this.#removeFormer(current);
        return current.state?.building ? await this.#build(current, current.state.building, work) : current;
    }

    /**
     * Applies the next batches after a position, none above another one; returns the last one, null when some are missing or the log is another one. The
     * last one is announced before: the database may lose batches that the index has, before the state says that it has them.
     */
    async #feed({ index, after, upTo = Infinity }: Feed, work: Work, announce: (applying: LogPosition) => Promise<void>): Promise<FedPosition | null> {

        // With the last one that was applied, which must still be the same.
        const read = await this.#parts.changes.batches(Math.max(0, after.position - 1));
        if (hasGoneBack(after, read)) {
            this.#parts.log.warn({ event: 'search.index-lost', index }, 'the search index has changes that the database has lost, it is built again');
            this.#parts.wentBack?.();
            return null;
        }

        const batches = read.filter(({ position }) => position > after.position && position <= upTo);
        if (batches.some((batch, i) => batch.position !== after.position + i + 1)) {
            return null;
        }

        const last = batches.at(-1);
        if (!last) {
            return { position: after.position, digest: after.digest };
        }

        const ids = new Set(batches.flatMap(({ rows }) => rows.map(({ objectId }) => objectId)));
        const reached = { position: last.position, digest: digestOf(last) };
        await announce(reached);
        await this.#parts.writer.apply({ index, version: last.position }, [...ids], work);
        return { ...reached, applying: null };
    }

    /** Stores the next page of objects in a new index; behind the last one, applies the changes since, and uses the index. */
    async #build(stored: StoredFeedState, building: BuildState, work: Work): Promise<StoredFeedState> {

        const { source, writer } = this.#parts;
        const state = stored.state;
        if (state === null) {
            return stored;
        }

        const documents = await source.after(building.after);
        if (documents.length > 0) {
            await writer.store({ index: building.index, version: building.position }, documents, work);
            const next: FeedState = { ...state, building: { ...building, after: documents.at(-1)?.id ?? '' } };
            if (performance.now() - this.#reportedOn < REPORT_MS) {
                return { state: next, mark: stored.mark };
            }

            this.#reportedOn = performance.now();
            return await this.#write(next, stored);
        }

        let current = stored;
        const feed = { index: building.index, after: building, upTo: state.index === null ? Infinity : state.position };
        const reached = await this.#feed(feed, work, async (applying) => {

            current = await this.#parts.states.write({ ...state, building: { ...building, applying } }, current);
        });
        if (reached === null) {
            return await this.#write({ ...state, building: await this.#newBuild() }, current);
        }

        if (reached.position !== building.position) {
            return await this.#write({ ...state, building: { ...building, ...reached } }, current);
        }

        // Both indexes have the same changes now, unless there was none to search before: a search may still ask the former one.
        if (state.index !== null && reached.position !== state.position) {
            return { ...stored };
        }

        await this.#parts.client.send({ method: 'POST', path: `/${building.index}/_refresh` });
        const former = formerOf(state);
        const done = await this.#write({ index: building.index, ...reached, shards: building.shards, building: null, former }, stored);
        await this.#indexes.use(building.index, namesOf(former), () => this.#checkNewest(done));
        this.#parts.reached(done.state ?? state);
        return done;
    }

    /** Removes indexes that were replaced some time ago; returns the same state when there are none. */
    async #removeFormer(stored: StoredFeedState): Promise<StoredFeedState> {

        const { state } = stored;
        const { keepFormerMs = KEEP_FORMER_MS } = this.#parts;
        // A time to come is of a node with a wrong clock.
        const remaining = state?.former?.filter(({ replaced }) => Math.abs(Date.now() - replaced) < keepFormerMs);
        if (!state || remaining?.length === state.former?.length) {
            return stored;
        }

        await this.#indexes.removeOthers([state.index ?? undefined, state.building?.index, ...namesOf(remaining)], () => this.#checkNewest(stored));
        return await this.#write({ ...state, former: remaining ?? [] }, stored);
    }

    async #newBuild(): Promise<BuildState> {

        const { changes, shards, order } = this.#parts;
        await order();
        const from = await logPosition(changes, await changes.last());
        return { index: await this.#indexes.create(shards), shards, after: '', ...from };
    }

    /** A process that was stopped must not touch the indexes that another one has made since. @throws EngineError `conflict` */
    async #checkNewest({ mark }: StoredFeedState): Promise<void> {

        const newest = (await this.#parts.states.read()).mark;
        if (newest?.seqNo !== mark?.seqNo || newest?.term !== mark?.term) {
            throw new EngineError('conflict', 'another node feeds the search engine');
        }
    }

    async #write(state: FeedState, stored: StoredFeedState): Promise<StoredFeedState> {

        return this.#reach(await this.#parts.states.write(state, stored));
    }

    #reach(stored: StoredFeedState): StoredFeedState {

        if (stored.state) {
            this.#parts.reached(stored.state);
        }

        return stored;
    }

    async #prune(state: FeedState | null, signal: AbortSignal): Promise<void> {

        const lowest = state ? lowestPosition(state) : Infinity;
        if (Number.isFinite(lowest) && lowest - SPARE_BATCHES - this.#prunedAt >= PRUNE_EVERY) {
            // Nodes of another version may feed an index of theirs.
            const below = Math.min(lowest, await this.#parts.states.lowestOfOthers()) - SPARE_BATCHES;
            this.#prunedAt = lowest - SPARE_BATCHES;
            for (let isDone = below <= 0; !isDone && !signal.aborted;) {
                isDone = await this.#parts.changes.prune(below);
            }
        }
    }

    async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {

        if (this.#isAwake || signal.aborted) {
            return;
        }

        await new Promise<void>((resolve) => {

            const end = (): void => {

                clearTimeout(timer);
                signal.removeEventListener('abort', end);
                resolve();
            };

            const timer = setTimeout(end, milliseconds);
            signal.addEventListener('abort', end);
            this.#wake = end;
        });
        this.#wake = () => {};
    }
}

/** Indexes in which searches may be in progress when the one in use is given up. */
function formerOf(state: FeedState | null): readonly FormerIndex[] {

    return [...state?.former ?? [], ...state?.index ? [{ index: state.index, replaced: Date.now() }] : []];
}

function namesOf(former: readonly FormerIndex[] = []): string[] {

    return former.map(({ index }) => index);
}
