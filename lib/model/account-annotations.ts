/**
 * Annotated values of content for identity: the values that its schema marks by `auth` and `secureProperty` of the extension
 * keyword. They are collected during validation; this module knows no schemas.
 */

import type { JsonValue } from '../util/json-types.js';

/** An annotated value. */
export interface AnnotatedValue {
    /** JSON pointer into the content. */
    readonly pointer: string;
    readonly value: JsonValue;
}

/** The annotated values of one content. A role without a value is absent. */
export interface AccountAnnotations {
    readonly username?: AnnotatedValue;
    readonly password?: AnnotatedValue;
    readonly requirePasswordChange?: AnnotatedValue;
    readonly accountActive?: AnnotatedValue;
    readonly publicKey?: AnnotatedValue;
    /** Ids of the members of a group, including prefixes; absent if the object is not a group. */
    readonly members?: readonly string[];
    /** True if the type has properties for authentication or groups, whether or not this content has values for them. */
    readonly isOfPrincipalType?: boolean;
    /** True if the type has secure properties, whether or not this content has values for them. */
    readonly mayHaveSecrets?: boolean;
    /** Values of secure properties. */
    readonly secure: readonly AnnotatedValue[];
}

/** Content without annotated values. */
export const NO_ROLES: AccountAnnotations = { secure: [] };

/** True if content describes a user, who may log in. */
export function isAccount({ username, password, requirePasswordChange, accountActive, publicKey }: AccountAnnotations): boolean {

    return [username, password, requirePasswordChange, accountActive, publicKey].some((annotation) => annotation !== undefined);
}

/** True if content describes a user or a group, or may do so after its next change. */
export function isPrincipalContent(roles: AccountAnnotations): boolean {

    return roles.isOfPrincipalType === true || roles.members !== undefined || isAccount(roles);
}
