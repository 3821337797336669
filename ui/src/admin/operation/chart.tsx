/** A small chart of the latest values. */

import type { JSX } from 'preact';

const WIDTH = 200;

const HEIGHT = 44;

/** A line through the values, whose range is from zero to the highest. The text beside it says what it shows. */
export function Chart({ values, label }: { readonly values: readonly number[]; readonly label: string }): JSX.Element {

    const top = Math.max(...values, 0) || 1;
    const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
    const points = values.map((value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 2 - value / top * (HEIGHT - 4)).toFixed(1)}`);
    return (
        <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
            {values.length > 1 && <><polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} /><polyline points={points.join(' ')} /></>}
        </svg>
    );
}
