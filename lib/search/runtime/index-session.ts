/**
 * Session of one search thread: it is given the stored segments, then changes as they come, and answers searches until it ends.
 * What is only in its memory can be read again, so that another session can take over.
 */

import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ObjectChange } from '../../model/write-participant.js';
import { DamagedSegment, ForgottenIndex, NoSpaceForSegment } from '../../stores/search/segment-errors.js';
import { BLOCK, HitPages } from './hit-pages.js';
import type { SearchAnswer } from './search-index.js';
import type { SearchRequest } from '../query/search-request.js';
import { checkSections, DELETED_SECTION, Flusher } from './flusher.js';
import type { MergerPort } from './flusher.js';
import { MergeScheduler } from './merge-scheduler.js';
import { INDEX_VERSION, isReadable } from '../segment/format.js';
import { GRACE_MS, type SearcherUsage } from './protocol.js';
import { SearchClient } from './search-client.js';
import { serveSections } from './section-channel.js';
import type { IndexProgress } from '../relay/index-progress.js';
import type { Change } from '../indexing/live-segments.js';
import type { SessionParts, StoredState } from './index-options.js';
import { Watchdog } from './watchdog.js';
import { workerExited, WorkerClient } from '../../util/workers/worker-client.js';

/** Bytes in memory above which the index is stored. */
const STORE_AFTER_BYTES = 32 * 1024 * 1024;

/** Changes that are applied again at the next start within a fraction of a second; more of them are stored when the session ends. */
const MAX_CHANGES_LEFT = 250;

/** Maximum milliseconds that storing delays the end; without it, the next start applies the changes again. */
const MAX_STORING_MS = 3000;

export class IndexSession {

    /** Resolves with the reason when the thread has ended; the session still has to be closed. */
    readonly ended: Promise<Error>;
    readonly #parts: SessionParts;
    readonly #searcher: SearchClient;
    readonly #watch: Watchdog;
    readonly #end: (error: Error) => void;
    /** For each running read of objects, the ids that were changed since it started: their state as read may be outdated. */
    readonly #changed = new Set<Set<string>>();
    readonly #merging = new MergeScheduler(async (load) => await this.#flusher?.merge(load) ?? false, () => this.#searcher.progress.searches);
    #merger: MergerPort | null = null;
    #flusher: Flusher | null = null;
    readonly #closePort: () => void;
    #renewal: Promise<void> = Promise.resolve();
    /** Discarding an index that cannot be used. */
    #resetting: Promise<void> = Promise.resolve();
    /** Number of documents in memory that are not stored. */
    #unstored = 0;
    /** When the last heartbeat was sent, by the monotonic clock. */
    #heartbeatOn = performance.now();
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
        const { port, close } = serveSections((...location) => segments.readRange(...location), (error) => this.#failed(error));
        this.#closePort = close;
        this.#searcher = new SearchClient({ sections: port, memory }, (error) => this.#finish(error));
    }

    /** True when the session has ended, or is about to. */
    get isOver(): boolean {

        return this.#isOver;
    }

    /** Number of calls that the search thread has not answered. */
    get pending(): number {

        return this.#searcher.pending;
    }

    /** What the thread knows without a message. */
    get progress(): IndexProgress {

        return this.#searcher.progress;
    }

    /** Answers the searches of worker processes that come through a port; see {@link SearchClient.admit}. */
    async admit(...given: Parameters<SearchClient['admit']>): Promise<void> {

        await this.#searcher.admit(...given);
    }

    /** Returns the size of the index and the memory use of the search thread. */
    async usage(): Promise<SearcherUsage> {

        return await this.#searcher.call({ kind: 'usage' });
    }

