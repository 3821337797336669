/**
 * Sorted lists of documents.
 */

/** Ratio of lengths above which the documents of the shorter list are searched for in the longer one, instead of merging both. */
const LONGER = 16;

/** Returns the index of a document in a sorted list, -1 when it is not in it. */
export function indexInList(list: Uint32Array, document: number): number {

    const index = firstIndex(list, document);
    return list[index] === document ? index : -1;
}

/** Returns the index of the first document that is not less; the length of the list when there is none. */
export function firstIndex(list: Uint32Array, document: number): number {

    return search(list, document, [0, list.length]);
}

/** Returns whether a list is so much longer that searching in it is faster than merging. */
export function isMuchLonger(list: Uint32Array, than: Uint32Array): boolean {

    return list.length > than.length * LONGER;
}

/** Returns the intersection of two lists. */
export function commonDocuments(a: Uint32Array, b: Uint32Array): Uint32Array {

    const [short, long] = a.length < b.length ? [a, b] : [b, a];
    const found = new Uint32Array(short.length);
    let count = 0;
    if (isMuchLonger(long, short)) {
        forEachIndex(long, short, (index) => {

            found[count++] = long[index] as number;
        });
        return found.subarray(0, count);
    }

    for (let i = 0, j = 0; i < short.length && j < long.length;) {
        const [left, right] = [short[i] as number, long[j] as number];
        if (left === right) {
            found[count++] = left;
        }

        i += Number(left <= right);
        j += Number(right <= left);
    }

    return found.subarray(0, count);
}

/** Visits the indices in a list of the documents that a shorter list has as well (galloping search). */
export function forEachIndex(long: Uint32Array, short: Uint32Array, visit: (index: number) => void): void {

    let index = 0;
    for (const document of short) {
        let step = 1;
        while (index + step < long.length && (long[index + step] as number) < document) {
            index += step;
            step *= 2;
        }

        index = search(long, document, [index, Math.min(index + step, long.length)]);
        if (long[index] === document) {
            visit(index);
        }
    }
}

/** Returns the first index from `from` on with a document that is not less; `to` when there is none before it. */
function search(list: Uint32Array, document: number, [from, to]: readonly [from: number, to: number]): number {

    let low = from;
    let high = to;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if ((list[middle] as number) < document) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}
