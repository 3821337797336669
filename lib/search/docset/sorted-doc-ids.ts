/**
 * Sorted lists of documents.
 */

/** When one list is so many times longer than another, its places are looked for instead of going through it. */
const LONGER = 16;

/** Where a document stands in a sorted list, -1 when it does not. */
export function indexInList(list: Uint32Array, document: number): number {

    const place = firstIndex(list, document);
    return list[place] === document ? place : -1;
}

/** Where the first document stands that is not before one; the length of the list when there is none. */
export function firstIndex(list: Uint32Array, document: number): number {

    return search(list, document, [0, list.length]);
}

/** Is it worth while to look for the documents of a list in one that is so much longer? */
export function isMuchLonger(list: Uint32Array, than: Uint32Array): boolean {

    return list.length > than.length * LONGER;
}

/** Documents that are in both lists. */
export function commonDocuments(a: Uint32Array, b: Uint32Array): Uint32Array {

    const [short, long] = a.length < b.length ? [a, b] : [b, a];
    const found = new Uint32Array(short.length);
    let count = 0;
    if (isMuchLonger(long, short)) {
        forEachIndex(long, short, (place) => {

            found[count++] = long[place] as number;
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

/** Tells the places in a list at which the documents of a shorter one stand. */
export function forEachIndex(long: Uint32Array, short: Uint32Array, visit: (place: number) => void): void {

    let place = 0;
    for (const document of short) {
        let step = 1;
        while (place + step < long.length && (long[place + step] as number) < document) {
            place += step;
            step *= 2;
        }

        place = search(long, document, [place, Math.min(place + step, long.length)]);
        if (long[place] === document) {
            visit(place);
        }
    }
}

/** The first place from `from` on whose document is not before one; `to` when that is true of none before. */
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
