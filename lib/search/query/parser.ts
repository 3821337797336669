/**
 * Parses the text of a query to its syntax tree, with limits that protect the parser from hostile texts.
 */

import { badRequest } from '../../errors/errors.js';
import type { DoipError } from '../../errors/errors.js';
import { parse, SyntaxError } from './grammar.js';
import type { SyntaxClauses } from './syntax-tree.js';

/** Maximum length of a query, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 128 * 1024;

/** Maximum nesting of groups. */
export const MAX_QUERY_DEPTH = 200;

/** Parses a query. The text must not be blank. Throws DoipError 400 with the position of a syntax error. */
export function parseQuery(text: string): SyntaxClauses {

    if (text.length > MAX_QUERY_LENGTH) {
        throw badRequest(`Query parse failure: the query is longer than ${MAX_QUERY_LENGTH} characters`);
    }

    checkDepth(text);
    try {
        return parse(text);
    }
    catch (error) {
        if (error instanceof SyntaxError) {
            throw queryError(text, error.location.start.offset, error.expected ? undefined : error.message);
        }

        throw error;
    }
}

/** Returns a DoipError 400 for an error at an offset. Without a reason the character there was not expected. */
export function queryError(text: string, offset: number, reason?: string): DoipError {

    const letter = text.codePointAt(offset);
    const found = letter === undefined ? 'unexpected end of the query' : `unexpected ${JSON.stringify(String.fromCodePoint(letter))}`;
    return badRequest(`Query parse failure at character ${offset + 1}: ${reason ?? found}`);
}

/** Limits nested parentheses, because the parser is recursive and would overflow the stack. */
function checkDepth(text: string): void {

    let depth = 0;
    let quoted = false;
    for (let at = 0; at < text.length; ++at) {
        switch (text[at]) {
            case '\\':
                ++at;
                break;
            case '"':
                quoted = !quoted;
                break;
            case '(':
                depth += quoted ? 0 : 1;
                break;
            case ')':
                depth -= quoted ? 0 : 1;
                break;
            default:
        }

        if (depth > MAX_QUERY_DEPTH) {
            throw queryError(text, at, `more than ${MAX_QUERY_DEPTH} groups inside each other`);
        }
    }
}
