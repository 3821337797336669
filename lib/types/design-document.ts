/**
 * The design in the form for clients. User interfaces rely on three members; where the design object lacks them, they hold the
 * effective defaults.
 */

import type { JsonObject } from '../util/json-types.js';
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
