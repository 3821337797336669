/** Content-Disposition (RFC 6266, RFC 5987; RFC 7578 for parts of forms): lenient parsing, and formatting that escapes file names safely. */

import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../../lib/errors/errors.js';
import { parseParameterised, quote } from './parameters.js';

/** A parsed Content-Disposition header. */
export interface Disposition {
    /** `inline`, `attachment`, `form-data` … in lower case. */
    readonly type: string;
    /** Name of a form field. */
    readonly name?: string;
    /** File name without folders; an empty one still declares a file. */
    readonly filename?: string;
}

/** Parses a Content-Disposition header, already decoded by `decodeHeader`. */
export function parseDisposition(text: string): Disposition {

    const { value, parameters } = parseParameterised(text);
    const isForm = value === 'form-data';
    const name = parameters.get('name');
    const filename = decodeExtended(parameters.get('filename*')) ?? plain(parameters.get('filename'), isForm);
    return {
        type: value,
        ...(name === undefined ? {} : { name: plain(name, isForm) as string }),
        ...(filename === undefined ? {} : { filename: withoutFolders(filename) })
    };
}

/**
 * Formats a Content-Disposition header. Names beyond ASCII are written as `filename*`, with a fallback for old clients.
 *
 * @param type a token such as `inline` or `attachment`; throws 400 for anything else
 */
export function formatDisposition(type: string, filename?: string, name?: string): string {

    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(type)) {
        throw badRequest(`disposition must be a single word such as inline or attachment, got ${JSON.stringify(type.slice(0, 60))}`);
    }

    const parts = [type];
    if (name !== undefined) {
        parts.push(...formatParameter('name', name));
    }

    if (filename !== undefined && filename !== '') {
        parts.push(...formatParameter('filename', filename));
    }

    return parts.join('; ');
}

/** The last segment of a path, with slashes or backslashes. */
function withoutFolders(path: string): string {

    return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function formatParameter(key: string, text: string): string[] {

    const isPlain = /^[\x20-\x7e]*$/.test(text) && !/%[0-9a-f]{2}/i.test(text);
    const plainForm = `${key}=${quote(text)}`;
    return isPlain ? [plainForm] : [plainForm, `${key}*=UTF-8''${encodeExtended(text)}`];
}

function encodeExtended(text: string): string {

    return encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (character) =>
        '%' + character.charCodeAt(0).toString(16).toUpperCase());
}

/** Decodes a value of RFC 5987, `charset'language'percent-encoded`; undefined when absent or invalid. */
function decodeExtended(text: string | undefined): string | undefined {

    const match = /^(utf-8|iso-8859-1)'[^']*'((?:%[0-9a-f]{2}|[^%])*)$/i.exec(text ?? '');
    if (!match) {
        return undefined;
    }

    const bytes = Buffer.from((match[2] ?? '').replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16))), 'latin1');
    const isLatin = match[1]?.toLowerCase() === 'iso-8859-1';
    return isLatin || !isUtf8(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}

/** Forms percent-encode exactly these three characters (HTML standard). */
function plain(text: string | undefined, isForm: boolean): string | undefined {

    return text !== undefined && isForm && text.includes('%')
        ? text.replace(/%(22|0d|0a)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        : text;
}
