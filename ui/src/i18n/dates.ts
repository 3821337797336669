/** Days and times as they are stored. A text that only looks like one is none: `Date.parse` makes days of `Heft 12` and of `2023-02-30`. */

import { formatDay, formatTime } from './index.js';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Times of ISO 8601; a space instead of the T, and small letters, are permitted by RFC 3339. */
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)$/;

/** The begin of a day in UTC, in milliseconds since 1970; null for a text that is no day from year 1 on. */
export function dayIn(text: string): number | null {

    const time = DAY.test(text) && !text.startsWith('0000') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? time : null;
}

/** A point in time, in milliseconds since 1970; null for a text that is none. One without an offset is local time. */
export function timeIn(text: string): number | null {

    const [, day = '', clock = ''] = TIME.exec(text) ?? [];
    const time = dayIn(day) === null ? Number.NaN : Date.parse(`${day}T${clock.toUpperCase()}`);
    return Number.isNaN(time) ? null : time;
}

/** A day or a time as the language writes it; null for a text that is none. */
export function dateText(text: string, kind: 'date' | 'time'): string | null {

    const time = kind === 'date' ? dayIn(text) : timeIn(text);
    return time === null ? null : kind === 'date' ? formatDay(time) : formatTime(time);
}
