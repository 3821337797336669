/**
 * Times as text: RFC 3339 in content and queries, `yyyyMMddHHmmssSSS` in the short fields of metadata.
 */

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d))?$/;

/** A date or a month. */
const PERIOD = /^\d{4}-\d\d(?:-\d\d)?$/;

const MONTH = /^\d{4}-\d\d$/;

/** Behind all digits that may follow a month, a date or a millisecond in a timestamp. */
const AFTER = '9';

/** Parses an RFC 3339 date-time, or a date (midnight UTC), to epoch ms; null for any other text. */
export function parseTime(text: string): number | null {

    const match = text.length <= 40 ? RFC_3339.exec(text) : null;
    if (!match) {
        return null;
    }

    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
    // A leap second counts as the second before it, because Date does not support leap seconds.
    const whole = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}Z`);
    const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    if (Number.isNaN(whole) || midnight.getUTCDate() !== Number(day)) {
        return null;
    }

    return whole + Number(`0${fraction}`) * 1000 - offsetOf(zone);
}

/** Formats epoch ms as `yyyyMMddHHmmssSSS` in UTC; empty for a time beyond the range of Date. */
export function formatTimestamp(time: number): string {

    const date = new Date(time);
    return Number.isNaN(date.getTime()) ? '' : date.toISOString().replaceAll(/[^0-9]/g, '');
}

/** Bounds of a range, as text; null is an open end. */
interface TextBounds {
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/**
 * Returns the bounds of a range of timestamps in the form of timestamps: those that are RFC 3339 date-times, dates or months are converted, others are
 * compared as they are. A date or month is all of its time: as an included upper bound the end of it counts, and as an excluded lower bound, too.
 */
export function timestampBounds({ low, high, includesLow, includesHigh }: TextBounds): Pick<TextBounds, 'low' | 'high'> {

    return { low: low === null ? null : timestampBound(low, !includesLow), high: high === null ? null : timestampBound(high, includesHigh) };
}

function timestampBound(text: string, isEnd: boolean): string {

    if (PERIOD.test(text)) {
        return text.replaceAll('-', '') + (isEnd ? AFTER : '');
    }

    const time = parseTime(text);
    return time === null ? text : formatTimestamp(Math.floor(time)) + (Number.isInteger(time) ? '' : AFTER);
}

/** Bounds of a range, in epoch ms; null is an open end. */
interface TimeBounds {
    readonly low: number | null;
    readonly high: number | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/**
 * Returns the bounds of a range of times; null when one of them is no RFC 3339 date-time, date or month. A date or month is all of its time, as in
 * {@link timestampBounds}: where its end counts, that is the beginning of the next one, which is outside of it.
 */
export function timeBounds({ low, high, includesLow, includesHigh }: TextBounds): TimeBounds | null {

    const [from, to] = [low === null ? null : timeBound(low, !includesLow), high === null ? null : timeBound(high, includesHigh)];
    return from !== null && Number.isNaN(from) || to !== null && Number.isNaN(to) ? null : {
        low: from, includesLow: includesLow || low !== null && PERIOD.test(low),
        high: to, includesHigh: includesHigh && !(high !== null && PERIOD.test(high))
    };
}

/** Returns NaN for a text that is no time. */
function timeBound(text: string, isEnd: boolean): number {

    const isMonth = MONTH.test(text);
    const time = parseTime(isMonth ? `${text}-01` : text) ?? NaN;
    if (!isEnd || !PERIOD.test(text) || Number.isNaN(time)) {
        return time;
    }

    const next = new Date(time);
    return isMonth ? next.setUTCMonth(next.getUTCMonth() + 1) : next.setUTCDate(next.getUTCDate() + 1);
}

function offsetOf(zone: string): number {

    if (zone === 'Z' || zone === 'z') {
        return 0;
    }

    const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
    return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
