/** Values to begin with: of a new object, a new item, a branch that was chosen. Nothing is added to values that exist. */

import { define, isEqual, isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import type { SchemaReader } from './effective-schema.js';
import { extensionOf } from './extension.js';
import { isOfType, schemaEntries, stringsOf, typeOf, typesOf } from './schema.js';
import type { JsonType, Schema } from './schema.js';

/** Nesting of required objects that is filled in. */
const MAX_DEPTH = 12;

/** Makes initial values. */
export class InitialValues {

    readonly #reader: SchemaReader;
    readonly #keyword: string;

    constructor(reader: SchemaReader, keyword: string) {

        this.#reader = reader;
        this.#keyword = keyword;
    }

    /** The content of a new object: defaults, constants that are required, and generated values, which the service fills in where they are present. */
    content(): Json {

        return this.#object(this.#reader.effective(this.#reader.root, {}).schema, 0);
    }

    /** A value for a schema, also where the schema has no default. */
    of(schema: Schema, type?: JsonType): Json {

        return this.#value(this.#reader.effective(schema, undefined).schema, 0, type) ?? emptyOf(type ?? 'string');
    }

    /** What is left of a value, and added to it, when another branch is chosen: properties that only the former branch has are removed. */
    switched(value: Json | undefined, former: Schema, next: Schema): Json | undefined {

        const before = this.#reader.effective(former, undefined).schema;
        const after = this.#reader.effective(next, undefined).schema;
        const isForObjects = typesOf(after).includes('object') && after['properties'] !== undefined;
        if (!isJsonMap(value) || !isForObjects) {
            const fits = !isForObjects && value !== undefined && this.#reader.matches(next, value);
            return fits ? value : isForObjects ? this.#object(after, 0) : this.#value(after, 0);
        }

        const kept: Record<string, Json> = {};
        const own = new Map(schemaEntries(after['properties']));
        const foreign = new Map(schemaEntries(before['properties']));
        for (const [name, each] of Object.entries(value)) {
            const schema = own.get(name);
            if (schema === undefined ? !foreign.has(name) : this.#mayStay(schema, foreign.get(name), each)) {
                define(kept, name, each);
            }
        }

        const added = this.#object(after, 0);
        return isJsonMap(added) ? { ...added, ...kept } : kept;
    }

    /** A value stays unless it belongs to the former branch only, such as the constant that tells branches apart. */
    #mayStay(schema: Schema, former: Schema | undefined, value: Json): boolean {

        return former === undefined || isEqual(schema, former) || this.#reader.matches(schema, value);
    }

    #value(schema: JsonMap, depth: number, type?: JsonType): Json | undefined {

        const { default: preset } = schema;
        // One of another type than the user has picked would undo the choice.
        if (preset !== undefined && (type === undefined || isOfType(typeOf(preset), type))) {
            return preset;
        }

        if (schema['const'] !== undefined) {
            return schema['const'];
        }

        const [first] = typesOf(schema);
        const wanted = type ?? (typesOf(schema).length <= 2 ? first : undefined);
        return wanted === 'object' ? this.#object(schema, depth) : wanted === undefined ? undefined : emptyOf(wanted);
    }

    #object(schema: JsonMap, depth: number): Json {

        if (isJsonMap(schema['default'])) {
            return schema['default'];
        }

        const object: Record<string, Json> = {};
        const required = new Set(stringsOf(schema['required']));
        for (const [name, each] of depth > MAX_DEPTH ? [] : schemaEntries(schema['properties'])) {
            const { schema: property } = this.#reader.effective(each, undefined);
            const value = this.#property(property, required.has(name), depth);
            if (value !== undefined) {
                define(object, name, value);
            }
        }

        return object;
    }

    #property(schema: JsonMap, isRequired: boolean, depth: number): Json | undefined {

        if (schema['default'] !== undefined) {
            return schema['default'];
        }

        if (extensionOf(schema, this.#keyword).generated !== null) {
            return '';
        }

        if (!isRequired) {
            return undefined;
        }

        const [type, ...others] = typesOf(schema);
        return schema['const'] ?? (others.length > 0 ? undefined : type === 'object' ? this.#object(schema, depth + 1) : type === 'array' ? [] : undefined);
    }
}

/** The empty value of a type. */
export function emptyOf(type: JsonType): Json {

    switch (type) {
        case 'string': {
            return '';
        }

        case 'number': case 'integer': {
            return 0;
        }

        case 'boolean': {
            return false;
        }

        case 'array': {
            return [];
        }

        case 'object': {
            return {};
        }

        default: {
            return null;
        }
    }
}
