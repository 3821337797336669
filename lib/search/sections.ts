/**
 * Reading bytes and numbers out of sections.
 */

import { compareBytes } from './bytes.js';
import type { Sections } from './segment-layout.js';

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

/** A section; throws when it is missing. */
export function sectionOf(sections: Sections, name: string): Uint8Array {

    const section = sections.get(name);
    if (!section) {
        throw new Error(`segment lacks its section ${name}`);
    }

    return section;
}

/** A section as numbers. */
export function uint32(sections: Sections, name: string): Uint32Array {

    const section = sectionOf(sections, name);
    return new Uint32Array(section.buffer, section.byteOffset, section.length / 4);
}

/** The first text of a sorted table that is not before the wanted bytes. */
export function lowerBound(bytes: Uint8Array, offsets: Uint32Array, count: number, wanted: Uint8Array): number {

    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (compareBytes(bytes.subarray(offsets[middle] ?? 0, offsets[middle + 1] ?? 0), wanted) < 0) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}
