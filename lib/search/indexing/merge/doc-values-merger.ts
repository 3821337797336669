/**
 * Merges the doc values of one field of several segments.
 */

import type { DocValues } from '../../segment/doc-values.js';
import { DELETED } from './merge-input.js';
import type { Part } from './merge-input.js';
import { compareValues } from '../../segment/segment-writer.js';
import type { ColumnData, ColumnValue } from '../../segment/segment-writer.js';
import { MergeHeap } from './merge-heap.js';

/** Cursor over the values of a column that documents still have. */
class ValueCursor {

    readonly part: Part;
    readonly column: DocValues;
    /** New ordinals, by old ones. */
    readonly map: Uint32Array;
    readonly #used: Uint8Array;
    #ordinal = -1;
    value: ColumnValue = 0;

    constructor(part: Part, column: DocValues) {

        this.part = part;
        this.column = column;
        this.map = new Uint32Array(column.count);
        this.#used = new Uint8Array(column.count);
        forEachPair(part, column, (_, ordinal) => {

            this.#used[ordinal] = 1;
        });
        this.next(0);
    }

    get isDone(): boolean {

        return this.#ordinal >= this.column.count;
    }

    /** Assigns the new ordinal to the current value and advances. */
    next(newOrdinal: number): void {

        if (this.#ordinal >= 0) {
            this.map[this.#ordinal] = newOrdinal;
        }

        do {
            ++this.#ordinal;
        }
        while (this.#ordinal < this.column.count && this.#used[this.#ordinal] === 0);

        if (!this.isDone) {
            this.value = this.column.value(this.#ordinal);
        }
    }
}

/** Merges the columns of a field; `write` is not called when all documents with values were deleted. */
export function mergeColumns(
    columns: readonly { readonly part: Part; readonly column: DocValues }[],
    write: (data: ColumnData) => void
): void {

    const cursors = columns.map(({ part, column }) => new ValueCursor(part, column));
    const queue = new MergeHeap(cursors, (a, b) => compareValues(a.value, b.value));
    const values: ColumnValue[] = [];
    for (let same = queue.takeEqual(); same.length > 0; same = queue.takeEqual()) {
        values.push(same[0]?.value ?? 0);
        for (const cursor of same) {
            cursor.next(values.length - 1);
            if (!cursor.isDone) {
                queue.add(cursor);
            }
        }
    }

    let count = 0;
    for (const { part, column } of cursors) {
        forEachPair(part, column, () => ++count);
    }

    if (count === 0) {
        return;
    }

    const [documents, ordinals] = [new Uint32Array(count), new Uint32Array(count)];
    let next = 0;
    for (const { part, column, map } of cursors) {
        forEachPair(part, column, (document, ordinal) => {

            documents[next] = document;
            ordinals[next++] = map[ordinal] as number;
        });
    }

    write({ values, documents, ordinals });
}

/** Visits the new numbers of documents with their ordinals: ascending where the column is dense, then in the order of the pairs. */
function forEachPair({ map, segment }: Part, { dense, pairDocuments, pairOrdinals }: DocValues, visit: (document: number, ordinal: number) => void): void {

    let pair = 0;
    const end = dense ? segment.documents : 0;
    for (let document = 0; document < end; ++document) {
        const target = map[document] as number;
        const docOrdinal = dense?.[document] ?? 0;
        if (docOrdinal !== 0 && target !== DELETED) {
            visit(target, docOrdinal - 1);
        }

        for (; pairDocuments[pair] === document; ++pair) {
            if (target !== DELETED) {
                visit(target, pairOrdinals[pair] as number);
            }
        }
    }

    for (; pair < pairDocuments.length; ++pair) {
        const target = map[pairDocuments[pair] as number] as number;
        if (target !== DELETED) {
            visit(target, pairOrdinals[pair] as number);
        }
    }
}
