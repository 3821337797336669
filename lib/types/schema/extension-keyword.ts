/**
 * The extension keyword as it stands in a schema: which members it has. What they do is in the files that carry the
 * names of the effects, whether they make sense in `extension-validation.ts`.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** The keyword in its first years; read where the keyword of today lacks a member. */
const LEGACY_KEYWORD = 'net.cnri.repository';

/** The names under which the extension keyword is read, the preferred one first. */
export function keywordNames(preferred: string): readonly string[] {

    return preferred === LEGACY_KEYWORD ? [preferred] : [preferred, LEGACY_KEYWORD];
}

/** The members of the extension keyword in a schema; undefined when it has none. */
export function mergedKeyword(schema: JsonObject, names: readonly string[]): JsonObject | undefined {

    let merged: JsonObject | undefined;
    for (const name of names) {
        const members = Object.hasOwn(schema, name) ? schema[name] : undefined;
        if (isJsonObject(members)) {
            merged = merged ? withMissing(merged, members) : members;
        }
    }

    return merged;
}

/** A member of an annotation by its path; undefined when it is not there. */
export function memberOf(keyword: JsonObject, ...path: readonly string[]): JsonValue | undefined {

    let value: JsonValue | undefined = keyword;
    for (const name of path) {
        value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }

    return value;
}

function withMissing(target: JsonObject, source: JsonObject): JsonObject {

    const merged = { ...target };
    for (const [name, value] of Object.entries(source)) {
        const own = Object.hasOwn(merged, name) ? merged[name] : undefined;
        if (own === undefined) {
            Object.defineProperty(merged, name, { value, enumerable: true, writable: true, configurable: true });
        }
        else if (isJsonObject(own) && isJsonObject(value)) {
            merged[name] = withMissing(own, value);
        }
    }

    return merged;
}

/** What goes before a value, given the prefix of this service. The text wins over the flag. */
export function prependOf(member: JsonObject): (prefix: string) => string {

    const text = member['prepend'];
    if (typeof text === 'string') {
        return () => text;
    }

    return member['prependHandleMintingConfigPrefix'] === true ? (prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`) : () => '';
}
