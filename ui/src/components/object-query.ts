/** Queries for objects by the beginnings of words. */

/** What a search is limited to. */
export interface ObjectFilter {
    readonly types?: readonly string[];
    readonly excludeTypes?: readonly string[];
    /** Beginning of the ids. */
    readonly prefix?: string;
}

/** Words of a text that a query has; more do not make it more precise. */
const MAX_WORDS = 8;

/** The query for objects that have a word for each word of a text, or its id. Without a text it matches all objects. */
export function objectQuery(text: string, { types = [], excludeTypes = [], prefix = '' }: ObjectFilter = {}): string {

    const words = text.match(/[\p{L}\p{N}]+/gu)?.slice(0, MAX_WORDS) ?? [];
    const byWords = words.map((word) => `+${word.toLowerCase()}*`).join(' ');
    const byText = words.length === 0 ? '*:*' : `(${byWords}) id:${quoted(text)}`;
    const ofTypes = types.length === 0 ? '' : ` +(${types.map((type) => `type:${quoted(type)}`).join(' ')})`;
    const notOfTypes = excludeTypes.map((type) => ` -type:${quoted(type)}`).join('');
    const withPrefix = prefix === '' ? '' : ` +id:${prefix.replace(/[^\p{L}\p{N}/._]/gu, '\\$&')}*`;
    return `+(${byText})${ofTypes}${notOfTypes}${withPrefix}`;
}

/** A text as a word of a query. */
export function quoted(text: string): string {

    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