    /**
     * Loads the stored index.
     *
     * @param onBegin called at the moment from which committed changes have to be applied; earlier ones are found in the log
     * @returns `none` when there is no index: complete it by {@link build}; otherwise by reading the log, and an outdated one by
     * {@link renew} afterwards
     */
    async open(onBegin: () => void): Promise<StoredState> {

        const { options: { segments, log, logger }, tailer, orderer, throttle } = this.#parts;
        const manifest = await segments.manifest();
        const stored = manifest && isReadable(manifest.layout) ? manifest.covered : null;
        const isLogged = stored !== null && stored <= await log.last();
        const covered = isLogged && await segments.sendHeartbeat().catch(unlessFull) !== false && await this.#load() ? stored : null;
        if (covered === null) {
            await segments.reset(INDEX_VERSION);
        }

        await segments.sweep().catch(unlessFull);
        const position = covered ?? await log.last();
        throttle.reset();
        tailer.restart(position);
        const merging = { merger: () => this.#startMerger(), load: () => this.#merging.load };
        this.#flusher = new Flusher({ searcher: this.#searcher, segments, log, orderer, logger, tailer, ...merging }, covered);
        onBegin();
        return covered === null ? 'none' : manifest?.layout === INDEX_VERSION ? 'stored' : 'outdated';
    }

    /** Reindexes all objects in the background; until then, documents of the previous rules are searched. */
    renew(): void {

        const { segments, logger } = this.#parts.options;
        this.#renewal = this.build().then(() => (this.#isClosed ? undefined : segments.setLayout(INDEX_VERSION))).catch((error: unknown) => {

            if (!this.#isClosed) {
                logger.error({ event: 'search.index-upgrade-failed', err: error }, 'failed to rebuild the search index, retrying at next start');
            }
        });
    }

    /** Indexes all objects. */
    async build(): Promise<void> {

        const { options: { source, logger }, throttle } = this.#parts;
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
            await throttle.wait();
            // Building may take long; yield to the other work of the process.
            await setImmediate();
        }

        await this.#flusher?.complete();
        if (count > 0) {
            logger.info({ event: 'search.index-built', objects: count, milliseconds: Date.now() - started }, 'search index built');
        }
    }

    /** Applies the current state of objects; those that do not exist are removed. */
    async applyStored(ids: readonly string[]): Promise<void> {

        const { source } = this.#parts.options;
        for (const batch of await source.portions(ids)) {
            await this.#readAndApply(async () => {

                const { documents, changing } = await source.byIds(batch);
                const found = new Set(documents.map(({ id }) => id));
                const deleted = batch.filter((id) => !found.has(id) && !changing.has(id));
                return [...documents.map((document): Change => ({ kind: 'put', document })), ...deleted.map((id): Change => ({ kind: 'delete', id }))];
            });
        }
    }

    /** Applies a committed change in the background. */
    changed(id: string, change: ObjectChange): void {

        const { after } = change;
        this.#apply([after ? { kind: 'put', document: this.#parts.options.source.describe(after, change) } : { kind: 'delete', id }], false).catch(() => {
            // The thread has ended; the next session reads the log.
        });
    }

    /** Sends a heartbeat; the other nodes remove the indexes of nodes without one. */
    async sendHeartbeat(): Promise<void> {

        const { segments, aliveEvery } = this.#parts.options;
        const now = performance.now();
        if (now - this.#heartbeatOn >= aliveEvery && !this.#isOver) {
            this.#heartbeatOn = now;
            if (!await segments.sendHeartbeat()) {
                this.forget('nothing was heard of this node for too long');
            }
        }
    }

    /** Ends the session because the index lacks changes that are no longer in the log, or has others. */
    forget(reason: string): void {

        this.#failed(new ForgottenIndex(reason));
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        this.#merging.searched();
        const { timeout } = this.#parts.options;
        const first = Math.min(request.limit ?? BLOCK, BLOCK);
        const found = this.#searcher.inline.search(request) ?? await this.#watch.run(() => this.#searcher.search(request, first, timeout), {
            onHang: () => this.#finish(new Error('a search did not end in time')),
            onExpired: (results) => void new HitPages(this.#searcher, results).return()
        });
        return { size: found.size, facets: found.facets, hits: new HitPages(this.#searcher, found) };
    }

    /**
     * Stores what the next start would have to apply again, unless that is little. Gives up when it takes long, or fails: everything is in the
     * database already, as objects.
     */
    async storeBeforeClosing(): Promise<void> {

        if (this.#flusher && !this.#isOver) {
            await Promise.race([this.#storeLast(this.#flusher), sleep(MAX_STORING_MS, undefined, { ref: false })]);
        }
    }

    async #storeLast(flusher: Flusher): Promise<void> {

        try {
            await this.#apply([]);
            if (this.#unstored > MAX_CHANGES_LEFT) {
                await flusher.storeLast();
            }
        }
        catch (error) {
            this.#failed(error);
        }
    }

    /** Ends the threads. Resolves when nothing is written any more. */
    async close(): Promise<void> {

        this.#isClosed = true;
        this.#merging.close();
        this.#finish(new Error('the search index was closed'));
        this.#closePort();
        await Promise.all([this.#searcher.terminate(), this.#merger?.terminate()]);
        await this.#flusher?.idle();
        await Promise.all([this.#renewal, this.#resetting]);
    }

    #finish(error: Error): void {

        this.#isOver = true;
        this.#searcher.progress.isOpen = false;
        this.#end(error);
    }

    /** Handles an error of reading or storing. A damaged or forgotten index is rebuilt by the next session. */
    #failed(error: unknown): void {

        if ((error instanceof DamagedSegment || error instanceof ForgottenIndex) && !this.#isOver) {
            this.#isOver = true;
            this.#searcher.progress.isOpen = false;
            this.#resetting = this.#discardIndex(error);
        }
    }

    async #discardIndex(error: DamagedSegment | ForgottenIndex): Promise<void> {

        const { segments, logger } = this.#parts.options;
        const isDamaged = error instanceof DamagedSegment;
        logger.error({ event: isDamaged ? 'search.index-damaged' : 'search.index-expired', err: error },
            isDamaged ? 'search index damaged, rebuilding' : 'search index expired, rebuilding');
        await segments.reset(INDEX_VERSION).catch((reason: unknown) => {

            logger.error({ event: 'search.index-reset-failed', err: reason }, 'failed to reset the search index, retrying');
        });
        this.#end(error);
    }

    /** Loads the stored segments into the thread; false when they cannot be used. */
    async #load(): Promise<boolean> {

        const { segments, logger } = this.#parts.options;
        try {
            for (const { id, documents } of await segments.segments()) {
                const sizes = await segments.sizes(id);
                const deleted = await segments.readRange(id, DELETED_SECTION, 0, sizes.get(DELETED_SECTION) ?? 0);
                sizes.delete(DELETED_SECTION);
                checkSections(id, { documents, sizes, deleted });
                await this.#searcher.call({ kind: 'add', segment: { name: id, sizes }, deleted: new Uint32Array(deleted.slice().buffer) });
            }

            return true;
        }
        catch (error) {
            if (!(error instanceof DamagedSegment)) {
                throw error;
            }

            logger.error({ event: 'search.index-damaged', err: error }, 'search index damaged, rebuilding');
            return false;
        }
    }

    /** Applies the state of objects as read, except those that were changed meanwhile: their change is newer. */
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

        const { throttle, options: { storeAfter } } = this.#parts;
        if (this.#isClosed) {
            // The throttle belongs to the next session already.
            throw workerExited();
        }

        for (const watched of this.#changed) {
            changes.forEach((change) => watched.add(changedId(change)));
        }

        throttle.add(changes.length);
        const { documents, bytes } = await this.#searcher.apply(changes, { isUrgent });
        this.#watch.answered();
        throttle.done(changes.length, documents);
        this.#unstored = documents;
        this.#merging.changed();
        if (documents >= storeAfter || bytes >= STORE_AFTER_BYTES) {
            this.#storeInBackground();
        }
    }

    /** Stores the index in the background, unless it is being stored. */
    #storeInBackground(): void {

        if (this.#flusher && !this.#flusher.isStoring && !this.#isClosed) {
            // Afterwards the throttle learns the new state. Errors were logged, and the store is retried with the next changes.
            this.#flusher.store().then(() => this.#apply([])).catch((error: unknown) => this.#failed(error));
        }
    }

    #startMerger(): MergerPort {

        this.#merger ??= new WorkerClient(join(__dirname, 'merge-worker.js'), (error) => {

            this.#parts.options.logger.error({ event: 'search.merge-thread-exited', err: error }, 'merge thread exited');
            this.#merger = null;
        });
        return this.#merger;
    }
}

function changedId(change: Change): string {

    return change.kind === 'put' ? change.document.id : change.id;
}

/** Lack of disk space must not prevent searches where the work can wait. */
function unlessFull(error: unknown): null {

    if (error instanceof NoSpaceForSegment) {
        return null;
    }

    throw error;
}
