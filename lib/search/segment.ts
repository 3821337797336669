/**
 * Reading a segment: looking up its fields, their terms, columns and lengths. Nothing here knows queries.
 */

import { compareBytes, decodeText, encodeText } from './bytes.js';
import { Column } from './column.js';
import { AFTER_PAYLOAD_FIELDS } from './field-names.js';
import { lowerBound, sectionOf, uint32 } from './sections.js';
import { FieldRecord, LAYOUT_VERSION, NONE } from './segment-layout.js';
import type { Sections } from './segment-layout.js';
import { TermSpace } from './term-space.js';

/** An immutable part of the index. Which of its documents are gone is noted elsewhere. */
export class Segment {

    readonly sections: Sections;
    /** Documents, gone ones included. */
    readonly documents: number;
    readonly fieldCount: number;
    /** Fields below this number have words of payloads. */
    readonly payloadFields: number;
    readonly text: TermSpace;
    readonly number: TermSpace;
    readonly keyword: TermSpace;
    readonly principal: TermSpace;
    readonly #names: Uint8Array;
    readonly #nameAt: Uint32Array;
    readonly #fields: Uint32Array;
    readonly #columns = new Map<number, Column | null>();

    /** @throws Error when the sections are not of this version */
    constructor(sections: Sections) {

        this.sections = sections;
        const [version = 0, documents = 0, fieldCount = 0] = uint32(sections, 'head');
        if (version !== LAYOUT_VERSION) {
            throw new Error(`segment has layout ${version}, not ${LAYOUT_VERSION}`);
        }

        this.documents = documents;
        this.fieldCount = fieldCount;
        this.#names = sectionOf(sections, 'names');
        this.#nameAt = uint32(sections, 'nameAt');
        this.#fields = uint32(sections, 'fields');
        this.payloadFields = lowerBound(this.#names, this.#nameAt, fieldCount, encodeText(AFTER_PAYLOAD_FIELDS));
        this.text = new TermSpace(sections, 'text', fieldCount, documents);
        this.number = new TermSpace(sections, 'number', fieldCount, documents);
        this.keyword = new TermSpace(sections, 'keyword', fieldCount, documents);
        this.principal = new TermSpace(sections, 'principal', fieldCount, documents);
    }

    /** Bytes of all sections. */
    get bytes(): number {

        let sum = 0;
        for (const section of this.sections.values()) {
            sum += section.length;
        }

        return sum;
    }

    /** The number of a field, -1 when no document has it. */
    field(name: string): number {

        const wanted = encodeText(name);
        const found = lowerBound(this.#names, this.#nameAt, this.fieldCount, wanted);
        return found < this.fieldCount && compareBytes(this.#nameBytes(found), wanted) === 0 ? found : -1;
    }

    fieldName(field: number): string {

        return decodeText(this.#names, this.#nameAt[field] ?? 0, this.#nameAt[field + 1] ?? 0);
    }

    /** The column of a field, null when no document has a value. */
    column(name: string): Column | null {

        const field = this.field(name);
        return field === -1 ? null : this.columnAt(field);
    }

    columnAt(field: number): Column | null {

        let column = this.#columns.get(field);
        if (column === undefined) {
            column = Column.read(this.sections, this.#record(field), this.documents);
            this.#columns.set(field, column);
        }

        return column;
    }

    /** How many words each document has in a field; null when none has any. */
    lengths(field: number): Lengths | null {

        const [start = 0, count = 0, docs = NONE] = this.#record(field).subarray(FieldRecord.lenStart);
        if (field < 0 || count === 0) {
            return null;
        }

        const bytes = sectionOf(this.sections, 'len.bytes').subarray(start, start + count);
        return { bytes, documents: docs === NONE ? null : uint32(this.sections, 'len.docs').subarray(docs, docs + count) };
    }

    #nameBytes(field: number): Uint8Array {

        return this.#names.subarray(this.#nameAt[field] ?? 0, this.#nameAt[field + 1] ?? 0);
    }

    #record(field: number): Uint32Array {

        return this.#fields.subarray(field * FieldRecord.size, (field + 1) * FieldRecord.size);
    }
}

/** Lengths as bytes (lengths.ts): for every document when `documents` is null, else for those. */
export interface Lengths {
    readonly bytes: Uint8Array;
    readonly documents: Uint32Array | null;
}
