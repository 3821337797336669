/**
 * The types of one moment by name, by the id of their Schema object, and by the URIs of their schemas. Immutable: a change makes another
 * index at a cost that hardly depends on the number of types.
 */

import { isJsonObject } from '../util/json-types.js';
import { PersistentMap } from '../util/persistent-map.js';
import { idOf } from './schema/document.js';
import { draftOf } from './schema/vocabulary.js';
import { resolveUri, typeUri } from './schema/uri.js';
import type { TypeEntry } from './type-entry.js';

/** A Schema object and the type that it defines now; null for none. */
export type TypeChange = readonly [schemaId: string, entry: TypeEntry | null];

type EntryChanges = Map<string, TypeEntry | undefined>;

interface Maps {
    readonly byName: PersistentMap<string, TypeEntry>;
    readonly bySchema: PersistentMap<string, TypeEntry>;
    readonly byUri: PersistentMap<string, TypeEntry>;
    /** Types with code of their own. */
    readonly coded: PersistentMap<string, TypeEntry>;
    /** True if every name and URI belongs to one type. */
    readonly isUnique: boolean;
    /** True if the types are in the order of the ids of their Schema objects. */
    readonly isOrdered: boolean;
}

/** Types by name, id and URI. */
export class TypeIndex {

    readonly #maps: Maps;
    #ordered: readonly TypeEntry[] | undefined;

    private constructor(maps: Maps) {

        this.#maps = maps;
    }

    /** Makes an index; of several types with the same name or URI the first one counts. */
    static of(entries: readonly TypeEntry[]): TypeIndex {

        const [byName, byUri] = [new Map<string, TypeEntry>(), new Map<string, TypeEntry>()];
        let isUnique = true;
        for (const entry of entries) {
            if (byName.has(entry.name)) {
                isUnique = false;
                continue;
            }

            byName.set(entry.name, entry);
            for (const uri of declaredUris(entry)) {
                isUnique &&= (byUri.get(uri) ?? entry) === entry;
                byUri.set(uri, byUri.get(uri) ?? entry);
            }
        }

        const counted = [...byName.values()];
        return new TypeIndex({
            byName: PersistentMap.of(byName), byUri: PersistentMap.of(byUri), isUnique, isOrdered: true,
            bySchema: PersistentMap.of(counted.flatMap((entry): [string, TypeEntry][] => (entry.schemaId === null ? [] : [[entry.schemaId, entry]]))),
            coded: PersistentMap.of(counted.filter(hasCode).map((entry): [string, TypeEntry] => [entry.name, entry]))
        });
    }

    /** Returns the index after changes; null if a name or URI is, or was, that of several types, of which another one may count now. */
    with(changes: readonly TypeChange[]): TypeIndex | null {

        const names: EntryChanges = new Map();
        const uris: EntryChanges = new Map();
        const coded: EntryChanges = new Map();
        const { byName, bySchema, byUri, isUnique } = this.#maps;
        for (const [id] of changes) {
            const former = bySchema.get(id);
            if (former) {
                names.set(former.name, undefined);
                coded.set(former.name, undefined);
                declaredUris(former).forEach((uri) => uris.set(uri, undefined));
            }
        }

        const nameOf = (name: string): TypeEntry | undefined => (names.has(name) ? names.get(name) : byName.get(name));
        const uriOf = (uri: string): TypeEntry | undefined => (uris.has(uri) ? uris.get(uri) : byUri.get(uri));
        const added = changes.flatMap(([, entry]) => entry ?? []);
        for (const entry of added) {
            const owned = declaredUris(entry);
            if (nameOf(entry.name) || owned.some((uri) => uriOf(uri))) {
                return null;
            }

            names.set(entry.name, entry);
            coded.set(entry.name, hasCode(entry) ? entry : undefined);
            owned.forEach((uri) => uris.set(uri, entry));
        }

        return isUnique ? new TypeIndex({
            byName: byName.with(names), byUri: byUri.with(uris), coded: this.#maps.coded.with(coded), isUnique, isOrdered: false,
            bySchema: bySchema.with(changes.map(([id, entry]): [string, TypeEntry | undefined] => [id, entry ?? undefined]))
        }) : null;
    }

    /** Returns the type of a name. */
    named(name: string): TypeEntry | undefined {

        return this.#maps.byName.get(name);
    }

    /** Returns the type that a Schema object defines. */
    ofSchema(id: string): TypeEntry | undefined {

        return this.#maps.bySchema.get(id);
    }

    /** Returns the type with a URI. */
    withUri(uri: string): TypeEntry | undefined {

        return this.#maps.byUri.get(uri);
    }

    /** Returns all types: built-in ones, then by the ids of their Schema objects. */
    get entries(): readonly TypeEntry[] {

        this.#ordered ??= this.#inOrder();
        return this.#ordered;
    }

    /** Yields the names of all types, in any order. */
    *names(): Generator<string> {

        for (const [name] of this.#maps.byName.entries()) {
            yield name;
        }
    }

    /** Returns the names of the types with code of their own, in any order. */
    codedNames(): string[] {

        return Array.from(this.#maps.coded.entries(), ([name]) => name);
    }

    #inOrder(): readonly TypeEntry[] {

        const entries = Array.from(this.#maps.byName.entries(), ([, entry]) => entry);
        return this.#maps.isOrdered ? entries : entries.sort((a, b) => {

            const [first, second] = [a.schemaId ?? '', b.schemaId ?? ''];
            return first === second ? 0 : first < second ? -1 : 1;
        });
    }
}

function hasCode({ content: { javascript } }: TypeEntry): boolean {

    return typeof javascript === 'string' && javascript !== '';
}

/** Returns the URIs of a schema: its own id, by the keyword of its draft, and the base URI in its Schema object. */
function declaredUris({ name, content: { schema, baseUri } }: TypeEntry): string[] {

    const id = isJsonObject(schema) ? idOf(schema, draftOf(schema['$schema'])) : undefined;
    const base = typeof baseUri === 'string' && baseUri !== '' ? resolveUri(baseUri, typeUri(name)) : null;
    const own = typeof id === 'string' && !id.startsWith('#') ? resolveUri(id, base ?? typeUri(name)) : null;
    return [...new Set([own, base].filter((uri) => uri !== null))];
}
