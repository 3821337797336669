/**
 * All types and the design at one moment. Immutable; a change makes a new registry, which shares unchanged types and the results computed
 * for them. Schemas are compiled on first use.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ContentError } from '../errors/errors.js';
import { badRequest, invalidContent } from '../errors/errors.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { serviceId } from '../doip/ids.js';
import type { AccessRules, AclDefaults } from './access-rules.js';
import { readAclDefaults } from './access-rules.js';
import { builtInTypes, isBuiltInType, SCHEMA_TYPE } from './built-in-types.js';
import type { Design } from './design.js';
import { readDesign } from './design.js';
import { keywordNames } from './schema/extension-keyword.js';
import { INITIAL_AUTH_CONFIG } from './seed-content.js';
import { metaSchema } from './schema/meta-schemas.js';
import type { SchemaDocument } from './schema/document.js';
import { prepareSchemaObject, schemaObjectErrors } from './schema-object.js';
import { TypeDefinition } from './type-definition.js';
import { TypeEntry } from './type-entry.js';
import { TypeIndex } from './type-index.js';

export type { Design } from './design.js';

/** A Schema object. */
export interface SchemaObject {
    readonly id: string;
    readonly content: JsonObject;
}

/** Input of a registry. */
export interface RegistryOptions {
    /** Content of the design object. */
    readonly design: JsonObject;
    readonly schemas: readonly SchemaObject[];
    /** The previous registry, whose unchanged types are reused. */
    readonly previous?: TypeRegistry | null;
    /** Name of the extension keyword. */
    readonly extensionKeyword: string;
    /** Prefix of minted ids, unless the design has one. */
    readonly prefix: string;
}

/** Access rules that are not in the design or in Schema objects: name → entry. */
export interface OtherRules {
    /** Those that type code computed, which replace the stored ones. */
    readonly computed: ReadonlyMap<string, JsonObject>;
    /** Those of types that are gone, for their objects; they do not count for types that there are. */
    readonly former: ReadonlyMap<string, JsonObject>;
}

const NO_RULES: OtherRules = { computed: new Map(), former: new Map() };

/** A type as stored. */
type TypeSource = Pick<TypeEntry, 'name' | 'schemaId' | 'content'>;

/** What a registry is made of. */
interface RegistryParts extends Omit<RegistryOptions, 'schemas' | 'previous'> {
    readonly index: TypeIndex;
    readonly otherRules: OtherRules;
}

/** A Schema object as it is now; without content if it is gone. */
export interface ChangedSchema {
    readonly id: string;
    readonly content: JsonObject | null;
}

/** The types of one moment. */
export class TypeRegistry {

    readonly design: Design;
    /** Prefix of minted ids. */
    readonly prefix: string;
    readonly serviceId: string;
    readonly accessRules: AccessRules;
    /** Name of the extension keyword. */
    readonly extensionKeyword: string;
    readonly #parts: RegistryParts;
    readonly #index: TypeIndex;
    readonly #keywordNames: readonly string[];
    /** Types by name, each made on first use. */
    readonly #types = new Map<string, TypeDefinition>();
    #schemas: JsonObject | null = null;

    private constructor(parts: RegistryParts) {

        const { design, index, extensionKeyword, prefix, otherRules } = parts;
        this.#parts = parts;
        this.#index = index;
        this.extensionKeyword = extensionKeyword;
        this.design = readDesign(design, prefix);
        this.prefix = this.design.prefix;
        this.serviceId = serviceId(this.prefix);
        this.#keywordNames = keywordNames(extensionKeyword);
        this.accessRules = this.#readAccessRules(otherRules);
    }

    /** Builds a registry. Cheap, because schemas are not examined yet. */
    static build({ schemas, previous, ...options }: RegistryOptions): TypeRegistry {

        const names = keywordNames(options.extensionKeyword);
        const given = [...builtInTypes(options.extensionKeyword).map((content) => ({ id: null, content })), ...schemas];
        const index = TypeIndex.of(given.flatMap(({ id, content }) => entryOf(id, content, names, previous) ?? []));
        return new TypeRegistry({ ...options, index, otherRules: NO_RULES });
    }

