/**
 * Stores what the search thread has in memory, and merges segments: new ones, also before they are stored, and stored ones of
 * similar size; segments with many deleted documents are rewritten. All of this is serialised, and runs beside searches and
 * changes.
 */

import type { Log } from '../../../db/log.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import { DamagedSegment, NoSpaceForSegment } from '../../stores/search/segment-errors.js';
import type { SearchSegmentStore } from '../../stores/search/segment-store.js';
import type { Bits } from '../docset/bit-set.js';
import { emptyBits } from '../docset/bit-set.js';
import type { ChangeLogTailer } from './change-log-tailer.js';
import type { LogOrderer } from './change-log-sequencer.js';
import { chooseAllSmall, chooseSegments, isMergeTime, IDLE } from '../indexing/merge/merge-policy.js';
import type { Load } from '../indexing/merge/merge-policy.js';
import type { MergerAnswers, MergerCall } from './protocol.js';
import type { SearchClient } from './search-client.js';
import type { NamedSegment, StoredName } from '../indexing/segment-entry.js';
import { SECTION_NAMES, STEM_SECTION_NAMES } from '../segment/format.js';
import type { Sections, SegmentSize } from '../segment/format.js';
import type { WorkerClient } from '../../util/workers/worker-client.js';
import { isWorkerExited, workerExited } from '../../util/workers/worker-client.js';

export type MergerPort = WorkerClient<MergerCall, MergerAnswers>;

/** Section with the tombstones. */
export const DELETED_SECTION = 'dead';

/** Milliseconds without a heartbeat after which the index of a node is removed; the node rebuilds it when it returns. */
const ABSENCE_MS = 7 * 86_400_000;

/** Retry interval for storing a new index that exceeded the disk space, in milliseconds. */
const COMPLETE_AGAIN_MS = 60_000;

/** A source of a merge, and the new numbers of its documents. */
interface Replaced {
    readonly name: number;
    readonly map: Uint32Array;
}

export interface FlusherParts {
    readonly searcher: SearchClient;
    /** Starts the thread on first use. */
    readonly merger: () => MergerPort;
    readonly segments: SearchSegmentStore;
    readonly log: SearchLogStore;
    readonly orderer: LogOrderer;
    readonly tailer: ChangeLogTailer;
    readonly logger: Log;
    readonly load: () => Load;
}

type StoreKind = 'usual' | 'complete' | 'last';

/** Flusher of one session. */
export class Flusher {

    readonly #parts: FlusherParts;
    /** Batch of the change log that is covered by the stored index; null while the index is being built. */
    #covered: number | null;
    #running: Promise<void> | null = null;
    /** Number of stores that are running or queued. */
    #stores = 0;
    /** True when the index is complete, though there may not have been space to store it. */
    #isComplete = false;
    #retryTimer: NodeJS.Timeout | undefined;
    #isClosed = false;

    constructor(parts: FlusherParts, position: number | null) {

        this.#parts = parts;
        this.#covered = position;
    }

    /**
     * Stores everything that was applied. Stores are serialised; callers that come meanwhile share the next one.
     *
     * @param kind `complete` when a new index becomes complete with this; `last` before the end, to which what can wait is left
     */
    async store(kind: StoreKind = 'usual'): Promise<void> {

        ++this.#stores;
        try {
            while (this.#running) {
                await this.#waitForRunning();
            }

            if (this.#isClosed) {
                throw workerExited();
            }

            await this.#run(this.#storeAll(kind));
        }
        finally {
            --this.#stores;
        }
    }

    /**
     * Merges segments, stored or not, unless a store is running or queued.
     *
     * @returns true when there will be more to merge even without changes
     */
    async merge(load: Load): Promise<boolean> {

        if (this.#running || this.isStoring) {
            return true;
        }

        let isMore = false;
        await this.#run(this.#mergeSome(load).then((more) => void (isMore = more)));
        return isMore;
    }

    async #run(work: Promise<void>): Promise<void> {

