/**
 * The median of several attempts, for what is measured while a machine does other things. The best attempt would hide what is dear the first
 * time only, or mostly; the worst one depends on what else the machine does.
 */

/** Attempts; as soon as most of them are within a bound, or beyond, the others are of no interest. */
const ATTEMPTS = 7;
const MOST = Math.ceil(ATTEMPTS / 2);

/** A first attempt within this part of the bound is enough: it has what is dear the first time, and what is dear mostly is found at most runs. */
const CLEAR = 1 / 3;

/** Returns whether further attempts cannot change on which side of a bound their median is, or hardly. */
export function isDecided(values: readonly number[], bound: number): boolean {

    const within = values.filter((value) => value < bound).length;
    return (values[0] ?? Infinity) < bound * CLEAR || within >= MOST || values.length - within >= MOST;
}

export function median(values: readonly number[]): number {

    return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;
}
