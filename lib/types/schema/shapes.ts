/**
 * Shapes of keyword values: checks them, and locates the subschemas inside. Keeps malformed schemas away from the compiler.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { escapeSegment } from '../../json/pointer.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import type { Draft, Shape } from './vocabulary.js';
import { TYPE_NAMES } from './vocabulary.js';

/** Maximum length of a list of subschemas; compiled in one piece, longer lists would nest too deeply. */
const MAX_LIST = 1000;

/** Maximum length of a reference. */
const MAX_REFERENCE = 8192;

/** Maximum length of a name of a property, which becomes a part of code. */
const MAX_NAME = 8192;
const LONG_NAME = `must not have a name of more than ${MAX_NAME} characters`;

/** Maximum length of a pattern that is not compiled. */
const MAX_PATTERN = 4096;

/** Maximum number of `patternProperties` of one schema; each pattern is tried on every name. */
const MAX_NAME_PATTERNS = 200;

/** A subschema, judged by its outermost form only. */
export type Schema = JsonObject | boolean;

/** True for a value that has the outermost form of a schema. */
export function isSchema(value: JsonValue | undefined): value is Schema {

    return typeof value === 'boolean' || isJsonObject(value);
}

/** Returns the error in a pattern, as the predicate of a sentence; null if it is valid. */
type PatternCheck = (source: string) => string | null;

/** Returns the error in the value of a keyword, as the predicate of a sentence; null if it is valid. Does not look into subschemas. */
export function shapeError(shape: Shape, value: JsonValue, draft: Draft, checkPattern: PatternCheck = patternError): string | null {

    switch (shape) {
        case 'schema': case 'schemas': case 'schema-map': case 'pattern-map': case 'items': case 'dependencies':
            return containerError(shape, value, checkPattern);
        case 'count':
            return unless(Number.isInteger(value) && Number(value) >= 0, 'must be a whole number, not negative');
        case 'positive':
            return unless(isNumber(value) && Number(value) > 0, 'must be a number above zero');
        case 'number':
            return unless(isNumber(value), 'must be a number');
        case 'limit':
            return unless(isNumber(value) || (draft <= 4 && typeof value === 'boolean'), 'must be a number');
        case 'boolean':
            return unless(typeof value === 'boolean', 'must be true or false');
        case 'string':
            return unless(typeof value === 'string', 'must be a string');
        case 'reference':
            return typeof value === 'string' ? unless(value.length <= MAX_REFERENCE, `must have at most ${MAX_REFERENCE} characters`) : 'must be a string';
        case 'pattern':
            return typeof value === 'string' ? checkPattern(value) : 'must be a string';
        case 'names':
            return namesError(value);
        case 'name-lists':
            return nameListsError(value);
        case 'types':
            return typesError(value);
        case 'values':
            return unless(Array.isArray(value) && value.length > 0, 'must be an array of at least one value');
        case 'value':
            return null;
    }
}

/**
 * Returns the value of a keyword with every subschema replaced by the result of `convert`. `path` is the JSON pointer of the
 * subschema within the value.
 */
export function mapSubschemas(shape: Shape, value: JsonValue, convert: (schema: JsonValue, path: string) => JsonValue): JsonValue {

    switch (shape) {
        case 'schema':
            return convert(value, '');
        case 'items':
            return Array.isArray(value) ? mapList(value, convert) : convert(value, '');
        case 'schemas':
            return mapList(value, convert);
        case 'schema-map': case 'pattern-map':
            return mapMembers(value, convert);
        case 'dependencies':
            return mapMembers(value, (member, path) => (Array.isArray(member) ? member : convert(member, path)));
        default:
            return value;
    }
}

/** Returns the subschemas in the value of a keyword, with their JSON pointers within the value. */
export function subschemasOf(shape: Shape, value: JsonValue): (readonly [path: string, schema: JsonValue])[] {

    const found: (readonly [path: string, schema: JsonValue])[] = [];
    mapSubschemas(shape, value, (schema, path) => {

        found.push([path, schema]);
        return schema;
    });
    return found;
}

/** Returns the patterns of names in a schema; none if there are too many. */
export function namePatternsOf(schema: Schema): string[] {

    const { patternProperties } = isJsonObject(schema) ? schema : {};
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    return patterns.length > MAX_NAME_PATTERNS ? [] : patterns;
}

