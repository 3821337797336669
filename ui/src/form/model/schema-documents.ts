/** Resolves `$ref` within the schema of a type and to those of others, which are known by their names. Nothing is fetched. */

import { isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { parsePointer, valueAt } from '../../json/pointer.js';
import { isSchema } from './schema.js';
import type { Schema } from './schema.js';

/** Returns the schema of a type by its name; null for a type that does not exist. */
export type SchemaLookup = (name: string) => Schema | null;

/** A schema as a whole, with what may be referred to by name. */
interface SchemaDocument {
    readonly root: JsonMap;
    /** Subschemas by `$id`, `id`, `$anchor` and `$dynamicAnchor`, as they are written. */
    readonly names: Map<string, JsonMap>;
}

/** References to references are followed this far. */
const MAX_HOPS = 32;

/** The schemas that a form refers to. */
export class SchemaDocuments {

    readonly #lookup: SchemaLookup;
    readonly #documentOf = new WeakMap<JsonMap, SchemaDocument>();
    readonly #byName = new Map<string, SchemaDocument | null>();

    constructor(lookup: SchemaLookup = () => null) {

        this.#lookup = lookup;
    }

    /** Adds a schema as a document of its own. */
    add(root: Schema): void {

        if (isJsonMap(root) && !this.#documentOf.has(root)) {
            this.#index(root);
        }
    }

    /** The schema that a `$ref` of a schema leads to; null if there is none. */
    resolve(schema: JsonMap): Schema | null {

        let current: Schema = schema;
        for (let hop = 0; hop < MAX_HOPS; ++hop) {
            const ref: Json | undefined = isJsonMap(current) ? current['$ref'] ?? current['$dynamicRef'] ?? current['$recursiveRef'] : undefined;
            if (!isJsonMap(current) || typeof ref !== 'string') {
                return current;
            }

            const target = this.#target(ref, this.#documentOf.get(current));
            // A reference with keywords beside it counts with them, so that it is resolved by who reads these.
            if (target === null || target === current || hop > 0 && Object.keys(current).length > 1) {
                return target === current ? null : hop > 0 ? current : target;
            }

            current = target;
        }

        return null;
    }

    #index(root: JsonMap): SchemaDocument {

        const document: SchemaDocument = { root, names: new Map() };
        const pending: Json[] = [root];
        for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
            if (Array.isArray(value)) {
                // Too many for the arguments of a call.
                (value as readonly Json[]).forEach((each) => pending.push(each));
            }
            else if (isJsonMap(value) && this.#documentOf.get(value) !== document) {
                this.#documentOf.set(value, document);
                for (const keyword of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
                    const name = value[keyword];
                    if (typeof name === 'string' && !document.names.has(name.replace(/^#/, ''))) {
                        document.names.set(name.replace(/^#/, ''), value);
                    }
                }

                Object.values(value).forEach((each) => pending.push(each));
            }
        }

        return document;
    }

    #target(ref: string, document: SchemaDocument | undefined): Schema | null {

        const [base = '', fragment = ''] = ref.split('#');
        if (base === '') {
            return document ? inside(document, fragment) : null;
        }

        const own = document?.names.get(base) ?? document?.names.get(ref);
        if (own) {
            return fragment === '' ? own : pointed(own, fragment);
        }

        const other = this.#other(base);
        return other ? inside(other, fragment) : null;
    }

    /** Another document, by the name of its type, as a file, or at the end of a URI. */
    #other(base: string): SchemaDocument | null {

        const known = this.#byName.get(base);
        if (known !== undefined) {
            return known;
        }

        const last = base.split('/').at(-1) ?? '';
        const names = [base, base.replace(/\.schema\.json$/, ''), decoded(last.replace(/\.schema\.json$/, ''))];
        for (const name of names) {
            const root = this.#lookup(name);
            if (isJsonMap(root)) {
                const document = this.#documentOf.get(root) ?? this.#index(root);
                this.#byName.set(base, document);
                return document;
            }
        }

        this.#byName.set(base, null);
        return null;
    }
}

function inside(document: SchemaDocument, fragment: string): Schema | null {

    if (fragment === '' || fragment.startsWith('/')) {
        return pointed(document.root, fragment);
    }

    return document.names.get(decoded(fragment)) ?? null;
}

function pointed(root: JsonMap, fragment: string): Schema | null {

    const value = valueAt(root, parsePointer(decoded(fragment)));
    return isSchema(value) ? value : null;
}

function decoded(text: string): string {

    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}
