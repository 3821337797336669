/**
 * Reading bytes and numbers out of sections.
 */

import { compareBytes } from './byte-buffers.js';
import type { Sections } from './format.js';
import { isBefore } from '../analysis/term-bytes.js';

/** Where the bytes of a segment come from. */
export interface SectionSource {
    /** Bytes that are in memory for good. */
    readonly resident: number;
    /** Bytes of all sections. */
    readonly total: number;
    /** Bytes that a section has. */
    size(name: string): number;
    /** Some bytes of a section, from a place that any array of numbers can begin at. */
    piece(name: string, start: number, end: number): Uint8Array;
    /** For reading a section here and there. */
    reader(name: string): ByteReader;
    /** Lets go of what was read. */
    release(): void;
}

/** Reads a section here and there. */
export interface ByteReader {
    /** Where the bytes are that were opened last. */
    readonly bytes: Uint8Array;
    /** Makes a piece of the section available; returns where in {@link bytes} it begins. */
    open(start: number, end: number): number;
    /** Where in {@link bytes} so many bytes begin, -1 when they were not opened. */
    place(start: number, length: number): number;
}

/** Sections that are in memory. */
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
        // Nothing was read.
    }

    size(name: string): number {

        return this.#section(name).length;
    }

    piece(name: string, start: number, end: number): Uint8Array {

        return this.#section(name).subarray(start, end);
    }

    reader(name: string): ByteReader {

        const bytes = this.#section(name);
        return { bytes, open: (start) => start, place: (start, length) => (start + length <= bytes.length ? start : -1) };
    }

    #section(name: string): Uint8Array {

        const section = this.sections.get(name);
        if (!section) {
            throw new Error(`segment lacks its section ${name}`);
        }

        return section;
    }
}

/** A number as ByteWriter.varint has written it, and where the next one begins. */
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

/** A whole section as bytes. */
export function bytesOf(source: SectionSource, name: string): Uint8Array {

    return source.piece(name, 0, source.size(name));
}

/** A section as numbers, or a part of it: `count` numbers from `start` on. */
export function uint32(source: SectionSource, name: string, start = 0, count = source.size(name) / 4 - start): Uint32Array {

    const { buffer, byteOffset } = source.piece(name, start * 4, (start + count) * 4);
    return new Uint32Array(buffer, byteOffset, count);
}

export function float64(source: SectionSource, name: string, start: number, count: number): Float64Array {

    const { buffer, byteOffset } = source.piece(name, start * 8, (start + count) * 8);
    return new Float64Array(buffer, byteOffset, count);
}

/** The first text of a sorted table that is not before the wanted bytes. */
export function lowerBound(bytes: Uint8Array, offsets: Uint32Array, count: number, wanted: Uint8Array): number {

    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBefore(bytes, offsets[middle] as number, offsets[middle + 1] as number, wanted)) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}

/** Is a text of a table this one? */
export function isText(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {

    return end - start === text.length && compareBytes(bytes.subarray(start, end), text) === 0;
}
