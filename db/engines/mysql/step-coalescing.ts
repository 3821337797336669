/**
 * Combines the steps of many units into few statements: each unit keeps the order of its own steps, and rows that several units
 * insert into the same columns are inserted by one statement.
 */

import type { SqlValue, Step, Unit } from '../../database.js';

/** An insert of one row: the statement up to the row, and the row. */
interface RowInsert {
    readonly head: string;
    readonly row: string;
}

const ROW_INSERT = /^(insert into `\w+` \([^()]*\) values )(\([?, ]+\))$/;

/** Cache by statement; bounded, because stores build each statement once. */
const shapes = new Map<string, RowInsert | null>();

/** Returns the steps of units for one transaction. A rejection cannot be attributed to one of the units. */
export function coalescedSteps(units: readonly Unit[]): Step[] {

    const pending = units.map(({ steps }) => [...steps]).filter((steps) => steps.length > 0);
    const shared: Step[] = [];
    while (pending.length > 0) {
        const sql = nextOf(pending);
        const steps = pending.flatMap((unitSteps) => unitSteps.splice(0, runLength(unitSteps, sql)));
        shared.push(...merged(sql, steps));
        for (let i = pending.length - 1; i >= 0; --i) {
            if (pending[i]?.length === 0) {
                pending.splice(i, 1);
            }
        }
    }

    return shared;
}

/** Returns a statement that is next for some unit and not needed later by another, so that few statements serve many units. */
function nextOf(pending: readonly (readonly Step[])[]): string {

    const heads = new Set(pending.map(([head]) => head?.sql ?? ''));
    const later = new Set<string>();
    for (const steps of pending) {
        for (const { sql } of steps.slice(runLength(steps, steps[0]?.sql ?? ''))) {
            later.add(sql);
        }
    }

    const [first = ''] = heads;
    return [...heads].find((sql) => !later.has(sql)) ?? first;
}

/** Returns the number of leading steps with a statement. */
function runLength(steps: readonly Step[], sql: string): number {

    const end = steps.findIndex((step) => step.sql !== sql);
    return end === -1 ? steps.length : end;
}

/** Combines inserts of single rows where possible. Numbers of rows are powers of two, so that few statements are kept prepared. */
function merged(sql: string, steps: readonly Step[]): readonly Step[] {

    if (steps[0]?.sums) {
        return summed(steps, steps[0].sums);
    }

    const insert = rowInsert(sql);
    if (!insert || steps.some(({ expect }) => expect)) {
        return steps;
    }

    const inserts: Step[] = [];
    for (let start = 0; start < steps.length;) {
        const count = 2 ** Math.floor(Math.log2(steps.length - start));
        const bindings: SqlValue[] = steps.slice(start, start + count).flatMap((step) => step.bindings);
        inserts.push({ sql: insert.head + Array.from({ length: count }, () => insert.row).join(', '), bindings });
        start += count;
    }

    return inserts;
}

/** Adds up steps that differ in their amounts alone. In an order of their own, so that transactions lock rows in the same order. */
function summed(steps: readonly Step[], sums: readonly number[]): Step[] {

    const totals = new Map<string, { step: Step; bindings: SqlValue[] }>();
    for (const step of steps) {
        const key = JSON.stringify(step.bindings.filter((_, position) => !sums.includes(position)));
        const total = totals.get(key);
        if (total) {
            sums.forEach((position) => {

                total.bindings[position] = Number(total.bindings[position]) + Number(step.bindings[position]);
            });
        }
        else {
            totals.set(key, { step, bindings: [...step.bindings] });
        }
    }

    return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { step, bindings }]) => ({ ...step, bindings }));
}

function rowInsert(sql: string): RowInsert | null {

    let shape = shapes.get(sql);
    if (shape === undefined) {
        const [, head, row] = ROW_INSERT.exec(sql) ?? [];
        shape = head !== undefined && row !== undefined ? { head, row } : null;
        shapes.set(sql, shape);
    }

    return shape;
}
