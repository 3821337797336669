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

    const waiting = units.map(({ steps }) => [...steps]).filter((steps) => steps.length > 0);
    const shared: Step[] = [];
    while (waiting.length > 0) {
        const sql = nextOf(waiting);
        const steps = waiting.flatMap((own) => own.splice(0, ownRun(own, sql)));
        shared.push(...merged(sql, steps));
        for (let i = waiting.length - 1; i >= 0; --i) {
            if (waiting[i]?.length === 0) {
                waiting.splice(i, 1);
            }
        }
    }

    return shared;
}

/** Returns a statement that is next for some unit and not needed later by another, so that few statements serve many units. */
function nextOf(waiting: readonly (readonly Step[])[]): string {

    const heads = new Set(waiting.map(([head]) => head?.sql ?? ''));
    const later = new Set<string>();
    for (const steps of waiting) {
        for (const { sql } of steps.slice(ownRun(steps, steps[0]?.sql ?? ''))) {
            later.add(sql);
        }
    }

    const [first = ''] = heads;
    return [...heads].find((sql) => !later.has(sql)) ?? first;
}

/** Returns the number of leading steps with a statement. */
function ownRun(steps: readonly Step[], sql: string): number {

    const end = steps.findIndex((step) => step.sql !== sql);
    return end === -1 ? steps.length : end;
}

/** Combines inserts of single rows where possible. Numbers of rows are powers of two, so that few statements are kept prepared. */
function merged(sql: string, steps: readonly Step[]): readonly Step[] {

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

function rowInsert(sql: string): RowInsert | null {

    let shape = shapes.get(sql);
    if (shape === undefined) {
        const [, head, row] = ROW_INSERT.exec(sql) ?? [];
        shape = head !== undefined && row !== undefined ? { head, row } : null;
        shapes.set(sql, shape);
    }

    return shape;
}
