/** What may be wrong with a query: names of fields that no type has, with those that were probably meant. */

import { escapedField } from './state.js';

/** Fields that are no properties of content. */
export const SPECIAL_FIELDS = [
    'id', 'type', 'createdBy', 'modifiedBy', 'objcreated', 'objmodified', 'username', 'users', 'schemaName', 'versionOf', 'isVersion', 'aclRead', 'aclWrite', 'txnId',
    'internal.pointsAt', 'dtindexed', 'javaScriptModuleName', 'payloadIndexState', 'payload_indexing_exception', 'internal.all', '*'
] as const;

const PREFIXES = /^(?:metadata|userMetadata|acl|facet_|objatt_|elname_|elatt_)/;

/** A name of a field that was written, and the one that was probably meant. */
export interface FieldHint {
    readonly wrong: string;
    readonly right: string;
    /** The query with the right name. */
    readonly query: string;
}

interface NameInQuery {
    readonly name: string;
    readonly at: number;
}

/** Names of fields in a query, with their places. Texts in quotes are skipped. */
export function namesIn(query: string): readonly NameInQuery[] {

    const blank = query.replace(/"(?:[^"\\]|\\[^])*"?/g, (text) => ' '.repeat(text.length));
    return [...blank.matchAll(/(?<=^|[\s(+\-!])[^\s"():+\-![\]{}^~*?\\][^\s"():[\]{}^*?\\]*(?=:)/g)].map(({ 0: name, index }) => ({ name, at: index }));
}

/** Number of letters to change to make one text of another. */
export function distance(one: string, other: string): number {

    let row = Array.from({ length: other.length + 1 }, (none, index) => index);
    for (let i = 1; i <= one.length; ++i) {
        const next = [i];
        for (let j = 1; j <= other.length; ++j) {
            next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)));
        }

        row = next;
    }

    return row.at(-1) ?? 0;
}

const MAX_NAME = 60;

/** Hints for the names in a query that no field has. `names` are those of all properties; `others` are names that types gave to fields and payloads. */
export function fieldHints(query: string, names: readonly string[], others: readonly string[] = []): readonly FieldHint[] {

    const special: ReadonlySet<string> = new Set([...SPECIAL_FIELDS, ...others]);
    const known = new Set(names);
    return namesIn(query).flatMap(({ name, at }) => {

        const isKnown = special.has(name) || known.has(name) || PREFIXES.test(name) || names.some((each) => each.startsWith(`${name}/`));
        const right = isKnown || name.length > MAX_NAME ? undefined : meant(name, names);
        return right === undefined ? [] : [{ wrong: name, right, query: query.slice(0, at) + escapedField(right) + query.slice(at + name.length) }];
    });
}

function meant(name: string, names: readonly string[]): string | undefined {

    const bare = name.replace(/^\//, '').toLowerCase();
    const last = (each: string): string => each.slice(each.replace(/\/_$/, '').lastIndexOf('/') + 1).replace(/\/_$/, '').toLowerCase();
    const ranked = names.map((each) => ({
        each, rank: each.slice(1).toLowerCase() === bare ? 0 : each.slice(1).toLowerCase().replace(/\/_$/, '') === bare ? 1 : last(each) === bare ? 2 : 3 + distance(bare, last(each))
    }));
    const best = ranked.reduce<{ readonly each: string; readonly rank: number } | null>((found, one) => (found && found.rank <= one.rank ? found : one), null);
    return best && best.rank <= 3 + Math.ceil(bare.length / 4) ? best.each : undefined;
}

/** The words of a query, without fields and signs. */
export function wordsIn(query: string): string {

    return query.replace(/(?<![^\s"():])[^\s"():]+:/g, ' ').replace(/\b(?:AND|OR|NOT|TO)\b/g, ' ').replace(/[+\-!()^[\]"{}~*?\\:|&]/g, ' ').trim().replace(/\s+/g, ' ');
}

/** The place of a syntax error by the message of the service, from 0; null where it names none. */
export function errorPlace(message: string, query: string): number | null {

    const [, position] = /^Query parse failure at character (\d+):/.exec(message) ?? [];
    const at = position === undefined ? null : Number(position) - 1;
    return at !== null && at <= query.length ? at : null;
}