    /**
     * Returns the types after some changed, with a design and without {@link OtherRules}, at a cost that hardly depends on the number
     * of types; null if all have to be known for that, because several share a name or a URI.
     */
    changed(design: JsonObject, schemas: readonly ChangedSchema[]): TypeRegistry | null {

        const index = this.#index.with(schemas.map(({ id, content }) =>
            [id, content && entryOf(id, content, this.#keywordNames, this) || null]));
        return index && new TypeRegistry({ ...this.#parts, design, index, otherRules: NO_RULES });
    }

    /** Returns the same types with other rules beside those that are stored with them. */
    ruledBy(otherRules: OtherRules): TypeRegistry {

        return otherRules.computed.size + otherRules.former.size === 0 ? this : new TypeRegistry({ ...this.#parts, otherRules });
    }

    /** Returns the access rules that the code of a type computed. */
    computedRulesOf(name: string): JsonObject | undefined {

        return this.#parts.otherRules.computed.get(name);
    }

    /** Returns a type; undefined if there is none of this name. */
    get(name: string): TypeDefinition | undefined {

        const known = this.#types.get(name);
        const entry = known ? undefined : this.#index.named(name);
        if (!entry) {
            return known;
        }

        const type = new TypeDefinition(entry, {
            lookup: this.#lookup,
            keywordNames: this.#keywordNames,
            prefix: this.prefix,
            javascript: this.design.builtInJavascript.get(name),
            ...(name === SCHEMA_TYPE ? { check: this.#checkSchemaObject } : {})
        });
        this.#types.set(name, type);
        return type;
    }

    /** Returns a type. @throws DoipError 400 if there is none of this name */
    require(name: string): TypeDefinition {

        const type = this.get(name);
        if (!type) {
            throw badRequest(`Unknown type ${name}`);
        }

        return type;
    }

    /**
     * Returns a type as it would be with another schema; a new one if there is none of this name.
     *
     * @throws DoipError 400, with JSON pointers into the content of its Schema object, if the schema cannot be used
     */
    withSchema(name: string, schema: JsonObject): TypeDefinition {

        return this.withType(name, { ...this.#index.named(name)?.content, schema }).require(name);
    }

    /**
     * Returns the types as they would be with another content of the Schema object of one of them, whose name stays; or with a new type.
     *
     * @throws DoipError 400, with JSON pointers into the content, if the schema cannot be used
     */
    withType(name: string, changed: JsonObject): TypeRegistry {

        const former = this.#index.named(name);
        if (former && former.schemaId === null) {
            throw badRequest(`type ${name} is built in and cannot be changed`);
        }

        const content = { ...changed, name };
        const errors = schemaObjectErrors(content, this.#lookup, this.#keywordNames);
        if (errors.length > 0) {
            throw invalidContent(errors);
        }

        const id = former?.schemaId ?? '';
        const { design } = this.#parts;
        const others = (): SchemaObject[] => this.#index.entries.flatMap((entry) =>
            (entry.schemaId === null || entry.schemaId === id ? [] : [{ id: entry.schemaId, content: entry.content }]));
        return this.changed(design, [{ id, content }]) ?? TypeRegistry.build({ ...this.#parts, schemas: [...others(), { id, content }], previous: this });
    }

    /** To be awaited before {@link withSchema}: compiles a large schema in several turns of the event loop. */
    async prepareSchema(name: string, schema: JsonObject): Promise<void> {

        await this.prepareSchemaObject({ ...this.#index.named(name)?.content, name, schema });
    }

    /** To be awaited before the content of a Schema object is processed: compiles a large schema in several turns of the event loop. */
    async prepareSchemaObject(content: JsonObject): Promise<void> {

        await prepareSchemaObject(content, this.#lookup, this.#keywordNames);
    }

    /** Returns the names of all types, built-in types first. */
    names(): string[] {

        return this.#index.entries.map(({ name }) => name);
    }

    /** Returns the names of the types that have code, in any order. */
    codedNames(): string[] {

        return [...this.#index.codedNames(), ...this.design.builtInJavascript.keys()];
    }

    /** Returns the schemas of all types: name → JSON schema. The same object at every call, which must not be modified. */
    schemas(): JsonObject {

        this.#schemas ??= Object.fromEntries(this.#index.entries.map(({ name, schema }) => [name, schema]));
        return this.#schemas;
    }

    /** Returns the Schema objects of the types: id → name. */
    schemaIds(): JsonObject {

        return Object.fromEntries(this.#index.entries.flatMap(({ name, schemaId }) => (schemaId === null ? [] : [[schemaId, name]])));
    }

    /** Returns the schema of a type, or the schema with an id or base URI. */
    documentOf(nameOrId: string): SchemaDocument | undefined {

        return this.#lookup(nameOrId);
    }

    /** Returns the entry of a type if its definition is unchanged. */
    unchanged({ name, schemaId, content }: TypeSource, names: readonly string[]): TypeEntry | undefined {

        const entry = schemaId === null ? this.#index.named(name) : this.#index.ofSchema(schemaId);
        const isSame = entry?.schemaId === schemaId && names.join() === this.#keywordNames.join() &&
            (entry.content === content || isDeepStrictEqual(entry.content, content));
        return isSame ? entry : undefined;
    }

    readonly #lookup = (nameOrId: string): SchemaDocument | undefined => {

        const entry = this.#index.named(nameOrId) ?? this.#index.withUri(nameOrId);
        return entry?.document ?? metaSchema(nameOrId);
    };

    readonly #checkSchemaObject = (content: JsonObject): ContentError[] => {

        return schemaObjectErrors(content, this.#lookup, this.#keywordNames);
    };

    #readAccessRules({ computed, former }: OtherRules): AccessRules {

        const { authConfig } = this.design.content;
        const { schemaAcls, defaultAcls } = isJsonObject(authConfig) ? authConfig : INITIAL_AUTH_CONFIG;
        const byType = new Map(Object.entries(isJsonObject(schemaAcls) ? schemaAcls : {}));
        const read = new Map<string, AclDefaults | undefined>();
        const system = readAclDefaults(defaultAcls);
        return {
            system,
            entryOf: (type) => {

                if (!read.has(type) && (this.#index.named(type) || byType.has(type) || former.has(type))) {
                    const known = this.get(type);
                    const entry = computed.get(type) ?? known?.authConfig ?? byType.get(type) ?? (known ? undefined : former.get(type));
                    read.set(type, entry === undefined ? builtInEntry(type, system) : readAclDefaults(entry));
                }

                return read.get(type);
            },
            typeNames: () => this.#index.names(),
            entryNames: () => new Set([...this.#index.names(), ...byType.keys(), ...former.keys()])
        };
    }
}

/**
 * Returns the entry of a built-in type for which the design has none. Types and the design contain code that runs with the
 * rights of the service: the default rules decide who reads them, but only the administrator may create or change them.
 */
function builtInEntry(type: string, { aclModules: _modules, ...system }: AclDefaults): AclDefaults | undefined {

    return isBuiltInType(type) ? { ...system, defaultAclWrite: [], aclCreate: [] } : undefined;
}

/** Returns the entry of a Schema object, that of a previous registry if it is unchanged; null if it defines no type. */
function entryOf(id: string | null, content: JsonObject, names: readonly string[], previous: TypeRegistry | null | undefined): TypeEntry | null {

    const { name, schema } = content;
    if (typeof name !== 'string' || !isJsonObject(schema) || (id !== null && isBuiltInType(name))) {
        return null;
    }

    return previous?.unchanged({ name, schemaId: id, content }, names) ?? new TypeEntry(name, id, content, names);
}
