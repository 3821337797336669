/**
 * Validation messages for people: ajv's errors name the keyword that failed, these describe the content. Invalid values are
 * never repeated, since they may be secret.
 */

import type { ErrorObject } from 'ajv';
import type { ContentError } from '../../errors/errors.js';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer, getAt, shownPointer } from '../../json/pointer.js';
import { formatName } from './formats.js';

type Params = Readonly<Record<string, unknown>>;

/** Message for an error of one keyword; `value` is the invalid value. */
type Wording = (params: Params, value: JsonValue | undefined) => string;

export const WORDINGS: Readonly<Record<string, Wording>> = {
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

/** Maximum number of errors that are considered. */
const MAX_CONSIDERED = 500;

/** Maximum length of the pointers of all errors that are considered; an error with a longer one is the last. */
const MAX_POINTERS = 1_000_000;

/** Maximum length of the pointer of an error. */
const MAX_POINTER = 2000;

/** Returns the errors of content, the summary of alternatives before their details; at most `limit`. */
export function contentErrors(errors: readonly ErrorObject[], content: JsonValue, limit: number): ContentError[] {

    const result: Located[] = [];
    for (const error of mostSpecific(errors)) {
        const isSummary = SUMMARIES.has(error.keyword);
        if (!isSummary && result.length === limit) {
            continue;
        }

        // Ajv reports the details of alternatives before their summary, readers expect the summary first.
        const pointer = pointerOf(error);
        const firstDetail = isSummary ? firstAtOrBelow(pointer, result) : -1;
        result.splice(firstDetail < 0 ? result.length : firstDetail, 0, { pointer, error });
        result.length = Math.min(result.length, limit);
    }

    const messages = result.map(({ pointer, error }) => ({ pointer: shownPointer(pointer, MAX_POINTER), message: messageOf(error, content) }));
    lastLength = NO_LENGTH;
    return messages;
}

interface Located {
    readonly pointer: string;
    readonly error: ErrorObject;
}

function firstAtOrBelow(pointer: string, errors: readonly Located[]): number {

    const below = `${pointer}/`;
    return errors.findIndex((other) => other.pointer === pointer || other.pointer.startsWith(below));
}

function mostSpecific(errors: readonly ErrorObject[]): ErrorObject[] {

    const isAlone = errors.length === 1;
    const informative = errors.filter(({ keyword }) => isAlone || !EMPTY_SUMMARIES.has(keyword)).slice(0, MAX_CONSIDERED);
    let length = 0;
    const excess = informative.findIndex(({ instancePath }) => (length += instancePath.length) > MAX_POINTERS);
    return excess < 0 ? informative : informative.slice(0, excess + 1);
}

function pointerOf({ params, instancePath, propertyName }: ErrorObject): string {

    const named = params as Params;
    const member = propertyName ?? MEMBER_PARAMS.map((name) => named[name]).find((name) => typeof name === 'string');
    return member === undefined ? instancePath : childPointer(instancePath, member);
}

function messageOf({ keyword, params, instancePath, propertyName, message }: ErrorObject, content: JsonValue): string {

    const wording = WORDINGS[keyword];
    if (propertyName !== undefined) {
        return `has a name that ${wording?.(params as Params, propertyName) ?? 'is not valid'}`;
    }

    return wording?.(params as Params, getAt(content, instancePath)) ?? message ?? 'is not valid';
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

interface CountedLength {
    readonly value: JsonValue | undefined;
    readonly length: number;
}

const NO_LENGTH: CountedLength = { value: undefined, length: 0 };

/** The last long value and its length: alternatives report several errors of the same value. */
let lastLength = NO_LENGTH;

/** Returns the number of code points, elements or members. */
function lengthOf(value: JsonValue | undefined): number {

    if (lastLength.value !== value) {
        lastLength = { value, length: countedLength(value) };
    }

    return lastLength.length;
}

function countedLength(value: JsonValue | undefined): number {

    if (typeof value === 'string') {
        return codePointsOf(value);
    }

    return Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
}

/** Counts the code points of a text without copies of them. */
function codePointsOf(text: string): number {

    let pairs = 0;
    for (let i = 1; i < text.length; ++i) {
        if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) {
            ++pairs;
        }
    }

    return text.length - pairs;
}
