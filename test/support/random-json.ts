/**
 * Random JSON for tests, the same in every run.
 */

import type { JsonValue } from '../../lib/util/json-types.js';
import { childPointer } from '../../lib/json/pointer.js';

/** A small deterministic source of random numbers, so that a failing case can be repeated. */
export function randomSource(seed: number): (below: number) => number {

    let state = seed;
    return (below) => {

        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * below);
    };
}

/** Any JSON value, at most `depth` levels deep; some member names are the awkward ones for pointers. */
export function randomValue(random: (below: number) => number, depth: number): JsonValue {

    const kind = random(depth > 0 ? 6 : 3);
    if (kind < 3) {
        return [null, random(100), `text ${random(9)}`][kind] ?? null;
    }

    const children = Array.from({ length: random(4) }, () => randomValue(random, depth - 1));
    const names = ['a', 'b', '_', '0', '1', 'x/y', '~'];
    return kind === 3 ? children : Object.fromEntries(children.map((child) => [names[random(7)] ?? 'a', child]));
}

/** The pointers of a value and of everything in it. */
export function pointersOf(value: JsonValue, at = ''): string[] {

    const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return [at, ...children.flatMap(([name, child]) => pointersOf(child, childPointer(at, name)))];
}
