/**
 * Reads bytes and numbers from the sections of a segment.
 */

import { compareBytes } from './byte-buffers.js';
import type { Sections } from './format.js';
import { isBefore } from '../analysis/term-bytes.js';

/** Source of the sections of a segment. */
export interface SectionSource {
    /** Bytes that stay in memory. */
    readonly resident: number;
    /** Bytes of all sections. */
    readonly total: number;
    has(name: string): boolean;
    /** Returns the bytes of a section. */
    size(name: string): number;
    /** Returns a range of a section, aligned for typed arrays. */
    slice(name: string, start: number, end: number): Uint8Array;
    /** Returns a reader for random access to a section. */
    reader(name: string): ByteReader;
    /** Frees what was loaded. */
    release(): void;
}

/** Random access to one section. */
export interface ByteReader {
    /** Bytes of the range that was opened last. */
    readonly bytes: Uint8Array;
    /** Loads a range of the section; returns its offset in {@link bytes}. */
    open(start: number, end: number): number;
    /** Returns the offset of a range in {@link bytes}, -1 when it is not open. */
    offsetOf(start: number, length: number): number;
}

/** Sections in memory. */
export class SectionsInMemory implements SectionSource {

    readonly sections: Sections;

    constructor(sections: Sections) {

        this.sections = sections;
    }

    get resident(): number {

        let sum = 0;
        for (const section of this.sections.values()) {
            sum += section.length;
        }

        return sum;
    }

    get total(): number {

        return this.resident;
    }

    release(): void {
        // Nothing was loaded.
    }

    has(name: string): boolean {

        return this.sections.has(name);
    }

    size(name: string): number {

        return this.#section(name).length;
    }

    slice(name: string, start: number, end: number): Uint8Array {

        return this.#section(name).subarray(start, end);
    }

    reader(name: string): ByteReader {

        const bytes = this.#section(name);
        return { bytes, open: (start) => start, offsetOf: (start, length) => (start + length <= bytes.length ? start : -1) };
    }

    #section(name: string): Uint8Array {

        const section = this.sections.get(name);
        if (!section) {
            throw new Error(`segment lacks its section ${name}`);
        }

        return section;
    }
}

/** Decodes a number written by ByteWriter.varint; `next` is the offset after it. */
export function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } {

    let value = 0;
    let next = at;
    for (let factor = 1; ; factor *= 128) {
        const byte = bytes[next++] ?? 0;
        value += (byte & 127) * factor;
        if (byte < 128) {
            return { value, next };
        }
    }
}

/** Returns a whole section. */
export function bytesOf(source: SectionSource, name: string): Uint8Array {

    return source.slice(name, 0, source.size(name));
}

/** Reads a section, or `count` numbers of it from index `start` on. */
export function uint32(source: SectionSource, name: string, start = 0, count = source.size(name) / 4 - start): Uint32Array {

    const { buffer, byteOffset } = source.slice(name, start * 4, (start + count) * 4);
    return new Uint32Array(buffer, byteOffset, count);
}

/** Reads `count` doubles of a section from index `start` on. */
export function float64(source: SectionSource, name: string, start: number, count: number): Float64Array {

    const { buffer, byteOffset } = source.slice(name, start * 8, (start + count) * 8);
    return new Float64Array(buffer, byteOffset, count);
}

/** Returns the first text of a sorted table that is not less than the bytes; `count` when there is none. */
export function lowerBound(bytes: Uint8Array, offsets: Uint32Array, count: number, target: Uint8Array): number {

    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBefore(bytes, offsets[middle] as number, offsets[middle + 1] as number, target)) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}

/** Returns whether the text from `start` to `end` is this one. */
export function isText(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {

    return end - start === text.length && compareBytes(bytes.subarray(start, end), text) === 0;
}
