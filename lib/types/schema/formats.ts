/**
 * The values of the keyword `format` that are checked; all others are hints for people and editors. The checks come from
 * ajv-formats. Where one of them does not run in linear time, or shortens what may be large, ours stands instead.
 */

import type { AddedFormat, Format } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Draft } from './vocabulary.js';

type TextCheck = (text: string) => boolean;

/** No date, address or identifier is longer; also keeps the stack of the regular expressions flat. */
const MAX_LENGTH = 65_536;

const OURS: Readonly<Record<string, TextCheck>> = {
    // base64 alone may be of any length
    byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
    url: bounded((text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text)),
    regex: bounded(isRegExp)
};

/** The first draft whose formats are checked as they are defined today. */
const STRICT_SINCE = 7;

/** Begins the names of formats that earlier drafts read otherwise. */
const EARLIER = 'earlier-';

/** Formats of earlier drafts, and what they accept besides today's. All others that those drafts do not know are hints. */
const EARLIER_FORMATS: Readonly<Record<string, TextCheck | null>> = {
    'date-time': null,
    'email': bounded((text) => /^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/.test(text)),
    'hostname': bounded((text) => text.length <= 253 && text.replace(/\.$/, '').split('.').every(isLabel)),
    'ipv4': null,
    'ipv6': null,
    'regex': null,
    'uri': bounded(isUriReference)
};

/** All formats by name, ready for ajv. */
export function schemaFormats(): Record<string, AddedFormat> {

    const today = Object.fromEntries(Object.entries(fullFormats).map(([name, format]) => [name, OURS[name] ?? guarded(format)]));
    const earlier = Object.entries(EARLIER_FORMATS).flatMap(([name, check]) => {

        const strict = today[name];
        return check ? [[EARLIER + name, typeof strict === 'function' ? either(strict, check) : check] as const] : [];
    });
    return { ...today, ...Object.fromEntries(earlier) };
}

/**
 * The name under which a format of a schema is checked; undefined when the draft of the schema does not know it. A schema that
 * does not say its draft is read as one of draft 4: that is what the content of older repositories was checked by.
 */
export function formatIn(draft: Draft, format: string): string | undefined {

    if (draft >= STRICT_SINCE) {
        return format;
    }

    const check = Object.hasOwn(EARLIER_FORMATS, format) ? EARLIER_FORMATS[format] : undefined;
    return check === undefined ? undefined : check === null ? format : EARLIER + format;
}

/** The name of a format as schemas have it. */
export function formatName(checked: string): string {

    return checked.startsWith(EARLIER) ? checked.slice(EARLIER.length) : checked;
}

function either(first: TextCheck, second: TextCheck): TextCheck {

    return (text) => second(text) || first(text);
}

/** A part of a host name, in any script; underscores are common. */
function isLabel(text: string): boolean {

    return text.length <= 63 && /^[\p{L}\p{N}_-]+$/u.test(text) && !/^[_-]|[_-]$/.test(text);
}

/** An absolute or relative reference, with letters of any script. */
function isUriReference(text: string): boolean {

    return /^(?:[^\s"<>\\^`{|}%\u0000-\u001f\u007f]|%[0-9A-Fa-f]{2})*$/.test(text) && !text.startsWith(':') && text.indexOf('#') === text.lastIndexOf('#');
}

function guarded(format: Format): AddedFormat {

    const check: unknown = typeof format === 'object' && !(format instanceof RegExp) ? format.validate : format;
    if (check instanceof RegExp) {
        return bounded((text) => check.test(text));
    }

    // formats without a check are `true`, those of numbers need no bound
    const isText = typeof format === 'function' || (typeof format === 'object' && !('type' in format));
    return isText ? bounded(check as TextCheck) : format as AddedFormat;
}

function bounded(check: TextCheck): TextCheck {

    return (text) => text.length <= MAX_LENGTH && check(text);
}

function isRegExp(text: string): boolean {

    try {
        return new RegExp(text, 'u') instanceof RegExp;
    }
    catch {
        return false;
    }
}
