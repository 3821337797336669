/** Ranges of days, as they are entered, and as filters have them: days are those of the user, as all times are shown, and times of filters are in UTC. */

import type { Field } from './fields.js';
import { rangeFilter, type RangeFilter } from './state.js';

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** A time as fields of metadata have it. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Fields of metadata have digits instead of dates. */
function isCompact(name: string): boolean {

    return name === 'objmodified' || name === 'objcreated';
}

/** The local day of a time; empty for a time that is none, as an address may hold anything. */
export function dayOf(time: number): string {

    const date = new Date(time);
    const digits = (number: number, length = 2): string => String(number).padStart(length, '0');
    return Number.isNaN(date.getTime()) ? '' : `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
}

/** When a local day begins, or one of the days after it; NaN for a text that is no day. */
function beginOf(day: string, later = 0): number {

    const date = new Date(DAY.test(day) ? `${day}T00:00:00` : NaN);
    date.setDate(date.getDate() + later);
    // A day may be shorter or longer than others, or begin at one o'clock.
    return date.setHours(0, 0, 0, 0);
}

/** A time as filters for the field have it; null for one that has no such text. */
function timeText(name: string, time: number): string | null {

    const text = Number.isNaN(time) ? '' : new Date(time).toISOString();
    return !/^\d{4}-/.test(text) ? null : isCompact(name) ? text.replaceAll(/\D/g, '') : text.replace('.000Z', 'Z');
}

/** The time that an end of a range has; null where it is a day, or any other text. */
export function timeIn(field: string, text: string): number | null {

    const iso = isCompact(field) ? COMPACT.test(text) ? text.replace(COMPACT, '$1-$2-$3T$4:$5:$6.$7Z') : '' : text;
    const time = iso.includes('T') ? Date.parse(iso) : NaN;
    return Number.isNaN(time) ? null : time;
}

/** True for a time with which a local day begins. */
export function isBegin(time: number): boolean {

    return beginOf(dayOf(time)) === time;
}

/** The filter for days, both included; the times of the last day as well. */
export function daysFilter(name: string, kind: Field['kind'], from: string, to: string): string | null {

    if (kind === 'time') {
        return rangeFilter({ field: name, from: timeText(name, beginOf(from)), to: timeText(name, beginOf(to, 1)), isBefore: true });
    }

    return rangeFilter({ field: name, from: from || null, to: to || null, isBefore: false });
}

/** The days of a range, as they are entered. Those of filters that have days instead of times, as addresses and searches may that were saved, are read, too. */
export function daysIn({ field, from, to, isBefore }: RangeFilter): { readonly from: string; readonly to: string } {

    const read = (text: string | null, before: number): string => {

        const time = timeIn(field, text ?? '');
        return time !== null ? dayOf(time - before) : isCompact(field) ? (text ?? '').replace(/^(\d{4})(\d\d)(\d\d).*$/, '$1-$2-$3') : text ?? '';
    };

    const last = read(to, isBefore ? 1 : 0);
    return { from: read(from, 0), to: isBefore && timeIn(field, to ?? '') === null && DAY.test(last) ? dayBefore(last) : last };
}

/** The day before another one; empty for one that is none. */
function dayBefore(day: string): string {

    const time = Date.parse(day);
    return Number.isNaN(time) ? '' : new Date(time - DAY_MS).toISOString().slice(0, 10);
}
