/**
 * A type in use: makes content storable, and evaluates the annotations of its schema.
 */

import type { ContentError } from '../errors/errors.js';
import { badRequest, DoipError, invalidContent } from '../errors/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import type { CompiledSchema } from './compiled-schema.js';
import { memberOf, mergedKeyword } from './schema/extension-keyword.js';
import { findReferences } from './annotations/references.js';
import { findModuleDirectory, findRoles } from './annotations/roles.js';
import { UnusableSchema } from './schema/linker.js';
import { primaryText, textMediaType } from './annotations/hints.js';
import type { TypeEntry } from './type-entry.js';
import { NO_ROLES } from '../model/account-annotations.js';
import { inTurns } from '../util/concurrency/steps.js';
import { BudgetExceeded, startBudget } from '../util/concurrency/time-budget.js';
import type { Annotation, ContentReference, ProcessedContent } from '../model/processed-content.js';
import type { SchemaLookup } from './schema/linked-schema.js';
import type { GenerationInputs } from './annotations/generated-values.js';

export type { ContentReference } from '../model/processed-content.js';

/** Content that is about to be stored, and the facts for generated fields. */
export interface ProcessInput extends Omit<GenerationInputs, 'type' | 'prefix'> {
    readonly content: JsonObject;
    /** True for restored content: fields that are absent and not required stay absent. */
    readonly isRestored?: boolean;
}

/** What a type uses of its registry. */
export interface TypeSurroundings {
    readonly lookup: SchemaLookup;
    readonly keywordNames: readonly string[];
    /** The prefix under which this service mints ids. */
    readonly prefix: string;
    /** JavaScript of a built-in type; other types have theirs in the Schema object. */
    readonly javascript?: string | undefined;
    /** Checks beyond the schema of the type. */
    readonly check?: (content: JsonObject) => ContentError[];
}

/** One type at one moment. Its schema is compiled on first use. */
export class TypeDefinition {

    readonly name: string;
    /** Id of the Schema object; null for built-in types. */
    readonly schemaId: string | null;
    /** The JSON schema as stored. */
    readonly schema: JsonObject;
    readonly #source: TypeEntry;
    readonly #surroundings: TypeSurroundings;
    #compiled: CompiledSchema | undefined;
    /** True once the schema is linked, and compiled as far as its use needs it. */
    #isPrepared = false;
    /** The extension keyword of the whole content. */
    #keyword: JsonObject | undefined;

    constructor(source: TypeEntry, surroundings: TypeSurroundings) {

        this.name = source.name;
        this.schemaId = source.schemaId;
        this.schema = source.schema;
        this.#source = source;
        this.#surroundings = surroundings;
    }

    /** The JavaScript of the type; undefined if it has none. */
    get javascript(): string | undefined {

        const { javascript } = this.schemaId === null ? this.#surroundings : this.#source.content;
        return typeof javascript === 'string' && javascript !== '' ? javascript : undefined;
    }

    /** True if objects of the type have hashes in their metadata. */
    get hashesObjects(): boolean {

        return this.#source.content['hashObject'] === true;
    }

