/**
 * Validation messages for people: ajv's errors name the keyword that failed, these describe the content. Invalid values are
 * never repeated, since they may be secret.
 */

import type { ErrorObject } from 'ajv';
import type { ContentError } from '../../errors/errors.js';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer, getAt } from '../../json/pointer.js';
import { formatName } from './formats.js';

type Params = Readonly<Record<string, unknown>>;

/** Message for an error of one keyword; `value` is the invalid value. */
type Wording = (params: Params, value: JsonValue | undefined) => string;

const WORDINGS: Readonly<Record<string, Wording>> = {
    'type': ({ type }, value) => `must be ${typePhrase(type)}, got ${nameOfType(value)}`,
    'enum': ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
    'const': ({ allowedValue }) => `must be ${formatted(allowedValue)}`,
    'required': () => 'is required',
    'dependencies': ({ property }) => `is required where ${String(property)} is present`,
    'dependentRequired': ({ property }) => `is required where ${String(property)} is present`,
    'additionalProperties': () => 'is not a property of this type',
    'unevaluatedProperties': () => 'is not a property of this type',
    'minProperties': ({ limit }, value) => `must have at least ${counted(limit, 'property', 'properties')}, has ${lengthOf(value)}`,
    'maxProperties': ({ limit }, value) => `must have at most ${counted(limit, 'property', 'properties')}, has ${lengthOf(value)}`,
    'minItems': ({ limit }, value) => `must have at least ${counted(limit, 'element')}, has ${lengthOf(value)}`,
    'maxItems': ({ limit }, value) => `must have at most ${counted(limit, 'element')}, has ${lengthOf(value)}`,
    'additionalItems': ({ limit }) => `must have at most ${counted(limit, 'element')}`,
    'unevaluatedItems': () => 'is not an element that its schema allows',
    'uniqueItems': ({ i, j }) => `must not have equal elements, but ${String(j)} and ${String(i)} are equal`,
    'contains': ({ minContains, maxContains }) => `must have ${containsPhrase(minContains, maxContains)} that match what it should contain`,
    'minLength': ({ limit }, value) => `is too short: ${counted(lengthOf(value), 'character')}, at least ${String(limit)} needed`,
    'maxLength': ({ limit }, value) => `is too long: ${counted(lengthOf(value), 'character')}, at most ${String(limit)} allowed`,
    'pattern': ({ pattern }) => `must match the pattern ${clipped(String(pattern))}`,
    'format': ({ format }) => `must be in the format ${formatName(String(format))}`,
    'minimum': ({ limit }) => `must be at least ${String(limit)}`,
    'maximum': ({ limit }) => `must be at most ${String(limit)}`,
    'exclusiveMinimum': ({ limit }) => `must be more than ${String(limit)}`,
    'exclusiveMaximum': ({ limit }) => `must be less than ${String(limit)}`,
    'multipleOf': ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
    'anyOf': () => 'must match at least one of the forms that its schema allows',
    'oneOf': ({ passingSchemas }) => `must match exactly one of the forms that its schema allows, matches ${passingSchemas ? 'several' : 'none'}`,
    'if': ({ failingKeyword }) => `must match what its schema demands ${failingKeyword === 'then' ? 'in this case' : 'otherwise'}`,
    'not': () => 'must not match what its schema excludes',
    'false schema': () => 'is not allowed'
};

/** Params that name a missing or unexpected member: the error is reported for the member, not for its parent. */
const MEMBER_PARAMS = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'unevaluatedItem'];

/** Keywords whose error follows, and summarises, the errors of their subschemas. */
const SUMMARIES = new Set(['anyOf', 'oneOf']);

/** Keywords whose error adds nothing to the more specific errors before it. */
const EMPTY_SUMMARIES = new Set(['if', 'propertyNames']);

/** Returns the errors of content, the summary of alternatives before their details; at most `limit`. */
export function contentErrors(errors: readonly ErrorObject[], content: JsonValue, limit: number): ContentError[] {

    const result: ContentError[] = [];
    for (const { keyword, contentError } of mostSpecific(errors, content)) {
        if (!SUMMARIES.has(keyword)) {
            result.push(contentError);
            continue;
        }

        // Ajv reports the details of alternatives before their summary, readers expect the summary first.
        const firstDetail = result.findIndex(({ pointer }) => pointer === contentError.pointer || pointer.startsWith(`${contentError.pointer}/`));
        result.splice(firstDetail < 0 ? result.length : firstDetail, 0, contentError);
    }

    return result.slice(0, limit);
}

function mostSpecific(errors: readonly ErrorObject[], content: JsonValue): { keyword: string; contentError: ContentError }[] {

    const isAlone = errors.length === 1;
    const informative = errors.filter(({ keyword }) => isAlone || !EMPTY_SUMMARIES.has(keyword));
    return informative.slice(0, 500).map((error) => ({ keyword: error.keyword, contentError: errorOf(error, content) }));
}

function errorOf({ keyword, params, instancePath, propertyName, message }: ErrorObject, content: JsonValue): ContentError {

    const named = params as Params;
    const wording = WORDINGS[keyword];
    if (propertyName !== undefined) {
        const text = wording?.(named, propertyName) ?? 'is not valid';
        return { pointer: childPointer(instancePath, propertyName), message: `has a name that ${text}` };
    }

    const member = MEMBER_PARAMS.map((name) => named[name]).find((name) => typeof name === 'string');
    return {
        pointer: member === undefined ? instancePath : childPointer(instancePath, member),
        message: wording?.(named, getAt(content, instancePath)) ?? message ?? 'is not valid'
    };
}

const TYPE_PHRASES: Readonly<Record<string, string>> = {
    array: 'an array', boolean: 'true or false', integer: 'a whole number', null: 'null', number: 'a number', object: 'an object',
    string: 'a string'
};

function typePhrase(type: unknown): string {

    const types = Array.isArray(type) ? type as unknown[] : String(type).split(',');
    return types.map((name) => TYPE_PHRASES[String(name)] ?? String(name)).join(' or ');
}

function nameOfType(value: JsonValue | undefined): string {

    if (value === null || value === undefined) {
        return 'null';
    }

    return Array.isArray(value) ? 'an array' : isJsonObject(value) ? 'an object' : `a ${typeof value}`;
}

function listed(values: unknown): string {

    const list = Array.isArray(values) ? values as unknown[] : [];
    const more = list.length > 10 ? `, … (${list.length} in all)` : '';
    return list.slice(0, 10).map(formatted).join(', ') + more;
}

function formatted(value: unknown): string {

    return clipped(JSON.stringify(value));
}

/** Cuts a text for a message. */
export function clipped(text: string): string {

    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function counted(count: unknown, one: string, many = `${one}s`): string {

    return `${String(count)} ${count === 1 ? one : many}`;
}

function containsPhrase(min: unknown, max: unknown): string {

    return max === undefined ? `at least ${counted(min, 'element')}` : `${String(min)} to ${counted(max, 'element')}`;
}

/** Returns the number of code points, elements or members. */
function lengthOf(value: JsonValue | undefined): number {

    if (typeof value === 'string') {
        return [...value].length;
    }

    return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
