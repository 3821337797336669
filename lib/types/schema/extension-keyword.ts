/**
 * The extension keyword as written in a schema: its names and members. `annotations/` implements its effects,
 * `annotations/extension-validation.ts` checks its members.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** Earliest name of the keyword; read for members that the keyword under its present name lacks. */
const LEGACY_KEYWORD = 'net.cnri.repository';

/** The configured keyword is not the one of the repository, so that it would read the annotations of no type. */
export class ExtensionKeywordError extends Error {

    constructor(configured: string, stored: string) {

        super(`the extension keyword of this repository is ${stored}, not ${configured}: set EXTENSION_KEYWORD to ${stored}, ` +
            'as types that are read by another keyword have no passwords, users and references');
        this.name = 'ExtensionKeywordError';
    }
}

/** Returns the names under which the extension keyword is read, the preferred one first. */
export function keywordNames(preferred: string): readonly string[] {

    return preferred === LEGACY_KEYWORD ? [preferred] : [preferred, LEGACY_KEYWORD];
}

/** Returns the merged members of the extension keyword in a schema; undefined if it has none. */
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

/** Returns the member of an annotation at a path; undefined if there is none. */
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
        const existing = Object.hasOwn(merged, name) ? merged[name] : undefined;
        if (existing === undefined) {
            Object.defineProperty(merged, name, { value, enumerable: true, writable: true, configurable: true });
        }
        else if (isJsonObject(existing) && isJsonObject(value)) {
            merged[name] = withMissing(existing, value);
        }
    }

    return merged;
}

/**
 * Returns the text to prepend to a value, as a function of the handle prefix of this service. `prepend` takes precedence over
 * `prependHandleMintingConfigPrefix`.
 */
export function prependOf(member: JsonObject): (prefix: string) => string {

    const text = member['prepend'];
    if (typeof text === 'string') {
        return () => text;
    }

    return member['prependHandleMintingConfigPrefix'] === true ? (prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`) : () => '';
}
