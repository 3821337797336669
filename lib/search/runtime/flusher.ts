/**
 * Stores what the searching thread has gathered, and keeps the number of segments small: new segments are merged, also before they
 * are stored, stored ones of about the same size become a larger one, and those that lost many documents are written anew.
 * All of it one after the other, beside searches and changes.
 */

import type { Log } from '../../../db/log.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import { DamagedSegment, NoRoomForSegment } from '../../stores/search/segment-errors.js';
import type { SearchSegmentStore } from '../../stores/search/segment-store.js';
import type { Bits } from '../docset/bit-set.js';
import { emptyBits } from '../docset/bit-set.js';
import type { ChangeLogTailer } from './change-log-tailer.js';
import type { LogOrderer } from './change-log-sequencer.js';
import { chooseAllSmall, chooseSegments, isMergeTime, PATIENT } from '../indexing/merge/merge-policy.js';
import type { Load } from '../indexing/merge/merge-policy.js';
import type { MergerAnswers, MergerCall } from './protocol.js';
import type { SearchClient } from './search-client.js';
import type { NamedSegment, StoredName } from '../indexing/segment-entry.js';
import { SECTION_NAMES } from '../segment/format.js';
import type { Sections, SegmentSize } from '../segment/format.js';
import type { WorkerClient } from '../../util/workers/worker-client.js';
import { isGone } from '../../util/workers/worker-client.js';

export type MergerPort = WorkerClient<MergerCall, MergerAnswers>;

/** The section with the documents that are gone. */
export const DEAD_SECTION = 'dead';

/** Nodes that were not seen for so long are forgotten; when they come back they build their index anew. */
const ABSENCE_MS = 7 * 86_400_000;

/** Milliseconds until a new index that there was no room for is stored again. */
const COMPLETE_AGAIN_MS = 60_000;

/** The name of a source, and the new numbers of its documents. */
interface Replaced {
    readonly name: number;
    readonly map: Uint32Array;
}

export interface FlusherParts {
    readonly searcher: SearchClient;
    /** Started when it is first needed. */
    readonly merger: () => MergerPort;
    readonly segments: SearchSegmentStore;
    readonly log: SearchLogStore;
    readonly orderer: LogOrderer;
    readonly follower: ChangeLogTailer;
    readonly logger: Log;
    readonly load: () => Load;
}

export class Flusher {

    readonly #parts: FlusherParts;
    /** Batch of the log up to which it is covered by what is stored; null while the index is built. */
    #covered: number | null;
    #running: Promise<void> | null = null;
    /** Stores that are under way or wait. */
    #stores = 0;
    /** True when the index has everything, though there may have been no room to store it. */
    #isWhole = false;
    #again: NodeJS.Timeout | undefined;
    #isClosed = false;

    constructor(parts: FlusherParts, covered: number | null) {

        this.#parts = parts;
        this.#covered = covered;
    }

    /**
     * Stores everything that was applied. One store at a time; who comes meanwhile waits for the next one, with all others.
     *
     * @param isComplete true when a new index has everything with this
     */
    async store(isComplete = false): Promise<void> {

        ++this.#stores;
        try {
            while (this.#running) {
                await this.#rest();
            }

            await this.#run(this.#storeAll(isComplete));
        }
        finally {
            --this.#stores;
        }
    }

