/**
 * Parameters of queries and form bodies, as written: in order, with repetitions, nothing interpreted.
 */

import { badRequest } from '../../../lib/errors/errors.js';

/** A name and a value, decoded. */
export type Parameter = readonly [name: string, value: string];

/**
 * Takes `a=1&b=2` apart; a leading question mark is skipped.
 *
 * @throws DoipError 400 for broken percent-encoding, for what is not UTF-8, and for more parameters than allowed.
 */
export function parseParameters(text: string, limit: number): Parameter[] {

    const parameters: Parameter[] = [];
    for (const piece of (text.startsWith('?') ? text.slice(1) : text).split('&', limit + 1)) {
        if (piece === '') {
            continue;
        }

        const equals = piece.indexOf('=');
        const name = decode(equals < 0 ? piece : piece.slice(0, equals), 'name of a parameter');
        parameters.push([name, equals < 0 ? '' : decode(piece.slice(equals + 1), `parameter ${name.slice(0, 60)}`)]);
    }

    if (parameters.length > limit) {
        throw badRequest(`the request has more than the allowed ${limit} parameters`);
    }

    return parameters;
}

function decode(text: string, what: string): string {

    const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
    if (!spaced.includes('%')) {
        return spaced;
    }

    try {
        return decodeURIComponent(spaced);
    }
    catch {
        throw badRequest(`${what} is not percent-encoded UTF-8`);
    }
}
