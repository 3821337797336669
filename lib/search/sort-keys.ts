/**
 * What the documents of a segment are sorted by: columns and scores, and, where these do not decide, the transaction of the last
 * change and the id. Orders of whole segments by one column are kept while they are used.
 */

import type { Bits } from './bits.js';
import { resolveColumn } from './field-names.js';
import type { RankedSegment, RankKey } from './hits.js';
import { orderDocuments, sortAll } from './order.js';
import type { SortKey } from './order.js';
import type { SortField } from './search-request.js';
import type { Segment } from './segment.js';

/** How the matches of a segment are wanted. */
export interface RankOptions {
    /** Empty: best first. */
    readonly sort: readonly SortField[];
    readonly scores: Float32Array | null;
    /** So many of the first ones. */
    readonly limit: number;
    readonly keepScores: boolean;
}

/** Decides between documents that are equal otherwise. */
const LAST_KEYS: readonly SortField[] = [{ field: 'metadata/txnId', reverse: false }, { field: 'id', reverse: false }];

const BEST_FIRST: readonly SortField[] = [{ field: 'score', reverse: true }];

/** Bytes of orders that are kept over all segments. */
const KEPT_BYTES = 64 * 1024 * 1024;

export class SortKeys {

    readonly #orders = new Map<string, { readonly segment: WeakRef<Segment>; readonly order: Uint32Array }>();
    readonly #names = new WeakMap<Segment, number>();
    #nextName = 0;
    #bytes = 0;

    /** The first matches of a segment in order, with all that is needed to sort them among those of other segments. */
    rank(segment: Segment, matches: Bits, { sort, scores, limit, keepScores }: RankOptions): RankedSegment {

        const fields = sort.length === 0 ? BEST_FIRST : sort;
        const isConstant = scores !== null && isSameEverywhere(scores, matches);
        const keys: RankKey[] = [];
        const sortKeys: SortKey[] = [];
        let deciding = 0;
        for (const field of [...fields, ...LAST_KEYS]) {
            const key = field.field === 'score' ? scoreKey(scores, field) : this.#columnKey(segment, field);
            keys.push(key.rank);
            if (key.sort && !(field.field === 'score' && isConstant)) {
                sortKeys.push(key.sort);
                deciding += Number(keys.length <= fields.length);
            }
        }

        // Kept orders know one column and the keys that come last.
        const usable = deciding <= 1 ? sortKeys : sortKeys.map((key) => ({ ...key, order: undefined }));
        return {
            documents: orderDocuments(matches, usable, limit), keys, scores: keepScores ? scores : null,
            idOf: (document) => {

                const column = segment.column('id');
                return String(column?.value((column.ranks()[document] ?? 1) - 1));
            }
        };
    }

    #columnKey(segment: Segment, { field, reverse }: SortField): { rank: RankKey; sort: SortKey | null } {

        const name = resolveColumn(field);
        const column = segment.column(name);
        if (!column) {
            return { rank: { reverse, valueOf: () => null }, sort: null };
        }

        const ranks = column.ranks();
        const valueOf: RankKey['valueOf'] = (document) => {

            const rank = ranks[document] ?? 0;
            return rank === 0 ? null : column.value(rank - 1);
        };

        const key: SortKey = { ranks, reverse, greatest: column.count };
        return { rank: { reverse, valueOf }, sort: { ...key, order: () => this.#order(segment, name, key) } };
    }

    /** All documents of a segment by one column. */
    #order(segment: Segment, name: string, key: SortKey): Uint32Array {

        const place = `${this.#nameOf(segment)} ${name}`;
        const kept = this.#orders.get(place);
        if (kept) {
            this.#orders.delete(place);
            this.#orders.set(place, kept);
            return kept.order;
        }

        const last = LAST_KEYS.flatMap(({ field, reverse }) => {

            const column = segment.column(field);
            return column ? [{ ranks: column.ranks(), reverse, greatest: column.count }] : [];
        });
        const order = sortAll(Uint32Array.from({ length: segment.documents }, (_, i) => i), [{ ...key, reverse: false }, ...last]);
        this.#orders.set(place, { segment: new WeakRef(segment), order });
        this.#bytes += order.byteLength;
        this.#forget();
        return order;
    }

    /** Lets go of orders of segments that are gone, then of those that were not used for longest. */
    #forget(): void {

        if (this.#bytes <= KEPT_BYTES) {
            return;
        }

        for (const isWanted of [(segment: Segment | undefined) => segment !== undefined, () => false]) {
            for (const [place, { segment, order }] of this.#orders) {
                if (this.#bytes > KEPT_BYTES && this.#orders.size > 1 && !isWanted(segment.deref())) {
                    this.#orders.delete(place);
                    this.#bytes -= order.byteLength;
                }
            }
        }
    }

    #nameOf(segment: Segment): number {

        let name = this.#names.get(segment);
        if (name === undefined) {
            name = this.#nextName++;
            this.#names.set(segment, name);
        }

        return name;
    }
}

function scoreKey(scores: Float32Array | null, { reverse }: SortField): { rank: RankKey; sort: SortKey | null } {

    if (!scores) {
        return { rank: { reverse, valueOf: () => null }, sort: null };
    }

    return { rank: { reverse, valueOf: (document) => scores[document] ?? 0 }, sort: { ranks: scores, reverse, greatest: null } };
}

/** True when all matches have the same score, as for queries without words. */
function isSameEverywhere(scores: Float32Array, matches: Bits): boolean {

    let first: number | null = null;
    for (let i = 0; i < matches.length; ++i) {
        let word = matches[i] as number;
        while (word !== 0) {
            const score = scores[i * 32 + 31 - Math.clz32(word & -word)] as number;
            word &= word - 1;
            if (first === null) {
                first = score;
            }
            else if (score !== first) {
                return false;
            }
        }
    }

    return true;
}
