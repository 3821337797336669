/**
 * Entries of the audit log: who did what, as whom, from where, and by which rule. They hold no content and no secrets.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../model/caller.js';
import type { RequestOrigin } from '../model/request-origin.js';
import type { StoredObject } from '../model/stored-object.js';
import type { ObjectChange } from '../model/write-participant.js';
import type { NewAuditRow } from '../stores/audit-store.js';
import type { JsonObject } from '../util/json-types.js';

/**
 * `created`, `changed`, `deleted`: an object was; `performed`: an operation that changes no object, such as a login, was performed; `denied`: a
 * request was; `purged`: old entries were removed.
 */
export type AuditOutcome = 'created' | 'changed' | 'deleted' | 'performed' | 'denied' | 'purged';

export const AUDIT_OUTCOMES: readonly AuditOutcome[] = ['created', 'changed', 'deleted', 'performed', 'denied', 'purged'];

/** What an entry is about, in the order of its members. */
export interface AuditFacts {
    /** Epoch ms. */
    readonly at: number;
    readonly outcome: AuditOutcome;
    readonly objectId?: string | null;
    /** Further members. */
    readonly more?: JsonObject;
    /** The rule that allowed or denied it; null if it is not known. */
    readonly rule?: string | null;
    /** Null if the caller could not be authenticated. */
    readonly caller: Caller | null;
    readonly origin?: RequestOrigin | undefined;
}

/** Maximum length of an id in bytes, as a column can have it, and of one that is cut, in UTF-16 code units. */
const MAX_ID_BYTES = 255;
const CUT_LENGTH = 80;
const MAX_RULE_LENGTH = 500;

/** Returns the row of an entry. */
export function toAuditRow({ at, outcome, objectId = null, more = {}, rule = null, caller, origin }: AuditFacts): NewAuditRow {

    const [user, object] = [caller?.userId ?? null, objectId].map(idOf);
    const { operationId, address, protocol, requestId } = origin ?? {};
    const entry = {
        at, outcome,
        ...operationId === undefined ? {} : { operation: idOf(operationId) },
        ...object === null ? {} : { object },
        ...more,
        user,
        ...caller?.actorId === undefined ? {} : { actor: idOf(caller.actorId) },
        ...caller ? { method: caller.method } : {},
        ...caller?.apiKey ? { apiKey: caller.apiKey.id } : {},
        ...rule === null ? {} : { rule: ruleOf(rule) },
        ...address === undefined ? {} : { address, protocol },
        ...requestId === undefined || requestId === null ? {} : { request: idOf(requestId) }
    };
    return { at, entry: JSON.stringify(entry) };
}

/** Returns an id as the log has it: longer ones, which no object has, are cut. */
export function idOf(id: string | null): string | null {

    return id !== null && Buffer.byteLength(id) > MAX_ID_BYTES ? `${cut(id, CUT_LENGTH)}…` : id?.toWellFormed() ?? null;
}

/** Returns a rule as the log has it. */
export function ruleOf(rule: string): string {

    return rule.length > MAX_RULE_LENGTH ? cut(rule, MAX_RULE_LENGTH) : rule.toWellFormed();
}

/** Copies the beginning of a text: a slice would hold all of it in memory. */
function cut(text: string, length: number): string {

    return Buffer.from(text.slice(0, length)).toString();
}

/** Returns what a change of an object was: its outcome, its id, and which parts were replaced. */
export function changeFacts({ before, after, caller, now }: ObjectChange, rule: string): AuditFacts {

    const { origin } = caller;
    if (!after) {
        const { id = null, type = '', metadata } = before ?? {};
        return { at: now, outcome: 'deleted', objectId: id, more: { type, formerTxnId: metadata?.txnId ?? null }, rule, caller, origin };
    }

    const { id, type, metadata: { txnId, versionOf } } = after;
    const more = {
        type, txnId,
        ...before ? { formerTxnId: before.metadata.txnId, parts: replacedParts(before, after) } : {},
        ...!before && versionOf !== undefined ? { versionOf } : {}
    };
    return { at: now, outcome: before ? 'changed' : 'created', objectId: id, more, rule, caller, origin };
}

function replacedParts(before: StoredObject, after: StoredObject): string[] {

    return [
        ...before.type === after.type ? [] : ['type'],
        ...before.content === after.content ? [] : ['content'],
        ...isDeepStrictEqual(before.acl, after.acl) ? [] : ['acl'],
        ...isDeepStrictEqual(before.userMetadata, after.userMetadata) ? [] : ['userMetadata'],
        ...isDeepStrictEqual(before.elements, after.elements) ? [] : ['payloads']
    ];
}
