/** On which version somebody goes on with a draft: what others have saved since it was kept is not overwritten unseen. */

import { isSameVersion } from '../api/entity-tag.js';
import { isEqual, type Json } from '../json/exact-number.js';
import type { Draft } from '../state/drafts.js';
import { parsedOrNull } from './draft-slots.js';

/** What is edited, on which version it is based. */
export interface Base {
    readonly content: Json;
    readonly etag: string | null;
    /** True if the content is what type code shows instead of the stored one. */
    readonly isResolved: boolean;
    /** True if the content is not the one of this version, which is not known: that of an old draft. */
    readonly isUnknown?: boolean;
    /** The newest version that the page knows, if the base is an older one. */
    readonly newest?: string | null;
}

/** The version whose difference from a draft its user knows: the one on which it is based, or a later one that was shown beside it. */
export function knownVersion({ etag, seen }: Pick<Draft, 'etag' | 'seen'>): string | null {

    return seen ?? etag;
}

/** The base of a draft that is restored; the present one itself where nothing of others would be lost by that. */
export function restoredBase(draft: Draft, present: Base): Base {

    const version = knownVersion(draft);
    if (version === null || isSameVersion(version, present.etag)) {
        return present;
    }

    const before = draft.basis === undefined ? null : parsedOrNull(draft.basis);
    if (before && present.isUnknown !== true && isEqual(before.value, present.content)) {
        return present;
    }

    const base = { etag: version, isResolved: present.isResolved, newest: newestOf(present) };
    return before ? { ...base, content: before.value } : { ...base, content: present.content, isUnknown: true };
}

/** The newest version that the page knows. */
export function newestOf({ etag, newest = etag }: Base): string | null {

    return newest;
}

/** What changes are merged over; undefined where nobody knows it, so that nothing is merged. */
export function mergeBase({ content, isUnknown = false }: Base): Json | undefined {

    return isUnknown ? undefined : content;
}
