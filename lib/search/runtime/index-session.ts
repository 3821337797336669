/**
 * One life of the searching thread: it is given the stored segments, then changes as they come, and answers searches until it
 * ends. What it holds in memory alone can be read again, so that after its end another session takes over.
 */

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ObjectChange } from '../../model/write-participant.js';
import { DamagedSegment, ForgottenIndex, NoRoomForSegment } from '../../stores/search/segment-errors.js';
import { BLOCK, readHits } from './hit-pages.js';
import type { SearchAnswer } from './search-index.js';
import type { SearchRequest } from '../query/search-request.js';
import { checkSections, DEAD_SECTION, Flusher } from './flusher.js';
import type { MergerPort } from './flusher.js';
import { MergeScheduler } from './merge-scheduler.js';
import { INDEX_VERSION, isReadable } from '../segment/format.js';
import type { SearcherUsage } from './protocol.js';
import { SearchClient } from './search-client.js';
import { serveSections } from './section-channel.js';
import type { Change } from '../indexing/live-segments.js';
import type { SessionParts, StoredState } from './index-options.js';
import { Watchdog } from './watchdog.js';
import { gone, WorkerClient } from '../../util/workers/worker-client.js';

/** A thread that does not answer for so long after the time of a search is over is stuck. */
const GRACE_MS = 5000;

/** Bytes in memory after which the index is stored. */
const STORE_AFTER_BYTES = 32 * 1024 * 1024;

export class IndexSession {

    /** Resolves with the reason when the thread has ended; it then has to be closed all the same. */
    readonly ended: Promise<Error>;
    readonly #parts: SessionParts;
    readonly #searcher: SearchClient;
    readonly #watch: Watchdog;
    readonly #end: (error: Error) => void;
    /** Ids that were changed while somebody reads objects: what was read of them may be old. */
    readonly #changed = new Set<Set<string>>();
    readonly #merging = new MergeScheduler(async (load) => await this.#keeper?.merge(load) ?? false);
    #merger: MergerPort | null = null;
    #keeper: Flusher | null = null;
    readonly #closePort: () => void;
    #renewal: Promise<void> = Promise.resolve();
    /** Giving up an index that cannot be used. */
    #giving: Promise<void> = Promise.resolve();
    #seenOn = Date.now();
    #isClosed = false;
    #isOver = false;

    constructor(parts: SessionParts) {

        this.#parts = parts;
        let end: (error: Error) => void = () => {};
        this.ended = new Promise((resolve) => {

            end = resolve;
        });
        this.#end = end;
        const { segments, memory, timeout } = parts.options;
        this.#watch = new Watchdog(timeout + GRACE_MS);
        const { port, close } = serveSections((...piece) => segments.piece(...piece), (error) => this.#failed(error));
        this.#closePort = close;
        this.#searcher = new SearchClient({ sections: port, memory }, (error) => this.#over(error));
    }

    /** True when it has ended, or is about to. */
    get isOver(): boolean {

        return this.#isOver;
    }

    /** Memory of the searching thread. */
    async usage(): Promise<SearcherUsage> {

        return await this.#searcher.call({ kind: 'usage' });
    }

    /**
     * Loads the stored index.
     *
     * @param begin called in the moment from which changes have to be applied as they are told; earlier ones are found in the log
     * @returns `none` when there is no index: it has to be completed by {@link build}; else by reading the log, and when it is
     * outdated by {@link renew} afterwards
     */
    async open(begin: () => void): Promise<StoredState> {

        const { options: { segments, log, logger }, follower, orderer, backlog } = this.#parts;
        const manifest = await segments.manifest();
        const stored = manifest && isReadable(manifest.layout) ? manifest.covered : null;
        const isLogged = stored !== null && stored <= await log.last();
        const covered = isLogged && await segments.seen(Date.now()).catch(unlessFull) !== false && await this.#load() ? stored : null;
        if (covered === null) {
            await segments.reset(INDEX_VERSION, Date.now());
        }

        await segments.sweep().catch(unlessFull);
        const position = covered ?? await log.last();
        backlog.reset();
        follower.restart(position);
        const merging = { merger: () => this.#startMerger(), load: () => this.#merging.load };
        this.#keeper = new Flusher({ searcher: this.#searcher, segments, log, orderer, logger, follower, ...merging }, covered);
        begin();
        return covered === null ? 'none' : manifest?.layout === INDEX_VERSION ? 'stored' : 'outdated';
    }

    /** Indexes all objects anew, in the background: what they were indexed as before is found until then. */
    renew(): void {

        const { segments, logger } = this.#parts.options;
        this.#renewal = this.build().then(() => (this.#isClosed ? undefined : segments.adopt(INDEX_VERSION))).catch((error: unknown) => {

            if (!this.#isClosed) {
                logger.error({ err: error }, 'the search index could not be renewed; it is tried again at the next start');
            }
        });
    }

