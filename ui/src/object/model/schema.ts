/**
 * What a schema says about a value, as far as showing it needs to know: titles, formats, references. It is lenient: what it does not
 * understand is as if it were absent, and the value is shown all the same.
 */

import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';

/** A schema; an empty one says nothing. */
export type Schema = JsonMap;

/** Parts of a schema that are joined. */
const MAX_PARTS = 1000;

const NOTHING: Schema = {};

/** Reads the schemas of the parts of a value. `root` is the schema of the whole content. */
export class SchemaView {

    readonly #root: Schema;
    readonly #keyword: string;

    constructor(root: Schema | null, keyword: string) {

        this.#root = root ?? NOTHING;
        this.#keyword = keyword;
    }

    get root(): Schema {

        return this.#merged(this.#root);
    }

    /** The schema of a member of an object or array, of which `parent` is the schema. */
    member(parent: Schema, key: string | number): Schema {

        const { properties, patternProperties, additionalProperties, items, prefixItems, additionalItems } = parent;
        if (typeof key === 'number') {
            const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
            const rest = Array.isArray(items) ? additionalItems : items;
            return this.#merged((tuple as readonly Json[])[key] ?? rest);
        }

        if (isJsonMap(properties) && Object.hasOwn(properties, key)) {
            return this.#merged(properties[key]);
        }

        // Patterns may be slow to match: a single one is taken for all others.
        const patterns = isJsonMap(patternProperties) ? Object.values(patternProperties) : [];
        return this.#merged(patterns.length === 1 ? patterns[0] : additionalProperties);
    }

    /** Names of the properties that a schema describes, in its order. */
    names({ properties }: Schema): readonly string[] {

        return isJsonMap(properties) ? Object.keys(properties) : [];
    }

    /** The extension of a schema, such as `preview` and `type`. */
    extension(schema: Schema, member: string): JsonMap {

        const extension = schema[this.#keyword];
        const value = isJsonMap(extension) ? extension[member] : undefined;
        return isJsonMap(value) ? value : {};
    }

    /** True for a secret, of which the service keeps a hash only. */
    isSecret(schema: Schema): boolean {

        const extension = schema[this.#keyword];
        return isJsonMap(extension) && extension['secureProperty'] !== undefined;
    }

    /** How references are made of values; null for values that are none. References of an array may be described at the array. */
    reference(schema: Schema, parent: Schema = NOTHING): JsonMap | null {

        const own = this.extension(schema, 'type')['handleReference'];
        const ofArray = this.extension(parent, 'type')['handleReference'];
        return isJsonMap(own) ? own : isJsonMap(ofArray) ? ofArray : null;
    }

    /**
     * Follows references within the schema, and joins what `allOf`, `anyOf` and `oneOf` say about properties. A schema that occurs again says nothing new:
     * it is left out, as schemas that refer to each other may lead to it on exponentially many ways.
     */
    #merged(schema: Json | undefined, seen = new Set<Schema>()): Schema {

        if (!isJsonMap(schema) || seen.has(schema) || seen.size > MAX_PARTS) {
            return NOTHING;
        }

        seen.add(schema);

        const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {

            const each = schema[name];
            return Array.isArray(each) ? each as readonly Json[] : [];
        });
        const { $ref } = schema;
        const targets = [...typeof $ref === 'string' ? [this.#target($ref)] : [], ...parts].map((part) => this.#merged(part, seen));
        return targets.length === 0 ? schema : targets.reduce((all, part) => this.#joined(all, part), schema);
    }

    #joined(first: Schema, second: Schema): Schema {

        const [own, others] = [first, second].map(({ properties }) => (isJsonMap(properties) ? properties : NOTHING)) as [Schema, Schema];
        const properties = { ...others, ...own, ...Object.fromEntries(Object.keys(own).flatMap((name) => {

            // What two parts say about one property counts together, when it is asked for.
            const [mine, other] = [own[name], Object.hasOwn(others, name) ? others[name] : undefined];
            return isJsonMap(mine) && isJsonMap(other) && mine !== other ? [[name, { allOf: [mine, other] }]] : [];
        })) };
        const [extension, further] = [first[this.#keyword], second[this.#keyword]];
        return {
            ...second, ...first, ...Object.keys(properties).length > 0 ? { properties } : {},
            ...isJsonMap(extension) && isJsonMap(further) ? { [this.#keyword]: { ...further, ...extension } } : {}
        };
    }

    #target(reference: string): Json | undefined {

        if (!reference.startsWith('#')) {
            return undefined;
        }

        const path = reference.slice(1).split('/').slice(1).map((part) => safeDecode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
        return path.reduce<Json | undefined>((value, key) => {

            return isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : Array.isArray(value) ? (value as readonly Json[])[Number(key)] : undefined;
        }, this.#root);
    }
}

function safeDecode(text: string): string {

    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}

/** The text of a keyword; undefined where it has none. */
export function textIn(schema: Schema, keyword: string): string | undefined {

    const text = schema[keyword];
    return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}
