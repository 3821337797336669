/**
 * Preconditions that name versions of objects by their tags (RFC 9110, section 13): a caller that has read a version of an object can demand
 * that it changes that version and no later one.
 */

import type { StoredObject } from './stored-object.js';
import { preconditionFailed } from '../errors/errors.js';

/** Attributes of an operation with preconditions. */
export interface Preconditions {
    /** Tags of the versions that may be changed; `*` is any. */
    readonly ifMatch?: readonly string[];
    /** Tags of the versions that must not be changed; `*` is any. */
    readonly ifNoneMatch?: readonly string[];
}

/** The tag of a version: its transaction number, as in `metadata.txnId`. */
export function entityTagOf({ metadata }: StoredObject): string {

    return String(metadata.txnId);
}

/** @throws DoipError 409 (412 over HTTP), with a message about `name`, unless the preconditions hold for the current version */
export function demandPreconditions(object: StoredObject, { ifMatch, ifNoneMatch }: Preconditions, name = `object ${object.id}`): void {

    const tag = entityTagOf(object);
    const names = (tags: readonly string[]): boolean => tags.includes('*') || tags.includes(tag);
    if (ifMatch && !names(ifMatch) || ifNoneMatch && names(ifNoneMatch)) {
        throw preconditionFailed(`${name} has another version than the request demands: read it again`);
    }
}

/** @throws DoipError 409 (412 over HTTP), with a message about `name`, when the preconditions demand a version of what does not exist */
export function demandNoVersion(name: string, { ifMatch }: Preconditions): void {

    if (ifMatch) {
        throw preconditionFailed(`${name} does not exist, but the request demands a version of it`);
    }
}
