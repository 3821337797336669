/**
 * Who may read what, as the naive search understands it: the rules of access, read entry by entry.
 */

import type { IndexDocument } from '../../lib/search/mapping/index-document.js';
import type { SearchAccess, TypeAccess } from '../../lib/search/query/search-access.js';

/** Who may read an object finds it, unless its type says otherwise. */
export function mayFind(document: IndexDocument, access: SearchAccess): boolean {

    const { search } = typeAccess(document, access);
    return mayRead(document, access) && (access.all || search === null || search.caller || search.writers && mayWrite(document, access) ||
        search.creator && document.metadata.createdBy === access.userId || search.self && document.id === access.userId);
}

function mayRead(document: IndexDocument, access: SearchAccess): boolean {

    return access.all || mayWrite(document, access) || isListed(document, access, document.rights?.readers, 'read');
}

function mayWrite(document: IndexDocument, access: SearchAccess): boolean {

    return isListed(document, access, document.rights?.writers, 'write');
}

export function mayReadPayloads(document: IndexDocument, access: SearchAccess): boolean {

    const { payload } = typeAccess(document, access);
    return access.all || mayWrite(document, access) ||
        (document.rights?.payloadReaders || payload ? isListed(document, access, document.rights?.payloadReaders, 'payload') : mayRead(document, access));
}

function typeAccess({ type }: IndexDocument, { types, defaults }: SearchAccess): TypeAccess {

    return types.find(([name]) => name === type)?.[1] ?? defaults;
}

function isListed(document: IndexDocument, access: SearchAccess, list: readonly string[] | undefined, kind: 'read' | 'write' | 'payload'): boolean {

    const isCreator = document.metadata.createdBy === access.userId;
    const isSelf = document.id === access.userId;
    if (list) {
        return list.some((entry) => access.entries.includes(entry) || entry === 'creator' && isCreator || entry === 'self' && isSelf);
    }

    const admission = typeAccess(document, access)[kind];
    return admission !== null && (admission.caller || admission.creator && isCreator || admission.self && isSelf);
}
