/** Results as CSV: a column for each field, a row for each object. */

import type { Metadata } from '../../../../lib/client/web/index.js';
import { define, isJsonMap, type Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import type { Field } from '../fields.js';
import type { ExactResult } from '../search-types.js';

const SEPARATOR = '; ';

/** Signs with which formulas begin, also as full-width ones. */
const SIGNS = String.raw`=+\-@\uff1d\uff0b\uff0d\uff20`;

/**
 * Signs inside a text at which another cell begins where a program splits it otherwise than it is written: at semicolons, tabs or line ends, with or
 * without quotes. A number is no formula. The sign comes first, so that blanks before it are read once.
 */
const INNER = new RegExp(String.raw`[${SIGNS}](?<=[;,\t\r\n][\s"]*.)(?!(?<=[+-])[\d.]+(?:e[+-]?\d+)?[\s"\]}]*(?:[;,\t\r\n]|$))`, 'gi');

const FIRST = new RegExp(String.raw`^[${SIGNS}\t\r\n]`);

const NUMBER = /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i;

/** A text that a spreadsheet runs no formula of. */
function protectedText(value: string): string {

    const inner = value.replace(INNER, '\'$&');
    return FIRST.test(value) ? `'${inner}` : inner;
}

/** A cell as RFC 4180 has it. Texts that a spreadsheet would run as formulas get an apostrophe when `isProtected`. */
export function cell(value: string, isProtected: boolean): string {

    const safe = isProtected && !NUMBER.test(value) ? protectedText(value) : value;
    return /[",\r\n;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: Json): string {

    return value === null ? '' : typeof value === 'string' ? value : writeJson(value);
}

/** The values at a path; `_` stands for the items of an array. */
function valuesIn(content: Json, path: readonly string[]): readonly Json[] {

    return path.reduce<readonly Json[]>((values, name) => values.flatMap((value) => {

        if (name === '_' && Array.isArray(value)) {
            return value as readonly Json[];
        }

        const inner = isJsonMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
        return inner === undefined ? [] : [inner];
    }), [content]);
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
export function row({ id, type, content, metadata }: ExactResult, columns: readonly Field[], isProtected: boolean): string {

    const time = (value: number | undefined): string => (value === undefined ? '' : new Date(value).toISOString());
    const { createdOn, createdBy = '', modifiedOn, modifiedBy = '' } = (isJsonMap(metadata) ? metadata : {}) as unknown as Metadata;
    const cells = columns.map(({ path }) => valuesIn(content, path).map(textOf).join(SEPARATOR));
    const other = restOf(content, id, columns);
    const all = [
        id, type, ...cells, time(createdOn), createdBy, time(modifiedOn), modifiedBy, other === null ? '' : writeJson(other)
    ];
    return `${all.map((each) => cell(each, isProtected)).join(',')}\r\n`;
}

/** Names that columns show, as a tree; a leaf is a column. */
interface Shown {
    readonly members: Map<string, Shown>;
    isColumn: boolean;
}

const trees = new WeakMap<readonly Field[], Shown>();

function treeOf(columns: readonly Field[]): Shown {

    let root = trees.get(columns);
    if (!root) {
        root = { members: new Map(), isColumn: false };
        for (const { path } of columns) {
            let at = root;
            for (const name of path) {
                const next = at.members.get(name) ?? { members: new Map<string, Shown>(), isColumn: false };
                at.members.set(name, next);
                at = next;
            }

            at.isColumn = true;
        }

        trees.set(columns, root);
    }

    return root;
}

/** What no column shows, at its place; null for nothing. */
function restOf(content: Json, id: string, columns: readonly Field[]): Json {

    if (!isJsonMap(content)) {
        return content;
    }

    const { id: own, ...members } = content;
    return unshown(own === id ? members : content, treeOf(columns)) ?? null;
}

/** The parts of a value that no column shows; undefined if all are shown. Items of arrays keep their places. */
function unshown(value: Json, shown: Shown | undefined): Json | undefined {

    if (!shown) {
        return value;
    }

    if (shown.isColumn) {
        return undefined;
    }

    const items = shown.members.get('_');
    if (Array.isArray(value) && items) {
        const rest = (value as readonly Json[]).map((item) => unshown(item, items) ?? null);
        return rest.every((each) => each === null) ? undefined : rest;
    }

    if (!isJsonMap(value)) {
        return value;
    }

    const rest: Record<string, Json> = {};
    for (const [name, member] of Object.entries(value)) {
        const part = unshown(member, shown.members.get(name));
        if (part !== undefined) {
            define(rest, name, part);
        }
    }

    return Object.keys(rest).length === 0 ? undefined : rest;
}