    /** Indexes all objects. */
    async build(): Promise<void> {

        const { options: { source, logger }, backlog } = this.#parts;
        const started = Date.now();
        let count = 0;
        for (let after: string | null = ''; after !== null && !this.#isClosed;) {
            const last: string = after;
            after = null;
            await this.#readAndApply(async () => {

                const page = await source.after(last);
                count += page.length;
                after = page.at(-1)?.id ?? null;
                return page.map((document): Change => ({ kind: 'put', document }));
            });
            await backlog.wait();
            // Building may take long; whatever else the process does comes first.
            await setImmediate();
        }

        await this.#keeper?.complete();
        if (count > 0) {
            logger.info({ objects: count, milliseconds: Date.now() - started }, 'the search index was built');
        }
    }

    /** Applies the current state of some objects; those that do not exist are removed. */
    async applyStored(ids: readonly string[]): Promise<void> {

        const { source } = this.#parts.options;
        for (const portion of await source.portions(ids)) {
            await this.#readAndApply(async () => {

                const documents = await source.byIds(portion);
                const found = new Set(documents.map(({ id }) => id));
                const gone = portion.filter((id) => !found.has(id));
                return [...documents.map((document): Change => ({ kind: 'put', document })), ...gone.map((id): Change => ({ kind: 'delete', id }))];
            });
        }
    }

    /** Applies a change that was committed. Nobody has to wait for it. */
    changed(id: string, change: ObjectChange): void {

        const { after } = change;
        this.#apply([after ? { kind: 'put', document: this.#parts.options.source.describe(after, change) } : { kind: 'delete', id }], false).catch(() => {
            // The thread has ended; the next session reads the log.
        });
    }

    /** Tells other nodes now and then that this one is there: indexes of which nothing is heard are forgotten. */
    async seen(): Promise<void> {

        const { segments, aliveEvery } = this.#parts.options;
        const now = Date.now();
        if (now - this.#seenOn >= aliveEvery && !this.#isOver) {
            this.#seenOn = now;
            if (!await segments.seen(now)) {
                this.forget();
            }
        }
    }

    /** What the index lacks cannot be read any more. */
    forget(): void {

        this.#failed(new ForgottenIndex('nothing was heard of this node for too long'));
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        this.#merging.searched();
        const { timeout } = this.#parts.options;
        const first = Math.min(request.limit ?? BLOCK, BLOCK);
        const prompt = this.#searcher.prompt(request);
        const { size, facets, hits, cursor } = prompt ?? await this.#watch.run(() => this.#searcher.search(request, first, timeout), {
            stuck: () => this.#over(new Error('a search did not end in time')),
            late: (found) => void readHits(this.#searcher, found.hits, found.cursor).return()
        });
        return { size, facets, hits: readHits(this.#searcher, hits, cursor) };
    }

    /** Ends the threads. Resolves when nothing is written any more. */
    async close(): Promise<void> {

        this.#isClosed = true;
        this.#merging.close();
        this.#over(new Error('the search index was closed'));
        this.#closePort();
        await Promise.all([this.#searcher.terminate(), this.#merger?.terminate()]);
        await this.#keeper?.idle();
        await Promise.all([this.#renewal, this.#giving]);
    }

    #over(error: Error): void {

        this.#isOver = true;
        this.#end(error);
    }

    /** Something could not be read or stored. A damaged or forgotten index is built anew by the next session. */
    #failed(error: unknown): void {

        if ((error instanceof DamagedSegment || error instanceof ForgottenIndex) && !this.#isOver) {
            this.#isOver = true;
            this.#giving = this.#giveUp(error);
        }
    }

    async #giveUp(error: DamagedSegment | ForgottenIndex): Promise<void> {

        const { segments, logger } = this.#parts.options;
        logger.error({ err: error }, `the search index ${error instanceof DamagedSegment ? 'is damaged' : 'was forgotten'} and is built anew`);
        await segments.reset(INDEX_VERSION, Date.now()).catch((reason: unknown) => {

            logger.error({ err: reason }, 'the damaged search index could not be given up; the next session tries again');
        });
        this.#end(error);
    }

    /** Gives the stored segments to the thread; false when they cannot be used. */
    async #load(): Promise<boolean> {

        const { segments, logger } = this.#parts.options;
        try {
            for (const { id, documents } of await segments.segments()) {
                const sizes = await segments.sizes(id);
                const dead = await segments.piece(id, DEAD_SECTION, 0, sizes.get(DEAD_SECTION) ?? 0);
                sizes.delete(DEAD_SECTION);
                checkSections(id, { documents, sizes, dead });
                await this.#searcher.call({ kind: 'add', segment: { name: id, sizes }, dead: new Uint32Array(dead.slice().buffer) });
            }

            return true;
        }
        catch (error) {
            if (!(error instanceof DamagedSegment)) {
                throw error;
            }

            logger.error({ err: error }, 'the search index is damaged and is built anew');
            return false;
        }
    }

    /** Applies the state of objects as read, but for those that were changed meanwhile: their change is newer. */
    async #readAndApply(read: () => Promise<Change[]>): Promise<void> {

        const changed = new Set<string>();
        this.#changed.add(changed);
        try {
            const changes = await read();
            this.#changed.delete(changed);
            await this.#apply(changes.filter((change) => !changed.has(changedId(change))));
        }
        finally {
            this.#changed.delete(changed);
        }
    }

    async #apply(changes: readonly Change[], isUrgent = true): Promise<void> {

        const { backlog, options: { storeAfter } } = this.#parts;
        if (this.#isClosed) {
            // The backlog is the next session's by now.
            throw gone();
        }

        for (const watched of this.#changed) {
            changes.forEach((change) => watched.add(changedId(change)));
        }

        backlog.add(changes.length);
        const { documents, bytes } = await this.#searcher.apply(changes, { isUrgent });
        this.#watch.answered();
        backlog.done(changes.length, documents);
        this.#merging.changed();
        if (documents >= storeAfter || bytes >= STORE_AFTER_BYTES) {
            this.#storeSoon();
        }
    }

    /** Stores in the background what has come together, unless that is under way. */
    #storeSoon(): void {

        if (this.#keeper && !this.#keeper.isStoring && !this.#isClosed) {
            // Afterwards the backlog hears of the room that there is now. What fails was logged, and is tried again with the next changes.
            this.#keeper.store().then(() => this.#apply([])).catch((error: unknown) => this.#failed(error));
        }
    }

    #startMerger(): MergerPort {

        this.#merger ??= new WorkerClient(join(__dirname, 'merge-worker.js'), (error) => {

            this.#parts.options.logger.error({ err: error }, 'the thread that merges segments has ended');
            this.#merger = null;
        });
        return this.#merger;
    }
}

function changedId(change: Change): string {

    return change.kind === 'put' ? change.document.id : change.id;
}

/** What can wait until there is room keeps nobody from searching. */
function unlessFull(error: unknown): null {

    if (error instanceof NoRoomForSegment) {
        return null;
    }

    throw error;
}
