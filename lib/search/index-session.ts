/**
 * One life of the searching thread: it is given the stored segments, then changes as they come, and answers searches until it
 * ends. What it holds in memory alone can be read again, so that after its end another session takes over.
 */

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ObjectChange } from '../objects/write-participant.js';
import { DamagedSegment } from '../stores/search-segment-store.js';
import type { Backlog } from './backlog.js';
import type { LogFollower } from './log-follower.js';
import type { LocalSearchOptions } from './local-search-index.js';
import { released } from './released.js';
import type { SearchAnswer } from './search-index.js';
import type { SearchHit, SearchRequest } from './search-request.js';
import { DEAD_SECTION, SegmentKeeper } from './segment-keeper.js';
import type { MergerPort, SearcherPort } from './segment-keeper.js';
import { LAYOUT_VERSION, SECTION_NAMES } from './segment-layout.js';
import type { Change, NamedSegment } from './segment-set.js';
import { WorkerPort } from './worker-port.js';

/** Hits of one message between the threads. */
const BLOCK = 500;

/** A thread that does not answer for so long after the time of a search is over is stuck. */
const GRACE_MS = 5000;

/** Bytes in memory after which the index is stored. */
const STORE_AFTER_BYTES = 32 * 1024 * 1024;

export interface SessionParts {
    readonly options: Required<LocalSearchOptions>;
    readonly follower: LogFollower;
    readonly backlog: Backlog;
}

export class IndexSession {

    /** Resolves with the reason when the thread has ended; it then has to be closed all the same. */
    readonly ended: Promise<Error>;
    readonly #parts: SessionParts;
    readonly #searcher: SearcherPort;
    readonly #end: (error: Error) => void;
    /** Ids that were changed while somebody reads objects: what was read of them may be old. */
    readonly #changed = new Set<Set<string>>();
    #merger: MergerPort | null = null;
    #keeper: SegmentKeeper | null = null;
    #isClosed = false;

    constructor(parts: SessionParts) {

        this.#parts = parts;
        let end: (error: Error) => void = () => {};
        this.ended = new Promise((resolve) => {

            end = resolve;
        });
        this.#end = end;
        this.#searcher = new WorkerPort(join(__dirname, 'search-worker.js'), end);
    }

    /**
     * Loads the stored index.
     *
     * @param begin called in the moment from which changes have to be applied as they are told; earlier ones are found in the log
     * @returns false when there is no index; then it has to be completed by {@link build}, else by reading the log
     */
    async open(begin: () => void): Promise<boolean> {

        const { options: { segments, log, logger }, follower, backlog } = this.#parts;
        const manifest = await segments.manifest();
        const stored = manifest?.layout === LAYOUT_VERSION ? manifest.covered : null;
        const covered = stored !== null && await this.#load() ? stored : null;
        if (covered === null) {
            await segments.reset(LAYOUT_VERSION, Date.now());
        }

        await segments.sweep();
        const position = covered ?? await log.last();
        backlog.reset();
        follower.restart(position);
        this.#keeper = new SegmentKeeper({ searcher: this.#searcher, segments, log, logger, follower, merger: () => this.#startMerger() }, covered);
        begin();
        return covered !== null;
    }

