/**
 * Path parameters and query of a URL. Under HTTP/2 a client may send raw UTF-8 instead of percent-encoding, which node decodes as latin1.
 * (Under HTTP/1.1 node rejects it.)
 */

import type { Request } from '@hapi/hapi';
import { badRequest } from '../../../lib/errors/errors.js';
import { decodeHeader } from '../../../lib/util/text/header-text.js';

/** The raw query, without question mark. */
export function queryOf(request: Request): string {

    const url = request.raw.req.url ?? '';
    const mark = url.indexOf('?');
    return mark < 0 ? '' : decodeHeader(url.slice(mark + 1));
}

/** A path parameter such as `{name*}`: decoded by hapi (plus stays plus, slashes may be `%2F`); empty when absent. */
export function pathParameter(request: Request, name: string): string {

    const parameters = request.params as Readonly<Record<string, string | undefined>>;
    return pathText(request, parameters[name] ?? '');
}

/** A decoded part of the path. */
export function pathText(request: Request, value: string): string {

    const isRaw = /[\u0080-\u00ff]/.test(request.raw.req.url ?? '') && /^[\u0000-\u00ff]*$/.test(value);
    return isRaw ? decodeHeader(value) : value;
}

const PLUS = 0x2b;
const SPACE = 0x20;

/** A decoded name and value. */
export type Parameter = readonly [name: string, value: string];

/**
 * Parses `a=1&b=2`; a leading question mark is skipped.
 *
 * @throws DoipError 400 for invalid percent-encoding or UTF-8, and for too many parameters
 */
export function parseParameters(text: string, limit: number): Parameter[] {

    const parameters: Parameter[] = [];
    for (const parameter of (text.startsWith('?') ? text.slice(1) : text).split('&', limit + 1)) {
        if (parameter === '') {
            continue;
        }

        const equals = parameter.indexOf('=');
        const name = decode(equals < 0 ? parameter : parameter.slice(0, equals), 'name of a parameter');
        parameters.push([name, equals < 0 ? '' : decode(parameter.slice(equals + 1), `parameter ${name.slice(0, 60)}`)]);
    }

    if (parameters.length > limit) {
        throw badRequest(`the request has more than the allowed ${limit} parameters`);
    }

    return parameters;
}

function decode(text: string, label: string): string {

    const spaced = text.includes('+') ? withSpaces(text) : text;
    if (!spaced.includes('%')) {
        return spaced;
    }

    try {
        return decodeURIComponent(spaced);
    }
    catch {
        throw badRequest(`${label} is not percent-encoded UTF-8`);
    }
}

/** Returns a text with spaces instead of plus signs, in a time by its length: `replaceAll` takes far longer for many of them. */
function withSpaces(text: string): string {

    const bytes = Buffer.from(text);
    for (let i = 0; i < bytes.length; ++i) {
        if (bytes[i] === PLUS) {
            bytes[i] = SPACE;
        }
    }

    return bytes.toString();
}
