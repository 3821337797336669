/** What becomes of a row: the type and id of an object, and where in its content the cells of a table are. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { SentNumber } from '../../json/exact-numbers.js';
import { parseJson } from '../../json/strict-parser.js';
import { cellOf, listOf, RowContent } from './row-content.js';

/** What the text of a cell stands for. */
const KINDS = ['text', 'integer', 'number', 'boolean', 'json'] as const;

type Kind = typeof KINDS[number];

/** Where a cell is stored in the content. */
export interface Field {
    /** JSON pointer. */
    readonly pointer: string;
    readonly column: string;
    /** Default: as the schema of the type says, otherwise text. */
    readonly kind?: Kind;
    /** Separator of several values in one cell; they become an array. */
    readonly split?: string;
}

/** How rows become objects. */
export interface Mapping {
    /** Type of all objects. Absent: rows are objects themselves, with a type and content. */
    readonly type?: string;
    /** Name of a column, or a text with names in braces such as `test/{number}`. Absent: the service makes ids. */
    readonly id?: string;
    /** Absent: each column is the property of its name. */
    readonly fields?: readonly Field[];
}

/** Reads `POINTER=COLUMN` or `POINTER=COLUMN:KIND`. @throws TypeError */
export function fieldOf(text: string): Field {

    const [, pointer = '', column = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
    const at = column.lastIndexOf(':');
    const kind = KINDS.find((each) => at > 0 && each === column.slice(at + 1));
    if (!pointer.startsWith('/') || column === '') {
        throw new TypeError(`${text} must be POINTER=COLUMN or POINTER=COLUMN:${KINDS.join('|')}, such as /year=Year:integer`);
    }

    return { pointer, column: kind ? column.slice(0, at) : column, ...kind ? { kind } : {} };
}

const MEMBERS = ['type', 'id', 'content'];

/**
 * Reads a mapping from JSON: `type`, `id`, and `content`, an object from JSON pointers to a column or to `{column, kind, split}`.
 *
 * @throws TypeError that says what is wrong
 */
export function mappingOf(value: JsonValue): Mapping {

    if (!isJsonObject(value)) {
        throw new TypeError('a mapping must be a JSON object');
    }

    const { type, id, content = {} } = value;
    const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
    if (unknown !== undefined || type !== undefined && typeof type !== 'string' || id !== undefined && typeof id !== 'string' || !isJsonObject(content)) {
        throw new TypeError(unknown === undefined ? 'type and id must be texts, and content an object' : `unknown member ${unknown}; a mapping has ${MEMBERS.join(', ')}`);
    }

    const fields = Object.entries(content).map(([pointer, field]) => fieldOfJson(pointer, field));
    return { ...type === undefined ? {} : { type }, ...id === undefined ? {} : { id }, ...fields.length > 0 ? { fields } : {} };
}

function fieldOfJson(pointer: string, value: JsonValue): Field {

    const { column, kind, split, ...others } = typeof value === 'string' ? { column: value } : isJsonObject(value) ? value : {};
    const known = KINDS.find((each) => each === kind);
    const isValid = pointer.startsWith('/') && typeof column === 'string' && (kind === undefined || known) && Object.keys(others).length === 0 &&
        (split === undefined || typeof split === 'string' && split !== '');
    if (!isValid) {
        throw new TypeError(`${pointer} must be a JSON pointer with the name of a column, or with {"column", "kind", "split"}; kinds are ${KINDS.join(', ')}`);
    }

    return { pointer, column, ...known ? { kind: known } : {}, ...typeof split === 'string' ? { split } : {} };
}

/** Returns the object of a row, in the form that a batch takes. `schema` is that of the type, if it is known. @throws TypeError */
export function objectOfRow(row: JsonValue, { type, id, fields }: Mapping, schema: JsonValue = {}): JsonObject {

    if (!isJsonObject(row)) {
        throw new TypeError('it is no JSON object');
    }

    const made = id === undefined ? {} : { id: idOf(row, id) };
    return type === undefined && !fields ? { ...row, ...made } :
        { ...type === undefined ? {} : { type }, ...made, content: fields ? contentOf(row, fields, schema) : row };
}

/** Returns the fields of a table without a mapping: each column is the property of its name, or at its name if that is a JSON pointer. */
export function fieldsOfColumns(row: JsonValue): readonly Field[] {

    return Object.keys(isJsonObject(row) ? row : {}).map((column) =>
        ({ column, pointer: column.startsWith('/') ? column : `/${column.replaceAll('~', '~0').replaceAll('/', '~1')}` }));
}

function idOf(row: JsonObject, template: string): string {

    const text = template.includes('{') ? template : `{${template}}`;
    return text.replaceAll(/\{([^{}]*)\}/g, (_, column: string) => {

        const value = cellOf(row, column);
        if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof SentNumber)) {
            throw new TypeError(`the id needs the column ${column}, which is empty or missing`);
        }

        return String(value).trim();
    });
}

function contentOf(row: JsonObject, fields: readonly Field[], schema: JsonValue): JsonObject {

    const content = new RowContent();
    for (const { pointer, column, kind, split } of fields) {
        const value = cellOf(row, column);
        if (value === undefined) {
            continue;
        }

        const tokens = pointer.slice(1).split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
        const described = schemaAt(schema, split === undefined ? tokens : [...tokens, '0']);
        const convert = (text: JsonValue): JsonValue => (typeof text === 'string' ? converted(text, kind ?? kindIn(described), column) : text);
        const isList = split !== undefined && typeof value === 'string';
        content.set(tokens, isList ? listOf(value.split(split).map((each) => each.trim()).filter((each) => each !== '').map(convert)) : convert(value));
    }

    return content.end();
}

/** The schema of a value inside another one, as far as `properties` and `items` say it. */
function schemaAt(schema: JsonValue, tokens: readonly string[]): JsonValue {

    return tokens.reduce<JsonValue>((at, token) => {

        const { properties, items } = isJsonObject(at) ? at : {};
        const inside = isJsonObject(properties) && Object.hasOwn(properties, token) ? properties[token] : undefined;
        return inside ?? (/^\d+$/.test(token) ? items : undefined) ?? {};
    }, schema);
}

function kindIn(schema: JsonValue): Kind {

    const type = isJsonObject(schema) ? schema['type'] : undefined;
    return type === 'integer' || type === 'number' || type === 'boolean' ? type : type === 'array' || type === 'object' ? 'json' : 'text';
}

const NAMES: Readonly<Record<Kind, string>> = { text: 'text', integer: 'whole number', number: 'number', boolean: 'truth value, true or false', json: 'JSON value' };

const FORMS: Readonly<Partial<Record<Kind, RegExp>>> = { integer: /^-?\d{1,400}$/, number: /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/, boolean: /^(?:true|false)$/ };

function converted(text: string, kind: Kind, column: string): JsonValue {

    const trimmed = text.trim();
    const value = kind === 'text' ? text : FORMS[kind]?.test(trimmed) === false ? undefined : parsed(trimmed);
    if (value === undefined) {
        throw new TypeError(`column ${column}: ${JSON.stringify(text.slice(0, 60))} is no ${NAMES[kind]}`);
    }

    return value;
}

function parsed(text: string): JsonValue | undefined {

    try {
        return parseJson(text, { sentNumber: true });
    }
    catch {
        return undefined;
    }
}
