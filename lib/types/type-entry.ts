/**
 * Stored definition of a type, with cached results. Shared by successive registries as long as the definition stays the same,
 * so that changing one type does not recompute the others.
 */

import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { atOnce, type Steps } from '../util/concurrency/steps.js';
import { CompiledSchema } from './compiled-schema.js';
import { SchemaDocument } from './schema/document.js';
import { UnusableSchema } from './schema/linker.js';
import type { SchemaLookup } from './schema/linked-schema.js';

/** A stored type with its cached results. */
export class TypeEntry {

    readonly name: string;
    /** Id of the Schema object; null for built-in types. */
    readonly schemaId: string | null;
    /** Content of the Schema object. */
    readonly content: JsonObject;
    readonly #keywordNames: readonly string[];
    #document: SchemaDocument | undefined;
    #outcome: CompiledSchema | UnusableSchema | undefined;
    /** Present while the schema is linked in steps; the last one, if it is for several lookups at a time. */
    #linking: { readonly lookup: SchemaLookup; readonly steps: Steps<void> } | undefined;

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

    /** The parsed schema document. */
    get document(): SchemaDocument {

        this.#document ??= new SchemaDocument(this.name, this.schema, this.content['baseUri']);
        return this.#document;
    }

    /**
     * Returns the compiled schema; cached as long as everything it refers to stays the same.
     *
     * @throws UnusableSchema
     */
    compiled(lookup: SchemaLookup): CompiledSchema {

        atOnce(this.link(lookup));
        if (this.#outcome instanceof UnusableSchema) {
            throw this.#outcome;
        }

        return this.#outcome as CompiledSchema;
    }

    /** Takes the steps after which the schema is linked: {@link compiled} is quick then. */
    *link(lookup: SchemaLookup): Steps<void> {

        while (!this.#outcome || !holds(this.#outcome, lookup)) {
            this.#linking = this.#linking?.lookup === lookup ? this.#linking : { lookup, steps: this.#linkAnew(lookup) };
            // Shared by all who link it for the same types: each takes some of the steps.
            for (const { steps } = this.#linking; steps.next().done !== true;) {
                yield;
            }
        }
    }

    /** Takes the steps after which the schema is compiled as far as its use needs it; see {@link CompiledSchema.compileParts}. */
    *compile(lookup: SchemaLookup): Steps<void> {

        yield* this.link(lookup);
        const outcome = this.#outcome;
        if (outcome instanceof CompiledSchema) {
            yield* outcome.compileParts();
        }
    }

    *#linkAnew(lookup: SchemaLookup): Steps<void> {

        try {
            this.#outcome = yield* CompiledSchema.linkIfUsable(this.document, lookup, this.#keywordNames);
        }
        finally {
            this.#linking = this.#linking?.lookup === lookup ? undefined : this.#linking;
        }
    }
}

/** True if every lookup behind a result would return the same again. */
function holds({ dependencies }: CompiledSchema | UnusableSchema, lookup: SchemaLookup): boolean {

    for (const [name, found] of dependencies) {
        if (lookup(name) !== found) {
            return false;
        }
    }

    return true;
}