        this.#running = work;
        try {
            await work;
        }
        finally {
            this.#running = null;
        }
    }

    /** Stores a new index. When there is no space, it stays in memory and is stored later, at intervals or with the next changes. */
    async complete(): Promise<void> {

        this.#isComplete = true;
        try {
            await this.store('complete');
        }
        catch (error) {
            if (!(error instanceof NoSpaceForSegment)) {
                throw error;
            }

            if (this.#isClosed) {
                return;
            }

            this.#retryTimer = setTimeout(() => void this.complete().catch(() => {
                // Logged already; the next session rebuilds the index.
            }), COMPLETE_AGAIN_MS).unref();
        }
    }

    /** Stores everything that was applied, for the end: what can wait for the next start is left to it. Does nothing where no complete index is stored. */
    async storeLast(): Promise<void> {

        if (this.#covered !== null) {
            // Not a part of the store, which the end would wait for.
            await this.#readLog();
            await this.store('last');
        }
    }

    /** Resolves when nothing is being stored or merged; afterwards nothing will be. */
    async idle(): Promise<void> {

        this.#isClosed = true;
        clearTimeout(this.#retryTimer);
        await this.#waitForRunning();
    }

    async #waitForRunning(): Promise<void> {

        await this.#running?.catch(() => {
            // Reported by the caller who started it.
        });
    }

    /** True while a store is running, or queued behind a merge. */
    get isStoring(): boolean {

        return this.#stores > 0;
    }

    /** Applies the log to its end: rows in no batch would be read again after the next start. */
    async #readLog(): Promise<void> {

        const { tailer, orderer } = this.#parts;
        await orderer.order();
        await tailer.catchUp();
    }

    async #storeAll(kind: StoreKind): Promise<void> {

        const { searcher, tailer, segments } = this.#parts;
        if (kind !== 'last') {
            await this.#readLog();
        }

        const position = this.#isComplete || this.#covered !== null ? tailer.position : null;
        const { unstored, changed, sizes } = await searcher.call({ kind: 'seal' });
        try {
            const added = await this.#merge(unstored);
            const steps = changed.flatMap(({ name, deleted }) => segments.rewriteSteps(name, DELETED_SECTION, bytesOf(deleted)));
            await segments.switch({ added: added.ids, removed: [], covered: position }, steps);
            this.#covered = position;
            const newSizes = unstored.length === 0 ? sizes : await searcher.call({ kind: 'replace', ...added.replacement });
            if (kind !== 'last') {
                await this.#mergeStored(newSizes, kind === 'complete' ? chooseAllSmall : (current) => chooseSegments(current, this.#parts.load()));
                await this.#cleanUp();
            }
        }
        catch (error) {
            await this.#failed(error, 'search.flush-failed', 'failed to store the search index, retrying with the next changes');
        }
    }

    async #mergeSome(load: Load): Promise<boolean> {

        const { searcher, segments } = this.#parts;
        const { sources, isMore, sizes } = await searcher.call({ kind: 'gather', load });
        try {
            if (sources.length > 0) {
                const { sections, documents, replaced } = await this.#mergeSources(sources);
                await searcher.call({ kind: 'replace', sources: replaced, added: documents > 0 ? { sections } : null });
                return true;
            }

            const choose = (current: readonly SegmentSize[]): number[] => (isMergeTime(load) ? chooseSegments(current, load) : []);
            if (choose(sizes).length > 0) {
                await this.#mergeStored(sizes, choose);
                await segments.sweep();
            }

            return isMore || chooseSegments(sizes, IDLE).length > 0;
        }
        catch (error) {
            return await this.#failed(error, 'search.merge-failed', 'failed to merge search segments, retrying with the next changes');
        }
    }

    /** Unfreezes segments and throws the error. */
    async #failed(error: unknown, event: string, message: string): Promise<never> {

        if (!isWorkerExited(error)) {
            // The end of a thread is logged elsewhere, unless it was intended.
            this.#parts.logger.error({ event, err: error }, message);
        }

        await this.#parts.searcher.call({ kind: 'unseal' });
        throw error;
    }

    /** Merges stored segments until none are chosen. */
    async #mergeStored(sizes: readonly SegmentSize[], choose: (sizes: readonly SegmentSize[]) => number[]): Promise<void> {

        const { searcher, segments } = this.#parts;
        let current = sizes;
        for (let names = choose(current); names.length > 0; names = choose(current)) {
            const added = await this.#merge(await this.#read(await searcher.call({ kind: 'copies', names })));
            await segments.switch({ added: added.ids, removed: names, covered: this.#covered }, []);
            current = await searcher.call({ kind: 'replace', ...added.replacement });
        }
    }

    /** Removes what is no longer needed. */
    async #cleanUp(): Promise<void> {

        const { segments, log } = this.#parts;
        await segments.forgetAbsent(ABSENCE_MS);
        await segments.sweep();
        const coveredByAll = await segments.coveredByAll();
        while (!await log.prune(coveredByAll)) {
            // Deletes a few rows at a time.
        }
    }

    async #read(stored: readonly { readonly name: number; readonly deleted: Bits }[]): Promise<NamedSegment[]> {

        const read: NamedSegment[] = [];
        for (const { name, deleted } of stored) {
            read.push({ name, deleted, sections: await this.#parts.segments.read(name) });
        }

        return read;
    }

    async #merge(sources: readonly NamedSegment[]): Promise<{
        ids: number[];
        replacement: { sources: Replaced[]; added: StoredName | null };
    }> {

        if (sources.length === 0) {
            return { ids: [], replacement: { sources: [], added: null } };
        }

        const { sections, documents, replaced } = await this.#mergeSources(sources);
        if (documents === 0) {
            return { ids: [], replacement: { sources: replaced, added: null } };
        }

        const id = await this.#parts.segments.write(documents, [...sections, [DELETED_SECTION, bytesOf(emptyBits(documents))]]);
        return { ids: [id], replacement: { sources: replaced, added: { name: id, sizes: sizesOf(sections) } } };
    }

    async #mergeSources(sources: readonly NamedSegment[]): Promise<Omit<MergerAnswers['merge'], 'maps'> & { replaced: Replaced[] }> {

        const { sections, documents, maps } = await this.#parts.merger().call({ kind: 'merge', sources });
        return { sections, documents, replaced: sources.map(({ name }, i) => ({ name, map: maps[i] ?? new Uint32Array(0) })) };
    }
}

function sizesOf(sections: Sections): Map<string, number> {

    return new Map(Array.from(sections, ([name, { length }]) => [name, length]));
}

/** Returns the bytes of a bit set, without a copy. */
export function bytesOf(bits: Bits): Uint8Array {

    return new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
}

/** Throws DamagedSegment when a stored segment is incomplete. */
export function checkSections(
    name: number, { documents, sizes, deleted }: { readonly documents: number; readonly sizes: ReadonlyMap<string, number>; readonly deleted: Uint8Array }
): void {

    const names = STEM_SECTION_NAMES.some((section) => sizes.has(section)) ? [...SECTION_NAMES, ...STEM_SECTION_NAMES] : SECTION_NAMES;
    if (deleted.length !== ((documents + 31) >>> 5) * 4 || names.some((section) => !sizes.has(section))) {
        throw new DamagedSegment(`segment ${name} is not complete`);
    }
}
