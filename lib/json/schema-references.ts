/** References of JSON schemas (`$ref`) within their document, for schemas that become part of another one. */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { childPointer, getAt } from './pointer.js';

/** The references of a schema to parts of itself. */
export class LocalReferences {

    readonly #root: JsonObject;
    #anchors: ReadonlyMap<string, string> | undefined;

    constructor(root: JsonObject) {

        this.#root = root;
    }

    /** Returns the pointer of the part to which a reference such as `#`, `#/$defs/name` or `#anchor` leads; null if it leads nowhere. */
    pointerOf(reference: string): string | null {

        const fragment = decoded(reference.slice(1));
        if (fragment === '' || fragment.startsWith('/')) {
            return partAt(this.#root, fragment) === undefined ? null : fragment;
        }

        this.#anchors ??= anchorsOf(this.#root);
        return this.#anchors.get(fragment) ?? null;
    }
}

/** Returns other text in place of that of a keyword; null for none. */
export type Replace = (text: string) => string | null;

/**
 * Returns a schema with other references. Where there is none any more, anything is allowed.
 *
 * @param more what becomes of other keywords that have a text
 */
export function mapReferences(schema: JsonObject, replace: Replace, more: Readonly<Record<string, Replace>> = {}): JsonObject {

    return mapKeywords(schema, new Map(Object.entries({ ...more, $ref: replace })));
}

function mapKeywords(schema: JsonObject, replacements: ReadonlyMap<string, Replace>): JsonObject {

    const map = (value: JsonValue): JsonValue =>
        (Array.isArray(value) ? value.map(map) : isJsonObject(value) ? mapKeywords(value, replacements) : value);
    return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => {

        const replace = typeof value === 'string' ? replacements.get(keyword) : undefined;
        const replaced = replace && typeof value === 'string' ? replace(value) : map(value);
        return replaced === null && replace ? [] : [[keyword, replaced]];
    }));
}

/** Returns the references of a schema, as they are written. */
export function referencesOf(schema: JsonObject): ReadonlySet<string> {

    const found = new Set<string>();
    mapReferences(schema, (reference) => {

        found.add(reference);
        return reference;
    });
    return found;
}

function partAt(root: JsonObject, pointer: string): JsonValue | undefined {

    try {
        return getAt(root, pointer);
    }
    catch {
        return undefined;
    }
}

function anchorsOf(root: JsonObject): ReadonlyMap<string, string> {

    const anchors = new Map<string, string>();
    const visit = (value: JsonValue, pointer: string): void => {

        if (typeof value !== 'object' || value === null) {
            return;
        }

        const anchor = isJsonObject(value) ? value['$anchor'] : undefined;
        if (typeof anchor === 'string') {
            anchors.set(anchor, pointer);
        }

        Object.entries(value).forEach(([name, child]) => visit(child, childPointer(pointer, name)));
    };

    visit(root, '');
    return anchors;
}

function decoded(fragment: string): string {

    try {
        return decodeURIComponent(fragment);
    }
    catch {
        return fragment;
    }
}
