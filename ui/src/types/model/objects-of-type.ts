/** The objects of a type: how many there are, and whether they would fit another schema. */

import { repository, requestJson } from '../../api/client.js';
import type { Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';

/** A query for the objects of a type. */
export function queryOfType(type: string): string {

    return `type:"${type.replace(/["\\]/g, '\\$&')}"`;
}

/** The number of objects of a type that the caller may find. @throws RepositoryError */
export async function countObjects(type: string, signal?: AbortSignal): Promise<number> {

    const { size } = await repository.searchPage(queryOfType(type), { pageSize: 0, ...signal ? { signal } : {} });
    return size;
}

/** An object that does not fit. */
export interface Misfit {
    readonly id: string;
    readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

/** What is known after a step of a check. */
export interface FitProgress {
    readonly total: number;
    readonly checked: number;
    readonly invalid: number;
    readonly samples: readonly Misfit[];
}

interface Page extends FitProgress {
    readonly next?: string;
}

/** Misfits that are listed. */
export const MAX_MISFITS = 100;

/** Checks all objects of a type against a schema, in steps. @throws RepositoryError, with status 404 where the service cannot do it */
export async function *checkObjects(type: string, schema: Json, signal: AbortSignal): AsyncGenerator<FitProgress, void, undefined> {

    const text = writeJson(schema);
    let progress: FitProgress = { total: 0, checked: 0, invalid: 0, samples: [] };
    let after: string | undefined;
    do {
        const page: Page = await requestJson<Page>({
            method: 'POST', path: '/schemaCheck', query: { type, after }, isRead: true, signal,
            body: { mediaType: 'application/json', open: () => text, isReplayable: true }
        });
        progress = {
            total: Math.max(page.total, progress.total), checked: progress.checked + page.checked, invalid: progress.invalid + page.invalid,
            samples: [...progress.samples, ...page.samples].slice(0, MAX_MISFITS)
        };
        yield progress;
        after = page.next;
    } while (after !== undefined);
}
