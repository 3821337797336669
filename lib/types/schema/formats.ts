/**
 * Values of the keyword `format` that are checked; all others are annotations. The checks come from ajv-formats. Own checks
 * replace those that do not run in linear time, or whose values may exceed `MAX_LENGTH`.
 */

import type { AddedFormat, Format } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Draft } from './vocabulary.js';
import { spend } from '../../util/concurrency/time-budget.js';

type TextCheck = (text: string) => boolean;

/** Maximum length of a value in UTF-16 code units: no date, address or identifier is longer. Also bounds the stack of the regular expressions. */
const MAX_LENGTH = 65_536;

/** Maximum length of a regular expression, as in `pattern`. */
const MAX_REG_EXP = 4096;

/** Cost of a check, beside that of the characters of its text, in steps of the time budget. */
const FORMAT_COST = 20;

/** Cost of a character of a regular expression in steps of the time budget: `\p{L}` takes some 50 microseconds. */
const REG_EXP_COST = 1000;

const CUSTOM_FORMATS: Readonly<Record<string, TextCheck>> = {
    // base64 has no maximum length.
    byte: (text) => {

        spend(text.length);
        return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
    },
    url: bounded((text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text)),
    regex: (text) => text.length <= MAX_REG_EXP && isRegExp(text)
};

/** First draft whose formats are checked by today's definitions. */
const STRICT_SINCE = 7;

/** Prefix for names of formats that earlier drafts define differently. */
const EARLIER = 'earlier-';

/**
 * Formats that validators of drafts before 7 check, with what they accept beyond today's definition (null: nothing). All other formats
 * are annotations there.
 */
const EARLIER_FORMATS: Readonly<Record<string, TextCheck | null>> = {
    'date-time': null,
    'email': bounded((text) => /^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/.test(text)),
    'hostname': bounded((text) => text.length <= 253 && text.replace(/\.$/, '').split('.').every(isLabel)),
    'ipv4': null,
    'ipv6': null,
    'json-pointer': null,
    'regex': null,
    'uri': bounded(isUriReference),
    'uuid': null
};

/** Returns all formats by name, in ajv's form. */
export function schemaFormats(): Record<string, AddedFormat> {

    const today = Object.fromEntries(Object.entries(fullFormats).map(([name, format]) => [name, CUSTOM_FORMATS[name] ?? withGuard(format)]));
    const earlier = Object.entries(EARLIER_FORMATS).flatMap(([name, check]) => {

        const strict = today[name];
        return check ? [[EARLIER + name, typeof strict === 'function' ? (text: string) => check(text) || strict(text) : check] as const] : [];
    });
    return { ...today, ...Object.fromEntries(earlier) };
}

/**
 * Returns the name by which a format is checked; undefined if it is not checked in the draft. A schema without a draft is read as
 * draft 4 here, because the content of older repositories was validated that way.
 */
export function formatIn(draft: Draft, format: string): string | undefined {

    if (draft >= STRICT_SINCE) {
        return format;
    }

    const check = Object.hasOwn(EARLIER_FORMATS, format) ? EARLIER_FORMATS[format] : undefined;
    return check === undefined ? undefined : check === null ? format : EARLIER + format;
}

/** Returns the name of a format as written in schemas. */
export function formatName(checked: string): string {

    return checked.startsWith(EARLIER) ? checked.slice(EARLIER.length) : checked;
}

/** True for a label of a host name, in any script. Underscores are accepted because they are common. */
function isLabel(text: string): boolean {

    return text.length <= 63 && /^[\p{L}\p{N}_-]+$/u.test(text) && !/^[_-]|[_-]$/.test(text);
}

/** True for an absolute or relative URI reference. Letters of any script are accepted. */
function isUriReference(text: string): boolean {

    return /^(?:[^\s"<>\\^`{|}%\u0000-\u001f\u007f]|%[0-9A-Fa-f]{2})*$/.test(text) && !text.startsWith(':') && text.indexOf('#') === text.lastIndexOf('#');
}

function withGuard(format: Format): AddedFormat {

    const check: unknown = typeof format === 'object' && !(format instanceof RegExp) ? format.validate : format;
    if (check instanceof RegExp) {
        return bounded((text) => check.test(text));
    }

    // Formats without a check are `true`; formats of numbers need no maximum length.
    const isText = typeof format === 'function' || (typeof format === 'object' && !('type' in format));
    return isText ? bounded(check as TextCheck) : format as AddedFormat;
}

function bounded(check: TextCheck): TextCheck {

    return (text) => {

        spend(FORMAT_COST + text.length);
        return text.length <= MAX_LENGTH && check(text);
    };
}

function isRegExp(text: string): boolean {

    spend(text.length * REG_EXP_COST);
    try {
        return new RegExp(text, 'u') instanceof RegExp;
    }
    catch {
        return false;
    }
}
