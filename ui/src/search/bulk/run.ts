/** Changes many objects, each on its own: a few at a time, with a report of those that failed. */

import type { Acl } from '../../../lib/client/web/index.js';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { objectPath, repository, RepositoryError, sendJson } from '../api/client.js';
import { textOf } from '../state/messages.js';

/** Lists of an access control list that are changed together. */
export type AclList = 'readers' | 'writers';

/** A change of an object. */
export type Change =
    | { readonly kind: 'set'; readonly pointer: string; readonly value: JsonValue }
    | { readonly kind: 'unset'; readonly pointer: string }
    | { readonly kind: 'rights'; readonly acl: Acl }
    | { readonly kind: 'add' | 'remove'; readonly list: AclList; readonly id: string }
    | { readonly kind: 'delete' };

/** A failure of one object. */
export interface Failed {
    readonly id: string;
    readonly message: string;
}

/** What has become of a change so far. */
export interface BulkProgress {
    readonly done: number;
    readonly unchanged: number;
    readonly failed: readonly Failed[];
}

const PARALLEL = 4;
/** Attempts for an access control list that others change at the same time. */
const ATTEMPTS = 4;
const CHANGED_MEANWHILE = 412;
const UNAUTHENTICATED = 401;

/** Changes one object; false when nothing was to be changed. @throws RepositoryError */
async function changeObject(id: string, change: Change, signal: AbortSignal): Promise<boolean> {

    switch (change.kind) {
        case 'set': {
            // Only this property is sent, so that what others change at the same time is kept.
            await sendJson('PUT', objectPath(id), change.value, { query: { jsonPointer: change.pointer }, signal });
            return true;
        }

        case 'unset': {
            await sendJson('DELETE', objectPath(id), undefined, { query: { jsonPointer: change.pointer }, signal });
            return true;
        }

        case 'rights': {
            await repository.putAcl(id, change.acl, { signal });
            return true;
        }

        case 'add':
        case 'remove': {
            return changeAcl(id, change, signal);
        }

        case 'delete': {
            await repository.delete(id, { signal });
            return true;
        }
    }
}

/** Adds or removes an entry of the list that was read, unless somebody has changed it since: then again. */
async function changeAcl(id: string, change: Change & { readonly kind: 'add' | 'remove' }, signal: AbortSignal): Promise<boolean> {

    for (let attempt = 1; ; ++attempt) {
        const found = await repository.getAcl(id, { signal });
        if (!found) {
            throw new RepositoryError('not found', { status: 404 });
        }

        const next = changedAcl(found.acl, change);
        if (next === null) {
            return false;
        }

        try {
            await repository.putAcl(id, next, { signal, ...found.etag === null ? {} : { ifMatch: found.etag } });
            return true;
        }
        catch (error) {
            if (!(error instanceof RepositoryError) || error.status !== CHANGED_MEANWHILE || attempt >= ATTEMPTS) {
                throw error;
            }
        }
    }
}

/** An access control list with an entry more or less; null when it is so already. */
export function changedAcl(acl: Acl, { kind, list, id }: Change & { readonly kind: 'add' | 'remove' }): Acl | null {

    const before = acl[list];
    const hasEntry = before?.includes(id) ?? false;
    if (hasEntry === (kind === 'add')) {
        return null;
    }

    return { ...acl, [list]: kind === 'add' ? [...before ?? [], id] : (before ?? []).filter((each) => each !== id) };
}

/** Changes objects; reports after each. Ends early when the signal is aborted, or when the caller is nobody any more. */
export async function changeAll(ids: readonly string[], change: Change, report: (progress: BulkProgress) => void, signal: AbortSignal): Promise<BulkProgress> {

    let next = 0;
    let progress: BulkProgress = { done: 0, unchanged: 0, failed: [] };
    let isOver = false;
    const work = async (): Promise<void> => {

        while (next < ids.length && !signal.aborted && !isOver) {
            const id = ids[next++] ?? '';
            try {
                const isChanged = await changeObject(id, change, signal);
                progress = { ...progress, done: progress.done + 1, unchanged: progress.unchanged + (isChanged ? 0 : 1) };
            }
            catch (error) {
                if (signal.aborted) {
                    return;
                }

                isOver ||= error instanceof RepositoryError && error.status === UNAUTHENTICATED;
                progress = { ...progress, done: progress.done + 1, failed: [...progress.failed, { id, message: textOf(error) }] };
            }

            report(progress);
        }
    };

    await Promise.all(Array.from({ length: PARALLEL }, work));
    return progress;
}
