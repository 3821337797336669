/**
 * Merges segments, leaving out deleted documents. Terms and values are sorted already, so that everything is read and written once,
 * in order.
 */

import type { Bits } from '../../docset/bit-set.js';
import { hasBit } from '../../docset/bit-set.js';
import { compareBytes, encodeText } from '../../segment/byte-buffers.js';
import type { DocValues } from '../../segment/doc-values.js';
import { mergeColumns } from './doc-values-merger.js';
import { DELETED } from './merge-input.js';
import type { Part } from './merge-input.js';
import { mergeDictionary } from './terms-merger.js';
import { TERM_KINDS } from '../../segment/format.js';
import type { Sections } from '../../segment/format.js';
import { SegmentWriter } from '../../segment/segment-writer.js';
import type { Segment } from '../../segment/segment-reader.js';

/** Source of a merge. */
export interface MergeSource {
    readonly segment: Segment;
    /** Tombstones. */
    readonly deleted: Bits;
}

/** Result of a merge. */
export interface Merged {
    readonly sections: Sections;
    readonly documents: number;
    /** For each source the new numbers of its documents; {@link DELETED} for deleted ones. */
    readonly maps: readonly Uint32Array[];
}

/** Merges segments. Documents keep their order, those of the first source come first. */
export function mergeSegments(sources: readonly MergeSource[]): Merged {

    return new Merger(sources).merge();
}

class Merger {

    readonly #parts: readonly Part[];
    readonly #names: readonly string[];
    readonly #documents: number;

    constructor(sources: readonly MergeSource[]) {

        this.#names = unionOfNames(sources);
        const numbers = new Map(this.#names.map((name, number) => [name, number]));
        let documents = 0;
        this.#parts = sources.map(({ segment, deleted }): Part => {

            const base = documents;
            const map = new Uint32Array(segment.documents);
            for (let document = 0; document < segment.documents; ++document) {
                map[document] = hasBit(deleted, document) ? DELETED : documents++;
            }

            const fields = Uint32Array.from({ length: segment.fieldCount }, (_, field) => numbers.get(segment.fieldName(field)) ?? 0);
            return { segment, map, fields, base, isWhole: documents - base === segment.documents };
        });
        this.#documents = documents;
    }

    merge(): Merged {

        const writer = new SegmentWriter(this.#documents, this.#names);
        for (const kind of TERM_KINDS) {
            mergeDictionary(this.#parts, kind, writer.dictionary(kind));
        }

        this.#names.forEach((name, field) => this.#mergeField(name, field, writer));
        return { sections: writer.finish(), documents: this.#documents, maps: this.#parts.map(({ map }) => map) };
    }

    #mergeField(name: string, field: number, writer: SegmentWriter): void {

        const documents: number[] = [];
        const bytes: number[] = [];
        const columns: { readonly part: Part; readonly column: DocValues }[] = [];
        for (const part of this.#parts) {
            const values = part.segment.field(name);
            const lengths = values === -1 ? null : part.segment.lengths(values);
            lengths?.bytes.forEach((byte, i) => {

                const document = part.map[lengths.documents ? lengths.documents[i] ?? 0 : i] ?? DELETED;
                if (byte !== 0 && document !== DELETED) {
                    documents.push(document);
                    bytes.push(byte);
                }
            });
            const column = values === -1 ? null : part.segment.columnAt(values);
            if (column) {
                columns.push({ part, column });
            }
        }

        if (documents.length > 0) {
            writer.lengths(field, { documents: Uint32Array.from(documents), bytes: Uint8Array.from(bytes) });
        }

        if (columns.length > 0) {
            mergeColumns(columns, (data) => writer.column(field, data));
        }
    }
}

function unionOfNames(sources: readonly MergeSource[]): string[] {

    const names = new Set<string>();
    for (const { segment } of sources) {
        for (let field = 0; field < segment.fieldCount; ++field) {
            names.add(segment.fieldName(field));
        }
    }

    return [...names].map((name) => ({ name, bytes: encodeText(name) })).sort((a, b) => compareBytes(a.bytes, b.bytes)).map(({ name }) => name);
}
