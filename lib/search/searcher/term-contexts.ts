/**
 * The segments as searches for one word see them: everything is looked up but the word. It is kept for the next word, and others
 * can be given it, since it is plain data but for the ways to read postings.
 */

import { normTable } from '../scoring/bm25.js';
import type { DocValues } from '../segment/doc-values.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { resolveField } from '../matching/field-resolver.js';
import type { TermQuery } from '../query/query.js';
import { lengthFields } from '../scoring/scored-clauses.js';
import type { Lengths } from '../segment/segment-reader.js';
import { LAST_KEYS } from '../collectors/sort-keys.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import { averageLength, visibleDocs } from '../matching/visible-docs.js';
import type { CallerScope } from '../matching/visible-docs.js';
import type { LiveSegment } from './live-segment.js';
import type { LruCache } from '../../util/cache/lru-cache.js';

/** One segment. */
export interface TermContext {
    readonly spaces: readonly TermDictionary[];
    /** Null for all fields of the spaces. */
    readonly fields: readonly number[] | null;
    /** Words of texts in fields below this number count only in documents of {@link payloads}. */
    readonly payloadFields: number;
    /** Documents that are there, may be seen and are wanted. */
    readonly visible: DocumentSet;
    /** Documents whose words of payloads may be searched; null for all. */
    readonly payloads: DocumentSet | null;
    /** Of the fields whose lengths count. */
    readonly lengths: readonly AverageLengths[];
    /** What decides between equal scores; null where no document has a value. */
    readonly lastColumns: readonly (DocValues | null)[];
    readonly ids: DocValues | null;
}

/** Lengths, and what they do to scores. */
export interface AverageLengths extends Lengths {
    /** Over all segments. */
    readonly average: number;
    /** {@link normTable} of the average. */
    readonly norms: Float64Array;
}

export interface TermContexts {
    readonly places: readonly TermContext[];
    /** Documents that are visible, in all of them. */
    readonly documents: number;
}

/** Where a word is looked for, whichever it is. */
export type TermTarget = Pick<TermQuery, 'target'>;

/** Looks everything up but the word. */
export function resolveTermContexts({ target }: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

    const viewed = segments.map((live) => ({ live, view: visibleDocs(live, caller) }));
    const averages = lengthFields({ target }).map((name) => {

        const average = averageLength(viewed.map(({ view }) => view.lengthSum(name)));
        return { name, average, norms: normTable(average) };
    });
    return {
        documents: viewed.reduce((sum, { view }) => sum + view.visibleCount, 0),
        places: viewed.map(({ live: { segment }, view }) => ({
            ...resolveField(segment, target), payloadFields: segment.payloadFields, visible: view.visible, payloads: view.payloads,
            lengths: averages.flatMap(({ name, average, norms }) => {

                const field = segment.field(name);
                const lengths = field === -1 ? null : segment.lengths(field);
                return lengths ? [{ ...lengths, average, norms }] : [];
            }),
            lastColumns: LAST_KEYS.map(({ field }) => segment.column(field)), ids: segment.column('id')
        }))
    };
}

/** Callers and fields. */
const MAX_ENTRIES = 200;

export class TermContextCache {

    readonly #memory: LruCache;
    readonly #known = new Map<string, TermContexts>();
    #segments: readonly LiveSegment[] = [];
    /** What {@link LruCache.removals} was. */
    #removals = 0;

    /** @param memory of the segments: what is let go of there is not held here */
    constructor(memory: LruCache) {

        this.#memory = memory;
    }

    get(leaf: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

        this.#renew(segments);
        const key = contextKey(leaf, caller);
        const known = this.#known.get(key);
        if (known) {
            return known;
        }

        const places = resolveTermContexts(leaf, segments, caller);
        if (this.#known.size === MAX_ENTRIES) {
            this.forget();
        }

        // Making them may have taken the room of others.
        this.#renew(segments);
        this.#known.set(key, places);
        return places;
    }

    /** Lets go of everything; to be called when segments change. */
    forget(): void {

        this.#known.clear();
        this.#segments = [];
    }

    #renew(segments: readonly LiveSegment[]): void {

        const isSame = this.#removals === this.#memory.removals && segments.length === this.#segments.length &&
            segments.every(({ segment, dead }, i) => this.#segments[i]?.segment === segment && this.#segments[i].dead === dead);
        if (!isSame) {
            this.forget();
            this.#segments = segments;
            this.#removals = this.#memory.removals;
        }
    }
}

/** Names what searches for different words have in common. */
export function contextKey({ target }: TermTarget, { key, includeVersions }: Pick<CallerScope, 'key' | 'includeVersions'>): string {

    return `${includeVersions} ${JSON.stringify(target)} ${key}`;
}
