/**
 * The design in the form for clients. User interfaces rely on three members; where the design object lacks them, they hold the
 * effective defaults.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeJson } from '../json/serializer.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { TypeRegistry } from './type-registry.js';
import { isJsonObject } from '../util/json-types.js';
import { getOrAdd } from '../util/cache/get-or-add.js';
import { INITIAL_AUTH_CONFIG } from './seed-content.js';

/** Default of `uiConfig`. */
const DEFAULT_UI_CONFIG: JsonObject = {
    title: 'Digital Object Repository',
    relationshipsButtonText: 'Show Relationships',
    allowUserToSpecifySuffixOnCreate: true,
    numTypesForCreateDropdown: 15,
    aclUiSearchTypes: ['User', 'Group'],
    searchResults: { includeType: true, includeModifiedDate: false, includeCreatedDate: false },
    initialQuery: '*:*',
    initialFragment: '#',
    initialSortFields: '/name',
    initialFilter: '',
    navBarLinks: [
        { type: 'query', title: 'All Objects', query: '*:*', sortFields: '/name' },
        { type: 'typeDropdown', title: 'Show Only', maxItems: 15 }
    ]
};

/** Default links of handle records. */
const DEFAULT_LINKS: JsonObject[] = [{ type: 'json' }, { type: 'ui', primary: true }];

/**
 * Returns the content of the design plus `schemas` (type name → schema) and `schemaIds` (id of the Schema object → type name).
 * `uiConfig`, `authConfig` and `handleMintingConfig` are always present. It must not be modified.
 */
export function designDocument(types: TypeRegistry): JsonObject {

    return getOrAdd(documents, types, () => documentOf(types));
}

/** By the state of the types. */
const documents = new WeakMap<TypeRegistry, JsonObject>();
const tags = new WeakMap<TypeRegistry, Promise<string>>();

/** By the schema, which stays the same object while its type does not change. */
const digests = new WeakMap<object, string>();

/** Schemas that are hashed in one turn of the event loop. */
const SCHEMAS_PER_TURN = 500;

/** Returns the entity tag of {@link designDocument}: a hash of its JSON, the same on every node. */
export function designTag(types: TypeRegistry): Promise<string> {

    return getOrAdd(tags, types, () => tagOf(types));
}

async function tagOf(types: TypeRegistry): Promise<string> {

    const { schemas, ...others } = designDocument(types);
    const names = Object.keys(isJsonObject(schemas) ? schemas : {});
    const hash = createHash('sha256').update(writeJson(others)).update(writeJson(names));
    for (const [count, schema] of Object.values(isJsonObject(schemas) ? schemas : {}).entries()) {
        hash.update(digestOf(schema));
        if (count % SCHEMAS_PER_TURN === SCHEMAS_PER_TURN - 1) {
            await nextTurn();
        }
    }

    return hash.digest('base64url');
}

function digestOf(schema: JsonValue): string {

    const make = (): string => createHash('sha256').update(writeJson(schema)).digest('base64url');
    return typeof schema === 'object' && schema !== null ? getOrAdd(digests, schema, make) : make();
}

function documentOf(types: TypeRegistry): JsonObject {

    const { content } = types.design;
    const { uiConfig, authConfig, handleMintingConfig } = content;
    return {
        ...content,
        uiConfig: isJsonObject(uiConfig) ? uiConfig : DEFAULT_UI_CONFIG,
        authConfig: isJsonObject(authConfig) ? authConfig : INITIAL_AUTH_CONFIG,
        handleMintingConfig: { prefix: types.prefix, defaultLinks: DEFAULT_LINKS, ...isJsonObject(handleMintingConfig) ? handleMintingConfig : {} },
        schemaIds: types.schemaIds(),
        schemas: types.schemas()
    };
}
