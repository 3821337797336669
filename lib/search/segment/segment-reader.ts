/**
 * Reads a segment: fields, term dictionaries, doc values and norms. Knows nothing about queries.
 */

import { compareBytes, decodeText, encodeText, encodeCached } from './byte-buffers.js';
import { DocValues } from './doc-values.js';
import { AFTER_PAYLOAD_FIELDS } from '../analysis/field-names.js';
import { LruCache } from '../../util/cache/lru-cache.js';
import type { CacheRegion } from '../../util/cache/lru-cache.js';
import { candidatesOf } from './fuzzy/fuzzy-terms.js';
import type { Candidates } from './fuzzy/fuzzy-terms.js';
import { bytesOf, lowerBound, SectionsInMemory, uint32 } from './section-reader.js';
import type { SectionSource } from './section-reader.js';
import { FieldRecord, LAYOUT_VERSION, NONE } from './format.js';
import type { Sections, TermKind } from './format.js';
import type { SortedTerms } from '../analysis/term-bytes.js';
import { TermDictionary } from './term-dictionary.js';
import type { FieldTerms } from './term-dictionary.js';

/** Immutable part of the index. Its tombstones are kept outside, in live-segments.ts. */
export class Segment {

    readonly source: SectionSource;
    /** Number of documents, deleted ones included. */
    readonly documents: number;
    readonly fieldCount: number;
    /** Fields with a lower number hold the terms of payloads. */
    readonly payloadFields: number;
    /** Cache region for what can be restored: loaded sections, and data computed from them. */
    readonly cache: CacheRegion;
    readonly #names: Uint8Array;
    readonly #nameAt: Uint32Array;
    readonly #fields: Uint32Array;

    /**
     * @throws Error when the segment has another layout version
     */
    constructor(source: SectionSource, memory = new LruCache()) {

        this.source = source;
        const [version = 0, documents = 0, fieldCount = 0] = uint32(source, 'head');
        if (version !== LAYOUT_VERSION) {
            throw new Error(`segment has layout ${version}, not ${LAYOUT_VERSION}`);
        }

        this.documents = documents;
        this.fieldCount = fieldCount;
        this.cache = memory.region();
        this.#names = bytesOf(source, 'names');
        this.#nameAt = uint32(source, 'nameAt');
        this.#fields = uint32(source, 'fields');
        this.payloadFields = lowerBound(this.#names, this.#nameAt, fieldCount, encodeText(AFTER_PAYLOAD_FIELDS));
    }

    /** Returns a segment with its sections in memory. */
    static of(sections: Sections, memory?: LruCache): Segment {

        return new Segment(new SectionsInMemory(sections), memory);
    }

    /** Bytes that stay in memory as long as the segment does. */
    get bytes(): number {

        return this.source.resident;
    }

    /** Returns a term dictionary. Hold it for one search only, or as long as {@link LruCache.removals} does not change. */
    dictionary(name: TermKind): TermDictionary {

        return this.cache.get(name, () => {

            const value = TermDictionary.read(this.source, name, this.fieldCount, this.documents);
            return { value, bytes: this.#newCost(value.bytes) };
        });
    }

    /** Returns the terms of one field. */
    fieldTerms(dictionary: TermDictionary, field: number): FieldTerms {

        return this.cache.get(`terms ${dictionary.name} ${field}`, () => {

            const value = dictionary.ofField(field);
            return { value, bytes: value.entries.byteLength * 3 };
        });
    }

    /** Returns the index of candidates for fuzzy matching, of a term dictionary or of one field. */
    candidates({ name }: TermDictionary, field: number | null, terms: SortedTerms, edits: number): Candidates {

        return this.cache.get(`candidates ${edits > 1 ? 'many' : 'one'} ${name} ${field}`, () => {

            const value = candidatesOf(terms, edits);
            return { value, bytes: value.bytes };
        });
    }

    /** Returns the number of a field, -1 when no document has it. */
    field(name: string): number {

        const encoded = encodeCached(name);
        const found = lowerBound(this.#names, this.#nameAt, this.fieldCount, encoded);
        return found < this.fieldCount && compareBytes(this.#nameBytes(found), encoded) === 0 ? found : -1;
    }

    fieldName(field: number): string {

        return decodeText(this.#names, this.#nameAt[field] ?? 0, this.#nameAt[field + 1] ?? 0);
    }

    /** Returns the doc values of a field, null when no document has a value. */
    column(name: string): DocValues | null {

        const field = this.field(name);
        return field === -1 ? null : this.columnAt(field);
    }

    columnAt(field: number): DocValues | null {

        return this.cache.get(`column ${field}`, () => {

            const value = DocValues.read(this.source, this.#record(field), this.documents);
            return { value, bytes: this.#newCost(value?.bytes ?? 0) };
        });
    }

    /** Returns the norms of a field; null when no document has words in it. */
    lengths(field: number): Lengths | null {

        const [start = 0, count = 0, docs = NONE] = this.#record(field).subarray(FieldRecord.lenStart);
        if (field < 0 || count === 0) {
            return null;
        }

        return this.cache.get(`lengths ${field}`, () => {

            const value = {
                bytes: this.source.slice('len.bytes', start, start + count),
                documents: docs === NONE ? null : uint32(this.source, 'len.docs', docs, count)
            };
            return { value, bytes: this.#newCost(count + (value.documents?.byteLength ?? 0)) };
        });
    }

    /** Frees cached data. To be called when no new search uses the segment; running ones can go on, as long as its source can be read. */
    release(): void {

        this.cache.clear();
        this.source.release();
    }

    /** Views of sections in memory take no memory of their own. */
    #newCost(bytes: number): number {

        return this.source instanceof SectionsInMemory ? 0 : bytes;
    }

    #nameBytes(field: number): Uint8Array {

        return this.#names.subarray(this.#nameAt[field] ?? 0, this.#nameAt[field + 1] ?? 0);
    }

    #record(field: number): Uint32Array {

        return this.#fields.subarray(field * FieldRecord.size, (field + 1) * FieldRecord.size);
    }
}

/** Norms as bytes (norms.ts): of every document when `documents` is null, else of these documents. */
export interface Lengths {
    readonly bytes: Uint8Array;
    readonly documents: Uint32Array | null;
}
