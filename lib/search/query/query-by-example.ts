/**
 * Query by example: every leaf of an object must be found at its place in the content. Texts match as phrases, numbers as numbers;
 * every element of an array must occur anywhere in the stored array.
 */

import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import type { JsonValue } from '../../util/json-types.js';
import { childPointer } from '../../json/pointer.js';
import { resolveField } from '../analysis/field-names.js';
import { MAX_QUERY_DEPTH, MAX_QUERY_LENGTH } from './parser.js';
import { allOf } from './query.js';
import type { Query } from './query.js';
import { analysePhrase, MAX_CLAUSES } from './rewriter.js';

/**
 * Converts an example to a query.
 *
 * @throws DoipError 400 when it is not an object, too deep, too long, or has too many leaves
 */
export function readQueryJson(example: JsonValue): Query {

    if (!isJsonObject(example)) {
        throw badRequest('queryJson must be a JSON object');
    }

    const found: Found = { queries: [], characters: 0 };
    collect(example, '', found, 0);
    return allOf(found.queries);
}

interface Found {
    readonly queries: Query[];
    /** Length of pointers and values. */
    characters: number;
}

function collect(value: JsonValue, pointer: string, found: Found, depth: number): void {

    if (depth > MAX_QUERY_DEPTH) {
        throw badRequest(`queryJson is nested deeper than ${MAX_QUERY_DEPTH} levels`);
    }

    if (Array.isArray(value)) {
        value.forEach((element) => collect(element, `${pointer}/_`, found, depth + 1));
        return;
    }

    if (isJsonObject(value)) {
        Object.entries(value).forEach(([name, member]) => collect(member, childPointer(pointer, name), found, depth + 1));
        return;
    }

    found.characters += pointer.length + (typeof value === 'string' ? value.length : 0);
    if (found.characters > MAX_QUERY_LENGTH) {
        throw badRequest(`queryJson is longer than ${MAX_QUERY_LENGTH} characters, pointers to all values included`);
    }

    found.queries.push(leafQuery(value, pointer));
    if (found.queries.length > MAX_CLAUSES) {
        throw badRequest(`queryJson has more than ${MAX_CLAUSES} leaves`);
    }
}

function leafQuery(value: string | number | boolean | null, pointer: string): Query {

    const scope = { target: resolveField(pointer), boost: 1 };
    if (typeof value === 'number') {
        const bound = String(value);
        return { kind: 'range', low: bound, high: bound, includesLow: true, includesHigh: true, ...scope };
    }

    // A text without words is compared as a whole value.
    const text = String(value);
    return analysePhrase(text, scope, 0) ?? { kind: 'value', column: pointer, value: text, boost: 1 };
}
