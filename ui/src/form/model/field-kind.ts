/** Which control shows a value. */

import { dayIn, timeIn } from '../../i18n/dates.js';
import { isJsonMap, isSame, isScalar } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import type { Extension } from './extension.js';
import { localTime } from './local-time.js';
import { isOfType, isSchema, limitOf, textOf, typeOf, typesOf } from './schema.js';
import type { JsonType, Schema } from './schema.js';

export type FieldKind =
    | 'boolean' | 'constant' | 'date' | 'date-time' | 'enum' | 'enum-list' | 'json' | 'list' | 'null' | 'number' | 'object' | 'reference' | 'references' |
    'secret' | 'string' | 'table' | 'tags' | 'text' | 'unset';

/** Texts of more characters get several lines. */
const LONG_TEXT = 120;

/** Constants of an `enum` that are shown as a choice; more make a list to type into. */
export const MAX_ENUM = 2000;

const LONG_FORMATS = new Set(['markdown', 'html', 'textarea', 'text', 'multiline', 'xhtml', 'xml', 'json', 'css', 'javascript', 'yaml']);

/** What is known about a value when its control is chosen. */
export interface FieldFacts {
    readonly schema: JsonMap;
    readonly extension: Extension;
    readonly value: Json | undefined;
    /** Type that the user has picked for a value of several types. */
    readonly type?: JsonType | null;
    /** The effective schema of items, for arrays. */
    readonly items?: JsonMap;
    readonly itemExtension?: Extension;
}

/** The types among which the user may choose. */
export function typeChoices(schema: JsonMap): readonly JsonType[] {

    return schema['enum'] !== undefined || schema['const'] !== undefined ? [] : typesOf(schema);
}

/** The control for a value. What does not fit the schema is shown as JSON, so that it is not changed unless the user does. */
export function fieldKind(facts: FieldFacts): FieldKind {

    const { schema, value, type } = facts;
    const { const: constant } = schema;
    if (constant !== undefined && constant !== null && isScalar(constant)) {
        return value === undefined || isSame(value, constant) ? 'constant' : 'json';
    }

    if (Array.isArray(schema['enum'])) {
        return enumKind(schema['enum'] as readonly Json[], value);
    }

    const types = typesOf(schema);
    if (value !== undefined && !types.some((each) => isOfType(typeOf(value), each))) {
        return 'json';
    }

    switch (value === undefined ? type ?? onlyType(types) : typeOf(value)) {
        case null: {
            return 'unset';
        }

        case 'string': {
            return stringKind(facts);
        }

        case 'integer': case 'number': {
            return 'number';
        }

        case 'array': {
            return arrayKind(facts);
        }

        case 'boolean': {
            return 'boolean';
        }

        case 'object': {
            return 'object';
        }

        case 'null': {
            return 'null';
        }
    }
}

/** The type of a value that is absent: the only one beside null. */
function onlyType(types: readonly JsonType[]): JsonType | null {

    const others = types.filter((each) => each !== 'null');
    return others.length > 1 ? null : others[0] ?? 'null';
}

function enumKind(values: readonly Json[], value: Json | undefined): FieldKind {

    const isSimple = values.length <= MAX_ENUM && values.every((each) => typeof each !== 'object' || each === null || !isJsonMap(each) && !Array.isArray(each));
    return isSimple && (value === undefined || typeof value !== 'object' || value === null || !isJsonMap(value) && !Array.isArray(value)) ? 'enum' : 'json';
}

function stringKind({ schema, extension, value }: FieldFacts): FieldKind {

    const text = typeof value === 'string' ? value : '';
    const format = textOf(schema['format']) ?? '';
    if (extension.isSecret || format === 'password') {
        return 'secret';
    }

    if (extension.reference) {
        return 'reference';
    }

    // Fields of browsers are empty for a day or a time that does not exist, and before year 1.
    if (format === 'date' && (text === '' || dayIn(text) !== null)) {
        return 'date';
    }

    if (format === 'date-time' && (text === '' || timeIn(text) !== null && !localTime(text).startsWith('0000'))) {
        return 'date-time';
    }

    // A control with one line would remove line breaks.
    const isLong = LONG_FORMATS.has(format) || textOf(schema['contentMediaType'])?.startsWith('text/') === true || (limitOf(schema['maxLength']) ?? 0) > LONG_TEXT * 2;
    return isLong || text.length > LONG_TEXT || /[\r\n]/.test(text) ? 'text' : 'string';
}

function arrayKind({ schema, extension, value, items = {}, itemExtension }: FieldFacts): FieldKind {

    const values = Array.isArray(value) ? value as readonly Json[] : [];
    const isOfStrings = values.every((each) => typeof each === 'string' && !/[\r\n]/.test(each));
    if (!isOfStrings || schema['prefixItems'] !== undefined || Array.isArray(schema['items']) || !isOnlyString(items)) {
        return 'list';
    }

    if (extension.reference ?? itemExtension?.reference) {
        return 'references';
    }

    if (itemExtension?.isSecret || itemExtension?.generated) {
        return 'list';
    }

    const constants = Array.isArray(items['enum']) ? items['enum'] as readonly Json[] : null;
    if (constants) {
        const isKnown = new Set(values).size === values.length && values.every((each) => constants.includes(each));
        return isKnown && constants.length <= LONG_TEXT ? 'enum-list' : 'list';
    }

    return stringKind({ schema: items, extension, value: undefined }) === 'string' && values.every((each) => typeof each === 'string' && each.length <= LONG_TEXT) ? 'tags' : 'list';
}

function isOnlyString(schema: JsonMap): boolean {

    const types = typesOf(schema);
    return types.length === 1 && types[0] === 'string';
}

/** The schema of the item at an index of an array. */
export function itemSchema(schema: JsonMap, index: number): Schema {

    const { items, prefixItems } = schema;
    const first = prefixItems ?? (Array.isArray(items) ? items : []);
    const own = Array.isArray(first) ? first[index] as Json | undefined : undefined;
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    return isSchema(own) ? own : isSchema(rest) ? rest : true;
}
