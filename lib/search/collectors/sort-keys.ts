/**
 * Sort keys of the documents of a segment: doc values and scores; ties are broken by the transaction of the last change and the id.
 * The order of a whole segment by one column is cached.
 */

import type { DocValues } from '../segment/doc-values.js';
import type { CountedSet } from '../docset/doc-id-set.js';
import { resolveColumn } from '../analysis/field-names.js';
import type { RankedSegment, RankKey } from './hit-merger.js';
import { orderDocuments, sortAll } from './top-docs.js';
import type { SortKey } from './top-docs.js';
import type { Scores } from '../scoring/collection-stats.js';
import type { SortField } from '../query/search-request.js';
import type { Segment } from '../segment/segment-reader.js';

/** Parameters for ranking the matches of a segment. */
export interface RankOptions {
    /** Empty for best first. */
    readonly sort: readonly SortField[];
    readonly scores: Scores | null;
    /** Maximum number of documents. */
    readonly limit: number;
    readonly keepScores: boolean;
}

/** Tie breakers. */
export const LAST_KEYS: readonly SortField[] = [{ field: 'metadata/txnId', reverse: false }, { field: 'id', reverse: false }];

/** Default sort order. */
export const BEST_FIRST: readonly SortField[] = [{ field: 'score', reverse: true }];

/** Sorts the first matches of a segment, with what is needed to merge them with those of other segments. */
export function rankSegment(segment: Segment, found: CountedSet, { sort, scores, limit, keepScores }: RankOptions): RankedSegment {

    const fields = sort.length === 0 ? BEST_FIRST : sort;
    const sortKeys: SortKey[] = [];
    let deciding = 0;
    for (const field of [...fields, ...LAST_KEYS]) {
        const key = sortKey(segment, field, scores);
        if (key) {
            sortKeys.push(key);
            deciding += Number(fields.includes(field));
        }
    }

    // Cached orders are by one column and the tie breakers.
    const usable = deciding <= 1 ? sortKeys : sortKeys.map((key) => ({ ...key, order: undefined }));
    const documents = orderDocuments(found, usable, { limit, among: scores?.documents ?? null });
    // The scores are in a scratch buffer.
    const values = scores?.values ?? null;
    const copy = values instanceof Float32Array ? Float32Array.from(documents, (document) => values[document] as number) : values;
    // Hits may be taken after the segment was released, so the column is held.
    const ids = segment.column('id');
    return {
        documents, scores: keepScores ? copy : null,
        keys: [...fields, ...LAST_KEYS].map((field) => {

            const column = field.field === 'score' ? null : segment.column(resolveColumn(field.field));
            return rankKey(field, column, { documents, scores: copy });
        }),
        idOf: (document) => idOf(ids, document)
    };
}

/** Returns null for a key that is the same for all documents. */
function sortKey(segment: Segment, { field, reverse }: SortField, scores: Scores | null): SortKey | null {

    if (field === 'score') {
        return scores?.values instanceof Float32Array ? { ordinals: scores.values, reverse, greatest: null } : null;
    }

    const name = resolveColumn(field);
    const column = segment.column(name);
    if (!column) {
        return null;
    }

    const key: SortKey = { ordinals: column.docOrdinals(), reverse, greatest: column.count };
    return { ...key, order: () => orderOf(segment, name, key) };
}

/** Returns the id of a document. */
export function idOf(ids: DocValues | null, document: number): string {

    return String(ids?.value((ids.docOrdinals()[document] ?? 1) - 1));
}

/** Returns the key that compares sorted documents with those of other segments. */
export function rankKey(
    { field, reverse }: SortField, column: DocValues | null, { documents, scores }: { documents: Uint32Array; scores: Float32Array | number | null }
): RankKey {

    if (field === 'score') {
        return {
            reverse,
            // A score of 0 counts as none, which sorts first as well.
            rankAt: (index) => (scores instanceof Float32Array ? scores[index] as number : scores ?? 0), valueOf: (score) => score
        };
    }

    const ordinals = column?.docOrdinals();
    return { reverse, rankAt: (index) => ordinals?.[documents[index] as number] ?? 0, valueOf: (rank) => column?.value(rank - 1) ?? '' };
}

/** Returns all documents of a segment in the order of one column; cached. */
function orderOf(segment: Segment, name: string, key: SortKey): Uint32Array {

    return segment.cache.get(`order ${name}`, () => {

        const last = LAST_KEYS.flatMap(({ field, reverse }) => {

            const column = segment.column(field);
            return column ? [{ ordinals: column.docOrdinals(), reverse, greatest: column.count }] : [];
        });
        const all = Uint32Array.from({ length: segment.documents }, (_, i) => i);
        const value = sortAll(all, [{ ...key, reverse: false }, ...last]);
        return { value, bytes: value.byteLength };
    });
}
