/**
 * The state of a search, which is in the address: `#objects/?query=…&sort=…&page=…&size=…&filter=…&view=…`. Names that Cordra's user interface
 * uses are read as well.
 */

/** Values of `view`. */
export type View = 'table' | 'cards';

/** What is searched for, and how it is shown. */
export interface SearchState {
    readonly query: string;
    /** As the service reads it, such as `/year DESC,/name`; empty for the order by relevance. */
    readonly sort: string;
    /** From 1. */
    readonly page: number;
    readonly size: number;
    /** Queries that results must match as well. Those for values of the same field are alternatives. */
    readonly filters: readonly string[];
    /** Null: as fits the width of the window. */
    readonly view: View | null;
}

export const SIZES = [20, 50, 100, 200] as const;

const DEFAULT_SIZE = 20;

/** The query that matches all objects. */
export const ALL = '*:*';

/** Reads the state from the parameters of an address. */
export function readState(params: URLSearchParams): SearchState {

    const pageNum = wholeNumber(params.get('pageNum'), 0, Number.MAX_SAFE_INTEGER);
    const view = params.get('view');
    return {
        query: (params.get('query') ?? '').trim(),
        sort: params.get('sort') ?? params.get('sortFields') ?? '',
        page: wholeNumber(params.get('page'), 1, Number.MAX_SAFE_INTEGER) ?? (pageNum === null ? 1 : pageNum + 1),
        size: wholeNumber(params.get('size') ?? params.get('pageSize'), 1, SIZES.at(-1) ?? DEFAULT_SIZE) ?? DEFAULT_SIZE,
        filters: [...new Set([...params.getAll('filter'), ...listIn(params.get('filterQueries'))].map(filterOf).filter((each) => each !== ''))],
        view: view === 'table' || view === 'cards' ? view : null
    };
}

/** What the design says about the search without a query, in the words of Cordra. */
export interface InitialSearch {
    readonly initialQuery?: string;
    readonly initialSortFields?: string;
    /** The name of a type, a query, or several of them. */
    readonly initialFilter?: string | readonly string[];
}

/** The order that the service has where the design names none. */
const USUAL_SORT = '/name';

/** The parameters of the first search; null where the design asks for no other than all objects by relevance. */
export function initialSearch({ initialQuery, initialSortFields, initialFilter }: InitialSearch): Record<string, string | readonly string[]> | null {

    const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
    const query = text(initialQuery) === '' ? ALL : text(initialQuery);
    const sort = text(initialSortFields);
    const filter = [initialFilter].flat().map(text).filter((each) => each !== '');
    return query === ALL && filter.length === 0 && (sort === '' || sort === USUAL_SORT) ? null : { query, filter, sort };
}

/** The parameters of an address for a state; what is the default is left out. */
export function paramsOf({ query, sort, page, size, filters, view }: SearchState): Record<string, string | number | readonly string[] | undefined> {

    return {
        query: query === '' ? undefined : query, filter: filters, sort: sort === '' ? undefined : sort, size: size === DEFAULT_SIZE ? undefined : size,
        page: page === 1 ? undefined : page, view: view ?? undefined
    };
}

function wholeNumber(text: string | null, min: number, max: number): number | null {

    const number = Number(text === null || text.trim() === '' ? NaN : text);
    return Number.isSafeInteger(number) && number >= min ? Math.min(number, max) : null;
}

/** A filter of Cordra is the name of a type. */
function filterOf(text: string): string {

    return /^[\w.-]+$/.test(text) ? `type:"${text}"` : text.trim();
}

/** The texts of a JSON array. */
function listIn(text: string | null): readonly string[] {

    try {
        const value: unknown = JSON.parse(text ?? '[]');
        return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    }
    catch {
        return [];
    }
}

/** A filter for a value of a field, as facets return it. */
export interface ValueFilter {
    readonly field: string;
    readonly value: string;
}

