/**
 * Stores what the searching thread has gathered, and keeps the number of segments small: new segments are merged into one and
 * stored, stored ones of about the same size become a larger one, and those that lost many documents are written anew.
 * All of it one after the other, beside searches and changes.
 */

import type { Log } from '../../db/log.js';
import type { SearchLogStore } from '../stores/search-log-store.js';
import { DamagedSegment } from '../stores/search-segment-store.js';
import type { SearchSegmentStore } from '../stores/search-segment-store.js';
import type { Bits } from './bits.js';
import { emptyBits } from './bits.js';
import type { LogFollower } from './log-follower.js';
import type { LogOrderer } from './log-orderer.js';
import type { MergerAnswers, MergerCall, SegmentSize } from './messages.js';
import type { SearcherLink } from './searcher-link.js';
import type { NamedSegment, StoredName } from './segment-set.js';
import { SECTION_NAMES } from './segment-layout.js';
import type { Sections } from './segment-layout.js';
import type { WorkerPort } from './worker-port.js';
import { isGone } from './worker-port.js';

export type MergerPort = WorkerPort<MergerCall, MergerAnswers>;

/** The section with the documents that are gone. */
export const DEAD_SECTION = 'dead';

/** So many segments of one size class become one. */
const FAN = 8;

/** Larger segments are not made of smaller ones: merging holds them in memory. */
const LARGEST_BYTES = 512 * 1024 * 1024;

/** Nor of segments with more properties together: where names are data, each has its share of memory. */
const MOST_FIELDS = 200_000;

/** Segments that lost this share of their documents are written anew. */
const DEAD_SHARE = 0.25;

/** Nodes that were not seen for so long are forgotten; when they come back they build their index anew. */
const ABSENCE_MS = 7 * 86_400_000;

export interface KeeperParts {
    readonly searcher: SearcherLink;
    /** Started when it is first needed. */
    readonly merger: () => MergerPort;
    readonly segments: SearchSegmentStore;
    readonly log: SearchLogStore;
    readonly orderer: LogOrderer;
    readonly follower: LogFollower;
    readonly logger: Log;
}

export class SegmentKeeper {

    readonly #parts: KeeperParts;
    /** Batch of the log up to which it is covered by what is stored; null while the index is built. */
    #covered: number | null;
    #running: Promise<void> | null = null;

    constructor(parts: KeeperParts, covered: number | null) {

        this.#parts = parts;
        this.#covered = covered;
    }

    /**
     * Stores everything that was applied. One store at a time; who comes meanwhile waits for the next one, with all others.
     *
     * @param isComplete true when a new index has everything with this
     */
    async store(isComplete = false): Promise<void> {

        while (this.#running) {
            await this.#running.catch(() => {
                // Whoever started it hears of it.
            });
        }

        this.#running = this.#storeAll(isComplete);
        try {
            await this.#running;
        }
        finally {
            this.#running = null;
        }
    }

    /** Resolves when nothing is being stored. */
    async idle(): Promise<void> {

        await this.#running?.catch(() => {
            // Whoever started it hears of it.
        });
    }

    /** True while something is being stored. */
    get isBusy(): boolean {

        return this.#running !== null;
    }

    async #storeAll(isComplete: boolean): Promise<void> {

        const { searcher, follower, orderer, segments, logger } = this.#parts;
        // What is in no batch is read again after the next start.
        await orderer.order();
        await follower.catchUp();
        const covered = isComplete || this.#covered !== null ? follower.position : null;
        const { unstored, changed, sizes } = await searcher.call({ kind: 'seal' });
        try {
            const added = await this.#merge(unstored);
            const steps = changed.flatMap(({ name, dead }) => segments.rewriteSteps(name, DEAD_SECTION, bytesOf(dead)));
            await segments.switch({ added: added.ids, removed: [], covered }, steps, Date.now());
            this.#covered = covered;
            const now = unstored.length === 0 ? sizes : await searcher.call({ kind: 'replace', ...added.replacement });
            await this.#tidy(now, isComplete);
        }
        catch (error) {
            if (!isGone(error)) {
                // Why a thread has ended is told elsewhere, where it was not ended on purpose.
                logger.error({ err: error }, 'the search index could not be stored; it is tried again with the next changes');
            }

            await searcher.call({ kind: 'unseal' });
            throw error;
        }
    }

    /** Merges and removes until there is nothing more to tidy up. */
    async #tidy(sizes: readonly SegmentSize[], isComplete: boolean): Promise<void> {

        const { searcher, segments, log } = this.#parts;
        let current = sizes;
        const choose = isComplete ? chooseAllSmall : chooseSegments;
        for (let names = choose(current); names.length > 0; names = choose(current)) {
            const added = await this.#merge(await this.#read(await searcher.call({ kind: 'copies', names })));
            await segments.switch({ added: added.ids, removed: names, covered: this.#covered }, [], Date.now());
            current = await searcher.call({ kind: 'replace', ...added.replacement });
        }

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
        replacement: { sources: { name: number; map: Uint32Array }[]; added: StoredName | null };
    }> {

        if (sources.length === 0) {
            return { ids: [], replacement: { sources: [], added: null } };
        }

        const { sections, documents, maps } = await this.#parts.merger().call({ kind: 'merge', sources });
        const replaced = sources.map(({ name }, i) => ({ name, map: maps[i] ?? new Uint32Array(0) }));
        if (documents === 0) {
            return { ids: [], replacement: { sources: replaced, added: null } };
        }

        const id = await this.#parts.segments.write(documents, [...sections, [DEAD_SECTION, bytesOf(emptyBits(documents))]]);
        return { ids: [id], replacement: { sources: replaced, added: { name: id, sizes: sizesOf(sections) } } };
    }
}

function sizesOf(sections: Sections): Map<string, number> {

    return new Map(Array.from(sections, ([name, { length }]) => [name, length]));
}

/** Segments that should become one; none when all is well. */
export function chooseSegments(sizes: readonly SegmentSize[]): number[] {

    const wasteful = sizes.find(({ documents, dead }) => dead > documents * DEAD_SHARE);
    if (wasteful) {
        return [wasteful.name];
    }

    const classes = new Map<number, SegmentSize[]>();
    for (const size of sizes) {
        const place = Math.floor(Math.log(Math.max(size.documents - size.dead, 1)) / Math.log(FAN));
        classes.set(place, [...classes.get(place) ?? [], size]);
    }

    for (const [, members] of [...classes].sort(([a], [b]) => a - b)) {
        const chosen = members.length >= FAN ? togetherSmall(members) : [];
        if (chosen.length > 1) {
            return chosen;
        }
    }

    return [];
}

/** As few segments as there can be; for a new index, which nobody writes to all the time yet. */
function chooseAllSmall(sizes: readonly SegmentSize[]): number[] {

    const chosen = togetherSmall(sizes);
    return chosen.length > 1 ? chosen : [];
}

/** The smallest segments that may become one. */
function togetherSmall(sizes: readonly SegmentSize[]): number[] {

    const chosen: number[] = [];
    let [allBytes, allFields] = [0, 0];
    for (const { name, bytes, fields } of sizes.toSorted((a, b) => a.bytes - b.bytes)) {
        allBytes += bytes;
        allFields += fields;
        if (allBytes > LARGEST_BYTES || allFields > MOST_FIELDS) {
            break;
        }

        chosen.push(name);
    }

    return chosen;
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
