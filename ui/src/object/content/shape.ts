/** How values are laid out: what is a table, what is short enough to be open. Pure, for tests. */

import { isJsonMap, isScalar, type Json, type JsonMap } from '../../json/exact-number.js';

/** Columns of a table at most; objects with more properties are lists. */
const MAX_COLUMNS = 6;
/** Entries that decide about a table. */
const SAMPLE = 50;
/** Longer texts do not fit into a cell. */
const MAX_CELL = 200;

/** The columns of a table for an array of objects with short values; null where a table would not be readable. */
export function tableColumns(items: readonly Json[]): readonly string[] | null {

    if (items.length < 2) {
        return null;
    }

    const names = new Set<string>();
    for (const item of items.slice(0, SAMPLE)) {
        if (!isJsonMap(item) || !Object.values(item).every(isCell)) {
            return null;
        }

        Object.keys(item).forEach((name) => names.add(name));
        if (names.size > MAX_COLUMNS) {
            return null;
        }
    }

    return items.slice(SAMPLE).every((item) => isJsonMap(item) && Object.keys(item).every((name) => names.has(name))) && names.size > 0 ? [...names] : null;
}

function isCell(value: Json): boolean {

    const isText = isScalar(value) && !(typeof value === 'string' && value.length > MAX_CELL);
    return isText || Array.isArray(value) && value.length <= 3 && value.every((each) => isScalar(each as Json));
}

/** Number of scalars in a value, counted up to a limit. */
export function countScalars(value: Json, limit: number): number {

    let count = 0;
    const pending: Json[] = [value];
    while (pending.length > 0 && count < limit) {
        const next = pending.pop() ?? null;
        if (isScalar(next)) {
            count += 1;
        }
        else {
            const members = Array.isArray(next) ? next as readonly Json[] : Object.values(next as JsonMap);
            count += members.length === 0 ? 1 : 0;
            pending.push(...members.slice(0, limit));
        }
    }

    return Math.min(count, limit);
}

/** Properties of an object: those of the schema in its order, then the others in theirs. */
export function orderedNames(value: JsonMap, ofSchema: readonly string[]): readonly string[] {

    const described = ofSchema.filter((name) => Object.hasOwn(value, name));
    const known = new Set(described);
    return [...described, ...Object.keys(value).filter((name) => !known.has(name))];
}
