/** The difference of two texts by lines, side by side. */

/** A line of one or both texts; line numbers are 1-based. */
export interface DiffRow {
    readonly kind: 'same' | 'changed' | 'added' | 'removed';
    readonly left?: { readonly line: number; readonly text: string };
    readonly right?: { readonly line: number; readonly text: string };
}

/** Differences beyond this number are not matched line by line: the work would grow with their square. */
const MAX_EDITS = 1500;

/** Compares two texts. */
export function diffLines(left: string, right: string): readonly DiffRow[] {

    const [a, b] = [left.split('\n'), right.split('\n')];
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) {
        start += 1;
    }

    let end = 0;
    while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
        end += 1;
    }

    const middle = matches(a.slice(start, a.length - end), b.slice(start, b.length - end)).map(([i, j]) => [i + start, j + start] as const);
    const all = [
        ...Array.from({ length: start }, (_, i) => [i, i] as const), ...middle,
        ...Array.from({ length: end }, (_, i) => [a.length - end + i, b.length - end + i] as const), [a.length, b.length] as const
    ];
    const rows: DiffRow[] = [];
    let [x, y] = [0, 0];
    for (const [i, j] of all) {
        // Too many for the arguments of a call.
        changedRows(a, b, [x, i], [y, j]).forEach((row) => rows.push(row));
        if (i < a.length && j < b.length) {
            rows.push({ kind: 'same', left: { line: i + 1, text: a[i] ?? '' }, right: { line: j + 1, text: b[j] ?? '' } });
        }

        [x, y] = [i + 1, j + 1];
    }

    return rows;
}

type Range = readonly [from: number, to: number];

function changedRows(a: readonly string[], b: readonly string[], [fromA, toA]: Range, [fromB, toB]: Range): readonly DiffRow[] {

    return Array.from({ length: Math.max(toA - fromA, toB - fromB) }, (_, i) => {

        const left = fromA + i < toA ? { left: { line: fromA + i + 1, text: a[fromA + i] ?? '' } } : {};
        const right = fromB + i < toB ? { right: { line: fromB + i + 1, text: b[fromB + i] ?? '' } } : {};
        const kind = 'left' in left && 'right' in right ? 'changed' as const : 'left' in left ? 'removed' as const : 'added' as const;
        return { kind, ...left, ...right };
    });
}

/** Pairs of equal lines in the order of both, as many as possible: the algorithm of Myers. */
function matches(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {

    const furthest = new Map<number, number>([[1, 0]]);
    const trace: Map<number, number>[] = [];
    for (let edits = 0; edits <= Math.min(a.length + b.length, MAX_EDITS); ++edits) {
        trace.push(new Map(furthest));
        for (let k = -edits; k <= edits; k += 2) {
            const isDown = k === -edits || k !== edits && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0);
            let x = isDown ? furthest.get(k + 1) ?? 0 : (furthest.get(k - 1) ?? 0) + 1;
            let y = x - k;
            while (x < a.length && y < b.length && a[x] === b[y]) {
                x += 1;
                y += 1;
            }

            furthest.set(k, x);
            if (x >= a.length && y >= b.length) {
                return backtrack(trace, a.length, b.length);
            }
        }
    }

    return [];
}

function backtrack(trace: readonly ReadonlyMap<number, number>[], lengthA: number, lengthB: number): readonly (readonly [number, number])[] {

    const pairs: (readonly [number, number])[] = [];
    let [x, y] = [lengthA, lengthB];
    for (let edits = trace.length - 1; edits >= 0; --edits) {
        const furthest = trace[edits] ?? new Map<number, number>();
        const k = x - y;
        const isDown = k === -edits || k !== edits && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0);
        const before = isDown ? k + 1 : k - 1;
        const fromX = furthest.get(before) ?? 0;
        const fromY = fromX - before;
        while (x > fromX && y > fromY && x > 0 && y > 0) {
            x -= 1;
            y -= 1;
            pairs.push([x, y]);
        }

        [x, y] = [fromX, fromY];
    }

    return pairs.reverse();
}

/** Rows, or a number of equal ones that are left out. */
export type DiffPart = { readonly rows: readonly DiffRow[] } | { readonly skipped: readonly DiffRow[] };

/** Groups rows so that equal ones far from any difference can be left out. */
export function withContext(rows: readonly DiffRow[], context = 3): readonly DiffPart[] {

    const isNear = new Uint8Array(rows.length);
    rows.forEach(({ kind }, i) => kind !== 'same' && isNear.fill(1, Math.max(0, i - context), i + context + 1));
    const parts: DiffPart[] = [];
    for (let start = 0; start < rows.length;) {
        let end = start + 1;
        while (end < rows.length && isNear[end] === isNear[start]) {
            end += 1;
        }

        const some = rows.slice(start, end);
        parts.push(isNear[start] === 1 ? { rows: some } : { skipped: some });
        start = end;
    }

    return parts;
}
