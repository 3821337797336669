/** Results as CSV: a column for each field, a row for each object. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { valuesAt, type Field } from './fields.js';
import type { Result } from './search-types.js';

const SEPARATOR = '; ';

/** A cell as RFC 4180 has it. Texts that a spreadsheet would run as formulas begin with an apostrophe when `isProtected`. */
export function cell(value: string, isProtected: boolean): string {

    const safe = isProtected && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) && !/^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(value) ? `'${value}` : value;
    return /[",\r\n;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: JsonValue): string {

    return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The columns of an export: each field once, in the order of the types. */
export function columnsOf(fields: readonly (readonly Field[])[]): readonly Field[] {

    const found = new Map<string, Field>();
    fields.flat().filter(({ kind }) => kind !== 'secret').forEach((field) => found.has(field.name) || found.set(field.name, field));
    return [...found.values()];
}

/** The names of the columns. */
export function headerRow(columns: readonly Field[], isProtected: boolean): string {

    return `${['id', 'type', ...columns.map(({ name }) => name.replace(/^\//, '')), 'createdOn', 'createdBy', 'modifiedOn', 'modifiedBy', 'other'].map((name) => cell(name, isProtected)).join(',')}\r\n`;
}

/** The row of an object. What has no column is in the last one, as JSON, so that nothing is lost. */
export function row({ id, type, content, metadata = {} }: Result, columns: readonly Field[], isProtected: boolean): string {

    const time = (value: number | undefined): string => (value === undefined ? '' : new Date(value).toISOString());
    const cells = columns.map(({ path }) => valuesAt(content, path).map(textOf).join(SEPARATOR));
    const other = restOf(content, new Set(columns.map(({ path }) => path[0] ?? '')));
    const all = [
        id, type, ...cells, time(metadata.createdOn), metadata.createdBy ?? '', time(metadata.modifiedOn), metadata.modifiedBy ?? '', other === null ? '' : JSON.stringify(other)
    ];
    return `${all.map((each) => cell(each, isProtected)).join(',')}\r\n`;
}

function restOf(content: JsonValue, known: ReadonlySet<string>): JsonValue {

    if (typeof content !== 'object' || content === null || Array.isArray(content)) {
        return content;
    }

    const rest: JsonObject = Object.fromEntries(Object.entries(content).filter(([name]) => !known.has(name) && name !== 'id'));
    return Object.keys(rest).length === 0 ? null : rest;
}
