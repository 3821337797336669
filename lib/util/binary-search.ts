/** Binary search. */

/**
 * Returns the first integer from `start` to before `end` that passes a test, which then holds for all greater ones as well; `end` when
 * none passes.
 */
export function firstPassing(start: number, end: number, test: (index: number) => boolean): number {

    let low = start;
    let high = end;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (test(middle)) {
            high = middle;
        }
        else {
            low = middle + 1;
        }
    }

    return low;
}
