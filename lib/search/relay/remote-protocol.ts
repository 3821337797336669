/** What a worker process and the search thread send each other: a search, and what was found. */

import type { SentError } from '../../util/workers/worker-server.js';

/**
 * JSON text of a {@link SearchRequest}; up to `first` hits come with the result. The timeout `milliseconds` includes waiting for other searches;
 * `requestedAt` is epoch ms.
 */
export interface SearchCall {
    readonly kind: 'search';
    readonly request: string;
    readonly first: number;
    readonly milliseconds: number;
    readonly requestedAt: number;
    readonly caller: string;
}

/** The first character of an answer: the JSON text of a {@link Found} follows, of a {@link SentError}, or nothing. */
const FOUND = '+';
const ERROR = '-';
const NONE = '';

/** Text of a search: two lines, as the request is JSON text already. */
export function searchText({ request, ...rest }: Omit<SearchCall, 'kind'>): string {

    return `${JSON.stringify(rest)}\n${request}`;
}

/** Reads {@link searchText}. */
export function readSearch(text: string): SearchCall {

    const end = text.indexOf('\n');
    return { kind: 'search', ...JSON.parse(text.slice(0, end)) as Omit<SearchCall, 'kind' | 'request'>, request: text.slice(end + 1) };
}

/** Text of an answer. */
export const answerText = {
    found: (found: string): string => FOUND + found,
    /** An error for the client; any other one is for the primary process. */
    error: (error: SentError): string => (error.status === null ? NONE : ERROR + JSON.stringify({ ...error, stack: undefined })),
    /** Left to the primary process. */
    none: NONE
};

/** Reads an answer. */
export function readAnswer(text: string): { readonly found: string } | { readonly error: SentError } | null {

    return text.startsWith(FOUND) ? { found: text.slice(1) } : text.startsWith(ERROR) ? { error: JSON.parse(text.slice(1)) as SentError } : null;
}