    /** False if the text of elements is not indexed. */
    get indexesPayloads(): boolean {

        return memberOf(this.#rootKeyword(), 'indexPayloads') !== false;
    }

    /** Additional index fields of elements: name of the element → name of the field. */
    get altPayloadFieldNames(): JsonObject {

        const names = memberOf(this.#rootKeyword(), 'search', 'altPayloadFieldNames');
        return isJsonObject(names) ? names : {};
    }

    /** Access rules in the Schema object of the type; undefined if it has none. */
    get authConfig(): JsonObject | undefined {

        const { authConfig } = this.#source.content;
        return isJsonObject(authConfig) ? authConfig : undefined;
    }

    /**
     * Links the schema, and compiles a large one, in several turns of the event loop; to be awaited before content is processed or its annotations
     * are read for the first time, undefined if there is nothing to wait for. What is wrong with the schema is found when it is used.
     */
    prepare(): Promise<void> | undefined {

        return this.#isPrepared ? undefined : this.#prepareInTurns();
    }

    /**
     * Fills generated fields, validates content and orders its properties.
     *
     * @throws DoipError 400 with the JSON pointer of each error; also if the schema of the type cannot be used
     */
    process({ content, isRestored = false, ...inputs }: ProcessInput): ProcessedContent {

        const { prefix, check } = this.#surroundings;
        const compiled = this.#usable();
        return bounded(() => {

            if (!isJsonObject(content)) {
                throw invalidContent([{ pointer: '', message: 'content must be a JSON object' }]);
            }

            const filled = compiled.fill(content, { ...inputs, type: this.name, prefix, addsHandle: !isRestored });
            const errors = compiled.validate(filled);
            if (errors.length === 0) {
                errors.push(...check?.(filled) ?? []);
            }

            if (errors.length > 0) {
                throw invalidContent(errors);
            }

            return this.#described(compiled.reorder(filled), compiled.annotate(filled), false);
        });
    }

    /** Returns content with its generated fields updated and everything else unchanged; the same object if no field changes. */
    regenerate({ content, ...inputs }: ProcessInput): JsonObject {

        const { prefix } = this.#surroundings;
        return this.#attempt((compiled) => compiled.fill(content, { ...inputs, type: this.name, prefix, addsHandle: false })) ?? content;
    }

    /** Returns the result of {@link process} for content that stays unchanged and may be invalid. */
    examine(content: JsonObject): ProcessedContent {

        return this.#described(content, this.annotate(content), true);
    }

    /** Returns the annotations of stored content; none if the type cannot be used. */
    annotate(content: JsonObject): Annotation[] {

        return this.#attempt((compiled) => compiled.annotate(content)) ?? [];
    }

    /** Returns the text of the primary property, from which an id may be derived; undefined if there is none. */
    primaryOf(content: JsonObject): string | undefined {

        return primaryText(this.annotate(content));
    }

    /** Returns the references in content that was not validated; none if the type cannot be used, or if any of them is no text. */
    referencesIn(content: JsonObject): readonly ContentReference[] {

        const { prefix } = this.#surroundings;
        return this.#attempt((compiled) => findReferences(compiled.annotate(content), prefix, true)) ?? [];
    }

    /** Returns the media type in which the text at a JSON pointer is served; undefined if the schema has none. */
    textMediaTypeAt(content: JsonObject, pointer: string): string | undefined {

        return textMediaType(this.annotate(content), pointer);
    }

    /** @param isStored see {@link findReferences} */
    #described(content: JsonObject, annotations: readonly Annotation[], isStored: boolean): ProcessedContent {

        const { prefix } = this.#surroundings;
        const isOfPrincipalType = this.#compiled?.hasAuthRoles === true;
        const mayHaveSecrets = this.#compiled?.hasSecrets === true;
        if (annotations.length === 0 && !isOfPrincipalType && !mayHaveSecrets) {
            return { content, annotations, references: [], roles: NO_ROLES, moduleDirectory: undefined };
        }

        return {
            content, annotations,
            references: findReferences(annotations, prefix, isStored),
            roles: { ...findRoles(annotations, prefix), ...isOfPrincipalType ? { isOfPrincipalType } : {}, ...mayHaveSecrets ? { mayHaveSecrets } : {} },
            moduleDirectory: findModuleDirectory(annotations)
        };
    }

    /** Returns undefined if the type cannot be used or the work exceeds its time budget. */
    #attempt<T extends object>(work: (compiled: CompiledSchema) => T): T | undefined {

        try {
            const compiled = this.#usable();
            return bounded(() => work(compiled));
        }
        catch (error) {
            if (error instanceof DoipError) {
                return undefined;
            }

            throw error;
        }
    }

    async #prepareInTurns(): Promise<void> {

        await inTurns(this.#source.compile(this.#surroundings.lookup));
        this.#isPrepared = true;
    }

    #usable(): CompiledSchema {

        try {
            this.#compiled ??= this.#source.compiled(this.#surroundings.lookup);
            return this.#compiled;
        }
        catch (error) {
            throw error instanceof UnusableSchema ? badRequest(`type ${this.name} cannot be used, its schema ${sentence(error)}`) : error;
        }
    }

    #rootKeyword(): JsonObject {

        this.#keyword ??= mergedKeyword(this.schema, this.#surroundings.keywordNames) ?? {};
        return this.#keyword;
    }
}

function sentence({ message }: UnusableSchema): string {

    return message.startsWith('/') ? `is faulty: ${message}` : message.replace(/^: /, '');
}

/** Runs work within a time budget and reports stack overflows, since content determines how long and how deep it runs. */
function bounded<T extends JsonValue | object>(work: () => T): T {

    startBudget();
    try {
        return work();
    }
    catch (error) {
        if (error instanceof BudgetExceeded) {
            throw invalidContent([{ pointer: '', message: error.message }]);
        }

        if (error instanceof RangeError) {
            throw invalidContent([{ pointer: '', message: 'is nested too deeply' }]);
        }

        throw error;
    }
}
