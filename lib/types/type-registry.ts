/**
 * All types and the design at one moment. Immutable; a change makes a new registry, which reuses the results computed for
 * unchanged types. Schemas are compiled on first use.
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
import { schemaObjectErrors } from './schema-object.js';
import { resolveUri, typeUri } from './schema/uri.js';
import { TypeDefinition } from './type-definition.js';
import { TypeEntry } from './type-entry.js';

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
    /** Access rules that type code computed, which replace the stored ones: name → entry. */
    readonly authConfigRules?: ReadonlyMap<string, JsonObject>;
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
    readonly #options: Omit<RegistryOptions, 'previous' | 'authConfigRules'>;
    readonly #keywordNames: readonly string[];
    readonly #sources = new Map<string, TypeEntry>();
    readonly #types = new Map<string, TypeDefinition>();
    #schemas: JsonObject | null = null;
    /** URI of a schema, from its own id or the `baseUri` of its Schema object → name of its type. */
    readonly #ids = new Map<string, string>();

    private constructor({ design, schemas, previous, extensionKeyword, prefix, authConfigRules = new Map() }: RegistryOptions) {

        this.#options = { design, schemas, extensionKeyword, prefix };
        this.extensionKeyword = extensionKeyword;
        this.design = readDesign(design, prefix);
        this.prefix = this.design.prefix;
        this.serviceId = serviceId(this.prefix);
        this.#keywordNames = keywordNames(extensionKeyword);
        for (const content of builtInTypes(extensionKeyword)) {
            this.#add(null, content, previous);
        }

        for (const { id, content } of schemas) {
            this.#add(id, content, previous);
        }

        this.accessRules = this.#readAccessRules(authConfigRules);
    }

    /** Builds a registry. Cheap, because schemas are not examined yet. */
    static build(options: RegistryOptions): TypeRegistry {

        return new TypeRegistry(options);
    }

    /** Returns the same types with the access rules that type code computed; types without such rules keep theirs. */
    ruledBy(authConfigRules: ReadonlyMap<string, JsonObject>): TypeRegistry {

        return authConfigRules.size === 0 ? this : TypeRegistry.build({ ...this.#options, previous: this, authConfigRules });
    }

    /** Returns a type; undefined if there is none of this name. */
    get(name: string): TypeDefinition | undefined {

        return this.#types.get(name);
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

        const former = this.#sources.get(name);
        if (former && former.schemaId === null) {
            throw badRequest(`type ${name} is built in and cannot be changed`);
        }

        const content = { ...former?.content, name, schema };
        const errors = schemaObjectErrors(content, this.#lookup, this.#keywordNames);
        if (errors.length > 0) {
            throw invalidContent(errors);
        }

        const id = former?.schemaId ?? '';
        const schemas = [...this.#options.schemas.filter((each) => each.id !== id), { id, content }];
        return TypeRegistry.build({ ...this.#options, schemas, previous: this }).require(name);
    }

    /** Returns the names of all types, built-in types first. */
    names(): string[] {

        return [...this.#types.keys()];
    }

    /** Returns the schemas of all types: name → JSON schema. The same object at every call, which must not be modified. */
    schemas(): JsonObject {

        this.#schemas ??= Object.fromEntries([...this.#types.values()].map(({ name, schema }) => [name, schema]));
        return this.#schemas;
    }

    /** Returns the Schema objects of the types: id → name. */
    schemaIds(): JsonObject {

        return Object.fromEntries([...this.#types.values()].flatMap(({ name, schemaId }) => (schemaId === null ? [] : [[schemaId, name]])));
    }

    /** Returns the schema of a type, or the schema with an id or base URI. */
    documentOf(nameOrId: string): SchemaDocument | undefined {

        return this.#lookup(nameOrId);
    }

    #add(id: string | null, content: JsonObject, previous: TypeRegistry | null | undefined): void {

        const { name, schema } = content;
        if (typeof name !== 'string' || !isJsonObject(schema) || (id !== null && isBuiltInType(name)) || this.#sources.has(name)) {
            return;
        }

        const former = previous?.sourceFor(name, id, content, this.#keywordNames);
        const source = former ?? new TypeEntry(name, id, content, this.#keywordNames);
        this.#sources.set(name, source);
        this.#types.set(name, new TypeDefinition(source, {
            lookup: this.#lookup,
            keywordNames: this.#keywordNames,
            prefix: this.prefix,
            javascript: this.design.builtInJavascript.get(name),
            ...(name === SCHEMA_TYPE ? { check: this.#checkSchemaObject } : {})
        }));
        for (const uri of declaredUris(name, content)) {
            if (!this.#ids.has(uri)) {
                this.#ids.set(uri, name);
            }
        }
    }

    /** Returns the entry of a type if its definition is unchanged. */
    protected sourceFor(name: string, id: string | null, content: JsonObject, names: readonly string[]): TypeEntry | undefined {

        const source = this.#sources.get(name);
        const isSame = source?.schemaId === id && names.join() === this.#keywordNames.join() &&
            (source.content === content || isDeepStrictEqual(source.content, content));
        return isSame ? source : undefined;
    }

    readonly #lookup = (nameOrId: string): SchemaDocument | undefined => {

        const source = this.#sources.get(nameOrId) ?? this.#sources.get(this.#ids.get(nameOrId) ?? '');
        return source?.document ?? metaSchema(nameOrId);
    };

    readonly #checkSchemaObject = (content: JsonObject): ContentError[] => {

        return schemaObjectErrors(content, this.#lookup, this.#keywordNames);
    };

    #readAccessRules(authConfigRules: ReadonlyMap<string, JsonObject>): AccessRules {

        const { authConfig } = this.design.content;
        const { schemaAcls, defaultAcls } = isJsonObject(authConfig) ? authConfig : INITIAL_AUTH_CONFIG;
        const byType = new Map(Object.entries(isJsonObject(schemaAcls) ? schemaAcls : {}));
        const read = new Map<string, AclDefaults | undefined>();
        const system = readAclDefaults(defaultAcls);
        return {
            system,
            entryOf: (type) => {

                if (!read.has(type) && (this.#types.has(type) || byType.has(type))) {
                    const entry = authConfigRules.get(type) ?? this.#types.get(type)?.authConfig ?? byType.get(type);
                    read.set(type, entry === undefined ? builtInEntry(type, system) : readAclDefaults(entry));
                }

                return read.get(type);
            },
            typeNames: () => this.#types.keys(),
            entryNames: () => new Set([...this.#types.keys(), ...byType.keys()])
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

/** Returns the URIs of a schema: its own id, and the base URI in its Schema object. */
function declaredUris(name: string, { schema, baseUri }: JsonObject): string[] {

    const id = isJsonObject(schema) ? schema['$id'] ?? schema['id'] : undefined;
    const base = typeof baseUri === 'string' && baseUri !== '' ? resolveUri(baseUri, typeUri(name)) : null;
    const own = typeof id === 'string' && !id.startsWith('#') ? resolveUri(id, base ?? typeUri(name)) : null;
    return [own, base].filter((uri) => uri !== null);
}
