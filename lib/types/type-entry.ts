/**
 * The definition of a type as it is stored, and what was worked out from it so far. Lives as long as the definition stays
 * the same, through any number of registries, so that changing one type leaves the work done for the others alone.
 */

import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { CompiledSchema } from './compiled-schema.js';
import { SchemaDocument } from './schema/document.js';
import { UnusableSchema } from './schema/linker.js';
import type { SchemaLookup } from './schema/linked-schema.js';

/** A type and its schema. */
export class TypeEntry {

    readonly name: string;
    /** Id of the Schema object; null for built-in types. */
    readonly schemaId: string | null;
    /** Content of the Schema object. */
    readonly content: JsonObject;
    readonly #keywordNames: readonly string[];
    #document: SchemaDocument | undefined;
    #outcome: CompiledSchema | UnusableSchema | undefined;

    constructor(name: string, schemaId: string | null, content: JsonObject, keywordNames: readonly string[]) {

        this.name = name;
        this.schemaId = schemaId;
        this.content = content;
        this.#keywordNames = keywordNames;
    }

    /** The JSON schema. */
    get schema(): JsonObject {

        return isJsonObject(this.content['schema']) ? this.content['schema'] : {};
    }

    /** The schema, examined. */
    get document(): SchemaDocument {

        this.#document ??= new SchemaDocument(this.name, this.schema, this.content['baseUri']);
        return this.#document;
    }

    /**
     * The schema, compiled; from an earlier time if all that it refers to is still the same.
     *
     * @throws UnusableSchema
     */
    compiled(lookup: SchemaLookup): CompiledSchema {

        if (!this.#outcome || !holds(this.#outcome, lookup)) {
            this.#outcome = this.#compile(lookup);
        }

        if (this.#outcome instanceof UnusableSchema) {
            throw this.#outcome;
        }

        return this.#outcome;
    }

    #compile(lookup: SchemaLookup): CompiledSchema | UnusableSchema {

        try {
            return CompiledSchema.compile(this.document, lookup, this.#keywordNames);
        }
        catch (error) {
            if (error instanceof UnusableSchema) {
                return error;
            }

            throw error;
        }
    }
}

/** True when every lookup behind a result would find the same again. */
function holds({ dependencies }: CompiledSchema | UnusableSchema, lookup: SchemaLookup): boolean {

    for (const [name, found] of dependencies) {
        if (lookup(name) !== found) {
            return false;
        }
    }

    return true;
}
