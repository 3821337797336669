/** A schema for examples: objects of JSON, or rows of a table. It is a beginning, which the user corrects. */

import { isJsonMap, isNumber, type Json, type JsonMap } from '../../json/exact-number.js';

/** Texts that have more than this many characters get a field of several lines. */
const LONG = 200;

const FORMATS: readonly (readonly [format: string, pattern: RegExp])[] = [
    ['date', /^\d{4}-\d\d-\d\d$/], ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/], ['uri', /^https?:\/\/\S+$/], ['email', /^[^\s@]+@[^\s@][^\s.@]*\.[^\s@]+$/]
];

/** Names of properties that are likely to name an object. */
const TITLES = ['title', 'name', 'label', 'titel', 'titre', 'nom', 'bezeichnung', 'subject'];

/** A schema for the content of which there are examples. `keyword` is the extension keyword. @throws TypeError when they are no objects */
export function schemaOfExamples(examples: readonly Json[], keyword: string): JsonMap {

    if (examples.length === 0 || !examples.every(isJsonMap)) {
        throw new TypeError('an example is a JSON object');
    }

    return withTitle(schemaOf(examples), keyword);
}

/** A schema for the rows of a table, by the names of its columns. */
export function schemaOfRows(columns: readonly string[], rows: readonly (readonly string[])[], keyword: string): JsonMap {

    const properties = columns.filter((name) => name !== '').map((name) => {

        const at = columns.indexOf(name);
        const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
        return [name, columnSchema(cells)] as const;
    });
    return withTitle({ type: 'object', properties: Object.fromEntries(properties) }, keyword);
}

function columnSchema(cells: readonly string[]): JsonMap {

    if (cells.length > 0 && cells.every((cell) => /^-?(0|[1-9]\d{0,14})$/.test(cell))) {
        return { type: 'integer' };
    }

    if (cells.length > 0 && cells.every((cell) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell))) {
        return { type: 'number' };
    }

    return cells.length > 0 && cells.every((cell) => cell === 'true' || cell === 'false') ? { type: 'boolean' } : textSchema(cells);
}

function textSchema(texts: readonly string[]): JsonMap {

    const format = texts.length === 0 ? undefined : FORMATS.find(([, pattern]) => texts.every((text) => pattern.test(text)))?.[0];
    return { type: 'string', ...format !== undefined ? { format } : texts.some((text) => text.length > LONG || text.includes('\n')) ? { format: 'textarea' } : {} };
}

function schemaOf(values: readonly Json[]): JsonMap {

    const present = values.filter((value) => value !== null);
    if (present.length === 0) {
        return {};
    }

    if (present.every(isJsonMap)) {
        const names = [...new Set(present.flatMap((value) => Object.keys(value)))];
        return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, schemaOf(present.filter((value) => Object.hasOwn(value, name)).map((value) => value[name] as Json))])) };
    }

    if (present.every(Array.isArray)) {
        return { type: 'array', items: schemaOf((present as unknown as readonly Json[][]).flat()) };
    }

    if (present.every((value) => typeof value === 'string')) {
        return textSchema(present);
    }

    if (present.every(isNumber)) {
        return { type: present.every((value) => /^-?\d+$/.test(String(value))) ? 'integer' : 'number' };
    }

    return present.every((value) => typeof value === 'boolean') ? { type: 'boolean' } : {};
}

/** Adds the title field: a text with a likely name, or else the first one. */
function withTitle(schema: JsonMap, keyword: string): JsonMap {

    const properties = schema['properties'] as JsonMap;
    const texts = Object.entries(properties).filter(([, property]) => isJsonMap(property) && property['type'] === 'string');
    const title = texts.find(([name]) => TITLES.includes(name.toLowerCase())) ?? texts.find(([, property]) => (property as JsonMap)['format'] === undefined);
    const extension = { [keyword]: { preview: { showInPreview: true, isPrimary: true } } };
    return title ? { ...schema, properties: { ...properties, [title[0]]: { ...title[1] as JsonMap, ...extension } } } : schema;
}
