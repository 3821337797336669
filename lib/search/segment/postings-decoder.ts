/**
 * Going through the bytes of postings.
 */

import type { Bits } from '../docset/bit-set.js';

/** Sets the bits of documents whose postings begin at a place. */
export function addPostings(bits: Bits, count: number, bytes: Uint8Array, start: number): void {

    let at = start;
    let document = 0;
    for (let i = 0; i < count; ++i) {
        let value = bytes[at++] as number;
        if (value > 127) {
            let byte = bytes[at++] as number;
            value = value & 127 | (byte & 127) << 7;
            for (let shift = 14; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }
        }

        if ((value & 1) === 0) {
            while ((bytes[at++] as number) > 127) {
                // How often it occurs does not matter.
            }
        }

        document += value >>> 1;
        bits[document >>> 5] = (bits[document >>> 5] as number) | 1 << (document & 31);
    }
}

/** The same into a list, from a place of it on. The loop stands here again because a call for each document would take as long as all the rest. */
export function listPostings(list: Uint32Array, place: number, { count, bytes, start }: { count: number; bytes: Uint8Array; start: number }): void {

    let at = start;
    let document = 0;
    for (let i = 0; i < count; ++i) {
        let value = bytes[at++] as number;
        if (value > 127) {
            let byte = bytes[at++] as number;
            value = value & 127 | (byte & 127) << 7;
            for (let shift = 14; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }
        }

        if ((value & 1) === 0) {
            while ((bytes[at++] as number) > 127) {
                // How often it occurs does not matter.
            }
        }

        document += value >>> 1;
        list[place + i] = document;
    }
}
