/** Straight lines through what was measured at several numbers of objects, to predict what more objects take. */

/** How a figure grows with the number of objects. */
export type Growth = 'constant' | 'logarithmic' | 'root' | 'proportional';

/** A number of objects, and what was measured with it. */
export interface Sample {
    readonly objects: number;
    readonly value: number;
}

/** `base + slope · f(objects)`; f is the logarithm to base 10 for `logarithmic` growth, the square root for `root`, and the number itself for `proportional`. */
export interface Line {
    readonly growth: Growth;
    readonly base: number;
    readonly slope: number;
}

/**
 * Returns the line with the least sum of squares of relative errors. One that would fall is made constant, as nothing here takes less with more
 * objects; one that would begin below zero begins at zero.
 *
 * @param samples at least two, all above 0
 */
export function fit(growth: Growth, samples: readonly Sample[]): Line {

    const weighted = samples.map(({ objects, value }) => ({ x: scale(growth, objects), y: value, w: 1 / value ** 2 }));
    const total = (of: (sample: { x: number; y: number; w: number }) => number): number => weighted.reduce((sum, sample) => sum + of(sample), 0);
    const [w, wx, wy] = [total((each) => each.w), total((each) => each.w * each.x), total((each) => each.w * each.y)];
    const [wxx, wxy] = [total((each) => each.w * each.x ** 2), total((each) => each.w * each.x * each.y)];
    const slope = growth === 'constant' ? 0 : (w * wxy - wx * wy) / (w * wxx - wx ** 2);
    const base = (wy - slope * wx) / w;
    if (slope > 0 && base < 0) {
        return { growth, base: 0, slope: wxy / wxx };
    }

    return slope > 0 ? { growth, base, slope } : { growth: 'constant', base: wy / w, slope: 0 };
}

/** Returns what a line says for a number of objects. */
export function predict({ growth, base, slope }: Line, objects: number): number {

    return base + slope * scale(growth, objects);
}

function scale(growth: Growth, objects: number): number {

    return growth === 'logarithmic' ? Math.log10(objects) : growth === 'root' ? Math.sqrt(objects) : objects;
}