/** Reads a filter such as `facet_/genre:"novel"` or `type:"Book"`; null for any other query. */
export function valueIn(filter: string): ValueFilter | null {

    const at = filter.indexOf(':"');
    const inner = filter.slice(at + 2, -1);
    if (at <= 0 || !filter.endsWith('"') || !/^(?:[^"\\]|\\[^])*$/.test(inner)) {
        return null;
    }

    const field = filter.slice(0, at);
    return field.startsWith('facet_') ? { field: field.slice('facet_'.length), value: unescaped(inner) } :
        field === 'type' ? { field, value: unescaped(inner) } : null;
}

/** A filter for a range of a field. */
export interface RangeFilter {
    readonly field: string;
    /** Null for an open end. */
    readonly from: string | null;
    readonly to: string | null;
    /** True when the range ends before `to`. */
    readonly isBefore: boolean;
}

/** Reads a filter such as `/year:[1890 TO 1900]`; null for any other query. */
export function rangeIn(filter: string): RangeFilter | null {

    const [, field, from, to, close] = /^([^\s"([{]+?):\[(\S+) TO (\S+)([\]}])$/.exec(filter) ?? [];
    const bound = (text = ''): string | null => (text === '*' ? null : text.replace(/^"|"$/g, ''));
    return field === undefined ? null : { field: unescaped(field), from: bound(from), to: bound(to), isBefore: close === '}' };
}

/** Writes a filter for a range; null where both ends are open. */
export function rangeFilter({ field, from, to, isBefore }: RangeFilter): string | null {

    return from === null && to === null ? null : `${escapedField(field)}:[${from ?? '*'} TO ${to ?? '*'}${isBefore && to !== null ? '}' : ']'}`;
}

/** The queries for a request: filters for values of the same field are alternatives of each other. `except` leaves out a field. */
export function filterQueriesOf(filters: readonly string[], except: string | null = null): string[] {

    const groups = new Map<string, string[]>();
    filters.forEach((filter) => {

        const field = valueIn(filter)?.field;
        if (field === undefined || field !== except) {
            const group = field === undefined ? filter : `=${field}`;
            groups.set(group, [...groups.get(group) ?? [], filter]);
        }
    });
    return [...groups.values()].map((each) => each.join(' OR '));
}

/** A name of a field as queries write it. */
export function escapedField(field: string): string {

    return field.replace(/[\s+\-!():^[\]"{}~*?\\&|]/g, (letter, at: number) => (letter === '-' && at > 0 || letter === '~' && /^[01]/.test(field.slice(at + 1)) ? letter : `\\${letter}`));
}

/** A text in quotes, as queries write it. */
export function quoted(text: string): string {

    return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function unescaped(text: string): string {

    return text.replace(/\\([^])/g, '$1');
}

/** The type to which a search is limited; null for none, or several. */
export function typeOf({ query, filters }: Pick<SearchState, 'query' | 'filters'>): string | null {

    const types = filters.map(valueIn).flatMap((each) => (each?.field === 'type' ? [each.value] : []));
    if (types.length > 0) {
        return types.length === 1 ? types[0] ?? null : null;
    }

    const all = [...query.matchAll(/(?:^|[\s(+])type:(?:"([^"\\]+)"|([\w.-]+))(?=[\s)]|$)/g)].map(([, inQuotes, plain]) => inQuotes ?? plain ?? '');
    return new Set(all).size === 1 && !/\b(?:OR|NOT)\b|\|\||(?:^|[\s(])!/.test(query) ? all[0] ?? null : null;
}

/** A field of the order, and its direction. */
export interface Sort {
    readonly field: string;
    readonly isDescending: boolean;
}

/** Reads the first field of an order; an empty name is relevance. */
export function sortIn(sort: string): Sort {

    try {
        const [first] = JSON.parse(sort) as readonly { readonly name?: unknown; readonly reverse?: unknown }[];
        return { field: typeof first?.name === 'string' ? first.name : '', isDescending: first?.reverse === true };
    }
    catch {
        const [first = ''] = sort.split(',');
        const [field = '', direction = ''] = first.trim().split(/\s+/);
        return { field, isDescending: /^desc/i.test(direction) };
    }
}

export function sortText({ field, isDescending }: Sort): string {

    return field === '' || !isDescending ? field : `${field} DESC`;
}
