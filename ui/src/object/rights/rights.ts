/** Effective rights, and what the access control list of an object makes of them. */

import type { Acl } from '../../../../lib/client/web/index.js';
import { getJson, objectPath } from '../../api/client.js';
import { defineTexts } from '../../i18n/index.js';

const t = defineTexts({
    en: { object: 'by this object', type: 'by the rules of {type}', default: 'by default' },
    de: { object: 'durch dieses Objekt', type: 'durch die Regeln von {type}', default: 'als Vorgabe' },
    fr: { object: 'par cet objet', type: 'par les règles de {type}', default: 'par défaut' }
});

/** Who has a right, and what says so. */
export interface Rule {
    readonly entries: readonly string[];
    readonly source: 'object' | 'type' | 'default';
    /** Set where the list is that of another right. */
    readonly sameAs?: 'read';
    /** True where the caller may see only the words of the list. */
    readonly isPartial?: boolean;
}

/** Whether somebody has a right. */
export interface Check {
    readonly allowed: boolean;
    /** The entry that gives it. */
    readonly by?: string;
}

export type RightName = 'read' | 'readPayloads' | 'write';

/** A right, or that to call one method. */
export type Subject = RightName | { readonly method: string };

/** The response of `/rights/<id>`. */
export interface Rights {
    readonly id: string;
    readonly type: string;
    readonly rights: Readonly<Record<RightName, Rule>>;
    /** Methods with a list of their own. */
    readonly methods?: Readonly<Record<string, Rule>>;
    /** The list for all other methods. */
    readonly otherMethods?: Rule;
    readonly labels?: Readonly<Record<string, { readonly label: string; readonly type?: string }>>;
    readonly check?: Readonly<Record<RightName, Check>> & {
        readonly methods?: Readonly<Record<string, Check>>;
        readonly userId: string | null; readonly username?: string | null; readonly groupIds?: readonly string[]; readonly isActive?: boolean;
    };
}

/** Members of the access control list by the rights they give. */
export const ACL_MEMBERS = { read: 'readers', readPayloads: 'payloadReaders', write: 'writers' } as const satisfies Readonly<Record<RightName, keyof Acl>>;

/** Words instead of ids. */
export const ENTRY_WORDS = ['public', 'authenticated', 'creator', 'self'] as const;

/** The same in the list of a method, which may follow the other rights. */
export const METHOD_WORDS = [...ENTRY_WORDS, 'readers', 'writers'] as const;

/** Reads the rights of an object, and with a user what that one may do. @throws RepositoryError */
export async function readRights(id: string, signal?: AbortSignal, user?: string): Promise<Rights> {

    return getJson<Rights>(objectPath(id, '/rights'), user === undefined ? {} : { user }, signal);
}

/** What gives a right, as a text. */
export function sourceText(source: Rule['source'], type: string): string {

    return t(source, { type });
}

/** True where everybody has the right. */
export function isRightsPublic({ entries }: Rule): boolean {

    return entries.includes('public');
}

/** The list with other entries for a right; null removes them, so that the rules of the type are in force. */
export function changedAcl(acl: Acl | undefined, right: Subject, entries: readonly string[] | null): Acl {

    if (typeof right === 'object') {
        const { methods = {}, ...others } = acl ?? {};
        const kept = Object.entries(methods).filter(([name]) => name !== right.method);
        // Not by assignment: the name may be `__proto__`.
        const lists = [...kept, ...entries === null ? [] : [[right.method, entries] as const]];
        return lists.length === 0 ? others : { ...others, methods: Object.fromEntries(lists) };
    }

    const { [ACL_MEMBERS[right]]: _, ...rest } = acl ?? {};
    return entries === null ? rest : { ...rest, [ACL_MEMBERS[right]]: entries };
}