    /** Indexes all objects. */
    async build(): Promise<void> {

        const { options: { source, logger }, backlog } = this.#parts;
        const started = Date.now();
        let count = 0;
        for (let after: string | null = ''; after !== null;) {
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

        await this.#keeper?.store(true);
        if (count > 0) {
            logger.info({ objects: count, milliseconds: Date.now() - started }, 'the search index was built');
        }
    }

    /** Applies the current state of some objects; those that do not exist are removed. */
    async reindex(ids: readonly string[]): Promise<void> {

        await this.#readAndApply(async () => {

            const documents = await this.#parts.options.source.byIds(ids);
            const found = new Set(documents.map(({ id }) => id));
            const gone = ids.filter((id) => !found.has(id));
            return [...documents.map((document): Change => ({ kind: 'put', document })), ...gone.map((id): Change => ({ kind: 'delete', id }))];
        });
    }

    /** Applies a change that was committed. Nobody has to wait for it. */
    changed(id: string, change: ObjectChange): void {

        const { after } = change;
        this.#apply([after ? { kind: 'put', document: this.#parts.options.source.describe(after, change) } : { kind: 'delete', id }]).catch(() => {
            // The thread has ended; the next session reads the log.
        });
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        const { timeout } = this.#parts.options;
        const first = Math.min(request.limit ?? BLOCK, BLOCK);
        const watch = setTimeout(() => this.#end(new Error('a search did not end in time')), timeout + GRACE_MS).unref();
        try {
            const { size, facets, hits, cursor } = await this.#searcher.call({ kind: 'search', request, first, milliseconds: timeout });
            return { size, facets, hits: readHits(this.#searcher, hits, cursor) };
        }
        finally {
            clearTimeout(watch);
        }
    }

    /** Ends the threads. Resolves when nothing is written any more. */
    async close(): Promise<void> {

        this.#isClosed = true;
        await Promise.all([this.#searcher.terminate(), this.#merger?.terminate()]);
        await this.#keeper?.idle();
    }

    /** Gives the stored segments to the thread; false when they cannot be used. */
    async #load(): Promise<boolean> {

        const { segments, logger } = this.#parts.options;
        try {
            const stored: NamedSegment[] = [];
            for (const { id, documents } of await segments.segments()) {
                stored.push(toNamed(id, documents, await segments.read(id)));
            }

            await Promise.all(stored.map((segment) => this.#searcher.call({ kind: 'add', segment })));
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

    async #apply(changes: readonly Change[]): Promise<void> {

        const { backlog, options: { storeAfter } } = this.#parts;
        for (const watched of this.#changed) {
            changes.forEach((change) => watched.add(changedId(change)));
        }

        backlog.add(changes.length);
        const { documents, bytes } = await this.#searcher.call({ kind: 'apply', changes });
        backlog.done(changes.length, documents);
        if (documents >= storeAfter || bytes >= STORE_AFTER_BYTES) {
            this.#storeSoon();
        }
    }

    /** Stores in the background what has come together, unless that is under way. */
    #storeSoon(): void {

        if (this.#keeper && !this.#keeper.isBusy && !this.#isClosed) {
            // Afterwards the backlog hears of the room that there is now.
            this.#keeper.store().then(() => this.#apply([])).catch(() => {
                // It was logged, and is tried again with the next changes.
            });
        }
    }

    #startMerger(): MergerPort {

        this.#merger ??= new WorkerPort(join(__dirname, 'merge-worker.js'), (error) => {

            this.#parts.options.logger.error({ err: error }, 'the thread that merges segments has ended');
            this.#merger = null;
        });
        return this.#merger;
    }
}

function toNamed(name: number, documents: number, sections: Map<string, Uint8Array>): NamedSegment {

    const dead = sections.get(DEAD_SECTION);
    sections.delete(DEAD_SECTION);
    if (dead?.length !== ((documents + 31) >>> 5) * 4 || SECTION_NAMES.some((section) => !sections.has(section))) {
        throw new DamagedSegment(`segment ${name} is not complete`);
    }

    return { name, sections, dead: new Uint32Array(dead.slice().buffer) };
}

/** All hits of a search; those that nobody takes are forgotten. */
function readHits(
    searcher: SearcherPort, first: readonly SearchHit[], cursor: number | null
): AsyncGenerator<readonly SearchHit[], void, undefined> {

    let isDone = cursor === null;
    const blocks = async function *(): AsyncGenerator<readonly SearchHit[], void, undefined> {

        if (first.length > 0) {
            yield first;
        }

        while (!isDone && cursor !== null) {
            const more = await searcher.call({ kind: 'more', cursor, count: BLOCK });
            isDone = more.isDone;
            if (more.hits.length > 0) {
                yield more.hits;
            }
        }
    };

    return released(blocks(), () => {

        if (!isDone && cursor !== null) {
            searcher.call({ kind: 'forget', cursor }).catch(() => {
                // The thread has ended, and the search with it.
            });
        }
    });
}

function changedId(change: Change): string {

    return change.kind === 'put' ? change.document.id : change.id;
}
