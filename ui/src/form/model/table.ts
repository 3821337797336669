/** Arrays of objects with single values, which a form shows as a table. */

import { isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import type { SchemaReader } from './effective-schema.js';
import { extensionOf } from './extension.js';
import { fieldKind } from './field-kind.js';
import type { FieldKind } from './field-kind.js';
import { labelOf } from './labels.js';
import { isSchema, schemaEntries, stringsOf, textOf, typesOf } from './schema.js';
import type { Schema } from './schema.js';

/** A column: a property of each row. */
export interface Column {
    readonly name: string;
    readonly label: string;
    readonly description: string | undefined;
    readonly schema: Schema;
    readonly isRequired: boolean;
}

/** Columns of a table; objects with more properties are shown one below the other. */
const MAX_COLUMNS = 8;

/** Characters of a text in a cell. */
const MAX_TEXT = 120;

/** Controls that fit into a cell. */
const IN_CELL: ReadonlySet<FieldKind> = new Set<FieldKind>(['string', 'number', 'boolean', 'enum', 'date', 'date-time', 'reference']);

/** The columns for the items of an array; null where they would not show everything. */
export function columnsOf(schema: JsonMap, reader: SchemaReader, keyword: string): readonly Column[] | null {

    const { items } = schema;
    if (!isSchema(items) || schema['prefixItems'] !== undefined || reader.isConditional(items)) {
        return null;
    }

    const row = reader.effective(items, undefined).schema;
    const properties = schemaEntries(row['properties']);
    const rest = row['additionalProperties'] ?? row['unevaluatedProperties'] ?? false;
    const hasOthers = rest !== false || schemaEntries(row['patternProperties']).length > 0;
    if (typesOf(row).join() !== 'object' || properties.length === 0 || properties.length > MAX_COLUMNS || hasOthers) {
        return null;
    }

    const required = stringsOf(row['required']);
    const columns = properties.map(([name, own]): Column | null => {

        const { schema: merged, isForbidden } = reader.effective(own, undefined);
        const extension = extensionOf(merged, keyword);
        const isSingle = !reader.isConditional(own) && !isForbidden && extension.generated === null && (typesOf(merged).length === 1 || Array.isArray(merged['enum']));
        const isFitting = isSingle && IN_CELL.has(fieldKind({ schema: merged, extension, value: undefined }));
        return isFitting ? { name, label: labelOf(merged, name), description: textOf(merged['description']), schema: own, isRequired: required.includes(name) } : null;
    });
    return columns.every((column) => column !== null) && required.every((name) => columns.some((column) => column.name === name)) ? columns : null;
}

/** True if the columns show everything of an array. */
export function isTabular(value: Json | undefined, columns: readonly Column[]): boolean {

    const names = new Set(columns.map(({ name }) => name));
    return value === undefined || Array.isArray(value) && (value as readonly Json[]).every((row) =>
        isJsonMap(row) && Object.keys(row).every((name) => names.has(name)));
}

/** True if all values of an array are short enough for the cells of a table. */
export function fitsCells(value: Json | undefined): boolean {

    const rows = Array.isArray(value) ? value as readonly Json[] : [];
    return rows.every((row) => !isJsonMap(row) || Object.values(row).every((each) =>
        (typeof each === 'string' ? each.length <= MAX_TEXT && !/[\r\n]/.test(each) : !Array.isArray(each) && !isJsonMap(each))));
}
