/**
 * Entity tags of objects, and the preconditions that name them (RFC 9110, section 13): a caller that has read a version of an object can
 * demand that it changes that version and no later one.
 */

import type Joi from 'joi';
import type { StoredObject } from '../model/stored-object.js';
import { preconditionFailed } from '../errors/errors.js';
import { texts } from './attributes.js';
import type { OperationResult } from './operation.js';

/** Attributes of an operation with preconditions. */
export interface Preconditions {
    /** Tags of the versions that may be changed; `*` is any. */
    readonly ifMatch?: readonly string[];
    /** Tags of the versions that must not be changed; `*` is any. */
    readonly ifNoneMatch?: readonly string[];
}

/** Extends the schema of an operation by the attributes of {@link Preconditions}. */
export function withPreconditions<A>(schema: Joi.ObjectSchema<A>): Joi.ObjectSchema<A & Preconditions> {

    return (schema as Joi.ObjectSchema).append({ ifMatch: texts(), ifNoneMatch: texts() }) as Joi.ObjectSchema<A & Preconditions>;
}

/** The tag of a version: its transaction number, as in `metadata.txnId`. */
export function entityTagOf({ metadata }: StoredObject): string {

    return String(metadata.txnId);
}

/** Adds the tag of a version to a new result that depends on nothing else. */
export function tagged(result: OperationResult, entityTag: string | null): OperationResult {

    // Merging both into a new object would take ten times as long.
    return entityTag === null ? result : Object.assign(result, { entityTag });
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
