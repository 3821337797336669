/** Ranges of days, as they are entered, and as filters have them. */

import type { Field } from './fields.js';
import { rangeFilter, type RangeFilter } from './state.js';

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;
/** The last time that a date can have, in epoch milliseconds. */
const MAX_TIME = 8.64e15;

/** Fields of metadata have digits instead of dates. */
function isCompact(name: string): boolean {

    return name === 'objmodified' || name === 'objcreated';
}

/** The day of a time; empty for a time that is none, as an address may hold anything. */
export function dayOf(time: number): string {

    return Number.isFinite(time) && Math.abs(time) <= MAX_TIME ? new Date(time).toISOString().slice(0, 10) : '';
}

/** The filter for days, both included; the times of the last day as well. */
export function daysFilter(name: string, kind: Field['kind'], from: string, to: string): string | null {

    if (kind === 'number') {
        return rangeFilter({ field: name, from: from || null, to: to || null, isBefore: false });
    }

    const write = (day: string): string | null => (day === '' ? null : isCompact(name) ? day.replaceAll('-', '') : day);
    const end = kind === 'date' || to === '' ? to : dayOf(Date.parse(to) + DAY_MS);
    return rangeFilter({ field: name, from: write(from), to: write(end), isBefore: kind === 'time' });
}

/** The days of a range, as they are entered. */
export function daysIn({ field, from, to, isBefore }: RangeFilter): { readonly from: string; readonly to: string } {

    const read = (text: string | null): string => (text === null ? '' : isCompact(field) ? text.replace(/^(\d{4})(\d\d)(\d\d).*$/, '$1-$2-$3') : text);
    const end = read(to);
    const last = isBefore && /^\d{4}-\d\d-\d\d$/.test(end) ? dayOf(Date.parse(end) - DAY_MS) : end;
    return { from: read(from), to: last };
}
