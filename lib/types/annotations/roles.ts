/**
 * Values with a role: those for authentication and groups (`auth`), those stored as hashes only (`secureProperty`), and the
 * directory name of an object whose elements are script modules (`referrable`).
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { AccountAnnotations, AnnotatedValue } from '../../model/account-annotations.js';
import { memberOf, prependOf } from '../schema/extension-keyword.js';
import type { Annotation } from '../../model/processed-content.js';

/** Values of `auth`. */
const AUTH_ROLES: readonly string[] = [
    'username', 'password', 'requirePasswordChange', 'accountActive', 'publicKey', 'usersList'
];

/** Returns the role of a value for authentication or groups; undefined if it has none. */
export function authRoleOf(keyword: JsonObject): string | undefined {

    const auth = memberOf(keyword, 'auth');
    const role = isJsonObject(auth) ? auth['type'] : auth;
    return typeof role === 'string' && AUTH_ROLES.includes(role) ? role : undefined;
}

/** True for a property of which only a hash is stored. */
export function isSecure(keyword: JsonObject): boolean {

    return memberOf(keyword, 'secureProperty') === true;
}

/** Returns the roles among annotations. Of several values with one role the first counts; of several member lists, the last. */
export function findRoles(annotations: readonly Annotation[], prefix: string): AccountAnnotations {

    const annotated: Record<string, AnnotatedValue> = {};
    const secure: AnnotatedValue[] = [];
    let members: readonly string[] | undefined;
    for (const { pointer, keyword, value } of annotations) {
        const role = authRoleOf(keyword);
        if (role === 'usersList') {
            const auth = memberOf(keyword, 'auth');
            members = membersIn(value, isJsonObject(auth) ? auth : {}, prefix);
        }
        else if (role !== undefined && value !== null) {
            annotated[role] ??= { pointer, value };
        }

        if (isSecure(keyword) && value !== null) {
            secure.push({ pointer, value });
        }
    }

    return { ...annotated, ...(members ? { members } : {}), secure };
}

/** Returns the name of the directory for the elements of an object that holds script modules; undefined if it holds none. */
export function findModuleDirectory(annotations: readonly Annotation[]): string | undefined {

    const directories = annotations.filter(({ keyword }) => {

        const payloads = memberOf(keyword, 'referrable', 'payloads');
        return memberOf(keyword, 'referrable', 'id') === true && (payloads === 'scripts' || payloads === 'script');
    });
    return directories.map(({ value }) => value).find((value) => typeof value === 'string');
}

function membersIn(value: JsonValue, rule: JsonObject, prefix: string): string[] {

    const prepend = prependOf(rule)(prefix);
    const ids = Array.isArray(value) ? value : [];
    return ids.filter((id) => typeof id === 'string').map((id) => prepend + id);
}