function mapList(value: JsonValue, convert: (schema: JsonValue, path: string) => JsonValue): JsonValue {

    return Array.isArray(value) ? value.map((element, index) => convert(element, `/${index}`)) : value;
}

function mapMembers(value: JsonValue, convert: (schema: JsonValue, path: string) => JsonValue): JsonValue {

    const members = isJsonObject(value) ? Object.entries(value) : [];
    return Object.fromEntries(members.map(([name, member]) => [name, convert(member, `/${escapeSegment(name)}`)]));
}

function containerError(shape: Shape, value: JsonValue, checkPattern: PatternCheck): string | null {

    switch (shape) {
        case 'schemas':
            return unless(Array.isArray(value) && value.length > 0 && value.length <= MAX_LIST, `must be an array of 1 to ${MAX_LIST} schemas`);
        case 'schema':
            return unless(isSchema(value), 'must be a schema: an object or a boolean');
        case 'items':
            return unless(isSchema(value) || (Array.isArray(value) && value.length <= MAX_LIST), `must be a schema or an array of at most ${MAX_LIST} of them`);
        default:
            return mapError(shape, value, checkPattern);
    }
}

function mapError(shape: Shape, value: JsonValue, checkPattern: PatternCheck): string | null {

    if (!isJsonObject(value)) {
        return 'must be an object whose members are schemas';
    }

    // Much JavaScript code confuses a property of this name with the prototype.
    if (Object.hasOwn(value, '__proto__')) {
        return 'must not name a property __proto__';
    }

    if (Object.keys(value).some((name) => name.length > MAX_NAME)) {
        return LONG_NAME;
    }

    if (shape === 'dependencies') {
        const names = Object.fromEntries(Object.entries(value).filter(([, member]) => !isSchema(member)));
        return nameListsError(names) === null ? null : 'must be an object whose members are schemas or arrays of property names';
    }

    if (shape === 'pattern-map' && Object.keys(value).length > MAX_NAME_PATTERNS) {
        return `must have at most ${MAX_NAME_PATTERNS} members`;
    }

    const violation = shape === 'pattern-map' ? Object.keys(value).map(checkPattern).find((message) => message !== null) : null;
    return violation ?? null;
}

function namesError(value: JsonValue): string | null {

    return isNames(value) ? unless(!value.some((name) => name.length > MAX_NAME), LONG_NAME) : 'must be an array of property names';
}

function nameListsError(value: JsonValue): string | null {

    const lists = isJsonObject(value) ? Object.values(value) : [null];
    if (!lists.every(isNames)) {
        return 'must be an object of arrays of property names';
    }

    const names = lists.flat();
    return names.length > MAX_LIST ? `must name at most ${MAX_LIST} properties` : namesError(names);
}

/** Checks a pattern that is matched: it is compiled, and kept for the next time. */
export function patternError(source: string): string | null {

    try {
        SafeRegExp.of(source);
        return null;
    }
    catch (error) {
        return patternMessage(source, (error as Error).message);
    }
}

/** Checks a pattern that others match: its syntax, which takes no more time than reading it. */
export function patternSyntaxError(source: string): string | null {

    if (source.length > MAX_PATTERN) {
        return patternMessage(source, `is longer than ${MAX_PATTERN} characters`);
    }

    try {
        new RegExp(source, 'u');
        return null;
    }
    catch {
        // Many patterns have escapes that only the older syntax allows.
    }

    try {
        new RegExp(source);
        return null;
    }
    catch {
        return patternMessage(source, 'is no regular expression');
    }
}

function patternMessage(source: string, message: string): string {

    return `the pattern ${source.length > 100 ? `${source.slice(0, 100)}…` : source} ${message}`;
}

function typesError(value: JsonValue): string | null {

    const types = Array.isArray(value) ? value : [value];
    const areKnown = types.length > 0 && types.every((type) => typeof type === 'string' && TYPE_NAMES.includes(type));
    return unless(areKnown, `must be one of ${TYPE_NAMES.join(', ')}, or an array of them`);
}

function isNames(value: JsonValue): value is string[] {

    return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function isNumber(value: JsonValue): boolean {

    return typeof value === 'number' && Number.isFinite(value);
}

function unless(condition: boolean, message: string): string | null {

    return condition ? null : message;
}
