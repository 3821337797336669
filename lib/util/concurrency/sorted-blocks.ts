/** Sorting of many texts in short turns of the event loop. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Number of texts that are sorted in a turn. */
export const SORTED_PER_TURN = 4096;

/**
 * Yields texts in the order of `<`, without duplicates, in blocks. Sorts some per turn, and merges them as they are consumed.
 *
 * @param after leaves out this text and those before it
 */
export async function *sortedBlocks(texts: readonly string[], after: string, blockLength: number): AsyncGenerator<string[], void, undefined> {

    // Each descending, so that the first one is removed from the end.
    const parts: string[][] = [];
    for (let start = 0; start < texts.length; start += SORTED_PER_TURN) {
        const part = [...new Set(texts.slice(start, start + SORTED_PER_TURN))].filter((text) => text > after).sort().reverse();
        parts.push(...part.length > 0 ? [part] : []);
        await nextTurn();
    }

    let block: string[] = [];
    let last: string | undefined;
    for (let text = takeFirst(parts); text !== undefined; text = takeFirst(parts)) {
        if (text !== last) {
            block.push(text);
            last = text;
        }

        if (block.length === blockLength) {
            yield block;
            block = [];
        }
    }

    if (block.length > 0) {
        yield block;
    }
}

/** Removes and returns the first text of all; undefined when there is none. */
function takeFirst(parts: string[][]): string | undefined {

    let least = 0;
    let first = parts[0]?.at(-1);
    for (let i = 1; i < parts.length; ++i) {
        const text = parts[i]?.at(-1) ?? '';
        if (text < (first ?? '')) {
            [least, first] = [i, text];
        }
    }

    parts[least]?.pop();
    if (parts[least]?.length === 0) {
        parts.splice(least, 1);
    }

    return first;
}
