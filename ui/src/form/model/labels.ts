/** Names of fields, of branches and of values. */

import { isJsonMap, isNumber, isScalar } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { titleOfName } from '../../json/property-title.js';
import { extensionOf } from './extension.js';
import { schemaEntries, stringsOf, textOf } from './schema.js';
import type { Schema } from './schema.js';

/** Characters of a summary. */
const MAX_SUMMARY = 80;

/** Properties that usually name an object. */
const NAMES = ['name', 'title', 'label', 'id', 'identifier', 'key'];

/** The name of a field: its title, or the name of the property as one. */
export function labelOf(schema: JsonMap, name: string): string {

    return textOf(schema['title']) ?? titleOfName(name);
}

/** The name of a branch: its title, the constant that tells it apart, the schema that it refers to, or its type; null if it has none. */
export function optionLabel(option: Schema): string | null {

    if (!isJsonMap(option)) {
        return null;
    }

    const ref = textOf(option['$ref'])?.split('#').findLast((part) => part !== '')?.split('/').at(-1)?.replace(/\.schema\.json$/, '');
    const constants = schemaEntries(option['properties']).map(([, schema]) => (isJsonMap(schema) ? schema['const'] ?? single(schema['enum']) : undefined));
    const constant = constants.find((value) => value !== undefined && value !== null && isScalar(value));
    const names = schemaEntries(option['properties']).map(([name]) => name);
    return textOf(option['title']) ?? (constant === undefined ? undefined : shortText(constant)) ?? ref ??
        (names.length > 0 ? names.slice(0, 3).join(', ') : textOf(stringsOf(option['type']).join(', '))) ?? null;
}

function single(values: Json | undefined): Json | undefined {

    return Array.isArray(values) && values.length === 1 ? values[0] as Json : undefined;
}

/** A value in a few words: what names an object, or its first values. */
export function summaryOf(value: Json | undefined, schema: JsonMap, keyword: string): string {

    if (!isJsonMap(value)) {
        return shortText(value);
    }

    const primary = schemaEntries(schema['properties']).find(([, each]) => isJsonMap(each) && extensionOf(each, keyword).isPrimary)?.[0];
    const names = [...primary === undefined ? [] : [primary], ...NAMES];
    const named = names.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined)).find((each) => typeof each === 'string' && each !== '');
    const texts = named !== undefined ? [shortText(named)] : Object.values(value).slice(0, 20).filter((each) => each !== null && isScalar(each)).map(shortText);
    return shortText(texts.filter((each) => each !== '').slice(0, 3).join(', '));
}

/** A single value as short text; empty for nested ones. */
export function shortText(value: Json | undefined): string {

    const text = typeof value === 'string' ? value : isNumber(value) || typeof value === 'boolean' ? String(value) : '';
    return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)}…` : text;
}
