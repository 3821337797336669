/** PROVISIONAL, to be replaced as a whole by the real module; the names used by callers stay. */

import type { AccessRules } from '../identity/access-rules.js';
import type { JsonObject } from '../doip/json.js';
import type { SchemaRecord } from './catalog.js';
import { isJsonObject } from '../doip/json.js';
import { readAclDefaults } from '../identity/access-rules.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from './built-in-types.js';
import { TypeDefinition } from './type-definition.js';

export interface Design {
    readonly content: JsonObject;
    readonly prefix: string;
    readonly baseUri: string | undefined;
    readonly isReadOnly: boolean;
    readonly enableTypeChangeViaUpdate: boolean;
    readonly enableVersionEdits: boolean;
    readonly allowInsecureAuthentication: boolean;
}

export class TypeRegistry {

    readonly design: Design;
    readonly prefix: string;
    readonly accessRules: AccessRules;
    readonly #types = new Map<string, TypeDefinition>();

    private constructor(design: JsonObject, schemas: readonly SchemaRecord[], prefix: string) {

        const minting = isJsonObject(design.handleMintingConfig) ? design.handleMintingConfig : {};
        this.prefix = typeof minting.prefix === 'string' ? minting.prefix : prefix;
        this.design = {
            content: design, prefix: this.prefix,
            baseUri: typeof minting.baseUri === 'string' ? minting.baseUri : undefined,
            isReadOnly: design.isReadOnly === true,
            enableTypeChangeViaUpdate: design.enableTypeChangeViaUpdate === true,
            enableVersionEdits: design.enableVersionEdits === true,
            allowInsecureAuthentication: design.allowInsecureAuthentication === true
        };
        for (const name of [SCHEMA_TYPE, DESIGN_TYPE]) {
            this.#types.set(name, new TypeDefinition(name, null, { type: 'object' }));
        }

        for (const { id, content } of schemas) {
            const name = content.name as string;
            this.#types.set(name, new TypeDefinition(name, id, content.schema as JsonObject));
        }

        const auth = isJsonObject(design.authConfig) ? design.authConfig : {};
        const byType = isJsonObject(auth.schemaAcls) ? auth.schemaAcls : {};
        this.accessRules = {
            system: readAclDefaults(auth.defaultAcls),
            entryOf: (type) => (Object.hasOwn(byType, type) ? readAclDefaults(byType[type]) : undefined),
            typeNames: () => this.#types.keys()
        };
    }

    static build(options: {
        design: JsonObject; schemas: readonly SchemaRecord[]; previous: TypeRegistry | null; extensionKeyword: string; prefix: string;
    }): TypeRegistry {

        return new TypeRegistry(options.design, options.schemas, options.prefix);
    }

    get(name: string): TypeDefinition | undefined {

        return this.#types.get(name);
    }

    schemas(): JsonObject {

        return Object.fromEntries([...this.#types.values()].map(({ name, schema }) => [name, schema]));
    }

    schemaIds(): JsonObject {

        return Object.fromEntries([...this.#types.values()].flatMap(({ name, schemaId }) => (schemaId === null ? [] : [[schemaId, name]])));
    }
}