    /**
     * Merges some segments, stored or not. Leaves it to stores that are under way or wait.
     *
     * @returns true when there will be more to merge although nothing changes
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

    /** Stores a new index. One that there is no room for stays in memory, and is stored when there is room, or with the next changes. */
    async complete(): Promise<void> {

        this.#isWhole = true;
        try {
            await this.store(true);
        }
        catch (error) {
            if (!(error instanceof NoRoomForSegment)) {
                throw error;
            }

            if (this.#isClosed) {
                return;
            }

            this.#again = setTimeout(() => void this.complete().catch(() => {
                // It was logged; the next session builds the index anew.
            }), COMPLETE_AGAIN_MS).unref();
        }
    }

    /** Resolves when nothing is being stored or merged, nor will be again. */
    async idle(): Promise<void> {

        this.#isClosed = true;
        clearTimeout(this.#again);
        await this.#rest();
    }

    async #rest(): Promise<void> {

        await this.#running?.catch(() => {
            // Whoever started it hears of it.
        });
    }

    /** True while something is being stored, or will be when merging has ended. */
    get isStoring(): boolean {

        return this.#stores > 0;
    }

    async #storeAll(isComplete: boolean): Promise<void> {

        const { searcher, follower, orderer, segments } = this.#parts;
        // What is in no batch is read again after the next start.
        await orderer.order();
        await follower.catchUp();
        const covered = this.#isWhole || this.#covered !== null ? follower.position : null;
        const { unstored, changed, sizes } = await searcher.call({ kind: 'seal' });
        try {
            const added = await this.#merge(unstored);
            const steps = changed.flatMap(({ name, dead }) => segments.rewriteSteps(name, DEAD_SECTION, bytesOf(dead)));
            await segments.switch({ added: added.ids, removed: [], covered }, steps, Date.now());
            this.#covered = covered;
            const now = unstored.length === 0 ? sizes : await searcher.call({ kind: 'replace', ...added.replacement });
            await this.#mergeStored(now, isComplete ? chooseAllSmall : (current) => chooseSegments(current, this.#parts.load()));
            await this.#tidy();
        }
        catch (error) {
            await this.#failed(error, 'the search index could not be stored; it is tried again with the next changes');
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

            return isMore || chooseSegments(sizes, PATIENT).length > 0;
        }
        catch (error) {
            return await this.#failed(error, 'segments of the search index could not be merged; it is tried again with the next changes');
        }
    }

    /** What was sealed can be merged again. Throws the error. */
    async #failed(error: unknown, message: string): Promise<never> {

        if (!isGone(error)) {
            // Why a thread has ended is told elsewhere, where it was not ended on purpose.
            this.#parts.logger.error({ err: error }, message);
        }

        await this.#parts.searcher.call({ kind: 'unseal' });
        throw error;
    }

    /** Merges stored segments as long as some are chosen. */
    async #mergeStored(sizes: readonly SegmentSize[], choose: (sizes: readonly SegmentSize[]) => number[]): Promise<void> {

        const { searcher, segments } = this.#parts;
        let current = sizes;
        for (let names = choose(current); names.length > 0; names = choose(current)) {
            const added = await this.#merge(await this.#read(await searcher.call({ kind: 'copies', names })));
            await segments.switch({ added: added.ids, removed: names, covered: this.#covered }, [], Date.now());
            current = await searcher.call({ kind: 'replace', ...added.replacement });
        }
    }

    /** Removes what is not needed any more. */
    async #tidy(): Promise<void> {

        const { segments, log } = this.#parts;
        await segments.forgetAbsent(Date.now() - ABSENCE_MS);
        await segments.sweep();
        const coveredByAll = await segments.coveredByAll();
        while (!await log.prune(coveredByAll)) {
            // A few rows at a time.
        }
    }

    async #read(stored: readonly { readonly name: number; readonly dead: Bits }[]): Promise<NamedSegment[]> {

        const read: NamedSegment[] = [];
        for (const { name, dead } of stored) {
            read.push({ name, dead, sections: await this.#parts.segments.read(name) });
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

        const id = await this.#parts.segments.write(documents, [...sections, [DEAD_SECTION, bytesOf(emptyBits(documents))]]);
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

export function bytesOf(bits: Bits): Uint8Array {

    return new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
}

/** DamagedSegment when a stored segment lacks something. */
export function checkSections(
    name: number, { documents, sizes, dead }: { readonly documents: number; readonly sizes: ReadonlyMap<string, number>; readonly dead: Uint8Array }
): void {

    if (dead.length !== ((documents + 31) >>> 5) * 4 || SECTION_NAMES.some((section) => !sizes.has(section))) {
        throw new DamagedSegment(`segment ${name} is not complete`);
    }
}
