/**
 * What the identity services want to know of an object's content: the values that its schema marks for them (`auth` and
 * `secureProperty` of the extension keyword). Whoever validates content finds them; nothing here knows schemas.
 */

import type { JsonValue } from '../util/json-types.js';

/** A marked value. */
export interface AnnotatedValue {
    /** JSON pointer into the content. */
    readonly pointer: string;
    readonly value: JsonValue;
}

/** The marked values of one content. A role that no property has, or only an absent one, is absent. */
export interface AccountAnnotations {
    readonly username?: AnnotatedValue;
    readonly password?: AnnotatedValue;
    readonly requirePasswordChange?: AnnotatedValue;
    readonly accountActive?: AnnotatedValue;
    readonly publicKey?: AnnotatedValue;
    /** Ids of the members of a group, with their prefixes; absent when the object is no group. */
    readonly members?: readonly string[];
    /** True where the type has properties for logging in or for groups, whether or not this content has values for them. */
    readonly isOfPrincipalType?: boolean;
    /** Values of secure properties. */
    readonly secure: readonly AnnotatedValue[];
}

/** Content in which nothing is marked. */
export const NO_ROLES: AccountAnnotations = { secure: [] };

/** True when content describes a user: somebody who may log in. */
export function isAccount({ username, password, requirePasswordChange, accountActive, publicKey }: AccountAnnotations): boolean {

    return [username, password, requirePasswordChange, accountActive, publicKey].some((marked) => marked !== undefined);
}

/** True when content describes a user or a group, or may do so after its next change. */
export function isPrincipalContent(roles: AccountAnnotations): boolean {

    return roles.isOfPrincipalType === true || roles.members !== undefined || isAccount(roles);
}
