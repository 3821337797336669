/**
 * Host calls handled in the worker thread itself: hashes, tokens, texts. Arguments are JSON texts; the result is the JSON text
 * of `{ value }` or `{ error }`.
 */

import { hashJson } from '../../json/canonical.js';
import { DoipError } from '../../errors/errors.js';
import { parseJson } from '../../json/strict-parser.js';
import type { JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { payloadOf, sign, verify } from './jwt.js';
import { codeOf } from '../protocol/script-error.js';

/** Handles a local host call; `input` returns the bytes of `directIo`. */
export function compute(name: string, args: string, input: () => Uint8Array): string {

    try {
        const values = parseJson(args);
        return JSON.stringify({ value: work(name, Array.isArray(values) ? values : [], input) });
    }
    catch (error) {
        if (error instanceof DoipError) {
            return JSON.stringify({ error: { message: error.message, status: codeOf(error) } });
        }

        throw error;
    }
}

function work(name: string, [first = null, second = null]: readonly JsonValue[], input: () => Uint8Array): JsonValue {

    switch (name) {
        case 'inputText':
            return new TextDecoder().decode(input());
        case 'hashJson':
            return hashJson(first);
        case 'extractJwtPayload':
            return payloadOf(first);
        case 'verifyWithKey':
            return verify(first, second);
        case 'signWithKey':
            return sign(first, second);
        default:
            throw badRequest(`${name} does not exist`);
    }
}
