/**
 * The values of the keyword `format` that are checked; all others are hints for people and editors. The checks come from
 * ajv-formats. Where one of them does not run in linear time, or shortens what may be large, ours stands instead.
 */

import type { AddedFormat, Format } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type TextCheck = (text: string) => boolean;

/** No date, address or identifier is longer; also keeps the stack of the regular expressions flat. */
const MAX_LENGTH = 65_536;

const OURS: Readonly<Record<string, TextCheck>> = {
    // base64 alone may be of any length
    byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
    url: bounded((text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text)),
    regex: bounded(isRegExp)
};

/** All formats by name, ready for ajv. */
export function schemaFormats(): Record<string, AddedFormat> {

    return Object.fromEntries(Object.entries(fullFormats).map(([name, format]) => [name, OURS[name] ?? guarded(format)]));
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
