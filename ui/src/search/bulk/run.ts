/** Changes many objects, each on its own: a few at a time, with a report of those that failed. */

import type { Acl } from '../../../../lib/client/web/index.js';
import { objectPath, repository, RepositoryError, sendJson } from '../../api/client.js';
import { ChangedError, deleteVersion } from '../../api/delete-version.js';
import type { Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { textOf } from '../../state/messages.js';
import type { BulkProgress, Failed } from './outcomes.js';
import { t } from './texts.js';

/** Lists of an access control list that are changed together. */
export type AclList = 'readers' | 'writers';

/** A change of an object. */
export type Change =
    | { readonly kind: 'set'; readonly pointer: string; readonly value: Json }
    | { readonly kind: 'unset'; readonly pointer: string }
    | { readonly kind: 'rights'; readonly acl: Acl }
    | { readonly kind: 'add' | 'remove'; readonly list: AclList; readonly id: string }
    /** Deletes objects in the versions that were found: their tags by their ids. */
    | { readonly kind: 'delete'; readonly versions: ReadonlyMap<string, string> };

/** A change that runs, or is over. */
export interface Run extends BulkProgress {
    readonly state: 'collecting' | 'running' | 'over';
    readonly total: number;
    /** Ids that were found, while they are collected. */
    readonly collected: number;
    readonly isCancelled: boolean;
}

const PARALLEL = 4;
/** Attempts for an access control list that others change at the same time. */
const ATTEMPTS = 4;
const CHANGED_MEANWHILE = 412;
/** Without a login, or without a service, no other object can be changed either. */
const ENDING: ReadonlySet<number> = new Set([0, 401]);

/** Changes one object; false when nothing was to be changed. @throws RepositoryError */
async function changeObject(id: string, change: Change): Promise<boolean> {

    switch (change.kind) {
        case 'set': {
            // Only this property is sent, so that what others change at the same time is kept.
            const text = writeJson(change.value);
            await repository.request({
                method: 'PUT', path: objectPath(id), query: { jsonPointer: change.pointer },
                body: { mediaType: 'application/json', open: () => text, isReplayable: true }
            });
            return true;
        }

        case 'unset': {
            await sendJson('DELETE', objectPath(id), undefined, { query: { jsonPointer: change.pointer } });
            return true;
        }

        case 'rights':
        case 'add':
        case 'remove': {
            return changeAcl(id, change);
        }

        case 'delete': {
            await deleteVersion(id, change.versions.get(id) ?? null, t('changedMeanwhile'));
            return true;
        }
    }
}

/** Changes the list that was read, unless somebody has changed it since: then again. */
async function changeAcl(id: string, change: AclChange): Promise<boolean> {

    for (let attempt = 1; ; ++attempt) {
        const found = await repository.getAcl(id);
        if (!found) {
            throw new RepositoryError('not found', { status: 404 });
        }

        const next = changedAcl(found.acl, change);
        if (next === null) {
            return false;
        }

        try {
            await repository.putAcl(id, next, found.etag === null ? {} : { ifMatch: found.etag });
            return true;
        }
        catch (error) {
            if (!(error instanceof RepositoryError) || error.status !== CHANGED_MEANWHILE || attempt >= ATTEMPTS) {
                throw error;
            }
        }
    }
}

type AclChange = Change & { readonly kind: 'rights' | 'add' | 'remove' };

/** An access control list with an entry more or less, or other readers and writers; null when an entry is so already. What the change does not name stays. */
export function changedAcl(acl: Acl, change: AclChange): Acl | null {

    if (change.kind === 'rights') {
        const { readers: _readers, writers: _writers, ...others } = acl;
        return { ...others, ...change.acl };
    }

    const { kind, list, id } = change;
    const before = acl[list];
    const hasEntry = before?.includes(id) ?? false;
    if (hasEntry === (kind === 'add')) {
        return null;
    }

    return { ...acl, [list]: kind === 'add' ? [...before ?? [], id] : (before ?? []).filter((each) => each !== id) };
}

/**
 * Changes objects; reports after each. When the signal is aborted no further change begins, but those that run are waited for, so that it is known
 * what has become of each object. It also ends early when the caller is nobody any more, or the service is away.
 */
export async function changeAll(ids: readonly string[], change: Change, report: (progress: BulkProgress) => void, signal: AbortSignal): Promise<BulkProgress> {

    let next = 0;
    let isOver = false;
    const found = { changed: [] as string[], unchanged: [] as string[], failed: [] as Failed[], rest: [] as readonly string[] };
    const work = async (): Promise<void> => {

        while (next < ids.length && !signal.aborted && !isOver) {
            const id = ids[next++] ?? '';
            try {
                const isChanged = await changeObject(id, change);
                (isChanged ? found.changed : found.unchanged).push(id);
            }
            catch (error) {
                isOver ||= error instanceof RepositoryError && ENDING.has(error.status);
                found.failed.push({ id, message: textOf(error), isOther: error instanceof ChangedError });
            }

            report({ ...found });
        }
    };

    await Promise.all(Array.from({ length: PARALLEL }, work));
    return { ...found, rest: ids.slice(next) };
}
